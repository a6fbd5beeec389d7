"""The one codec: events to bytes and headers, and back (CONTRACT "Topics")."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeAlias

import orjson
from pydantic import TypeAdapter, ValidationError

from schemas.base import SCHEMA_VERSION, Frozen
from schemas.components.installed import components, topic_named
from schemas.events import documents, memory, sessions, turns
from schemas.events.envelope import Envelope, Marker, Tick
from schemas.log import topics
from schemas.log.ids import writer_of
from schemas.log.owner import Owner, OwnerKind
from schemas.log.places import fields_of_places, place_of
from schemas.security.sealing import Cipher, IdentityCipher, KeyDestroyed, Place, SealedError

Event: TypeAlias = Envelope | Tick | Marker
Headers: TypeAlias = list[tuple[str, bytes]]

_UNIONS: dict[str, Any] = {
    topics.TURNS.name: turns.TurnsEvent,
    topics.HISTORY.name: turns.HistoryEvent,
    topics.LEDGER.name: memory.LedgerEvent,
    topics.PROJECT_EVENTS.name: documents.ProjectsEvent,
    topics.UPDATES.name: memory.UpdatesEvent,
    topics.SESSION_STATE.name: sessions.SessionsEvent,
    topics.DECISIONS.name: memory.DecisionsEvent,
    topics.JOBS.name: documents.Job,
    topics.ACCESSES.name: documents.Access,
    topics.DOCUMENTS.name: documents.DocumentsEvent,
    topics.PROFILES.name: documents.ProfileVersion,
}
_BYTES_FIELDS = ("embedding",)
_NAME_FIELDS = ("key", "field", "fields")
"""Names that may be made of what somebody said (the key of a decision is its text): an encrypting cipher takes them
into the sealed part, under `_NAMES`, and opening puts them back (N6)."""
_NAMES = "~names"
_OWNER_FIELDS = {OwnerKind.USER: "user_id", OwnerKind.PROJECT: "project_id", OwnerKind.DOCUMENT: "document_id"}


ERASED = "erased"
"""Reason of a value whose owner's key has been destroyed: it is passed over, and no dead letter."""
_USERS_WORDS = frozenset({"turn_digest", "project_candidate", "user_memory"})


class DecodeError(ValueError):
    """A value that is no event of its topic. `reason` is a stable word; the message names the field and what was
    expected and never holds content."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Encoded:
    key: bytes
    value: bytes
    headers: Headers


@lru_cache(maxsize=64)
def adapter(topic: str) -> TypeAdapter[Any]:
    """The validator of a topic's events. Raises KeyError for a topic that nobody has declared."""
    return TypeAdapter(_UNIONS[topic] if topic in _UNIONS else components().events[topic])


@lru_cache(maxsize=1)
def field_names() -> frozenset[str]:
    """Field names and type words of every schema: what a message may say of where an error is. Other parts of a
    location (keys of free JSON, names of unknown fields) are content."""
    found: set[str] = set()
    left: list[type[Frozen]] = [Frozen]
    while left:
        model = left.pop()
        left.extend(model.__subclasses__())
        found.update(model.model_fields)
        kind = model.model_fields.get("type")
        if kind is not None and isinstance(kind.default, str):
            found.add(kind.default)
    return frozenset(found)


def describe(exc: ValidationError) -> str:
    """`field: what was expected` of the first error, without the offending value or any key that is content."""
    first = exc.errors(include_input=False, include_url=False)[0]
    if first["type"] in ("union_tag_invalid", "union_tag_not_found"):
        expected = first.get("ctx", {}).get("expected_tags", "a known type")
        return f"type: expected one of {expected}"
    known = field_names()
    where = ".".join(str(p) if isinstance(p, int) or p in known else "*" for p in first["loc"]) or "value"
    return f"{where}: {first['msg'].removeprefix('Value error, ')}"


_JSON = orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS


def _place(data: dict[str, Any]) -> Place:
    """Of an event's fields, as whoever reads them from JSON finds it."""
    tops = {name.partition(".")[0] for name in fields_of_places().get(data["type"], ())}
    clear_fields = {name: data[name] for name in ("type", *tops) if name in data}
    return place_of(orjson.loads(orjson.dumps(clear_fields, default=_default, option=_JSON)))


