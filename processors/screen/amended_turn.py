"""Amendments in screen: a stored turn or summary goes through policy once more and leaves as its next revision."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from processors.pii.redacted_values import RedactedValues
from processors.pii.stored_texts import record_of, texts_of
from processors.ports import Models, vectors
from processors.step import Emit, Out, Record, Reject
from schemas.events.amendments import Amendment
from schemas.events.prompt_lines import line
from schemas.events.sessions import Checkpoint
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.ids import content_hash
from schemas.profile.model import Profile

_KINDS: Mapping[str, type[ScreenedTurn | Checkpoint]] = {"turn": ScreenedTurn, "checkpoint": Checkpoint}


def amendment_texts(a: Amendment) -> list[str]:
    """What policy looks at; nothing of what is no such record (it is refused when its turn comes)."""
    found = _stored(a)
    return [] if found is None else texts_of(found)


def amended(
    a: Amendment,
    redacted: Mapping[str, str],
    redacted_values: RedactedValues,
    record: Record,
    models: Models,
    profile: Profile,
) -> list[Out]:
    """A turn leaves as itself, at its next revision; what belongs to a session goes on to its one writer."""
    accepted = a.accepted_at or record.timestamp
    if a.what == "session":
        return [Emit(topics.HISTORY, a.model_copy(update={"accepted_at": accepted}))]
    found = _stored(a)
    if found is None or found.owner != a.owner:
        return [Reject("invalid", "sealed.record: expected a turn or a checkpoint of this user, as what says")]
    redacted_record = record_of(found, redacted, redacted_values)
    if isinstance(found, Checkpoint):
        body = a.sealed.model_copy(update={"record": redacted_record})
        return [Emit(topics.HISTORY, a.model_copy(update={"accepted_at": accepted, "sealed": body}))]
    return [Emit(topics.HISTORY, _turn(ScreenedTurn.model_validate(redacted_record), a.expected, models, profile))]


def _turn(turn: ScreenedTurn, expected: int, models: Models, profile: Profile) -> ScreenedTurn:
    """With terms, tokens and vector of the text as it is now. Entities are not marked in it any more: they serve
    extraction, which an amended turn does not reach."""
    text = turn.sealed.content
    body = {"terms": tuple(models.terms(text)), "embedding": vectors(models.embedder, [text])[0], "entities": ()}
    counter = models.counter(profile.encoding)
    changes: dict[str, object] = {
        "revision": expected + 1, "tokens": counter.count(text),
        "line_tokens": counter.count(f"{line(turn.role, turn.sealed.speaker, text)}\n"),
        "content_hash": content_hash(text), "profile": profile.name, "profile_version": profile.version,
        "model_id": models.embedder.model_id, "sealed": turn.sealed.model_copy(update=body),
    }  # fmt: skip
    return turn.model_copy(update=changes)


def _stored(a: Amendment) -> ScreenedTurn | Checkpoint | None:
    kind = _KINDS.get(a.what)
    if kind is None:
        return None
    try:
        return kind.model_validate(a.sealed.record)
    except ValidationError:
        return None
