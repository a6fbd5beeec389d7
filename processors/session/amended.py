"""Amendments of a session: an amended turn in its window, and its own texts under the policy of now (rescreen)."""

from __future__ import annotations

from collections.abc import Mapping

from processors.pii.redacted_values import RedactedValues
from processors.pii.redaction import redact
from processors.pii.stored_texts import record_of, texts_of
from processors.ports import Models, ProfileBook
from processors.session.value import LAST_MESSAGE_CHARS
from schemas.events.amendments import Amendment
from schemas.events.sessions import Checkpoint, SessionBody, SessionState
from schemas.events.turns import ScreenedTurn


def with_turn(s: SessionState, t: ScreenedTurn, models: Models, book: ProfileBook) -> SessionState:
    """The session with the text of a turn as it is now; the same object where nothing changes. What policy took out of
    the turn goes from the rest of the session, too: nothing in it would tell any more."""
    changes = {"content": t.sealed.content, "speaker": t.sealed.speaker}
    window = tuple(m.model_copy(update=changes) if m.turn_id == t.turn_id else m for m in s.sealed.window)
    if window == s.sealed.window:
        return s
    old = next(m for m in s.sealed.window if m.turn_id == t.turn_id)
    before = old.content
    last = s.sealed.last_bot_message
    if t.role == "assistant" and last == before[:LAST_MESSAGE_CHARS]:
        last = t.sealed.content[:LAST_MESSAGE_CHARS]
    new = _next(s, s.sealed.model_copy(update={"window": window, "last_bot_message": last}))
    redacted_values = RedactedValues.of(redact(models, book, [s.tenant] * 2, [before, old.speaker or ""]))
    return new.model_copy(update={"sealed": _body(new, {}, redacted_values)}) if redacted_values else new


def rescreened(s: SessionState, models: Models, book: ProfileBook) -> SessionState:
    """Every text of the session through policy; the same object where nothing changes. Asks the recognisers here, not
    ahead of the batch: the texts are the step's own state."""
    texts = list(dict.fromkeys(texts_of(s)))
    if not texts:
        return s
    clean = redact(models, book, [s.tenant] * len(texts), texts)
    changed = {t: r.text for t, r in zip(texts, clean, strict=True) if r.text != t}
    if not changed:
        return s
    return _next(s, _body(s, changed, RedactedValues.of(clean)))


def _body(s: SessionState, changed: Mapping[str, str], redacted_values: RedactedValues) -> SessionBody:
    return SessionBody.model_validate(record_of(s, changed, redacted_values)["sealed"])


def checkpoint_of(a: Amendment) -> Checkpoint:
    """Raises pydantic.ValidationError; screen has looked at it."""
    checkpoint = Checkpoint.model_validate(a.sealed.record)
    return checkpoint.model_copy(update={"revision": a.expected + 1})


def _next(s: SessionState, body: SessionBody) -> SessionState:
    return s.model_copy(update={"revision": s.revision + 1, "sealed": body})
