"""What keeps a wording of the profile from being read in a clause: whose it is, what is denied, what else it is of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from processors.reader.rules import clauses_zh
from processors.reader.rules.making_zh import is_asserted
from processors.reader.rules.named_subjects_zh import is_name
from processors.reader.rules.others import KIN_EN, of_anothers_zh
from schemas.profile.wording import STATEMENT_SLOT, Wording

_DIRECTLY_DENIED_ZH = re.compile(
    r"(?:不是|并非|没有?|無|无|未|(?<!忍)(?<!止)(?<!差)不)"
    r"(?:再|怎么|什么|任何|觉得|感觉|感到|出现|发生|有|太|很|那么|这么|特别|经常|常|总|老|会|过|得过?|犯过?|一点儿?|是|因为){0,3}$"
)
"""Before a value that is of its time. A denial elsewhere in the clause is about something else: 头痛不能上班."""
_OWNED_BEHIND_ZH = re.compile(
    rf"[，,：:\s]*(?:(?:不对|错了|说错了|等等|哦|啊)[，,\s]*){{0,2}}(?:这|那)?(?:个|次)?(?:数|数据)?是(?:我|我们)?(?:家)?(?:{clauses_zh.KIN}|[他她])的"
)
_FEELS_ZH = re.compile(r"(?:感觉|感到|觉得)(?:有点儿?|有些|很|特别|非常|一阵|好|真)*$")
"""What one feels is so; what one believes may not be."""


_STAFF_EN = "doctor|boss|manager|teacher|mentor|landlord|colleague|coworker|co-worker|family|partner"
"""To these one tells of oneself."""
_THEIRS_EN = re.compile(
    rf"\b(?:(?!(?:{_STAFF_EN})s?\b)(?:{KIN_EN})s?|he|she|him|her|his|patients?|wom(?:a|e)n|m(?:a|e)n|girls?|boys?|guy|lady"
    r"|gentleman|bab(?:y|ies)|toddler|newborn|dogs?|cats?|pet|puppy|years?[- ]old|(?-i:(?:Mr|Mrs|Ms|Miss)\b\.? [A-Z])"
    r"|(?-i:[A-Z][a-z]{1,20}) (?:came|went|feels|felt|says|called|visited|arrived|fell))",
    re.I,
)
_OWN_EN = re.compile(r"\b(?:I|me|my|mine|we|us|our|myself)\b", re.I)
_THEIRS_ZH = re.compile(
    rf"{clauses_zh.FAMILY}|朋友|同事|同学|邻居|室友|病人|患者|客户|学生|[他她]|[\u4e00-\u9fff](?:女士|小姐)|[个位名]人"
    r"|[男女](?:性|的|孩|士|患)|[狗猫]|宠物"
)
_OWN_ZH = re.compile(rf"(?:[我俺咱](?!们?的?家?(?:{clauses_zh.KIN}))|本人|自己)")
_MET_EN = re.compile(
    r"\b(?:treat|met|meet|saw|see|know|knew|examin|assess|admit|nurs|triag|discharg|interview|visit|help|hav|had|have)"
    r"\w{0,4} (?!my\b|our\b)(?:\w+ ){0,3}?"
    r"(?:wom(?:a|e)n|m(?:a|e)n|guy|girl|boy|lady|gentleman|person|people|somebody|someone|runner|athlete|patient|client"
    r"|student|[a-z]{3,12}mate|(?-i:[A-Z][a-z]{1,20})) (?:with|who|whose|having)\b",
    re.I,
)
"""I met a man with, I saw Bob with: what follows is theirs."""
_SPEECH_EN = re.compile(
    rf"\b(?:he|she|they|you|(?!(?:{_STAFF_EN})\b)(?:{KIN_EN})|(?-i:[A-Z][a-z]{{1,20}}))"
    r" (?:said|says|told (?:me|us|him|her|them)|wrote|texted|replied|goes|answered):\s*$",
    re.I,
)
_SPEECH_ZH = re.compile(
    rf"(?:[他她]们?|你|(?!医生|老师|医师){clauses_zh.KIN})(?:[跟对和][我他她])?(?:说|讲|回复?|写道?|告诉我|发来|喊)[:：]\s*$"
)
_LABEL = {"en": re.compile(r"[\w' -]{1,30}"), "zh": re.compile(r"[^，,：:我俺咱]{1,8}")}
_HEADED, _SHORT = 200, 40
"""Characters over which a heading is looked for, and of a sentence under one."""
_SENTENCE_END = re.compile(r"[.!?。！？；;…\n]+")


def leads_to_another(text: str, language: Literal["en", "zh"]) -> bool:
    """Is the last person whom a turn has named so far, in what it `text`, somebody else than its speaker? Then what
    names nobody is told of that one ("My mother is 78. Blood pressure 160/100.")."""
    theirs, own = (_THEIRS_EN, _OWN_EN) if language == "en" else (_THEIRS_ZH, _OWN_ZH)
    others = [m.end() for m in theirs.finditer(text)]
    return bool(others) and max(others) > max((m.end() for m in own.finditer(text)), default=0)


def label(text: str, language: Literal["en", "zh"]) -> str:
    """What may be a heading over what follows, among the short sentences before that do not name the speaker
    ("Targets. Blood pressure 120/80. ...", 参考范围。)."""
    heads: list[str] = []
    for part in reversed([p.strip() for p in _SENTENCE_END.split(text[-_HEADED:]) if p.strip()]):
        if len(part) > _SHORT or _OWN_EN.search(part) or _OWN_ZH.search(part):
            break
        if _LABEL[language].fullmatch(part) is not None and len(part.split()) <= 3:
            heads.append(part)
    return "".join(f"{head}: " for head in heads)


def spoken_by_another(before: str, language: Literal["en", "zh"]) -> bool:
    """Does what stands `before` a clause say that it is somebody else's words ("He told me: my ...")?"""
    return (_SPEECH_EN if language == "en" else _SPEECH_ZH).search(before) is not None


