"""A Chinese statement that stands alone, and whom its pronoun, or what is felt in a body, means.

Who was spoken of before it is put in the pronoun's place, where that is one person of the speaker's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from processors.reader.rules.clauses_zh import KIN
from processors.reader.rules.common_zh import content_weight
from processors.reader.rules.own_state_zh import felt
from processors.reader.rules.persons_zh import Persons
from processors.reader.rules.self_contained_zh import OF_KIN, SPEAKER, is_self_contained, weight
from processors.reader.rules.served_zh import DATA
from schemas.events.memory import DropLabel

_SOMEBODY = re.compile(rf"[他她你您]|{KIN}")
_SERVES = re.compile("|".join(DATA["doctors"].split()))
"""Who is told of a body, and has none."""
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


def named(alias: Alone, who: Persons) -> Alone:
    """The same with who is meant in place of the pronoun that it opens with, or that its speaker acts on; without its
    last clauses where only that stands alone."""
    if alias.dropped != "unresolved":
        return alias
    parts = alias.text.split("，")
    for size in range(len(parts), 0, -1):
        phrase = who.named("，".join(parts[:size]))
        if phrase is not None and is_self_contained(phrase, of_other=False, of_kin=True, in_group=False):
            single = tuple(_part(alias, text) for part in parts[:size] if (text := _stands_named(part, who)))
            end = (
                alias.end
                if size == len(parts)
                else alias.start + max(1, (alias.end - alias.start) * size // len(parts))
            )
            return replace(alias, end=end, text=phrase, weight=weight(phrase), dropped=None, clauses=single[: 2 * size])
    return _from_pronoun(alias, parts, who)


def _from_pronoun(alias: Alone, parts: Sequence[str], who: Persons) -> Alone:
    """The same from the first clause on that opens with the pronoun, where nobody else stands before it."""
    first = next((n for n, part in enumerate(parts) if part.startswith(("他", "她"))), 0)
    if not first or _SOMEBODY.search("，".join(parts[:first])):
        return alias
    for size in range(len(parts), first, -1):
        phrase = who.named("，".join(parts[first:size]))
        if phrase is not None and is_self_contained(phrase, of_other=False, of_kin=True, in_group=False):
            return replace(alias, text=phrase, weight=weight(phrase), dropped=None, clauses=())
    return alias


def of_the_one(statement: Alone, who: Persons) -> Alone:
    """The same of the speaker's person, where the talk is of them and the statement of a body names nobody."""
    one = who.patient
    if (
        one is None
        or _SERVES.fullmatch(one.kin)
        or statement.dropped not in {None, "unresolved"}
        or SPEAKER.search(statement.text)
        or OF_KIN.match(statement.text)
    ):
        return statement
    phrase = f"我{one.kin}{statement.text}"
    of_a_body = any(felt(part) for part in statement.text.split("，"))
    if not of_a_body or not is_self_contained(phrase, of_other=False, of_kin=True, in_group=False):
        return statement
    return replace(statement, text=phrase, weight=weight(phrase), dropped=None, clauses=())


def _stands_named(part: str, who: Persons) -> str | None:
    """A clause with its pronoun named, or as it is, where it stands alone."""
    phrase = who.named(part) or part
    least = content_weight(phrase) >= LEAST_SAID and (SPEAKER.match(phrase) or OF_KIN.match(phrase))
    return phrase if least and is_self_contained(phrase, of_other=False, of_kin=True, in_group=False) else None


def _part(statement: Alone, text: str) -> Alone:
    return Alone(statement.start, statement.end, text, weight(text))
