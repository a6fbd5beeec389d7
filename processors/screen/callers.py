"""What callers write themselves, under policy (D5): memory commands, feedback, values of hot memory.

The door screens them before they are written, so that no kept topic holds what policy masks; the step that reads them
does the same again, for who writes to the topic without the door. Twice changes nothing: placeholders stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar, cast

from pydantic import ValidationError

from processors.pii.redact import Redaction, refused_for
from processors.pii.redacted_values import RedactedValues
from processors.pii.redaction import counts, redact, replaced, strings
from processors.ports import Models, ProfileBook
from schemas.events.documents import ProjectCommand
from schemas.events.envelope import Envelope
from schemas.events.memory import Feedback, MemoryCommand
from schemas.storage.sizes import outgrown_value

Own: TypeAlias = MemoryCommand | Feedback | ProjectCommand
OwnT = TypeVar("OwnT", bound=Own)


def texts(e: Own) -> list[str]:
    """Every text of a caller's own that can hold an entity."""
    match e:
        case Feedback():
            return list(strings(e.sealed.model_dump(exclude_none=True)))
        case MemoryCommand():
            return [*([e.sealed.text] if e.sealed.text else ()), *strings(e.sealed.value)]
    return list(strings(e.sealed.value)) if e.command == "put_hot" else []


def length_of(e: Envelope) -> int:
    """Characters to look at, and something for the look itself."""
    found = texts(e) if isinstance(e, MemoryCommand | Feedback | ProjectCommand) else []
    return 100 + sum(map(len, found))


def cleaned(e: OwnT, found: Mapping[str, Redaction]) -> OwnT:
    """The same with its `texts` redacted. `refused_for` names the entity that policy refuses, also where the door
    found it."""
    body = _body(e, {t: r.text for t, r in found.items()}, RedactedValues.of(found.values()))
    refused = refused_for(counts([*found.values()])) or e.refused_for
    # A bound that is a union: mypy sees the union come back, not the type that went in.
    return cast(OwnT, e.model_copy(update={"sealed": e.sealed.model_copy(update=body), "refused_for": refused}))


def _body(e: Own, mine: Mapping[str, str], redacted_values: RedactedValues) -> dict[str, object]:
    if isinstance(e, Feedback):
        return {k: replaced(v, mine, redacted_values) for k, v in e.sealed.model_dump(exclude_none=True).items()}
    value = {"value": replaced(e.sealed.value, mine, redacted_values)}
    if isinstance(e, MemoryCommand) and e.sealed.text:
        return {**value, "text": redacted_values.text(mine[e.sealed.text])}
    return value


def screened(models: Models, book: ProfileBook, events: Sequence[OwnT | None]) -> list[OwnT | None]:
    """Each with its texts redacted under its tenant's policy; one call of the recognisers for all. None: nothing to
    redact, or too large to be taken."""
    places = [(i, e) for i, e in enumerate(events) if e is not None and outgrown_value(e) is None]
    spots = [(i, e, found) for i, e in places if (found := texts(e))]
    pool = list(dict.fromkeys((e.tenant, t) for _, e, mine in spots for t in mine))
    clean = dict(zip(pool, redact(models, book, *map(list, zip(*pool, strict=True))), strict=True)) if pool else {}
    done: list[OwnT | None] = [None] * len(events)
    for i, e, mine in spots:
        done[i] = cleaned(e, {t: clean[e.tenant, t] for t in mine})
    return done


class OutgrownError(ValueError):
    """`field` is longer than its topic takes once what policy masks is replaced; the text is told by nobody."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class CallersScreen:
    """Callers' own words on their way into the log."""

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models, self._book = models, book

    @staticmethod
    def concerns(event: Envelope) -> bool:
        """Has the event a text to look at?"""
        return isinstance(event, MemoryCommand | Feedback | ProjectCommand) and bool(texts(event))

    def text(self, tenant: str, text: str) -> str | None:
        """A text of the tenant's redacted, None where policy refuses it. Milliseconds of CPU a sentence."""
        [found] = redact(self._models, self._book, [tenant], [text])
        return None if found.refused else found.text

    def __call__(self, events: Sequence[Envelope]) -> list[Envelope]:
        """The events with their texts redacted; any other as it is. Milliseconds of CPU a sentence. Raises
        OutgrownError."""
        own = [e if isinstance(e, MemoryCommand | Feedback | ProjectCommand) else None for e in events]
        clean = screened(self._models, self._book, own)
        return [e if done is None else _valid(done) for e, done in zip(events, clean, strict=True)]


def _valid(e: Own) -> Own:
    """Placeholders may be longer than what they stand for."""
    try:
        e.sealed.model_validate(e.sealed.model_dump())
    except ValidationError as exc:
        raise OutgrownError(".".join(map(str, exc.errors()[0]["loc"]))) from None
    return e
