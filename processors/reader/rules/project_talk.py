"""What people of a project settle in passing (D2): "Postgres. settled", "going with Y then", 就用X了, 定了X.

Only of a project: elsewhere the same words are of somebody's day. What is supposed, asked, proposed, or settled by
others for themselves is no decision.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from processors.reader.rules.found import Found
from processors.reader.rules.text import Sentence

_DATA = tomllib.loads((files(__package__) / "project_talk.toml").read_text(encoding="utf-8"))
_MOST_BEFORE = 2
"""Sentences before a word that settles them."""
_LONGEST = 280
_HAN = re.compile(r"[\u4e00-\u9fff]")
_MARK = re.compile(r"[:,：，]\s?")
_LEADS = {
    "en": re.compile(
        r"(?:(?:ok(?:ay)?|so|well|yes|yep|yeah|also|and|but|right|hi|hey|hello|great|good|fine|finally|then|now)\b"
        r"[ ,!.:-]{1,3}){1,4}",
        re.I,
    ),
    "zh": re.compile(r"(?:(?:好[的啊吧嘞]?|行[啊吧]?|嗯+|是的|对了?|可以|哦)[，,、 ]{1,2}){1,3}"),
}


@dataclass(frozen=True, slots=True)
class _Words:
    """`closes`: a sentence that only settles what stands before it; `ends`: the same at the end of a sentence."""

    closes: re.Pattern[str]
    ends: re.Pattern[str]
    signs: re.Pattern[str]
    talked: re.Pattern[str]
    after_talk: re.Pattern[str]
    filler: re.Pattern[str]
    unsettled: re.Pattern[str]
    others: re.Pattern[str]
    bare: re.Pattern[str]
    musing: re.Pattern[str]


def _words(language: Literal["en", "zh"]) -> _Words:
    def any_of(*names: str) -> str:
        return "|".join(word for name in names for word in _DATA[language][name])

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    marks = r"[\s,.!:;\u2013\u2014，。！~-]{0,3}"
    closes = any_of("closes")
    return _Words(
        closes=compiled(rf"{marks}(?:{closes}){marks}"),
        ends=compiled(rf"(?:[,;:，；：]|\s[\u2013\u2014-])\s?(?:{closes}){marks}$"),
        signs=compiled(any_of("signs")),
        talked=compiled(any_of("talked")),
        after_talk=compiled(any_of("after_talk")),
        filler=compiled(rf"(?:{any_of('filler')}{marks}){{1,6}}"),
        unsettled=compiled(any_of("open", "others", "of_a_day")),
        others=compiled(any_of("others")),
        bare=compiled(rf"(?:{any_of('bare')}{marks}){{1,12}}"),
        musing=compiled(any_of("musing")),
    )


_WORDS = {"en": _words("en"), "zh": _words("zh")}


def of_the_whole() -> re.Pattern[str]:
    """What says, behind the name of a thing, that it is the whole project's."""
    return re.compile("|".join(_DATA["en"]["of_the_whole"]), re.IGNORECASE)


def settled(parts: Sequence[Sentence], text: str, language: Literal["en", "zh"]) -> list[Found]:
    """Return what the sentences of a turn settle, each from its first word to the one that settles it. `text` is the
    turn as it was said."""
    words = _WORDS[language]
    found: list[Found] = []
    talked = False
    for at, part in enumerate(parts):
        if (first := _first_settled(parts, at, words, language, talked=talked)) is not None:
            start, end = parts[first].start + (_announced(part.text, words) if first == at else 0), part.end
            found = [f for f in found if f.end <= start]
            phrase = _without_lead(" ".join(text[start:end].split()), language)
            found.append(Found(start, end, "episode", phrase[:_LONGEST], episode_type="decision"))
        talked = not part.asks and (talked or words.talked.search(part.text) is not None)
    return found


def _announced(text: str, words: _Words) -> int:
    """Where a sentence says what came of a talk that it tells of first: "talked it over at lunch: ..."."""
    head = words.talked.search(text)
    mark = None if head is None else _MARK.search(text, head.end())
    return mark.end() if mark is not None and mark.group()[0] in ":：" else 0


def settles(sentence: str) -> bool:
    """Does one sentence settle what it says?"""
    language: Literal["en", "zh"] = "zh" if _HAN.search(sentence) else "en"
    return bool(settled([Sentence(sentence, 0, len(sentence), asks=False)], sentence, language))


def _first_settled(
    parts: Sequence[Sentence], at: int, words: _Words, language: Literal["en", "zh"], *, talked: bool
) -> int | None:
    """The sentence with which begins what this one settles; None where it settles nothing."""
    part = parts[at]
    if part.asks:
        return None
    if words.closes.fullmatch(part.text):
        first = at
        while first and at - first < _MOST_BEFORE and _is_open_to_it(parts[first - 1], words, language):
            first -= 1
        return first if first < at else None
    phrase = _last_conclusion(_without_lead(part.text, language), language)
    if (head := words.talked.search(phrase)) is not None and (mark := _MARK.search(phrase, head.end())) is not None:
        phrase, talked = phrase[mark.end() :], True
    end = words.ends.search(phrase)
    matter = phrase if end is None else phrase[: end.start()]
    if words.unsettled.search(matter) or words.filler.fullmatch(matter) or words.bare.fullmatch(matter):
        return None
    signed = words.signs.search(phrase) or (talked and words.after_talk.search(phrase))
    return at if end is not None or signed else None


def _is_open_to_it(part: Sentence, words: _Words, language: Literal["en", "zh"]) -> bool:
    """May the words that settle something be about this sentence?"""
    phrase = _without_lead(part.text, language)
    return not (part.asks or words.filler.fullmatch(phrase) or words.unsettled.search(phrase))


def _without_lead(text: str, language: Literal["en", "zh"]) -> str:
    lead = _LEADS[language].match(text)
    return text if lead is None or lead.end() >= len(text) else text[lead.end() :]


def _last_conclusion(text: str, language: Literal["en", "zh"]) -> str:
    """What a sentence concludes: "they'd like it, so it stays"."""
    _, mark, rest = text.rpartition(", so ") if language == "en" else text.rpartition("，所以")
    return rest if mark and len(rest) > len(mark) else text


def with_decisions(
    here: Sequence[Found], decisions: Sequence[Found], sentence: Sentence, language: Literal["en", "zh"]
) -> list[Found]:
    """What a sentence says with `decisions` of its turn: one that ends in it stands for its words, beside preferences
    and status. A decision of others, by whichever rule, is none."""
    here = [f for f in here if f.episode_type != "decision" or not _WORDS[language].others.search(sentence.text)]
    if not is_settled(decisions, sentence) or any(f.episode_type in ("decision", "task") for f in here):
        return here
    kept = [f for f in here if f.hot is not None or (f.kind == "preference" and f.slots)]
    return [*kept, *(d for d in decisions if d.end == sentence.end)]


def is_mused(parts: Sequence[Sentence], sentence: Sentence, language: Literal["en", "zh"]) -> bool:
    """Is a question not meant, as it says itself or what follows it: "could we rewrite it? just dreaming"?"""
    after = next((p.text for p in parts if p.start >= sentence.end), "")
    return any(_WORDS[language].musing.search(text) for text in (sentence.text, after))


def is_settled(decisions: Sequence[Found], sentence: Sentence) -> bool:
    """Is a sentence of a decision?"""
    return any(d.overlaps(sentence.start, sentence.end) for d in decisions)
