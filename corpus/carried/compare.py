"""compare.py LANG TAG...: memories of this tree (PYTHONPATH) on the windows of judged sheets, against their verdicts.
Prints: good and bad that vanished, and what is new (unjudged). Tags: enA zhA (dev)."""
import asyncio,json,sys,glob
sys.path.insert(0,'/tmp/jt')
from data import verdicts
from evaluation import talk
from evaluation.in_memory import evaluation_models, extractor_behind
SRC={'enA':'en','enB':'en2','enC':'en3','zhA':'zh','zhC':'zh3','zhD':'zh4'}
l=sys.argv[1]; models=evaluation_models()
for tag in sys.argv[2:]:
    base=tag.split('-')[0]; rows=[r for f in sorted(glob.glob(f'/tmp/jt/sheets/{tag}*.csv')) for r in verdicts(f.split('/')[-1][:-4])]
    wins={r['window'] for r in rows}; ws=[w for w in talk.read_windows(__import__('pathlib').Path(f'/tmp/jt/{SRC[base]}.json')) if w.window in wins]
    got=set()
    for k in range(0,len(ws),4):
        for m in asyncio.run(talk.memories_of(ws[k:k+4],models,extractor_behind(None))): got.add((m.window,m.who,m.text))
    old={(r['window'],r['who'],r['memory']):r for r in rows}
    gone=[r for k,r in old.items() if k not in got]; stay=[r for k,r in old.items() if k in got]; new=sorted(k for k in got if k not in old)
    if base in ('enA','zhA') or '-1' in tag or 1:
        for r in gone: print('GONE','good' if r['good'] else 'bad ',r['memory'][:150],'|',r['remark'])
        for k in new: print('NEW ',k[0],k[2][:200])
    g=sum(r['good'] for r in stay); print(f"{tag}: before {sum(r['good'] for r in rows)} good of {len(rows)}; vanished {sum(r['good'] for r in gone)} good, {sum(not r['good'] for r in gone)} bad; stay {g} good of {len(stay)} = {g/max(1,len(stay)):.2f}; new {len(new)}")
