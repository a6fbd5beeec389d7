import asyncio,json,os,sys,time
from pathlib import Path
from evaluation import talk
from evaluation.in_memory import evaluation_models, extractor_behind
l,src,out=sys.argv[1:4]
ws=talk.read_windows(Path(src)); models=evaluation_models(); got=[]
T=time.time()
for k in range(0,len(ws),4):
    try: made=asyncio.run(talk.memories_of(ws[k:k+4],models,extractor_behind(None)))
    except Exception as e: print(k,repr(e)[:200]); continue
    got+=[m.model_dump() for m in made]
    if k%20==0: print(l,k,len(got),round(time.time()-T),flush=True)
json.dump(got,open(out,'w'),ensure_ascii=False)
