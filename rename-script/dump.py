import ast, sys, subprocess
root,*names=sys.argv[1:]
files=subprocess.run(["git","-C",root,"ls-files","*.py"],capture_output=True,text=True).stdout.split()
def u(n): return ast.unparse(n)[:95] if n is not None else ""
for f in files:
    t=ast.parse(open(f"{root}/{f}").read())
    def visit(node,q):
        for ch in ast.iter_child_nodes(node):
            qq=q
            if isinstance(ch,(ast.FunctionDef,ast.AsyncFunctionDef,ast.ClassDef)):
                qq=q+[ch.name]
                if ch.name in names: print(ch.name,"DEF",f,".".join(q),type(ch).__name__, u(ch.args) if hasattr(ch,'args') else "", "->",u(getattr(ch,'returns',None)))
            if isinstance(ch,ast.arg) and ch.arg in names: print(ch.arg,"ARG",f,".".join(q),":",u(ch.annotation))
            if isinstance(ch,ast.Assign):
                for tg in ch.targets:
                    for x in ast.walk(tg):
                        if isinstance(x,(ast.Name,ast.Attribute)) and isinstance(x.ctx,ast.Store) and getattr(x,'id',getattr(x,'attr',None)) in names:
                            print(getattr(x,'id',getattr(x,'attr',None)),"ATTR" if isinstance(x,ast.Attribute) else "ASG",f,".".join(q),"=", ("" if tg is x else "("+u(tg)+") ")+u(ch.value))
            if isinstance(ch,ast.AnnAssign):
                x=ch.target; n=getattr(x,'id',getattr(x,'attr',None))
                if n in names: print(n,"ANN" if isinstance(node,(ast.FunctionDef,ast.AsyncFunctionDef)) else ("FIELD" if isinstance(node,ast.ClassDef) else "ANN"),f,".".join(q),":",u(ch.annotation),"=",u(ch.value))
            if isinstance(ch,(ast.For,ast.AsyncFor,ast.comprehension)):
                for x in ast.walk(ch.target):
                    if isinstance(x,ast.Name) and x.id in names: print(x.id,"FOR",f,".".join(q),u(ch.target),"in",u(ch.iter))
            if isinstance(ch,ast.NamedExpr) and ch.target.id in names: print(ch.target.id,"WAL",f,".".join(q),":=",u(ch.value))
            if isinstance(ch,(ast.With,ast.AsyncWith)):
                for i in ch.items:
                    if i.optional_vars is not None:
                        for x in ast.walk(i.optional_vars):
                            if isinstance(x,ast.Name) and x.id in names: print(x.id,"WITH",f,".".join(q),u(i.context_expr))
            visit(ch,qq)
    visit(t,[])
