import sys; sys.path.insert(0,'/tmp/jt')
import numpy as np,re,json,os
from data import *
from evaluation.in_memory import evaluation_models
exec(open('/tmp/judge/cv.py').read()[open('/tmp/judge/cv.py').read().index('def fit'):].split('for l in')[0])
m=evaluation_models()
def norm(r):
    t,w=r['memory'],(r.get('who') or ''); zh=bool(re.search('[\u4e00-\u9fff]',t))
    if w: t=re.sub(r'^'+re.escape(w)+r"(?=\b|的|'|[\u4e00-\u9fff])",'用户' if zh else 'User',t,flags=re.I)
    return t
from functools import lru_cache
import pickle,hashlib
EF='/tmp/jt/emb.pkl'
CACHE=pickle.load(open(EF,'rb')) if os.path.exists(EF) else {}
def emb(x):
    x=list(x); need=sorted({t for t in x if t not in CACHE})
    if need:
        for i in range(0,len(need),256):
            for t,v in zip(need[i:i+256],m.embedder.embed(need[i:i+256])): CACHE[t]=np.asarray(v,np.float32)
        pickle.dump(CACHE,open(EF+'.tmp','wb')); os.replace(EF+'.tmp',EF)
    return np.stack([CACHE[t] for t in x])
PR=re.compile(r"\b(it|this|that|these|those|there|here|them|they|he|she|him|her|his|one|ones|thing|things|stuff|so|such|same)\b|这|那|它|他|她|哪|此|之|别的|里面|这样|那样",re.I)
RT=re.compile(r"\b(today|tomorrow|yesterday|tonight|next|last|week|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday|now|just|soon)\b|今天|明天|昨天|前天|后天|下周|上周|下个月|上个月|周[一二三四五六日末]|刚|马上|现在",re.I)
RES=re.compile(r"\b(lol|haha|yeah|oh|well|though|too|also|ok|okay|like|really|just|guess|maybe|probably|kinda)\b|啊|吧|呢|嘛|哦|哈|呀|吗|啦|其实|反正|感觉|觉得|好像|可能|应该|囖|喎",re.I)
def feats(r):
    t=norm(r); u=turn_text(r['talk']); n=len(t); words=re.findall(r"[A-Za-z']+|[\u4e00-\u9fff]",t); uw=re.findall(r"[A-Za-z']+|[\u4e00-\u9fff]",u)
    over=len(set(w.lower() for w in words)&set(w.lower() for w in uw))/max(1,len(set(words)))
    k=[float(r['kind']==x) for x in ('episode','preference','fact','intent')]
    return [np.log1p(n),np.log1p(len(words)),np.log1p(len(u)),len(words)/max(1,len(uw)),over,len(PR.findall(t)),bool(PR.search(t)),len(RT.findall(t)),len(RES.findall(t)),bool(re.search(r'\d|一|二|三|两|[四五六七八九十]',t)),sum(w[:1].isupper() for w in words[1:]),'?' in u or '？' in u or '吗' in u,t.count(',')+t.count('，'),len(words)<=4,float(bool(r.get('field'))),float('asked' in t or '问' in t),float(t.startswith('User') or t.startswith('用户')),*k]
def mat(rows):
    return np.array([feats(r) for r in rows],float)
def table_row(s,y):
    o=np.argsort(-s); res=[]
    for keep in (.97,.94,.9,.8,.7):
        g=np.cumsum(y[o])/y.sum(); k=int(np.searchsorted(g,keep))+1; res.append((keep,round(k/len(y),2),round(float(y[o[:k]].mean()),2)))
    return res
def run(tags,l):
    tr=[r for t in tags for r in verdicts(t)]; te=people(l)
    if not tr: return
    y=np.array([float(r['good']) for r in tr]); ty=np.array([float(r['good']) for r in te])
    E,T=emb([norm(r) for r in tr]),emb([norm(r) for r in te]); U,V=emb([turn_text(r['talk'])[:300] or '.' for r in tr]),emb([turn_text(r['talk'])[:300] or '.' for r in te])
    F,G=mat(tr),mat(te); mu,sd=F.mean(0),F.std(0)+1e-6; F=(F-mu)/sd; G=(G-mu)/sd
    print(l,len(tr),'good',round(y.mean(),3),'test',len(te),round(ty.mean(),3)); tot=0
    for name,X,Z in (('hand',F,G),('mem',E*5,T*5),('mem+hand',np.c_[E*5,F],np.c_[T*5,G]),('all',np.c_[E*5,U*5,F],np.c_[T*5,V*5,G])):
        best=max(((auc(np.c_[Z,np.ones(len(Z))]@fit(X,y,l2),ty),l2) for l2 in (3,10,30,100)))
        s=np.c_[Z,np.ones(len(Z))]@fit(X,y,30); print('  ',name,'best',best,'at 30:',round(auc(s,ty),3),table_row(s,ty)); tot=tot+(s-s.mean())/s.std()
    print('   sum',round(auc(tot,ty),3),table_row(tot,ty))
    # in-domain: cv inside training set by window
    if len(tr)>100:
        wins=sorted({r['window'] for r in tr}); h=np.array([wins.index(r['window'])%6 for r in tr])
        for name,X in (('hand',F),('mem+hand',np.c_[E*5,F]),('all',np.c_[E*5,U*5,F])):
            s=np.zeros(len(tr))
            for k in range(6): s[h==k]=np.c_[X[h==k],np.ones((h==k).sum())]@fit(X[h!=k],y[h!=k],30)
            print('   cv',name,round(auc(s,y),3),table_row(s,y))
if __name__=='__main__':
    [run(sorted(x.split('/')[-1][:-4] for x in glob.glob(f'/tmp/jt/sheets/{l}[A-Z]-*.csv')),l) for l in sys.argv[1:]]
