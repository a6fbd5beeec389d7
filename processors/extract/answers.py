"""Answers to an assistant's question (B1): "Are you married?" - "Yes" states "I am married".

The question gives the words, the user's yes or no the fact: without the answer nothing is taken from an assistant.
"""

from __future__ import annotations

import re

from processors.extract.protocol import TurnView
from processors.extract.text import prepare, sentences

_YES_EN = re.compile(
    r"(?:yes|yeah|yep|yup|right|correct|that's right|exactly|sure|indeed"
    r"|true|i do|i am|i have|that is correct|of course)\b",
    re.I,
)
_NO_EN = re.compile(
    r"(?:no|nope|nah|not really|i don't|i'm not|i am not|i do not|i"
    r" haven't|that's wrong|incorrect)\b",
    re.I,
)
_YES_ZH = re.compile(
    r"(?:是的?|对的?|没错|嗯+|恩+|有的?|正是|确实|当然|可以这么说|对啊|是啊|嗯嗯|会的?)(?=$|[，,。！!的呀啊呢])"
)
_NO_ZH = re.compile(r"(?:不是|没有|不对|不|没|还没|并没有|不会)(?=$|[，,。！!的呀啊呢])")
_SHORT = 40
_ASKED_EN = re.compile(
    r"(?:so,? |and |ok(?:ay)?,? |just to confirm,? |can i confirm (?:that )?|to confirm,? )?"
    r"(?P<verb>are|were|do|did|have|can|will) you (?P<rest>[^?]{2,120})$", re.I,
)  # fmt: skip
_TAG_EN = re.compile(
    r"(?:so,? |and |ok(?:ay)?,? )?(?:you are|you're|you) (?P<rest>[^?,]{2,100}"
    r")(?:, (?:right|correct|is that (?:right|correct)|aren't you|don't"
    r" you))?$",
    re.I,
)
_FIRST_EN = {"are": "am", "were": "was", "do": "", "did": "", "have": "have", "can": "can", "will": "will"}
_SLOT_EN = (
    (re.compile(r"\bhow old are you\b|\byour age\b", re.I), "I am {}"),
    (re.compile(r"\bwhat(?:'s| is) your (?:full )?name\b|\bmay i have your name\b", re.I), "My name is {}"),
    (re.compile(r"\bwhere (?:do you live|are you (?:based|living|located))\b|\bwhich"
r" city (?:do you live|are you) in\b", re.I), "I live in {}"),
    (re.compile(r"\bwhere are you from\b|\bwhere do you come from\b", re.I), "I am from {}"),
    (re.compile(r"\bwhat do you do(?: for (?:a living|work))?$|\bwhat(?:'s| is)"
r" your (?:job|occupation|profession)\b", re.I), "I work as a {}"),
    (re.compile(r"\b(?:who|where) do you work(?: for| at)?$|\bwhich company\b", re.I), "I work for {}"),
    (re.compile(r"\bhow many years of (?:work )?experience\b", re.I), "I have {} years of experience"),
)  # fmt: skip
_SLOT_ZH = (
    (re.compile(r"多大|几岁|年龄|贵庚"), "我{}岁"),
    (re.compile(r"怎么称呼|叫什么|名字|贵姓"), "我叫{}"),
    (re.compile(r"(?:住|居住|现居)在?(?:哪|什么)|所在(?:城市|地)|哪个城市"), "我住在{}"),
    (re.compile(r"哪里人|老家|籍贯|来自哪"), "我来自{}"),
    (re.compile(r"什么工作|职业|什么职位|做什么的|岗位"), "我从事{}工作"),
    (re.compile(r"学历"), "我是{}学历"),
    (re.compile(r"什么专业|专业是"), "我的专业是{}"),
    (re.compile(r"哪(?:所|个)(?:大学|学校)|毕业院校"), "我毕业于{}"),
    (re.compile(r"工作(?:了)?(?:几|多少|多久)年?|工作年限|几年.{0,4}经验|多少年.{0,4}经验"), "我工作{}年了"),
    (re.compile(r"年薪|年收入"), "我年薪{}"),
)  # fmt: skip


def as_statement(turn: TurnView) -> str | None:
    """Return what a short answer to the assistant's last question says as a sentence of the user's own, or None."""
    if not turn.previous or turn.previous[-1][0] != "assistant" or len(turn.content) > _SHORT:
        return None
    asked = [s.text for s in sentences(prepare(turn.previous[-1][1])) if s.asks]
    if not asked:
        return None
    said = prepare(turn.content).strip().rstrip("。.!！~ ")
    return _chinese(asked[-1], said) if turn.language == "zh" or _has_han(asked[-1]) else _english(asked[-1], said)


def _has_han(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def _english(asked: str, said: str) -> str | None:
    for pattern, sentence in _SLOT_EN:
        if pattern.search(asked) and not re.match(r"(?:i|i'm|my|we)\b", said, re.I):
            value = re.sub(r"^(?:an?|in|from|at|for|it's|a bit)\s+", "", said, flags=re.I)
            return sentence.format(value.removesuffix(" years old").removesuffix(" years"))
    yes, no = _YES_EN.match(said), _NO_EN.match(said)
    match = _ASKED_EN.search(asked) or _TAG_EN.match(asked)
    if match is None or not (yes or no) or " or " in match["rest"]:
        return None
    verb = match.groupdict().get("verb")
    first = (
        _FIRST_EN[verb.lower()]
        if verb
        else ("am" if re.match(r"(?:so,? |and |ok(?:ay)?,? )?you(?:'re| are)", asked, re.I) else "")
    )
    rest = re.sub(r"\byour\b", "my", re.sub(r"\byou\b", "I", match["rest"])).removesuffix(" currently")
    rest = re.sub(r"^(?:currently|still|now|already|ever)\s", "", rest)
    if yes:
        return f"I {first} {rest}".replace("  ", " ")
    denial = f"{first} not" if first else "don't"
    return f"I {denial} {rest}"


def _chinese(asked: str, said: str) -> str | None:
    asked = asked.split("，")[-1] if "，" in asked and re.search(r"[你您]", asked.split("，")[-1]) else asked
    for pattern, sentence in _SLOT_ZH:
        if (
            pattern.search(asked)
            and re.search(r"什么|多|几|哪|怎么|年龄|学历|年薪|收入|名字|贵姓|贵庚", asked)
            and not said.startswith("我")
        ):
            return sentence.format(re.sub(r"^(?:是|在|叫|做)|岁$|年$|了$", "", said))
    yes, no = _YES_ZH.match(said), _NO_ZH.match(said)
    if not (yes or no) or "还是" in asked:
        return None
    own = re.sub(r"(?:对吗|是吗|对吧|是吧|对不对|是不是|吗|吧|呢|么)$", "", asked.rstrip("？? "))
    own = re.sub(r"^(?:请问|那么?|所以)[，,]?", "", own)
    own = re.sub(r"您|你", "我", own.replace("是不是", "是").replace("有没有", "有"))
    if "我" not in own:
        return None
    if yes and not no:
        return own.rstrip("，, ")
    denied = re.sub(r"有", "没有", own, count=1) if "有" in own else re.sub(r"是", "不是", own, count=1)
    return (
        denied if denied != own else re.sub(r"我(?=[\u4e00-\u9fff])", "我没有" if "了" in own else "我不", own, count=1)
    )
