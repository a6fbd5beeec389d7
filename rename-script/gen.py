from pathlib import Path
import json
H=Path('/work/helpers/out'); q=lambda s: json.dumps(s,ensure_ascii=False)
lit=lambda s: "'"+s+"'" if "'" not in s else "'''"+s+"'''"
def rows(n): return [l.split('|') for l in (H/n).read_text().splitlines() if l.strip() and not l.startswith('#')]
out=["# Data of rename.py: what is renamed, to what, and why. `count`: words that are counted; `move`: files;",
"# `global`: functions, classes, constants of modules; `attribute`: members of the classes in `of`; `local`: names in one",
"# function (`in` a qualified name; absent: the whole file); `kind`: locals by how they are made (first row that fits).",
"# `new`: names in order of preference; the first that is free in the scope is taken.","",
"[count]",'words = ["told", "said", "gone", "stands", "standing", "whose", "meant", "heard", "anew", "door", "doors", "asked"]',""]
for o,n,w in rows('moves.txt'): out+=["[[move]]",f"old = {q(o)}",f"new = {q(o.rsplit('/',1)[0]+'/'+n)}",f"why = {q(w)}",""]
for f,o,n,w in rows('globals.txt'): out+=["[[global]]",f"file = {q(f)}",f"old = {q(o)}",f"new = {q(n.split(','))}",f"why = {q(w)}",""]
for r in rows('attributes.txt'):
    o,n,within,w=r[0],r[1],'|'.join(r[3:-1]),r[-1]
    out+=["[[attribute]]",f"old = {q(o)}",f"new = {q(n)}",f"within = {lit(within)}","apart = '^tests/simulation/test_erasing'",f"why = {q(w)}",""]
for f,i,o,n in rows('spec.txt'): out+=["[[local]]",f"file = {q(f)}"]+([] if i=='*' else [f"in = {q(i)}"])+[f"old = {q(o)}",f"new = {q(n.split(','))}",""]
for l in (H/'kinds.txt').read_text().splitlines():
    if not l or l.startswith('#'): continue
    # how may contain |
    parts=l.split('|'); old,f=parts[0],parts[1]
    # file and how may hold | inside parentheses: join
    def join(ps):
        o=[];b=''
        for p in ps:
            b=p if not b else b+'|'+p
            if b.count('(')-b.count('\\(')==b.count(')')-b.count('\\)') and b.count('[')-b.count('\\[')<=b.count(']')-b.count('\\]')+99: o.append(b);b=''
        return o
    p=join(parts)
    assert len(p)==6,(l,p)
    out+=["[[kind]]",f"old = {q(p[0].split())}"]+([f"file = {lit(p[1])}"] if p[1] else [])+([f"in = {lit(p[2])}"] if p[2] else [])+([f"how = {lit(p[3])}"] if p[3] else [])+[f"new = {q(p[4].split(','))}",f"why = {q(p[5])}",""]
for l in rows('helpers.txt'):
    f,o,how,n,w=l
    out+=["[[helper]]",f"file = {lit(f)}",f"old = {q(o)}",f"how = {lit(how)}",f"new = {q(n.split(','))}",f"why = {q(w)}",""]
(H/'renames.toml').write_text("\n".join(out))
