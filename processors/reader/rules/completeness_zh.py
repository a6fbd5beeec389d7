"""Is a Chinese statement whole: a predicate with its object, of its own subject, no feeling by itself, no banter?

The strict test behind `self_contained_zh.is_self_contained`, of statements still in the first person. What is refused
is found as a turn, for as long as turns live.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from processors.reader.rules.clauses_zh import KIN

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "completeness_zh.toml").read_text(encoding="utf-8"))


def _any(name: str) -> str:
    return "|".join(sorted((re.escape(word) for word in _DATA[name].split()), key=len, reverse=True))


def _lines(name: str) -> str:
    return "|".join(line for line in _DATA[name].splitlines() if line)


_OBJECTLESS = re.compile(rf"(?:{_any('wants_object')})(?:之后|以后)?(?=[，\s]|$)")
_HAS_OBJECT = re.compile(r"把|被|给|都|全")
"""What is done to something names it before its verb."""
_ALONE = re.compile(rf"(?:{_any('wants_other')})(?=[，\s]|$)")
_WHEN = r"(?:[今昨明前]天|[今昨][晚早夜]|现在|目前|最近|有时候?|此刻|一直|刚刚?|当时|后来|连续几次|[早晚]上|[上中下]午)"
_OF_WHAT = re.compile(
    rf"^(?:[我俺]们?的?(?:{KIN})?|自己)(?:{_WHEN}|[去前今]年|之前|以前|已经|又|也|都|就|还|还是|一直|是|终于|刚|后来|没|没有){{0,5}}(?:{_any('transitive')})"
    rf"(?:[过了完的]|过了|到了|到过)?(?:好?[几一二两三四五六七八九十\d半]*个?(?:次|回|趟|遍|年|天|星期|月|周|很久|好久|半天)多?了?)?"
    rf"(?:[，\s]?(?:还是|还|也|都|又)?(?:{_any('outcomes')})){{0,3}}了?$"
)
"""Done, and to what stands in the turn before: 我也遇到过好几次, 我吃了没效果."""
_COMPARES = re.compile(
    rf"^(?:我|自己)(?:也|就|都|刚好|正好|的情况|恰恰|完全|跟着){{0,3}}(?:{_any('compares')})(?=[，\s]|$)"
)
_FEELS = re.compile(
    rf"^(?:(?:{_WHEN})[，\s]?){{0,4}}(?:[我俺](?:的?(?:{KIN}))?|自己|本人)?(?:{_WHEN}|其实|真的?|也|都|就|又|还|很|好|太|挺|超|超级|非常|特别|有点儿?|有些|一点也?不?|不|更|好像|这么"
    rf"|心态|心情|心里|内心|感觉|觉得|感到|自己|总是|每次){{0,8}}(?:{_any('feelings')})(?:了|极了|死了|的|的感觉|得不行|不已){{0,3}}$|^(?:我|自己|{_WHEN}){{1,4}}$"
)
_FEELING_CLAUSE = re.compile(r"[，\s]+")
_BANTER = re.compile(_any("banter"))
_PASSING = re.compile(_any("passing"))
_GENERAL = re.compile(_lines("general"))
_TALK = re.compile(_lines("of_the_talk"))
_VOCATIVE = re.compile(rf"^(?:{KIN})们?[，,\s]+(?:教|帮|救|求|快|别|加油|来|等)")
_IS_WHAT = re.compile(r"(?:怀疑|担心|害怕|怕|觉得|感觉|以为|猜|可能|应该)(?:都|就|还|只|也)*(?:是(?!我|自己)|因为)")
"""What it is stands in the turn before: 我怀疑是骗子."""
_BETWEEN = re.compile(r"(?<![突忽]然)之间的?")
_BOTH = re.compile(r"[和跟与同]|我们|彼此|双方|两")
_TOGETHER = re.compile(r"在一起")
_WITH = re.compile(rf"[和跟与同]|我们|{KIN}")
_TO_ME = re.compile(r"^(?:一[^，我]{1,6}就[^，]*我|一[^，我]{0,4}话就|让|把)")
"""The doer of what is done to the speaker stands in the turn before."""
_HALTING = re.compile(r"[誒诶囖𡃉𠸏𠻺]|即[係系]|^-|(?P<again>[\u4e00-\u9fff])-(?P=again)")
"""Speech as it was heard, with what fills its pauses."""
_ADVICE = re.compile(_lines("advice"))
_NAMED_ONLY = re.compile(r"^(?:我|自己|我自己)的(?![\u4e00-\u9fff]{1,2}(?:叫|是|有|姓))[\u4e00-\u9fff]{1,4}$")
_OPEN_END = re.compile(r"[，\s](?:但是?|可是|不过)?(?:由于|虽然|尽管|既然|只要|除了)[^，]*$")
"""A clause of which the main one is cut off."""
_OPINION = re.compile(
    rf"^(?:[我俺]们?(?:家)?的?)?(?!医生)(?:{KIN}|教练|班主任|组长|班长|校长)们?(?:总|老|常|也|就|都|还){{0,2}}说"
    rf"(?:我(?!{_lines('of_them')}|小时候|从小|生下来|出生|刚出生|以前|[这那]?(?:时候|几天)|睡|半夜|夜里|打呼|[们家爸妈])|没事|[^，我]{{1,8}}就(?:好|没事|行)了?$)"
)
"""What a person of the speaker's thinks of them: 我妈说我太矫情."""
_AT = re.compile(r"@|贵校")
_NOBODYS = re.compile(r"和他|跟他|和她|跟她|与他|与她|对他|对她")
_MANY = re.compile(r"^(?:我的?)?(?:家人|家里人|父母|爸妈|爹妈|双亲|公婆|岳父母|公公婆婆|亲戚|同学|朋友|室友|同事)们?")


def advised(text: str) -> bool:
    """Is this without a subject, and what somebody is told to do: 需要提供下抬头, 还要继续服用?"""
    return _ADVICE.search(text) is not None


def whole(text: str) -> bool:
    """May a statement be told as it is? Its subject is the speaker, or who stands first."""
    if _AT.search(text) or _BANTER.search(text) or _PASSING.search(text) or _GENERAL.search(text):
        return False
    if advised(text) or _HALTING.search(text) or _OPINION.search(text):
        return False
    if _VOCATIVE.match(text) or _TALK.search(text) or _OPEN_END.search(text) or _TO_ME.match(text):
        return False
    if any(p.search(text) is not None for p in (_COMPARES, _IS_WHAT)) or _NAMED_ONLY.match(text):
        return False
    if all(_FEELS.match(part) for part in _FEELING_CLAUSE.split(text) if part):
        return False
    if _OF_WHAT.match(text) or _lacks_object(text) or (_MANY.match(text) and _NOBODYS.search(text)):
        return False
    pairs = ((_ALONE, _WITH), (_BETWEEN, _BOTH), (_TOGETHER, _WITH))
    return not any(_lacks_other(text, statement, other) for statement, other in pairs)


def _lacks_object(text: str) -> bool:
    match = _OBJECTLESS.search(text)
    return match is not None and _HAS_OBJECT.search(text, 0, match.start()) is None


def _lacks_other(text: str, phrase: re.Pattern[str], other: re.Pattern[str]) -> bool:
    """Does it speak of two of whom it names one?"""
    match = phrase.search(text)
    return match is not None and other.search(text, 0, match.start()) is None
