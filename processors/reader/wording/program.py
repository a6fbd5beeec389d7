"""A program says how the sentence of one statement is put together from turns.

It names a frame of the language's table and fills each slot of the frame with pieces: spans of the turn or of turns
before, words of closed lists, and names of speakers. A span may be edited token by token. Nothing else can come out.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Operation: TypeAlias = Literal["delete", "turn", "form", "case"]
"""`delete` drops a token; `turn` replaces it by an entry of the table of pronouns, contractions and chat spellings;
`form` inflects it; `case` changes its capitals."""
Form: TypeAlias = Literal["base", "third", "past", "participle", "ing", "singular", "plural"]
Case: TypeAlias = Literal["lower", "upper", "capital"]

MAX_PIECES = 40
MAX_EDITS = 60


class Utterance(Protocol):
    """A turn as far as wording needs it."""

    @property
    def speaker(self) -> str: ...

    @property
    def text(self) -> str: ...


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Edit(_Part):
    """A change within a span: of one token, or for `delete` of several, from character `start` to `end` of the turn."""

    start: int = Field(ge=0)
    end: int = Field(gt=0)
    op: Operation
    to: str = ""
    """The entry of the table for `turn`, a `Form` for `form`, a `Case` for `case`, empty for `delete`."""


class Span(_Part):
    """The characters `start` to `end` of a turn, edited."""

    turn: int = Field(ge=0)
    """0 is the turn itself, 1 the turn just before it, and so on."""
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    edits: tuple[Edit, ...] = Field(default=(), max_length=MAX_EDITS)
    """In the order of the text, without overlap."""


class Word(_Part):
    """A word of the closed lists, in a form where it is a verb or a noun."""

    word: str = Field(min_length=1)
    form: Form | Literal[""] = ""


class Name(_Part):
    """The name of a turn's speaker; "the user" or 用户 where the speaker has none."""

    speaker: int = Field(ge=0)
    """0 is the speaker of the turn itself, 1 that of the turn just before it, and so on."""


Piece: TypeAlias = Span | Word | Name


class Program(_Part):
    """How a sentence is built."""

    frame: str
    """A frame's name in the table of the language."""
    slots: tuple[tuple[Piece, ...], ...]
    """The pieces of each slot of the frame, in the frame's order."""


def compact(program: Program) -> dict[str, object]:
    """The program as JSON without what is at its default."""
    return program.model_dump(mode="json", exclude_defaults=True) | {"frame": program.frame}
