import json,sys,random
from pathlib import Path
l=sys.argv[1]; src,made,tag,n=sys.argv[2],sys.argv[3],sys.argv[4],int(sys.argv[5])
ws={w['window']:w for w in json.load(open(src))}; rows=json.load(open(made))
seen=set(); out=[]
for m in rows:
    k=(m['window'],m['who'],m['text'])
    if k in seen: continue
    seen.add(k); w=ws[m['window']]; ids=[t['id'] for t in w['turns']]
    at=[ids.index(t) for t in m['turns'] if t in ids]
    if not at: continue
    lo=max(0,min(at)-5) if len(w['turns'])>8 else 0; show=sorted(set(range(lo,max(at)+1)))
    if len(show)>14: show=show[-14:]
    talk='\n'.join(('> ' if i in at else '  ')+w['turns'][i]['speaker']+': '+w['turns'][i]['text'] for i in show)
    out.append(dict(window=m['window'],source=w['source'],who=m['who'],memory=m['text'],kind=m['kind'],field=m['field'],turns=m['turns'],talk=talk))
random.Random(7).shuffle(out)
d=Path('/tmp/jt/sheets'); d.mkdir(exist_ok=True)
size=(len(out)+n-1)//n
for k in range(n):
    part=out[k*size:(k+1)*size]; name=f'{tag}-{k+1}'
    json.dump(part,open(f'/tmp/jt/{name}.rows.json','w'),ensure_ascii=False)
    (d/f'{name}.txt').write_text('\n'.join(f"=== {i}  speaker: {r['who']}\n{r['talk']}\nMEMORY: {r['memory']}\n" for i,r in enumerate(part,1)))
    print(name,len(part))
