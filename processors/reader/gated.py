"""Rules behind a learned gate: what they take from a turn that says nothing worth keeping is only observed.

The gate reads a turn only where the rules took a free statement from it, and then the statement's own sentence, since
people put a question or a joke beside what they say of themselves. It adds nothing and rewords nothing. What is always
made (values, intents with a category, what the user asks to remember, instructions, constraints, all of a project) is
never lowered (docs/decisions/2026-11-29-learned-gate.md).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Protocol

from inference.protocols import Language
from inference.reader.protocol import TurnGate, TurnInput, Verdict
from processors.reader.rules.protocol import Extractor, Reading, TurnView, values_of
from processors.reader.rules.rules import INFERRED
from processors.reader.rules.text import prepare, sentences
from schemas.events.memory import Candidate
from schemas.profile.model import Profile

_DATA: dict[str, dict[str, str]] = tomllib.loads((files(__package__) / "always_made.toml").read_text(encoding="utf-8"))
_ALWAYS = re.compile("|".join(pattern for group in _DATA.values() for pattern in group.values()), re.IGNORECASE)
_TAKES_BACK = frozenset({"correction", "replaces"})
"""Attributes of what changes a statement of before."""


class Thresholds(Protocol):
    """Chosen for the weights of a gate, and kept with them."""

    def verdict(self, keep: float) -> Verdict:
        """What a probability in [0, 1] means."""
        ...


class GatedExtractor:
    """An `Extractor`: that of the rules, under their name and version, since one version of a turn is read once."""

    def __init__(self, rules: Extractor, gate: TurnGate, thresholds: Thresholds) -> None:
        self._rules = rules
        self._gate = gate
        self._thresholds = thresholds

    @property
    def name(self) -> str:
        return self._rules.name

    @property
    def version(self) -> int:
        return self._rules.version

    def extract(self, turn: TurnView, profile: Profile) -> list[Candidate]:
        """The rules' candidates in their order; of a turn that the gate drops the free ones are inferred."""
        return self.read(turn, profile).candidates

    def read(self, turn: TurnView, profile: Profile) -> Reading:
        """The same with what the rules dropped."""
        reading = self._rules.read(turn, profile)
        return Reading(self._read_anew(reading.candidates, turn, profile), reading.dropped)

    def _read_anew(self, found: list[Candidate], turn: TurnView, profile: Profile) -> list[Candidate]:
        if turn.reply or profile.hot_keys:  # a reply confirmed it; reports read the sentences of a project
            return found
        own = {c.ordinal: sentence_of(c, turn) for c in found if is_free(c)}
        doubtful = {n: text for n, text in own.items() if not _ALWAYS.search(text)}
        if not doubtful:
            return found
        low = self._low(turn, doubtful)
        return [lowered(c, low[c.ordinal]) if c.ordinal in low else c for c in found]

    def _low(self, turn: TurnView, own: dict[int, str]) -> dict[int, float]:
        """The statements that the gate drops, with the probability that it gives them; `own` are their sentences."""
        read = self._read(turn, [turn.content])
        whole = read[turn.content]
        if self._thresholds.verdict(whole) != "drop":
            return {}
        read |= self._read(turn, [text for text in dict.fromkeys(own.values()) if text not in read])
        found = {n: read[text] for n, text in own.items()}
        return {n: max(whole, p) for n, p in found.items() if self._thresholds.verdict(p) != "keep"}

    def _read(self, turn: TurnView, texts: Sequence[str]) -> dict[str, float]:
        """The probability of each text, which are distinct."""
        language: Language = "zh" if turn.language == "zh" else "en"
        inputs = [TurnInput(text, turn.previous[-1:], language) for text in texts]
        return {i.content: reading.keep for i, reading in zip(inputs, self._gate.read(inputs), strict=True)}


def is_free(c: Candidate) -> bool:
    """Is it a statement without a value, which may be missed?"""
    always = c.kind == "intent" or c.episode_type in ("decision", "task") or c.negated
    made = always or values_of(c) or c.category or c.project_id or c.hot
    return c.source == "explicit" and not made and _TAKES_BACK.isdisjoint(c.attributes)


def sentence_of(c: Candidate, turn: TurnView) -> str:
    """The sentences of the turn that hold the statement's head span; all of the turn where it has none."""
    head = c.head
    if head is None:
        return turn.content
    said = [s.text for s in sentences(prepare(turn.content)) if s.start < head.end and head.start < s.end]
    return " ".join(said) or turn.content[head.start : head.end]


def lowered(c: Candidate, reading: float) -> Candidate:
    """The same, observed and never read until somebody says it again."""
    return c.model_copy(update={"source": "inferred", "confidence": INFERRED, "low_reading": round(reading, 4)})