def of_one_met(lead: str) -> bool:
    """Does an English clause of the speaker's tell of somebody whom they met ("I treated a woman with a ...")?"""
    return _MET_EN.search(lead) is not None


def lead(wording: Wording, match: re.Match[str]) -> str:
    """The clause before the first value of a match."""
    found = [match.start(name) for name in match.re.groupindex if match[name] is not None and name != STATEMENT_SLOT]
    return match.string[: min(found, default=match.start())]


def begin(match: re.Match[str]) -> int:
    """Where a match begins; one that keeps all that is said, where its first value does."""
    names = match.re.groupindex
    if STATEMENT_SLOT not in names or match.start(STATEMENT_SLOT) > match.start():
        return match.start()
    return min((match.start(n) for n in names if n != STATEMENT_SLOT and match[n] is not None), default=match.start())


def excluded(wording: Wording, statement: str, before: str) -> bool:
    """Is what a wording rules out in a clause, or in what its sentence `statement` before it where that counts?"""
    if any(_guard(pattern).search(text) for pattern in wording.unless for text in (statement, before) if text):
        return True
    return wording.behind is not None and _guard(wording.behind).search(before) is None


@lru_cache(maxsize=512)
def _guard(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def meant_zh(wording: Wording, match: re.Match[str]) -> bool:
    """Is what a wording found said as so, of the speaker?"""
    # A number that one feels is none that was read.
    if wording.numbers or (wording.of_time is None and not wording.ends):
        return is_asserted(match.string, begin(match))
    leading = _FEELS_ZH.sub("", match.string[: begin(match)])
    return is_asserted(leading, len(leading))


def opens(allowed: str, clause: clauses_zh.Clause, match: re.Match[str]) -> bool:
    """May what stands before a match stand there, in a clause that does not name the speaker?"""
    return not clauses_zh.carried(clause) or _guard(allowed).fullmatch(match.string[: match.start()]) is not None


def said_of_nothing(wording: Wording, match: re.Match[str]) -> bool:
    """Is what is of its time denied right before it? Then it was not; nor is it a cure."""
    return wording.of_time is not None and _DIRECTLY_DENIED_ZH.search(lead(wording, match)) is not None


def of_somebody(clause: clauses_zh.Clause) -> bool:
    """Is what a clause says somebody else's: by what its sentence says behind it or, where it does not name the
    speaker, beside it?"""
    if _OWNED_BEHIND_ZH.match(clause.after) is not None:
        return True
    if not clauses_zh.carried(clause):
        return False
    return of_anothers_zh(clause.before) or of_anothers_zh(clause.raw) or _under_a_name(clause.before)


def _under_a_name(before: str) -> bool:
    """张三，血压160/100, 小王：血压160/100; with 小 behind a comma it may be the one who is spoken to."""
    (*_, name) = ["", *re.findall(r"[^，,：:\s]{2,8}[，,：:\s]*$", before)]
    phrase = name.rstrip("，,：: ")
    if not phrase or clauses_zh.FILLER.fullmatch(phrase) or phrase.endswith(("医生", "大夫", "医师", "护士", "老师")):
        return False
    return is_name(phrase) and (phrase[0] not in "小老阿" or name.rstrip().endswith(("：", ":")))
