"""Chinese statements of named speakers that are no whole sentences of theirs: the rest of a sentence, advice and what
holds for all with the speaker put before it, what chat and masks leave, an errand.

The last test, of the wording as it is to be kept, whichever rule found it. Silence is better than a doubtful sentence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

from processors.reader.rules.clauses_zh import KIN
from processors.reader.rules.found import Found

_DATA = tomllib.loads((files(__package__) / "whole_sentences_zh.toml").read_text(encoding="utf-8"))
_MENDS: list[tuple[re.Pattern[str], str]] = [(re.compile(pattern), instead) for pattern, instead in _DATA["mends"]]


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(line for line in _DATA[name].splitlines() if line))


_REFUSED = [_pattern(name) for name in ("joined", "general", "addressed", "residue", "moment", "firm")]
_SUPPLIED, _CUT, _SPARE, _OFFERS, _DEFINES, _SCRIPT, _ASKS, _FOR_ANOTHER = (
    _pattern(name) for name in ("supplied", "cut", "spare", "offers", "defines", "script", "asks", "for_another")
)
_SAYS_I = re.compile(r"[我俺咱]|本人")
_NAMES_SUBJECT = re.compile(r"[^◇]|◇(?:的|和|跟|建议|说|请求)")
_OTHERS = re.compile(rf"{KIN}|医生|大夫|[他她]")
_OTHER_BEFORE = re.compile(r"[他她][^。！？!?]*$")
_OF_SELF = re.compile(r"(?:而且|并且|况且|[，,\s])*自己")
_SUGGESTS = re.compile(r"(?<![酒网贴书水氧])吧")
"""What a clause of nobody ends with that advises or guesses."""
_FORESEES = re.compile(r"◇(?:不会|会|该不会|应该|可能|估计)")
"""Before what is only guessed where 吧 ends it."""
_FAR = re.compile(r"(?!◇)(?![^，◇]*(?:时候?|之?后)，)[^◇]{14,}◇")
"""A speaker who is named so late is not who the sentence is about."""
_RUNS_ON = 38
"""Characters of a clause without a mark: what is longer is several clauses, of which none has an end."""
_SENTENCE_END = "。！？!?\n"
_LEAST = 4
"""Characters that a sentence keeps, besides its speaker, where its end is cut."""


def whole_sentences(found: Sequence[Found], turn: str, speaker: str) -> tuple[list[Found], list[Found]]:
    """Return those to tell, mended where a cut mends them, and those to leave in their turn. The texts name the
    `speaker`."""
    kept: list[Found] = []
    left: list[Found] = []
    for each in found:
        phrase = _mended(each.text.replace(speaker, "◇"), as_said=each.dangling)
        if _is_sentence(phrase, each, turn):
            kept.append(replace(each, text=phrase.replace("◇", speaker)))
        else:
            left.append(replace(each, dropped="unresolved"))
    return kept, left


def _mended(phrase: str, *, as_said: bool) -> str:
    """`as_said`: it is only inferred, and no other wording of it may take its place."""
    phrase = _SPARE.sub("", phrase)
    for pattern, instead in () if as_said else _MENDS:
        phrase = pattern.sub(instead, phrase)
    if not phrase.startswith("◇") or _OTHERS.search(phrase):
        return phrase  # who says it may be named
    cut = _CUT.sub("", phrase)
    return cut if len(cut) > _LEAST else phrase


def _is_sentence(phrase: str, found: Found, turn: str) -> bool:
    if _FOR_ANOTHER.match(turn) is not None:
        return False
    if not found.slots and _FAR.match(phrase):
        return False
    if any(pattern.search(phrase) for pattern in _REFUSED):
        return False
    if phrase.startswith("◇请求") and _ASKS.search(turn) is None:
        return False
    if not found.slots and max(len(clause) for clause in phrase.split("，")) > _RUNS_ON:
        return False
    if _FORESEES.match(phrase) and _SUGGESTS.search(turn[: found.end + 3], max(0, found.end - 1)):
        return False
    if _DEFINES.search(turn, 0, found.start) or _SCRIPT.search(turn[: found.start + 2]):
        return False
    if found.slots or _NAMES_SUBJECT.match(phrase) or _SAYS_I.search(turn, found.start, found.end):
        return not _offered(found, turn)
    if _OF_SELF.match(turn, found.start) and _OTHER_BEFORE.search(turn, 0, found.start):
        return False  # 自己 is then the other
    if _SUPPLIED.search(phrase) or _SUGGESTS.search(turn[: found.end + 2], max(0, found.end - 1)):
        return False
    return not _offered(found, turn)


def _offered(found: Found, turn: str) -> bool:
    """Does a statement stand in a sentence by which its speaker offers what they do next: 那我取消吧?"""
    start = max((turn.rfind(mark, 0, found.start) for mark in _SENTENCE_END), default=-1) + 1
    ends = [at for mark in _SENTENCE_END if (at := turn.find(mark, found.start)) >= 0]
    return _OFFERS.match(turn[start : min(ends, default=len(turn))].strip()) is not None
