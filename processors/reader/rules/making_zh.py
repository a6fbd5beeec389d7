"""What the Chinese readers share: making a statement of a clause, and telling what is denied, past or of others."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_zh import KIN, Clause
from processors.reader.rules.found import Found
from schemas.base import JsonValue
from schemas.events.memory import CandidateKind

_DENIED = re.compile(r"(?:不是|没有|没|不在|不|并非|不再|从未|未曾)(?:过|在)?$")
_WISHED = re.compile(
    r"(?:想要?|(?<![主重需只])要|打算|希望|准备|梦想|将来|以后|能|可以|会|去|考虑|像"
    r"|当成|成为|如何|怎么)(?:要|去|成为|当|做|在)?$"
)
_PLANNED = re.compile(
    r"想(?![起法象念必家])|(?<![主重需只还快不])要(?![求是紧不])|打算|计划|准备|希望|盼|期待|梦想|考虑|愿意|争取|渴望|目标"
    r"|^等|等(?=我|他|她|孩子|以后|到)|[明后]年|下个?月|下周|下星期|下学期|明天|后天|将来|未来|早晚|迟早|总有一天"
)
_DOUBTED = re.compile(
    r"^应该(?!有|是)|可能(?!性)|也许|或许|说不定|没准|恐怕|怕|担心|怀疑|疑似|好像|似乎|仿佛|貌似|以为|认为|觉得|感觉|猜|[没听常]说|说(?=我|自己)"
    r"|(?:(?<![年月天前才刚])知道|记得|听过|看[到过]|查[到过](?!$)|了解)(?!自己|我)|差点|差一点|险些|假装|扮演|装作|冒充|梦[见到]|做梦|本来|原本|不(?:太?确定|知道|清楚|记得)|看起来|看上去|误诊|排除"
)
_WITH = re.compile(
    rf"(?:[和跟与同陪带随像靠离]|照顾|为了|因为)(?:着|我们?的?|自己的?|家里的?|[一两几]个|[大小老]){{0,3}}(?:{KIN}|[他她它你您])们?"
)
"""With whom, not who."""
_SOMEBODY = re.compile(rf"(?:{KIN})|身边|周围|羡慕|嫉妒|佩服|[他她它你您]|别人|人家|[狗猫]|宠物|有人")
_PAST = re.compile(
    r"以前|之前|曾经?|过去|当时|那时|那年|小时候|原来|从前|[去前]年"
    r"|上学|上大学|大学时|年轻时|\d{4}年|年前|上个?[月周]|毕业后的?第"
    r"|辞职|离职|离开|退休之?前"
)
_ONCE = re.compile(
    r"(?<!年)(?:以前|之前)|曾经?|过去|当时|那时|那年|小时候|原来|从前|上学|上大学|大学时|年轻时|搬过|退休之?前"
)
_OTHERS = re.compile(r"^[^，]{0,10}?(?:你|您|他(?![汀嗪昔唑])|她|它|别人|人家|大家)")


def made(
    clause: Clause,
    span: tuple[int, int],
    text: str,
    *slots: tuple[str, JsonValue],
    kind: CandidateKind = "fact",
    approximate: bool = False,
    negated: bool = False,
    **attributes: JsonValue,
) -> Found:
    """Return a statement of the clause; `span` is its place in the clause's body."""
    if clause.correcting:
        attributes["correction"] = True
    offset = clause.start + max(clause.raw.find(clause.body), 0)
    return Found(
        offset + span[0], offset + span[1], kind, text, slots, approximate=approximate, negated=negated,
        attributes=attributes,
    )  # fmt: skip


def denied(body: str, at: int) -> bool:
    """Does a negation stand right before?"""
    return _DENIED.search(body[max(0, at - 4) : at]) is not None


def wished(body: str, at: int) -> bool:
    """Is it wanted, planned or compared rather than so?"""
    return _WISHED.search(body[max(0, at - 4) : at]) is not None


def is_asserted(body: str, at: int, words: str = "") -> bool:
    """Does the clause say of its speaker, as so, what follows? What leads there (or stands in the `words` themselves)
    may make it a wish, a plan, a belief or a fear, or speak of somebody else first ("有个朋友住在上海")."""
    lead = body[:at]
    if wished(body, at) or planned(lead + words) or doubted(lead + words):
        return False
    return _SOMEBODY.search(_WITH.sub("", lead)) is None


def planned(text: str) -> bool:
    """Does it speak of what is wished, planned or still to come?"""
    return _PLANNED.search(text) is not None


def doubted(lead: str) -> bool:
    """Does what leads to a statement make it a belief, a fear or a tale?"""
    return _DOUBTED.search(lead) is not None


def past(clause: Clause) -> bool:
    """Does the clause tell of what was, not of what holds?"""
    return _PAST.search(clause.raw) is not None


def once(clause: Clause) -> bool:
    """Does it tell of what had begun and is over? A move of last month holds on, a home of last month may not."""
    return _ONCE.search(clause.raw) is not None


def of_others(clause: Clause) -> bool:
    """Does the clause turn to another person before it says anything ("我猜你32岁")?"""
    return _OTHERS.match(clause.body) is not None
