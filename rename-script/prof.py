import sys,time,cProfile,pstats; sys.argv=['x']
import rename; from pathlib import Path
r=Path('/work/n-9nam'); fs=[f for f in rename.tracked(r) if f.endswith('.py')][::24]
t=time.process_time(); 

ms=[rename.Module(r,f) for f in fs]
print(len(fs),time.process_time()-t)

