"""Rules behind a learned gate: how likely it is that what they take from a turn is worth keeping.

The gate reads a turn only where the rules took a free statement from it, and then the statement's own sentence, since
people put a question or a joke beside what they say of themselves. It adds nothing and rewords nothing: a statement
gets its calibrated probability as its reading, and the profile says what that has to be. What is always made (values,
intents with a category, what the user asks to remember, instructions, constraints, all of a project) is never lowered
(docs/decisions/2026-11-29-learned-gate.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from inference.protocols import Language
from inference.reader.protocol import TurnGate, TurnInput, Verdict
from processors.reader.rules.protocol import Extractor, Reading, TurnView
from processors.reader.rules.readings import doubtful
from schemas.events.memory import Candidate
from schemas.profile.model import Profile


class Thresholds(Protocol):
    """Chosen for the weights of a gate, and kept with them."""

    def verdict(self, keep: float) -> Verdict:
        """What a probability in [0, 1] means: a sentence of a turn to drop is read by itself, and saves its statement
        where it is one to keep."""
        ...

    def calibrated(self, keep: float) -> float:
        """The share of turns with this probability that hold something to keep."""
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
        """The rules' candidates in their order, the free ones with the gate's reading."""
        return self.read(turn, profile).candidates

    def read(self, turn: TurnView, profile: Profile) -> Reading:
        """The same with what the rules dropped."""
        reading = self._rules.read(turn, profile)
        own = doubtful(reading.candidates, turn, profile)
        if not own:
            return reading
        read = self._readings(turn, own)
        candidates = [
            c.model_copy(update={"reading": read[c.ordinal]}) if c.ordinal in read else c for c in reading.candidates
        ]
        return Reading(candidates, reading.dropped)

    def _readings(self, turn: TurnView, own: dict[int, str]) -> dict[int, float]:
        """The reading of each statement; `own` are their sentences."""
        read = self._read(turn, [turn.content])
        whole = read[turn.content]
        if self._thresholds.verdict(whole) != "drop":
            return dict.fromkeys(own, self._calibrated(whole))
        read |= self._read(turn, [text for text in dict.fromkeys(own.values()) if text not in read])
        return {n: self._calibrated(max(whole, read[text])) for n, text in own.items()}

    def _calibrated(self, keep: float) -> float:
        return round(self._thresholds.calibrated(keep), 4)

    def _read(self, turn: TurnView, texts: Sequence[str]) -> dict[str, float]:
        """The probability of each text, which are distinct."""
        language: Language = "zh" if turn.language == "zh" else "en"
        inputs = [TurnInput(text, turn.previous[-1:], language) for text in texts]
        return {i.content: reading.keep for i, reading in zip(inputs, self._gate.read(inputs), strict=True)}