def _default(value: object) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if hasattr(value, "as_tuple"):
        return str(value)
    raise TypeError(f"cannot encode {type(value).__name__}")


class Codec:
    """Encodes and decodes events under a cipher. Stateless beside it."""

    def __init__(self, cipher: Cipher | None = None) -> None:
        self._cipher = cipher or IdentityCipher()

    @property
    def seals(self) -> bool:
        """Whether encoding and decoding may wait for a key: not on an event loop then."""
        return not isinstance(self._cipher, IdentityCipher)

    def value(self, event: Event) -> bytes:
        """Deterministic JSON (sorted keys): equal events are equal bytes."""
        data = event.model_dump(mode="python", exclude_defaults=False, exclude_none=True)
        data["schema_version"] = SCHEMA_VERSION
        if isinstance(event, Envelope) and "sealed" in data:
            plain = orjson.loads(orjson.dumps(data["sealed"], default=_default))
            if self.seals:
                plain |= {_NAMES: named} if (named := {n: data.pop(n) for n in _NAME_FIELDS if data.get(n)}) else {}
            place = _place(data) if self.seals else ()
            data["sealed"] = self._cipher.seal(event.sealed_for, plain, place)
        return orjson.dumps(data, default=_default, option=_JSON)

    def encode(self, event: Event, source: str, event_id: str, extra: Sequence[tuple[str, bytes]] = ()) -> Encoded:
        """`source` is the producer (`memstream/gate`), `event_id` is unique within it (CloudEvents)."""
        owner = event.owner if isinstance(event, Envelope) else None
        subject = event.subject if isinstance(event, Envelope) else event.type
        headers: Headers = [
            ("ce_specversion", b"1.0"),
            ("ce_id", event_id.encode()),
            ("ce_type", f"memstream.{getattr(event, 'type', 'event')}.v{SCHEMA_VERSION}".encode()),
            ("ce_source", source.encode()),
            ("ce_subject", subject.encode()),
            ("content-type", b"application/json"),
        ]
        when = _event_time(event)
        if when is not None:
            headers.append(("ce_time", when.astimezone(UTC).isoformat().encode()))
        if owner is not None:
            headers.append(("owner", owner.key.encode()))
        headers.extend(extra)
        return Encoded(_key(event, subject, event_id), self.value(event), headers)

    def decode(self, topic: str, value: bytes | None) -> Event:
        """Raises DecodeError; never returns a half-valid event."""
        return self.event(topic, parsed(value))

    def opened(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]:
        """A sealed part that stands by itself, in a row of a view, with the names that went into it. `place`: of the
        record that the row says it is. Raises SealedError, KeyDestroyed, KeysAway."""
        try:
            body = _with_bytes(self._cipher.open(owner, sealed, place))
            return {**body.pop(_NAMES, {}), **body}
        except DecodeError as exc:
            raise SealedError(str(exc)) from None

    def event(self, topic: str, data: dict[str, Any]) -> Event:
        """The event of a value that is parsed already. Raises DecodeError."""
        version = data.get("schema_version", SCHEMA_VERSION)
        if type(version) is not int or version != SCHEMA_VERSION:
            raise DecodeError("schema_version", f"schema_version: expected {SCHEMA_VERSION}")
        data = self._opened(topic, data)
        try:
            return _validated(topic, data)
        except ValidationError as exc:
            raise DecodeError("invalid", describe(exc)) from None

    def _opened(self, topic: str, data: dict[str, Any]) -> dict[str, Any]:
        sealed = data.get("sealed")
        if not isinstance(sealed, dict):
            return data
        if "ct" in sealed:
            owner = clear_owner(topic, data)
            try:
                sealed = self._cipher.open(owner, sealed, place_of(data))
            except KeyDestroyed:
                raise DecodeError(ERASED, "sealed: the owner was erased") from None
            except SealedError as exc:
                raise DecodeError("sealed", f"sealed: {exc}") from None
            named = sealed.pop(_NAMES, None)
            data = {**data, **named} if isinstance(named, dict) else data
        return {**data, "sealed": _with_bytes(sealed)}


