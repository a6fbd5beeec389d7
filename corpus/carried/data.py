import json,csv,re,glob
from pathlib import Path
def verdicts(tag):
    out=[]
    p=Path(f'/tmp/jt/sheets/{tag}.csv')
    if not p.exists(): return []
    rows=json.load(open(f'/tmp/jt/{tag}.rows.json'))
    for r in csv.DictReader(open(p)):
        try: i=int(r['row'])-1; v=[int(r[k]) for k in ('supported','person','sentence','worth')]
        except Exception: continue
        if 0<=i<len(rows): out.append(dict(rows[i],v=v,good=int(all(v)),remark=r.get('remark')))
    return out
def turn_text(talk): return ' '.join(x[2:].split(': ',1)[-1] for x in talk.split('\n') if x.startswith('> '))
def people(l):
    out=[]
    for f in (f'/tmp/blind3/judged_{l}_dev.jsonl',f'/tmp/keptback/judged_{l}_kept.jsonl'):
        for x in open(f):
            r=json.loads(x); out.append(dict(window=r['window'],source=r['window'].split('-')[0],memory=r['memory'],kind=r['kind'],talk=r['talk'],good=int(all(r['good'])),v=None,who=r.get('who') or r.get('speaker')))
    return out
