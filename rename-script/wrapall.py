import rename,subprocess,re
from pathlib import Path
r=Path('/work/n-9nam')
def ruff(*w):
    return subprocess.run([str(r/'.venv/bin/ruff'),*w],cwd=r,capture_output=True,text=True)
o=ruff('check','.','--output-format','concise').stdout
hits=re.findall(r"^(\S+?):(\d+):\d+: E501",o,re.M)
print(len(hits),[l for l in o.splitlines() if 'E501' not in l][:20],flush=True)
for p,l in reversed(hits): rename.wrap(r/p,int(l),ruff)
