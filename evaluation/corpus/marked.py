"""Talks in which values of a profile's fields are marked: what fills a field, and what only looks like it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from evaluation.corpus.entries import Language
from evaluation.corpus.read import ROOT, values
from schemas.profile.model import load_profile

FILE_PATTERN = "fields_*.jsonl"
ASSISTANT = "assistant"
FILLS = "fills"
Role: TypeAlias = Literal["fills", "ended", "other", "planned", "denied", "unsure", "not_field"]
"""What a mark does: it fills its field; it did and does no longer; it is of another person; it will, may or should be;
it is denied; it is a guess, a joke, hearsay; it is a value of that kind which has nothing to do with the field."""
ProjectPlace: TypeAlias = Literal["decision", "task", "status", "problem"]
FieldKind: TypeAlias = Literal[
    "text", "number", "money", "date", "duration", "place", "person", "organisation", "list", "boolean"
]
TALK_TURNS = range(8, 21)
"""How many turns a talk may have."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Mark(_Line):
    """Some characters of a turn. Either `field` or `place` is set."""

    text: Annotated[str, Field(min_length=1)]
    role: Role
    field: str | None = None
    place: ProjectPlace | None = None
    person: str = ""
    """Of `other`: the words that name them."""
    owner: str = ""
    due: str = ""
    occurrence: Annotated[int, Field(ge=1)] = 1
    """Which one, where the text stands several times in the turn."""

    def start(self, turn: str) -> int:
        """Its first character in the text of its turn. Raises ValueError."""
        at = -1
        for _ in range(self.occurrence):
            at = turn.index(self.text, at + 1)
        return at


class MarkedTurn(_Line):
    speaker: Annotated[str, Field(min_length=1)]
    text: Annotated[str, Field(min_length=1)]
    marks: tuple[Mark, ...] = ()


class TalkField(_Line):
    """A field of a profile that the writer invented."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_]+$")]
    kind: FieldKind
    label: Annotated[str, Field(min_length=1)]


class MarkedTalk(_Line):
    """`profile` is one of the project's where `fields` is empty."""

    id: str
    language: Language
    profile: str
    voice: str
    fields: tuple[TalkField, ...] = ()
    turns: tuple[MarkedTurn, ...]

    def field_names(self) -> set[str]:
        return {f.name for f in self.fields or load_profile(self.profile).fields}


def marked_talks(folder: Path = ROOT, language: Language | None = None) -> Iterator[MarkedTalk]:
    prefix = language or ""
    return (talk for talk in values(folder, FILE_PATTERN, MarkedTalk) if talk.language.startswith(prefix))


def talk_faults(talk: MarkedTalk, names: Collection[str]) -> Iterator[str]:
    """What is wrong with a talk. `names`: of its profile's fields."""
    if len(talk.turns) not in TALK_TURNS:
        yield f"{len(talk.turns)} turns"
    for n, turn in enumerate(talk.turns):
        for mark in turn.marks:
            for fault in _mark_faults(mark, turn, names):
                yield f"turn {n}: {mark.text!r}: {fault}"


def _mark_faults(mark: Mark, turn: MarkedTurn, names: Collection[str]) -> Iterator[str]:
    if turn.text.count(mark.text) < mark.occurrence:
        yield "is no part of the text"
    if (mark.field is None) == (mark.place is None):
        yield "has a field or a place"
    if mark.field is not None and mark.field not in names:
        yield f"{mark.field} is no field of the profile"
    if mark.role == "other" and mark.field is not None and not mark.person:
        yield "names no person"
    if turn.speaker == ASSISTANT:
        yield "is of the assistant"
