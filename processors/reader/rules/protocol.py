"""The extractor's protocol: a turn and a profile in, candidates out. Pure and deterministic.

How a candidate carries values (the gate skips and supersedes per field, B3, B4):

- one field: `field` is its name, `fields` is empty, `value` its value;
- several fields (`education+university+major`): `field` is None, `fields` their names in the order of the
  catalogue, `value` an object by field name;
- no field (an episode, a relation, a free preference): `field` is None, `fields` empty.

`values_of` reads all three alike. A field named by the profile is a catalogue name; a slot that the profile does
not list keeps its slot name (`SLOTS_WITH_MANY` and the wordings say which of those hold several values).
`negated` with a field says that the value does NOT hold ("I no longer live in Leeds"): the gate retires that value
and sets nothing. A field of type boolean says no by the value False instead.
`attributes["about"]` is the speaker's name where the turn names one: two speakers in one owner's conversation are
two people, and facts about different people never replace each other. `attributes["replaces"]` is the old value that
a correction named ("not 32 but 33"). `attributes["implied"]`: the value is what is likely where nothing was said of it
(who works in Leeds lives there): it replaces only its like. `attributes["moved"]`: a home that somebody has
moved to, so that the place where they worked before is no longer likely either. `attributes["ends"]`: it follows
from what is said that the value holds no longer ("I left Acme"); where it does not stand, nothing follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from schemas.base import JsonValue
from schemas.events.memory import Candidate, Dropped
from schemas.profile.model import Profile

Language = Literal["en", "zh", "und"]
Role = Literal["user", "assistant", "system", "tool"]
ENDS = "ends"

SLOTS_WITH_MANY = frozenset(
    {
        "language",
        "hobby",
        "likes",
        "dislikes",
        "pet",
        "child",
        "possession",
        "prefers",
        "avoids",
        "language_score",
    }
)
"""Generic slots whose values stand beside each other where the catalogue does not say."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """What an extractor may see of a turn: redacted, never `llm_context` nor `recalled` (D1).

    `previous` is the short context before the turn, oldest first, as (role, content): an assistant's question makes
    a "yes" a statement (B1), and is otherwise no source. `entities` are (type, start, end) in `content`.
    """

    content: str
    role: Role
    language: Language
    occurred_at: datetime
    time_zone: str = "UTC"
    speaker: str | None = None
    project_id: str | None = None
    intent: str | None = None
    previous: tuple[tuple[Role, str], ...] = ()
    entities: tuple[tuple[str, int, int], ...] = ()
    reply: str = ""
    """What the assistant answered, shortened, where it is in: it may confirm what the turn asked (B1)."""
    reaches: tuple[str, ...] | None = None
    """Projects that a name in the text may stand for; None: all."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a turn holds, and what was found in it and not taken: at most MAX_DROPPED, whose ordinals go on."""

    candidates: list[Candidate]
    dropped: tuple[Dropped, ...] = ()


class Extractor(Protocol):
    """Says what a turn holds. A newer `version` restates what an older one said (delivery rule 3)."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def extract(self, turn: TurnView, profile: Profile) -> list[Candidate]:
        """Return candidates with ordinals 0, 1, ... in the order of the text; `terms` and `embedding` are empty.

        Turns of other roles than user yield none (B1).
        """
        ...

    def read(self, turn: TurnView, profile: Profile) -> Reading:
        """Return the same candidates with what was dropped."""
        ...


def values_of(candidate: Candidate) -> Mapping[str, JsonValue]:
    """Return the field values of a candidate by field name; empty for an episode."""
    if candidate.field is not None:
        return {candidate.field: candidate.value}
    if candidate.fields and isinstance(candidate.value, dict):
        return {name: candidate.value.get(name) for name in candidate.fields}
    return {}


def holds_many(profile: Profile, field: str) -> bool:
    """Do values of this field stand beside each other instead of replacing each other?"""
    spec = profile.field(field)
    if spec is not None:
        return spec.many
    return field in SLOTS_WITH_MANY or any(w.many and field in w.slots() for w in profile.wordings)
