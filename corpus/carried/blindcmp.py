"""blindcmp.py LANG: memories of this tree on the blind windows, against their verdicts."""
import asyncio,json,sys
sys.path.insert(0,'/tmp/jt')
from data import people
from evaluation import talk
from evaluation.in_memory import evaluation_models, extractor_behind
from pathlib import Path
l=sys.argv[1]; models=evaluation_models(); rows=people(l); wins={r['window'] for r in rows}
ws=[w for w in talk.read_windows(Path(f'/tmp/blind3/people/people_{l}_dev.json')) if w.window in wins]
got=set(); n=0
for k in range(0,len(ws),4):
    for m in asyncio.run(talk.memories_of(ws[k:k+4],models,extractor_behind(None))): got.add((m.window,m.text)); n+=1
old={(r['window'],r['memory']):r for r in rows}
stay=[r for k,r in old.items() if k in got]; gone=[r for k,r in old.items() if k not in got]
print(l,'turns',sum(len(w.turns) for w in ws),'memories now',n,'of sheet stay',len(stay),'good',sum(r['good'] for r in stay),round(sum(r['good'] for r in stay)/max(1,len(stay)),3),'gone good',sum(r['good'] for r in gone),'bad',sum(not r['good'] for r in gone),'not on sheet',len([k for k in got if k not in old]))
