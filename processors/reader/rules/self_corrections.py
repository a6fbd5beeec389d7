"""What a speaker takes back in a sentence of its own: "I live in Leeds. Sorry, I meant York", 我住在杭州。不对，
是苏州；in English also in a turn of its own.

The correction holds nothing but a mark and the value that was meant, and the sentence before holds one value of its
kind: of two it may mean either, and nothing is replaced. The turn is read with the value that was meant in its place,
blanks where the correction stood, so that places stay true.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.corrections import A_NAME_EN, A_PLACE_ZH, AGAIN_EN
from processors.reader.rules.jobs_en import is_job
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.self_zh import ROLE
from processors.reader.rules.text import QUOTED, Sentence, prepare, sentences
from processors.reader.rules.words_en import alternatives

_OH_EN = r"(?:(?i:oh|er|uh|um|ah|oops)[, ]{1,2})?"
_NO_EN = (
    r"(?i:(?:no,? wait|wait,? no|scratch that|correction|my mistake|my bad|typo|make that|that should be)"
    r"(?:,? (?:typo|my bad|my mistake|I mistyped))?)"
)
_MEANT_EN = (
    r"(?i:(?:(?:no|sorry|wait|actually)[, ]{1,2}){0,2}I (?:mean|meant|meant to say|should have said|should say))"
)
_AFTER_EN = r"[,:]? (?:-{1,2} )?"
_AT_EN = r"(?:in|at|from|to|on|for|with)"
# "Sorry, York" may speak to somebody of that name, so a name needs more than an excuse before it.
_NAME_EN = re.compile(
    rf"{_OH_EN}(?:(?:{_NO_EN}|{_MEANT_EN}){_AFTER_EN}{AGAIN_EN}(?:(?P<at>{_AT_EN}) )?"
    rf"|(?i:sorry|no|wait){_AFTER_EN}{AGAIN_EN}(?P<at_once>{_AT_EN}) )"
    rf"(?P<new>{A_NAME_EN})(?: instead| actually| now)?"
)
_NAMES_EN = re.compile(r"(?<![\w'.-])(?P<value>(?!I')[A-Z][\w'-]{1,20}(?: (?!I')[A-Z][\w'-]{1,20}){0,2})")
_UNIT_EN = r"(?P<unit>%| ?(?:kgs?|kilos?|lbs?|pounds|stone|cm|km|miles|years?(?: old)?|[kKmM])(?![A-Za-z]))?"
_MONEY = "$£€"
_DIGITS = rf"[{_MONEY}]?\d{{1,7}}(?:[.,]\d{{1,3}})?(?:[/／]\d{{2,3}})?"
_NUMBER_EN = re.compile(
    rf"{_OH_EN}(?:{_NO_EN}|{_MEANT_EN}|(?i:sorry|no|wait|no,? sorry)){_AFTER_EN}{AGAIN_EN}(?P<new>{_DIGITS}){_UNIT_EN}"
    r"(?: instead| actually| now)?"
)
_NUMBERS_EN = re.compile(rf"(?<![\w.])(?P<value>{_DIGITS}){_UNIT_EN}")
_MONTHS_EN = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_A_DATE_EN = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS_EN}|{_MONTHS_EN} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?)"
    r"(?:,? \d{4})?"
)
_DATE_EN = re.compile(
    rf"{_OH_EN}(?:{_NO_EN}|{_MEANT_EN}|(?i:sorry|no|wait|no,? sorry|actually)){_AFTER_EN}{AGAIN_EN}(?:on )?(?:the )?"
    rf"(?P<new>{_A_DATE_EN})(?: instead| actually| now)?"
)
_DATES_EN = re.compile(rf"(?<![\w.])(?P<value>{_A_DATE_EN})")
# "a midwife" speaks to nobody, so an excuse is enough before it.
_JOB_EN = re.compile(
    rf"{_OH_EN}(?:(?:{_NO_EN}|{_MEANT_EN}){_AFTER_EN}{AGAIN_EN}(?:as )?(?:an? )?"
    rf"|(?i:sorry|no|wait|no,? sorry){_AFTER_EN}{AGAIN_EN}(?:as )?an? )"
    r"(?P<new>[a-z][\w-]{2,20}(?: [a-z][\w-]{2,20}){0,2}?)(?: instead| actually)?"
)
_JOBS_EN = re.compile(
    r"\b[Aa]n? (?P<value>[a-z][\w-]{2,20}(?: [a-z][\w-]{2,20}){0,2}?)"
    r"(?=$|[,;]|\s(?:and|at|but|by|for|from|here|in|now|on|since|there|who|with)\b)"
)
_CALENDAR = re.compile(
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b",
    re.I,
)

_MARK_ZH = (
    r"(?:[哦噢呃啊哎]{1,2}[，,]?)?(?:(?:抱歉|不好意思|对不起)[，,]?)?我?"
    r"(?:不对|不不|哦不|说错了?|记错了?|弄错了?|搞错了?|打错了?|更正一下|更正|口误)[，,：:\s]{0,2}"
    r"(?:应该|其实|我|想说的?|指的|现在|目前){0,3}(?:是|住|定居|来自|在){0,3}"
)
_END_ZH = r"(?:才对|才是)?[了吧]?"
_UNIT_ZH = r"(?P<unit>公斤|斤|kg|KG|厘米|cm|米|岁|年|千|万|%)?"
_PLACE_ZH = re.compile(rf"{_MARK_ZH}(?P<new>{A_PLACE_ZH}){_END_ZH}")
_NUMBER_ZH = re.compile(rf"{_MARK_ZH}(?P<new>{_DIGITS}){_UNIT_ZH}{_END_ZH}")
_ONE_ZH = r"(?:一[名个位])?"
_A_JOB_ZH = rf"[\u4e00-\u9fff]{{0,6}}?{ROLE}"
_JOB_ZH = re.compile(rf"{_MARK_ZH}[当做]?{_ONE_ZH}(?P<new>{_A_JOB_ZH}){_END_ZH}")
_JOBS_ZH = re.compile(rf"(?<=[是当做]){_ONE_ZH}(?P<value>{_A_JOB_ZH})(?=$|[，,了])")
_ALL_PLACES_ZH = re.compile(rf"(?P<value>{A_PLACE_ZH})")
_NUMBERS_ZH = re.compile(rf"(?<![\d.A-Za-z])(?P<value>{_DIGITS}){_UNIT_ZH}")


def _any(value: str) -> bool:
    return bool(value)


_Kinds = tuple[tuple[re.Pattern[str], re.Pattern[str], Callable[[str], bool]], ...]
"""How a correction of a kind of value reads, how such values stand in the sentence before, and what is one."""
_EN: _Kinds = (
    (_DATE_EN, _DATES_EN, _any), (_NAME_EN, _NAMES_EN, _any), (_NUMBER_EN, _NUMBERS_EN, _any),
    (_JOB_EN, _JOBS_EN, is_job),
)  # fmt: skip
_ZH: _Kinds = ((_PLACE_ZH, _ALL_PLACES_ZH, _any), (_NUMBER_ZH, _NUMBERS_ZH, _any), (_JOB_ZH, _JOBS_ZH, _any))
_HINT = re.compile(
    r"\b(?:sorry|wait|no|mean|meant|scratch|correction|mistake|typo|bad|make|should)\b|对|错|更正|口误", re.I
)
_ARTICLE = re.compile(r"\ban? $")
_LONGEST = 80
"""Characters of a sentence that is no more than a correction."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Places of the turn: what was corrected stood at `start:end`, and now ends at `meant_end`; what corrects it stood
    at `by`."""

    start: int
    end: int
    meant_end: int
    by: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CorrectedTurn:
    """A turn with the values that were meant."""

    text: str
    corrections: tuple[Correction, ...] = ()


def apply_correction_en(text: str) -> CorrectedTurn:
    """Return an English turn with the values that were meant."""
    return _corrected(text, _EN)


_EXCUSE_EN = re.compile(rf"[,;]? (?:-{{1,2}} |\()?(?:{alternatives('excuses')})\)?[.! ]*$", re.I)


_EXPLICIT_EN = re.compile(r"\bI (?:mean|meant|should)\b|\b(?:scratch that|correction|my mistake|should be)\b", re.I)
"""Says that something was said wrong; "no, 3" may as well answer what was asked in between."""


def _is_after_question(turn: TurnView) -> bool:
    role, phrase = turn.previous[-1]
    return role != "user" and re.search(r"[?？]", phrase) is not None


def correct_previous_turn(turn: TurnView) -> str | None:
    """The last sentence of the user's turn before, with the value that this turn corrects and does nothing else; None
    where it says anything more, or where somebody else may have spoken in between."""
    if turn.speaker or len(turn.content) > _LONGEST:
        return None
    if turn.language == "zh":
        return _correct_previous_turn_zh(turn)
    if turn.language != "en":
        return None
    own = [text for role, text in turn.previous[-2:] if role == "user"]
    earlier = sentences(prepare(own[-1])) if own else []
    after = _EXCUSE_EN.sub("", prepare(turn.content).strip()).rstrip(" .!")
    if not earlier or earlier[-1].asks or len(sentences(after)) != 1:
        return None
    if _is_after_question(turn) and after == turn.content.strip().rstrip(" .!") and not _EXPLICIT_EN.search(after):
        return None
    corrected = _corrected(f"{earlier[-1].text}. {after}", _EN)
    return corrected.text[: corrected.corrections[0].meant_end] if corrected.corrections else None


_A_NUMBER_ZH = r"(?:\d{1,7}(?:\.\d{1,3})?|[零一二两三四五六七八九十百]{1,5})(?:公斤|斤|kg|KG|厘米|cm|米|岁|年|千|万|%)?"
_NAMES_BOTH_ZH = re.compile(
    r"(?:[哦噢啊嗯对了不，,\s]{0,6}(?=不是|[刚上之前昨我说报写填记]))?(?:刚才|刚刚|上次|上回|之前|前面|昨天|我)*(?:不是|[说报写填记](?:的是?|成了?)?)"
    rf"(?P<old>{_A_NUMBER_ZH})(?:[，,]?(?:我?[说报写填记打弄搞]错了?|不对))?[，,]?(?:[^，,。]{{0,8}}[，,])?"
    rf"(?:其实|应该|实际上?|而|就)*是(?P<new>{_A_NUMBER_ZH})(?:才对)?[了的哈]?"
)
"""What was said, and what is: 刚才说6年说错了，是7年."""


def _correct_previous_turn_zh(turn: TurnView) -> str | None:
    own = [text for role, text in turn.previous[-3:] if role == "user"]
    after = prepare(turn.content).strip().rstrip("。.!！~ ")
    earlier = sentences(prepare(own[-1])) if own else []
    if not earlier or earlier[-1].asks or len(sentences(after)) != 1 or _is_after_question(turn):
        return None
    if (both := _NAMES_BOTH_ZH.fullmatch(after)) is not None:
        after = f"更正，是{both['new']}"
        held = [m for m in _NUMBERS_ZH.finditer(earlier[-1].text) if m.group() == both["old"]]
        if len(held) == 1:
            start, end = held[0].span()
            return earlier[-1].text[:start] + both["new"] + earlier[-1].text[end:]
        if re.search(rf"(?<!\d){re.escape(both['old'])}(?!\d)", earlier[-1].text) is None:
            return None
    corrected = _corrected(f"{earlier[-1].text}。{after}", _ZH)
    return corrected.text[: corrected.corrections[0].meant_end] if corrected.corrections else None


def apply_correction_zh(text: str) -> CorrectedTurn:
    """The same of a Chinese turn."""
    return _corrected(text, _ZH)


def _corrected(text: str, kinds: _Kinds) -> CorrectedTurn:
    parts = sentences(text) if _HINT.search(text) else []
    corrections: list[Correction] = []
    for at in range(len(parts) - 1, 0, -1):
        before, after = parts[at - 1], parts[at]
        if before.asks or after.asks or len(after.text) > _LONGEST:
            continue
        corrected = next(filter(None, (_correction(before.text, after.text, *kind) for kind in kinds)), None)
        if corrected is not None:
            text = text[: before.start] + corrected.ljust(after.end - before.start) + text[after.end :]
            parts[at - 1] = Sentence(corrected, before.start, before.start + len(corrected), asks=False)
            end = before.start + len(corrected)
            corrections.append(Correction(before.start, before.end, end, (after.start, after.end)))
    return CorrectedTurn(text, tuple(corrections))


def _correction(
    before: str, after: str, pattern: re.Pattern[str], values: re.Pattern[str], is_one: Callable[[str], bool]
) -> str | None:
    """The sentence before with the value that was meant; None where there is none, or more than one that it may be."""
    correction = pattern.fullmatch(after)
    if correction is None or _common(correction["new"]) or not is_one(correction["new"]) or QUOTED.search(before):
        return None
    new = correction["new"]
    held = (m for m in values.finditer(before) if is_one(m["value"]) and not _no_name(m))
    alike = [m for m in held if _kind(m["value"]) == _kind(new)]
    if len(alike) != 1:
        return None
    (old,) = alike
    was = old["value"]
    if not _in_the_same_way(correction, before[: old.start("value")]):
        return None
    unit_was, unit = (m.groupdict().get("unit") or "" for m in (old, correction))
    if unit and unit_was and unit.strip() != unit_was.strip():
        return None
    money = was[0] if was[0] in _MONEY and new[0] not in _MONEY else ""
    lead = _ARTICLE.sub("an " if new[0] in "aeiou" else "a ", before[: old.start("value")])
    return lead + money + new + (unit or unit_was) + before[old.end() :]


def _in_the_same_way(correction: re.Match[str], lead: str) -> bool:
    """ "In York" corrects no "at Tesco"."""
    groups = correction.groupdict()
    at = groups.get("at") or groups.get("at_once")
    if at is None:
        return True
    was = lead.split()[-1].lower() if lead.split() else ""
    return was == at or {was, at} == {"at", "for"}


def _kind(value: str) -> tuple[bool, bool]:
    """A day is no place, and 150/95 is no 130."""
    return _CALENDAR.match(value) is not None, "/" in value or "／" in value


def _no_name(value: re.Match[str]) -> bool:
    """A sentence's first word has a capital whatever it is."""
    phrase = value["value"]
    return phrase[0].isalpha() and phrase.isascii() and (value.start() == 0 or _common(phrase))


def _common(value: str) -> bool:
    return value.split(" ")[0].lower() in FUNCTION | CHAT