def _validated(topic: str, data: dict[str, Any]) -> Event:
    if topic == topics.UPDATES.name and data.get("type") == "memory":
        record = memory.of_its_kind(data)
        if record is not None:
            return record
    event: Event = adapter(topic).validate_python(data)
    return event


def parsed(value: bytes | None) -> dict[str, Any]:
    """The JSON object of a value, for `Codec.event`. Raises DecodeError, MemoryError."""
    if value is None:
        raise DecodeError("null_value", "value: must not be null here")
    try:
        data = orjson.loads(value)
    except orjson.JSONDecodeError as exc:
        if "memory" in exc.msg:  # refused, which it says in the same way
            raise MemoryError from None
        raise DecodeError("malformed_json", _malformed(value, exc.pos)) from None
    if not isinstance(data, dict):
        raise DecodeError("malformed_json", "value: expected a JSON object")
    return data


def _malformed(value: bytes, character: int) -> str:
    """Where it broke: orjson tells a character, and for bytes that are not UTF-8 always the first."""
    try:
        text = value.decode()
    except UnicodeDecodeError as exc:
        return f"value: not UTF-8 (at byte {exc.start})"
    return f"value: not JSON (at byte {len(text[:character].encode())})"


def _with_bytes(sealed: dict[str, Any]) -> dict[str, Any]:
    """Turn base64 text of the known binary fields back into bytes."""
    out = dict(sealed)
    try:
        for name in _BYTES_FIELDS:
            if isinstance(out.get(name), str):
                out[name] = base64.b64decode(out[name], validate=True)
        if isinstance(out.get("candidates"), list):
            out["candidates"] = [_with_bytes(c) if isinstance(c, dict) else c for c in out["candidates"]]
        if isinstance(out.get("candidate"), dict):
            out["candidate"] = _with_bytes(out["candidate"])
    except ValueError:
        raise DecodeError("invalid", "sealed.embedding: expected base64") from None
    return out


def clear_owner(topic: str, data: dict[str, Any]) -> Owner:
    """Whose key seals a value, from the clear envelope (`Envelope.sealed_for`). Raises DecodeError."""
    kind = topic_named(topic).owners[0]
    hot = data.get("kind") == "hot" and isinstance(data.get("user_id"), str)
    if isinstance(data.get("tenant"), str) and (data.get("type") in _USERS_WORDS or hot):
        return Owner(data["tenant"], OwnerKind.USER, str(data.get("user_id")))
    tenant, name = data.get("tenant"), data.get(_OWNER_FIELDS.get(kind, ""), "")
    if "owner_kind" in data:
        try:
            kind, name = OwnerKind(data["owner_kind"]), data.get("owner_id")
        except ValueError:
            raise DecodeError("invalid", f"owner_kind: expected one of {', '.join(OwnerKind)}") from None
    if not isinstance(tenant, str) or not isinstance(name, str):
        raise DecodeError("invalid", "tenant, owner: expected strings")
    return Owner(tenant, kind, name)


def _key(event: Event, subject: str, event_id: str) -> bytes:
    """What names a record of its own is its key; of the rest each has one of its own, so that compaction loses none
    and a null removes one (C9). Of the markers of one writer only the last is worth anything."""
    if isinstance(event, Marker):
        return topics.marker_key(writer_of(event_id))
    named = isinstance(event, Envelope) and type(event).subject is not Envelope.subject
    return subject.encode() if named else f"{subject}/{event_id}".encode()


def _event_time(event: Event) -> datetime | None:
    for name in ("occurred_at", "accepted_at", "updated_at", "now", "created_at"):
        when = getattr(event, name, None)
        if isinstance(when, datetime):
            return when
    return None


def header(headers: Sequence[tuple[str, bytes]] | None, name: str) -> bytes | None:
    """The last header of that name, as Kafka reads duplicates."""
    found = None
    for key, value in headers or ():
        if key == name:
            found = value
    return found


__all__ = [
    "Codec", "DecodeError", "Encoded", "Event", "Frozen", "Headers", "adapter", "clear_owner", "describe", "header",
    "parsed",
]  # fmt: skip
