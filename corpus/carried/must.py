"""must.py LANG [FILE]: each sentence by this tree (PYTHONPATH) beside main's rules as they were (/tmp/jt/must_LANG.base). NAME#sentence has a speaker."""
import sys,json,os
from datetime import datetime,UTC
from processors.reader.rules.rules import RuleExtractor
from processors.reader.rules.protocol import TurnView
from schemas.profile.model import load_profile
l=sys.argv[1]; p=load_profile('general'); out={}
for line in open(sys.argv[2] if len(sys.argv)>2 else f'/tmp/jt/must_{l}.txt'):
    s=line.rstrip('\n'); who,_,t=s.rpartition('#')
    out[s]=[(c.kind,c.text,float(c.confidence),c.field) for c in RuleExtractor().extract(TurnView(t,'user',l,datetime(2026,11,26,9,tzinfo=UTC),speaker=who or None),p)]
b=f'/tmp/jt/must_{l}.base.json'
if os.environ.get('BASE'): json.dump(out,open(b,'w'),ensure_ascii=False)
else:
    base=json.load(open(b)); bad=0
    for s,o in out.items():
        if json.loads(json.dumps(o))!=base.get(s): bad+=1; print(s,'\n   was',base.get(s),'\n   now',o)
    print(len(out),'sentences,',bad,'other than main')
