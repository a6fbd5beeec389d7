"""Decisions on one matter replace each other, those on different matters are kept beside each other (A4). Pure.

Compared are the decisions under one key of the profile, or those under none: up to `MOST` that share the most words
with the new one. What says a change ("instead", 改为) of the same thing, or the same with another number or name, is of
one matter. Where that is not clear both stay: neither is lost, and the newer one is shown first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from processors.dedupe.calibration import calibration_for
from processors.dedupe.compare import compare
from processors.dedupe.features import extract_features, is_function, stem
from processors.hot_matter import is_listed, matter_of, side_key
from processors.memory.changes.head import head_for
from processors.memory.changes.pair import Statement, measured
from processors.ports import Models, vectors
from processors.project.rows import HOT, HOT_INDEX, HotName
from processors.step import OwnerState
from schemas.events.memory import HotValue, MemoryUpdate
from schemas.profile.model import Profile

MOST = 8
NEWEST = 100
"""Decisions, the newest, whose words are looked at."""
CHANGED = 0.5
"""Probability of the head from which what bears a sign of change is one."""
NEAR, ALIKE = 0.65, 0.4
"""Cosine, and score of the comparison, from which two that differ in a number or name are of one matter."""
FAR = 0.4
"""Cosine below which two decisions under one key of the profile share no more than a word."""
_VALUES = frozenset({"numbers", "negation", "names", "exclusive"})
_LABELLED = re.compile(
    r"\b(?!(?:to|at|of|by|for|than|from|in|on|within|minus|plus|about|below|above|after|before|every|version|is|are)\b)"
    r"([a-z]{2,}) (?:no\.? ?|number |#)?(\d+)"
    r"(?=\s*(?:$|[,.;]|(?:and|or|from|to|for|in|at|on|after|until|open|with|by|\w{2,20}ly)\b))"
    r"|(\d+)\s?号(\w)",
    re.IGNORECASE,
)
"""A number that is the name of a thing (site 4, 4号中心)."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a decision goes, and which it replaces there."""

    entry: HotName
    replaces: tuple[HotName, ...] = ()


def rivals(hot: HotValue, profile: Profile, rows: OwnerState) -> list[HotName]:
    """Active decisions that it is compared with; of a listed one all of its key come into question."""
    index = rows.single(HOT_INDEX).get()
    if index is None or hot.type != "decision" or not isinstance(hot.value, str):
        return []
    held = [(index[row].occurred_at, HotName.parse(row)) for row in index if row.startswith("hot/decision/")]
    listed = {k.key for k in profile.hot_keys if k.type == "decision"}
    if is_listed(hot):
        of_it = [(at, n) for at, n in held if n.key == hot.key or n.key.startswith(f"{hot.key}:")]
    else:
        of_it = [(at, n) for at, n in held if n.key != hot.key and n.key.split(":")[0] not in listed]
    newest = [n for _, n in sorted(of_it, reverse=True)[:NEWEST]]
    words = _words(matter_of(hot.value))
    # The key itself holds no words of what stands under it: it is always looked at.
    scored = [(n.key != hot.key, -len(words & _words(matter_of(n.key.removeprefix(f"{hot.key}:")))), n) for n in newest]
    return [n for far, score, n in sorted(scored) if score or not far][:MOST]


class Decisions:
    def __init__(self, models: Models, profile: Profile, rows: OwnerState) -> None:
        self._models, self._profile, self._rows = models, profile, rows

    def place(self, hot: HotValue, memory: str | None, attribute: str) -> Placed:
        """`memory`: the user's record; what came from it before, under `attribute`, is replaced whatever it says."""
        own = HotName(hot.type, hot.key)
        names = rivals(hot, self._profile, self._rows)
        held = [(n, u) for n in names if (u := self._rows.table(HOT).get(n.name)) is not None and u.state == "active"]
        again = [n for n, u in held if memory is not None and u.sealed.attributes.get(attribute) == memory]
        same = list(dict.fromkeys([*again, *self._of_one_matter(hot, held)]))
        if not is_listed(hot):
            return Placed(own, tuple(same))
        taken = any(n == own for n, _ in held)
        if own in same or not taken:
            return Placed(own, tuple(n for n in same if n != own))
        return Placed(HotName(hot.type, side_key(hot) or hot.key), tuple(same))

    def _of_one_matter(self, hot: HotValue, held: Sequence[tuple[HotName, MemoryUpdate]]) -> list[HotName]:
        values = [(n, u.sealed.value) for n, u in held]
        texts = [(n, matter_of(value)) for n, value in values if isinstance(value, str)]
        if not texts:
            return []
        new = matter_of(str(hot.value))
        raw = vectors(self._models.embedder, [new, *(text for _, text in texts)])
        read = [np.frombuffer(v, np.float16).astype(np.float32) for v in raw]
        after = Statement(new, read[0])
        model = self._models.embedder.model_id
        before = [(n, Statement(text, v)) for (n, text), v in zip(texts, read[1:], strict=True)]
        same_key = is_listed(hot)
        return [n for n, old in before if is_one_matter(old, after, model, same_key=same_key)]


def is_one_matter(old: Statement, new: Statement, model_id: str, *, same_key: bool = False) -> bool:
    """Does the newer of two decisions take the place of the older? `same_key`: the profile names them alike, so that
    one word in common is enough beside a sign of change."""
    found, head = measured(old, new), head_for(model_id)
    score = None if head is None else head.changed(old, new, found)
    if found.says_so and (score is None or score >= CHANGED):
        return True
    cosine = float(np.dot(old.embedding, new.embedding))
    tells = same_key and found.tells and found.meets and cosine >= FAR
    if tells and score is not None and score >= CHANGED:
        return True
    verdict = compare(old.features, new.features, cosine, calibration_for(model_id))
    if verdict.kind == "duplicate":
        return True
    if verdict.kind == "different" or verdict.rule not in _VALUES or _names_another(old.text, new.text):
        return False
    return verdict.score >= ALIKE and cosine >= NEAR


def _names_another(old: str, new: str) -> bool:
    """Do they name two things of one kind by number?"""
    a, b = _labels(old), _labels(new)
    return any(kind in b and b[kind].isdisjoint(numbers) for kind, numbers in a.items())


def _labels(text: str) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for word, number, digits, kind in _LABELLED.findall(text):
        out.setdefault((word or kind).casefold(), set()).add(number or digits)
    return out


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(t) for t in extract_features(text).tokens if not is_function(t))
