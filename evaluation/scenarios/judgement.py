"""What became of a label: right, elsewhere, missing or wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.scenarios.replay import Entry
from evaluation.scenarios.scenario import Label, Place
from schemas.profile.model import Profile

Verdict = Literal["right", "elsewhere", "missing", "wrong"]
"""`elsewhere`: not in its place, but its words are in an entry of another."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`held`: what the verdict rests on, or what is under the label's key."""

    label: Label
    verdict: Verdict
    held: tuple[str, ...]

    @property
    def asks_for_something(self) -> bool:
        return bool(self.label.words)


def one_value_keys(profile: Profile) -> frozenset[tuple[Place, str]]:
    """Places and keys that hold one value at a time: another one there is wrong, rather than one more."""
    fields: set[tuple[Place, str]] = {("field", f.name) for f in profile.fields if not f.many}
    for key in profile.hot_keys:
        if key.type in ("meta", "status") and not key.each:
            fields |= {("hot_memory", key.key), ("status", key.key)}
    return frozenset(fields)


def judged(label: Label, entries: Sequence[Entry], one_value: Collection[tuple[Place, str]]) -> Judgement:
    mine = [e for e in entries if e.place == label.place and _under(e, label)]
    forbidden = [e.value for e in mine if any(holds(e.value, w) for w in label.without)]
    if forbidden:
        return Judgement(label, "wrong", tuple(forbidden))
    found = [e.value for e in mine if _holds_all(e, label.words)]
    if found or not label.words:
        return Judgement(label, "right", tuple(found))
    if mine and (label.place == "habit" or (label.place, label.key) in one_value):
        return Judgement(label, "wrong", tuple(e.value for e in mine))
    other = [f"{e.place} {e.key}: {e.value}" for e in entries if _is_about(e, label) and _holds_all(e, label.words)]
    if other and not all(_found_anywhere(w) for w in label.words):
        return Judgement(label, "elsewhere", tuple(other))
    return Judgement(label, "missing", tuple(e.value for e in mine))


def _found_anywhere(words: str) -> bool:
    """A bare number, and yes or no."""
    return any(w.isdigit() or w in ("true", "false") for w in words.split("|"))


def _under(entry: Entry, label: Label) -> bool:
    """An entry beside others under one key has a key of its own behind it, as `dosing#2`."""
    if label.key is not None and entry.key != label.key:
        rest = (entry.key or "").removeprefix(label.key)
        if rest == entry.key or not rest.startswith(("#", "/", ":")):
            return False
    return _is_about(entry, label)


def _is_about(entry: Entry, label: Label) -> bool:
    return label.who is None or entry.who == label.who


def _holds_all(entry: Entry, words: Sequence[str]) -> bool:
    """A word in its value or in its text; numbers in its value alone, which the text may give with older ones."""
    return bool(words) and all(holds(entry.value, w) or (not w.isdigit() and holds(entry.text, w)) for w in words)


def holds(text: str, words: str) -> bool:
    """Whether one of "a|b" is in the text. A number is not part of another one."""
    return any(_pattern(w).search(text) is not None for w in words.split("|"))


def _pattern(word: str) -> re.Pattern[str]:
    before = r"(?<!\d)(?<!\d\.)" if word[0].isdigit() else ""
    after = r"(?!\d)(?!\.\d)" if word[-1].isdigit() else ""
    return re.compile(f"{before}{re.escape(word)}{after}", re.IGNORECASE)


def counted(judgements: Sequence[Judgement]) -> dict[str, int]:
    """Verdicts of the labels that ask for something; wrong ones and labels of all."""
    asked = [j for j in judgements if j.asks_for_something]
    verdicts: tuple[Verdict, ...] = ("right", "elsewhere", "missing")
    found = {str(v): sum(j.verdict == v for j in asked) for v in verdicts}
    return {
        "asked": len(asked),
        **found,
        "wrong": sum(j.verdict == "wrong" for j in judgements),
        "labels": len(judgements),
    }
