"""What a line of the corpus holds. corpus/GUIDE.md says what each label means.

`None` means "not labelled". Only the writers of `PARTLY_LABELLED`, whose turns were converted from a format with fewer
labels, may leave a label out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from processors.reader.wording.program import Program
from schemas.events.memory import CandidateKind

Language: TypeAlias = Literal["en", "zh"]
Twin: TypeAlias = Literal[
    "", "denied", "other_person", "supposed", "asked", "quoted", "fiction", "number", "ended", "planned", "ironic",
    "attribute", "variant",
]  # fmt: skip
"""What a twin changes in its base turn; `variant` where that is not labelled."""
Nothing: TypeAlias = Literal[
    "", "question", "request", "small_talk", "momentary", "supposed", "fiction", "quoted", "others", "ironic", "pasted",
    "unconfirmed", "general_knowledge", "secret",
]  # fmt: skip
Owner: TypeAlias = Literal["speaker", "person", "group", "none"]
Polarity: TypeAlias = Literal["affirmed", "denied"]
Modality: TypeAlias = Literal[
    "actual", "planned", "wished", "supposed", "asked", "reported", "quoted", "fiction", "ironic", "advised"
]
Time: TypeAlias = Literal["current", "past", "ended", "future", "habitual", "momentary"]
Kind: TypeAlias = Literal[
    "fact", "preference", "habit", "event", "plan", "task", "constraint", "instruction", "relation", "skill", "opinion",
    "problem", "goal",
]  # fmt: skip
ValueType: TypeAlias = Literal[
    "text", "number", "quantity", "money", "date", "time_of_day", "duration", "place", "person", "organisation",
    "product", "boolean", "list",
]  # fmt: skip
Relation: TypeAlias = Literal["same", "sharper", "newer", "ended", "corrected", "contradicting", "both"]

NEVER_KEPT: frozenset[Modality] = frozenset({"supposed", "asked", "quoted", "fiction", "ironic", "advised"})
"""A statement of these modalities is never kept."""
PARTLY_LABELLED = frozenset({"en4", "zh4", "zh5"})
"""Writers whose statements carry only some of the labels."""
MAX_BEFORE = 4
"""Most turns before an entry's own turn."""
CHAT_TURNS = range(12, 41)
"""How many turns a running chat may have."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Utterance(_Line):
    """A turn without labels."""

    speaker: str = Field(min_length=1)
    text: str = Field(min_length=1)


class Statement(_Line):
    """One thing that a turn says, kept or not."""

    clause: str = Field(min_length=1)
    predicate: str | None
    value: str | None
    owner: Owner | None
    person: str | None
    polarity: Polarity | None
    modality: Modality | None
    time: Time | None
    kind: Kind | None
    attribute: Annotated[str, Field(pattern=r"^[a-z]+(_[a-z]+){0,3}$")] | None
    value_type: ValueType | None
    keep: bool
    memory: str
    program: Program | None = None
    """How the memory is built from the turns; nothing where no program builds it."""


class Turn(Utterance):
    """A labelled turn of a running chat."""

    statements: list[Statement]
    nothing: Nothing


class Entry(Turn):
    """A labelled turn with the turns before it, oldest first."""

    id: Annotated[str, Field(pattern=r"^(en|zh)\d-\d{4}[a-z]?$")]
    group: str
    twin: Twin
    language: Language
    domain: str
    register_: str = Field(alias="register")
    before: list[Utterance] = Field(max_length=MAX_BEFORE)

    @property
    def writer(self) -> str:
        return self.id.split("-")[0]


class Chat(_Line):
    """A running chat, labelled turn by turn."""

    id: str
    language: Language
    domain: str
    register_: str = Field(alias="register")
    turns: list[Turn] = Field(min_length=CHAT_TURNS.start, max_length=CHAT_TURNS.stop - 1)


class Pair(_Line):
    """An older statement, a newer one, and what the newer one does to the older one."""

    id: str
    language: Language
    old: str = Field(min_length=1)
    new: str = Field(min_length=1)
    relation: Relation


class Verdict(_Line):
    """What a reader who had not seen any label called a memory that rules made of a turn: four answers, of which all
    must be yes for a good one."""

    place: str
    """Of the turn it was read from: an entry's id, or `chat#turn` with turns counted from 0."""
    memory: str = Field(min_length=1)
    kind: CandidateKind
    supported: bool
    person: bool
    sentence: bool
    worth: bool
    remark: str = ""
    """The kind of fault, in the reader's words."""

    @property
    def good(self) -> bool:
        return self.supported and self.person and self.sentence and self.worth


def known_text(turn: Turn, before: Sequence[Utterance]) -> str:
    """All that a reader of this turn has seen: texts and speakers, a line each."""
    return "\n".join(part for turn_before in (turn, *before) for part in (turn_before.text, turn_before.speaker))
