"""Two statements of one person, measured against each other: what the head of `head.py` decides by. Pure.

What is measured is cheap, since a new statement is compared with the five nearest: sets of words, no alignment.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from processors.dedupe.features import Features, extract_features, is_function, is_number, stem
from processors.memory.changes.ending import Ending, ending_of, ends, of_another, of_part
from processors.memory.changes.excluding import (
    OF_NO_KIND,
    Claim,
    apart,
    began,
    claims_of,
    may_be_withdrawn,
    withdrawn_of,
)
from processors.memory.changes.frame import one_value_changed
from processors.memory.changes.signs import SIGNS, Sign, language_of_statement, signs_of

Floats = npt.NDArray[np.float32]
_OWNER = frozenset(("user", "others", "用", "户", "戶"))
_SUBJECT = {
    "en": re.compile(r"(?:the )?(user's \w+|user|\w+(?:'s \w+)?)", re.IGNORECASE),
    "zh": re.compile(r"(用[户戶]的[^，。]{1,2}|用[户戶]|[^，。]{1,2})"),
}
"""Whom or what a statement speaks of, roughly: its first words."""
NEARLY_ALL = 2 / 3
"""Share of the words of a statement that one which takes it back has to say."""
NEAR = 0.5
"""Cosine from which two statements are of one thing though they share few words."""
SHARED = 0.3
"""Share of the older statement's words from which the newer one is of the same thing."""


@dataclass(frozen=True)
class Statement:
    """A text with its unit embedding, shape (dims,). `kept`: its features, where they were extracted before; `about`:
    the name of who says it, where it has one."""

    text: str
    embedding: Floats
    kept: Features | None = None
    about: str = ""

    @cached_property
    def features(self) -> Features:
        return self.kept or extract_features(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(stem(t) for t in self.features.tokens if not is_function(t) and t not in _OWNER)

    @cached_property
    def of_owner(self) -> frozenset[str]:
        """Words of the name of who says it."""
        return frozenset(map(stem, extract_features(self.about).tokens))

    @cached_property
    def of_subject(self) -> frozenset[str]:
        """Words of whom or what it speaks of, but for its owner."""
        tokens = extract_features(self.subject).tokens
        return frozenset(stem(t) for t in tokens if not is_function(t) and t not in _OWNER) - self.of_owner

    @cached_property
    def claims(self) -> frozenset[Claim]:
        return claims_of(self.text)

    @cached_property
    def ending(self) -> Ending:
        return ending_of(self.text)

    @cached_property
    def withdrawn(self) -> frozenset[str]:
        """Words of what it takes back, without those that any such statement has."""
        tokens = self.of_withdrawn.tokens
        return frozenset(stem(t) for t in tokens if not is_function(t) and t not in OF_NO_KIND and t not in _OWNER)

    @cached_property
    def of_withdrawn(self) -> Features:
        return extract_features(withdrawn_of(self.text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(t for t in self.features.tokens if is_number(t))

    @cached_property
    def signs(self) -> frozenset[Sign]:
        return signs_of(self.text)

    @cached_property
    def subject(self) -> str:
        found = _SUBJECT[language_of_statement(self.text)].match(self.text)
        return found[1].casefold() if found else ""


@dataclass(frozen=True, slots=True)
class Measured:
    """`told`: signs of the newer statement that the older has not; `tells`: they say that something changed; `says_so`:
    and that it is the same thing; `meets`: the two share a word beside those of whom they speak; `excludes`: by their
    words they cannot both be true; `withdraws`: the newer takes back what the older says; `names`: and says nearly all
    of it; `ends`: it says that a thing which the older tells of has ended; `resumes`: the older said that what the
    newer tells of had ended; `replaces`: the newer has another value in the same frame, or began what excludes the
    older, and says so; `values`: all measures, float32."""

    told: frozenset[Sign]
    tells: bool
    says_so: bool
    meets: bool
    excludes: bool
    withdraws: bool
    names: bool
    ends: bool
    resumes: bool
    replaces: bool
    values: Floats


def measured(old: Statement, new: Statement) -> Measured:
    cosine = float(np.dot(old.embedding, new.embedding))
    common = old.words & new.words
    both = len(common)
    shared = both / max(1, len(old.words))
    gained = new.signs - old.signs
    changes = bool(gained & {"ended", "newer", "corrected"}) and "beside" not in gained
    says_so = changes and (shared >= SHARED or cosine > NEAR)
    same = float(old.subject == new.subject)
    numbers = [
        float(bool(old.numbers and new.numbers and not old.numbers & new.numbers)),
        float(bool(new.numbers - old.numbers)), float(bool(old.numbers - new.numbers)),
        float(bool(old.numbers & new.numbers)),
    ]  # fmt: skip
    denied = [float(old.features.negations % 2), float(new.features.negations % 2)]
    flips = float(denied[0] != denied[1])
    borne, before = [float(s in gained) for s in SIGNS], [float(s in old.signs) for s in SIGNS]
    lengths = len(old.features.tokens), len(new.features.tokens)
    removed = float(bool(gained & {"ended", "newer"}) and "beside" not in gained)
    sign = float(changes)
    values = [
        cosine, shared, both / max(1, len(new.words)), both / max(1, len(old.words | new.words)),
        float(old.words <= new.words), float(new.words <= old.words), float(both == 0),
        same, same * shared, same * cosine,
        math.log1p(lengths[0]), math.log1p(lengths[1]), math.log((lengths[1] + 1) / (lengths[0] + 1)),
        *numbers, numbers[0] * shared, numbers[0] * shared * same,
        *denied, flips, flips * shared, flips * cosine, flips * shared * same,
        *borne, *before, sign, sign * shared, sign * cosine, sign * same, sign * same * shared,
        float(says_so), removed * float(shared >= NEAR),
        *(b * cosine for b in borne), *(b * shared for b in borne), *(b * same for b in borne),
    ]  # fmt: skip
    chinese = float(language_of_statement(new.text) == "zh")
    plain = np.array(values, np.float32)
    whole = np.concatenate([[np.float32(chinese)], plain, chinese * plain]).astype(np.float32)
    meets = any(word not in old.subject for word in common)
    taken_back = bool(new.withdrawn) and new.withdrawn <= old.words and not old.withdrawn
    names = taken_back and len(new.withdrawn) >= NEARLY_ALL * len((old.words - old.of_owner) | new.withdrawn)
    if names and not old.of_subject <= new.withdrawn:  # the same of somebody else
        taken_back = names = False
    names = names and old.features.negations % 2 == new.of_withdrawn.negations % 2
    withdraws = taken_back and may_be_withdrawn(old.text)
    excludes = apart(old.claims, new.claims)
    return Measured(
        gained, changes, says_so, meets, excludes=excludes, withdraws=withdraws, names=names,
        ends=ends(old.text, old.features, new.ending) and not of_part(old.text, new.text),
        resumes=ends(new.text, new.features, old.ending),
        replaces=_replaces(old, new, excludes=excludes, told=gained),
        values=whole,
    )  # fmt: skip


def _replaces(old: Statement, new: Statement, *, excludes: bool, told: frozenset[Sign]) -> bool:
    """Does the newer say that another value has taken the place of the one in the older?"""
    if "newer" not in told or "beside" in told or new.ending.once:
        return False
    if of_another(old.text, new.text):
        return False
    if excludes:
        return began(new.text) and not of_part(old.text, new.text)
    return old.subject == new.subject and one_value_changed(old.text, new.text)
