"""What a reader of statements takes and returns; processors know this file and nothing of the model behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, Protocol, TypeAlias, get_args

from inference.protocols import Language

StatementKind: TypeAlias = Literal["fact", "preference", "intent", "decision", "task", "status", "relation", "event"]
Owner: TypeAlias = Literal["self", "other", "team", "thing"]
Modality: TypeAlias = Literal["real", "plan"]
Time: TypeAlias = Literal["now", "past", "ended"]
Relation: TypeAlias = Literal["same", "sharper", "newer", "ended", "corrected", "both", "unrelated", "contradicting"]

STATEMENT_KINDS: tuple[StatementKind, ...] = get_args(StatementKind)
OWNERS: tuple[Owner, ...] = get_args(Owner)
TIMES: tuple[Time, ...] = get_args(Time)
RELATIONS: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """One statement of a turn.

    `spans` are character offsets (start, end) in the turn, ascending, the head span first. `text` is ready to be
    filed, or "" where no safe wording was found. `reading` is the calibrated probability in [0, 1] that the statement
    is to be kept as it was read.
    """

    spans: tuple[tuple[int, int], ...]
    text: str
    kind: StatementKind
    owner: Owner
    negated: bool
    modality: Modality
    time: Time
    vague: bool
    reading: float


@dataclass(frozen=True, slots=True)
class TurnInput:
    """A turn to be read; `context` holds up to two turns before it, oldest first, as (role, text).

    A role is "assistant", "user" (the same speaker), or the name of another speaker.
    """

    content: str
    context: tuple[tuple[str, str], ...]
    language: Language
    speaker: str = ""


class StatementReader(Protocol):
    """Reads turns; the same turn gives the same statements alone and in any batch."""

    @property
    def reader_id(self) -> str:
        """Name the weights: two readers of one id read alike."""
        ...

    def read(self, turns: Sequence[TurnInput]) -> list[tuple[ReadStatement, ...]]:
        """Return the statements of each turn in the order of their head spans; an empty turn has none."""
        ...


@dataclass(frozen=True, slots=True)
class TurnReading:
    """What a gate says of a turn: the probability in [0, 1] that it holds something to keep, and, where it holds
    nothing, the likeliest reason."""

    keep: float
    reason: str


Verdict: TypeAlias = Literal["drop", "elsewhere", "keep"]
"""Of a probability: nothing to keep, decided by others, something to keep."""


class TurnGate(Protocol):
    """Says whether a turn holds anything to keep; the same turn gives the same reading alone and in any company."""

    @property
    def gate_id(self) -> str:
        """Name the weights: two gates of one id read alike."""
        ...

    def read(self, turns: Sequence[TurnInput]) -> list[TurnReading]:
        """Return one reading a turn, in their order."""
        ...


FieldKind: TypeAlias = Literal[
    "text", "number", "money", "date", "duration", "place", "person", "organisation", "list", "boolean"
]
"""What a field takes, as far as it is known; `text` where it is not."""


@dataclass(frozen=True, slots=True)
class AskedField:
    """A field that is looked for. `labels`: its names in plain words of any language."""

    name: str
    labels: tuple[str, ...]
    kind: FieldKind = "text"


@dataclass(frozen=True, slots=True)
class FieldSpan:
    """Characters of a turn, from `start` up to `end`, that fill a field of its speaker now, with the probability in
    [0, 1] that they do."""

    field: str
    start: int
    end: int
    probability: float


class FieldReader(Protocol):
    """Finds in a turn what fills fields that it is given by their names alone; the same turn and fields give the same
    spans alone and in any company."""

    @property
    def reader_id(self) -> str:
        """Name the weights: two readers of one id read alike."""
        ...

    def read(self, turn: TurnInput, fields: Sequence[AskedField]) -> list[FieldSpan]:
        """Return the spans in their order; no two overlap."""
        ...


@dataclass(frozen=True, slots=True)
class RelationScores:
    """The probability of each relation of a new statement to an old one; they add up to 1."""

    same: float
    sharper: float
    newer: float
    ended: float
    corrected: float
    both: float
    unrelated: float
    contradicting: float

    def best(self) -> tuple[Relation, float]:
        """Return the likeliest relation and its probability; the first of RELATIONS where two are equal."""
        scores = {field.name: float(getattr(self, field.name)) for field in fields(self)}
        relation = max(RELATIONS, key=scores.__getitem__)
        return relation, scores[relation]


class RelationReader(Protocol):
    """Says what becomes of an old statement when a new one comes."""

    def relate(self, pairs: Sequence[tuple[str, str]], language: Language) -> list[RelationScores]:
        """Score (old text, new text) pairs, each by itself."""
        ...
