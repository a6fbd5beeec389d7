"""Counts of bound names by kind over the tracked Python of a tree."""
import ast, sys, subprocess, collections, re, pickle
root=sys.argv[1]
files=subprocess.run(["git","-C",root,"ls-files","*.py"],capture_output=True,text=True).stdout.split()
C=collections.defaultdict(lambda: collections.Counter())  # name -> kind counts
F=collections.defaultdict(set)
D=collections.defaultdict(list)
for f in files:
    t=ast.parse(open(f"{root}/{f}").read())
    def visit(node,incls,infn):
        for ch in ast.iter_child_nodes(node):
            c,fn=incls,infn
            def add(n,k):
                C[n][k]+=1;F[n].add(f);D[n,k].append((f,getattr(ch,'lineno',0)))
            if isinstance(ch,(ast.FunctionDef,ast.AsyncFunctionDef)):
                add(ch.name,"method" if incls else ("inner" if infn else "function")); c=False;fn=True
            elif isinstance(ch,ast.ClassDef): add(ch.name,"class"); c=True;fn=False
            elif isinstance(ch,ast.Lambda): c=False;fn=True
            elif isinstance(ch,ast.arg): add(ch.arg,"param")
            elif isinstance(ch,ast.Name) and isinstance(ch.ctx,ast.Store): add(ch.id,"field" if incls else ("local" if infn else "global"))
            elif isinstance(ch,ast.Name): C[ch.id]["use"]+=1;F[ch.id].add(f)
            elif isinstance(ch,ast.Attribute):
                add(ch.attr,"attrset" if isinstance(ch.ctx,ast.Store) else "attruse")
            elif isinstance(ch,ast.keyword) and ch.arg: add(ch.arg,"kw")
            visit(ch,c,fn)
    visit(t,False,False)
pickle.dump((dict(C),dict(F),dict(D)),open(sys.argv[2],"wb"))
