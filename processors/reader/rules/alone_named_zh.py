"""A Chinese statement that stands alone, and whom its pronoun, or what is felt in a body, means.

Who was spoken of before it is put in the pronoun's place, where that is one person of the speaker's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from processors.reader.rules.common_zh import content_weight
from processors.reader.rules.own_state_zh import felt
from processors.reader.rules.persons_zh import Persons
from processors.reader.rules.standing_zh import OF_KIN, SPEAKER, stands, weight
from schemas.events.memory import DropLabel

LEAST_SAID = 1.5
"""Content words of one clause of several."""


@dataclass(frozen=True, slots=True)
class Alone:
    """A statement at `start:end` of the turn, its words still the speaker's own."""

    start: int
    end: int
    text: str
    weight: float
    dropped: DropLabel | None = None
    clauses: tuple[Alone, ...] = ()
    """Its clauses that stand alone, where all are about the speaker."""
    goes_on: bool = False
    """Does it begin with a clause of which a value is taken, or a relation?"""


def named(told: Alone, who: Persons) -> Alone:
    """The same with who is meant in place of the pronoun that it opens with, or that its speaker acts on; without its
    last clauses where only that stands alone."""
    if told.dropped != "unresolved":
        return told
    parts = told.text.split("，")
    for size in range(len(parts), 0, -1):
        said = who.named("，".join(parts[:size]))
        if said is not None and stands(said, of_other=False, of_kin=True, in_group=False):
            single = tuple(_part(told, text) for part in parts[:size] if (text := _stands_named(part, who)))
            end = told.end if size == len(parts) else told.start + max(1, (told.end - told.start) * size // len(parts))
            return replace(told, end=end, text=said, weight=weight(said), dropped=None, clauses=single[: 2 * size])
    return told


def of_the_one(told: Alone, who: Persons) -> Alone:
    """The same of the speaker's person, where the talk is of them and the statement of a body names nobody."""
    one = who.patient
    if one is None or told.dropped not in {None, "unresolved"} or SPEAKER.search(told.text) or OF_KIN.match(told.text):
        return told
    said = f"我{one.kin}{told.text}"
    of_a_body = any(felt(part) for part in told.text.split("，"))
    if not of_a_body or not stands(said, of_other=False, of_kin=True, in_group=False):
        return told
    return replace(told, text=said, weight=weight(said), dropped=None, clauses=())


def _stands_named(part: str, who: Persons) -> str | None:
    """A clause with its pronoun named, or as it is, where it stands alone."""
    said = who.named(part) or part
    least = content_weight(said) >= LEAST_SAID and (SPEAKER.match(said) or OF_KIN.match(said))
    return said if least and stands(said, of_other=False, of_kin=True, in_group=False) else None


def _part(told: Alone, text: str) -> Alone:
    return Alone(told.start, told.end, text, weight(text))
