"""The codec: what goes in comes out, what is broken is refused with a word, and no message repeats content."""

from __future__ import annotations

import string
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, get_args, get_type_hints

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import base
from schemas.base import MAX_JSON_DEPTH, Frozen
from schemas.events import documents, memory, sessions, turns
from schemas.events.envelope import Envelope
from schemas.events.memory.wire import BY_KIND
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError, Event, adapter, header
from schemas.log.owner import Owner
from schemas.security.sealing import Place, SealedError
from tests.examples import examples

CODEC = Codec()
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
SECRET = "zebra-4711"

ids = st.text(string.ascii_letters + string.digits + "-_/:中文", min_size=1, max_size=12)
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
content = words.filter(lambda t: bool(t.strip()))
times = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
json = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        words,
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(words, json, max_size=3)
confidence = st.decimals(0, 1, places=4).map(lambda d: Decimal(str(d)))


STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    repr(kind): strategy
    for kind, strategy in (
        (base.Id, ids), (base.CleanText, words), (base.Content, content), (base.Timestamp, times),
        (base.JsonValue, json), (base.JsonObject, objects), (memory.Confidence, confidence),
    )
}  # fmt: skip
"""How hypothesis fills the constrained types of the house."""


@lru_cache(maxsize=100)
def of(model: type[Frozen]) -> st.SearchStrategy[Any]:
    """Random values of a model, through its validator: fields by their declared types, optional ones now and then."""
    hints = get_type_hints(model, include_extras=True)
    fields = {n: f for n, f in model.model_fields.items() if n not in ("type", "schema_version") or f.is_required()}
    required = {n: _of_type(hints[n]) for n, f in fields.items() if f.is_required()}
    optional = {n: _of_type(hints[n]) for n, f in fields.items() if not f.is_required()}
    return st.fixed_dictionaries(required, optional=optional).map(lambda kw: model(**kw))


def _of_type(hint: Any) -> st.SearchStrategy[Any]:
    if repr(hint) in STRATEGIES:
        return STRATEGIES[repr(hint)]
    if isinstance(hint, type) and issubclass(hint, Frozen):
        return of(hint)
    origin, args = getattr(hint, "__origin__", None), get_args(hint)
    if str(hint).startswith("typing.Annotated"):
        return _of_type(args[0])
    if str(hint).startswith("typing.Optional") or type(None) in args:
        return st.one_of(st.none(), *(_of_type(a) for a in args if a is not type(None)))
    if origin is tuple and args[-1] is Ellipsis:
        return st.lists(_of_type(args[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*(_of_type(a) for a in args))
    if origin is dict:
        return st.dictionaries(_of_type(args[0]), _of_type(args[1]), max_size=2)
    if str(hint).startswith("typing.Union") or (origin is None and args):
        return st.one_of(*(_of_type(a) for a in args))
    plain: dict[Any, st.SearchStrategy[Any]] = {
        str: ids, bytes: st.binary(max_size=8), bool: st.booleans(), int: st.integers(1, 9), float: st.floats(0.01, 1),
        Decimal: confidence,
    }  # fmt: skip
    return plain[hint] if hint in plain else st.from_type(hint)


def members(union: Any) -> list[type[Frozen]]:
    inner = get_args(union)[0] if get_args(union) else union
    found = get_args(inner)
    return [inner] if isinstance(inner, type) else list(found)


UNIONS: dict[str, Any] = {
    topics.TURNS.name: turns.TurnsEvent, topics.HISTORY.name: turns.HistoryEvent,
    topics.LEDGER.name: memory.LedgerEvent, topics.PROJECT_EVENTS.name: documents.ProjectsEvent,
    topics.UPDATES.name: memory.UpdatesEvent,
    topics.SESSION_STATE.name: sessions.SessionsEvent, topics.DECISIONS.name: memory.DecisionsEvent,
    topics.JOBS.name: documents.Job, topics.ACCESSES.name: documents.Access,
    topics.DOCUMENTS.name: documents.DocumentsEvent, topics.PROFILES.name: documents.ProfileVersion,
}  # fmt: skip
KINDS: list[type[Frozen]] = [*dict.fromkeys(BY_KIND.values()), memory.Deletion]
"""Types of records of memory.updates: each is read as its own."""
EVENTS: list[tuple[str, type[Frozen]]] = [
    (topic, model)
    for topic, union in UNIONS.items()
    for member in members(union)
    for model in (KINDS if member is memory.MemoryUpdate else [member])
]


def turn(**changes: Any) -> dict[str, Any]:
    clear = {
        "schema_version": 1, "type": "turn", "tenant": "t", "user_id": "u", "session_id": "s", "role": "user",
        "occurred_at": "2026-11-21T08:00:00Z", "sealed": {"content": f"my word is {SECRET}"},
    }  # fmt: skip
    return {**clear, **changes}


def refused(topic: topics.Topic, value: bytes | dict[str, Any] | None) -> tuple[str, str]:
    raw = orjson.dumps(value) if isinstance(value, dict) else value
    with pytest.raises(DecodeError) as failure:
        CODEC.decode(topic.name, raw)
    assert SECRET not in str(failure.value)
    assert failure.value.__cause__ is None, "a traceback must not lead to the content either"
    assert failure.value.__suppress_context__ or failure.value.__context__ is None
    return failure.value.reason, str(failure.value)


def test_every_topic_of_the_catalogue_but_dead_letters_has_events() -> None:
    assert {t.name for t in topics.CATALOGUE} - {topics.DEAD_LETTERS.name} == set(UNIONS)
    for name in UNIONS:
        assert adapter(name)
    with pytest.raises(KeyError):
        adapter("no.such.topic")


@pytest.mark.parametrize(("topic", "model"), EVENTS, ids=[f"{t}-{m.__name__}" for t, m in EVENTS])
@settings(max_examples=examples(12), deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_what_is_encoded_is_decoded_again(topic: str, model: type[Frozen], data: st.DataObject) -> None:
    event: Event = data.draw(of(model))
    raw = CODEC.value(event)
    again = CODEC.decode(topic, raw)
    assert again == event
    assert CODEC.value(again) == raw, "equal events are equal bytes"
    if isinstance(event, Envelope):
        assert again.owner == event.owner  # type: ignore[union-attr]
        assert ("sealed" in model.model_fields) is event.SEALED
    encoded = CODEC.encode(event, "memstream/test", "id-1", [("x", b"1")])
    assert header(encoded.headers, "ce_type") == f"memstream.{event.type}.v1".encode()  # type: ignore[union-attr]
    assert header(encoded.headers, "x") == b"1"


@pytest.mark.parametrize(
    "value",
    [b"", b"{", b"\xff", b'{"type":"turn"', b"[]", b"1", b"null", b'"turn"', b'{"a": 1e400}', b"{'a': 1}",
     b'{"tenant": "\\ud800"}', b'{"tenant": "\xed\xa0\x80"}', b"[" * 5000, b'{"a":' * 5000, b"{} {}", b"NaN"],
)  # fmt: skip
def test_what_is_no_json_object_is_malformed(value: bytes) -> None:
    assert refused(topics.TURNS, value)[0] == "malformed_json"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('{"tenant": "我'.encode() + b'\xff"}', "value: not UTF-8 (at byte 15)"),
        ('{"tenant": "我" x'.encode(), "value: not JSON (at byte 17)"),
    ],
)
def test_broken_bytes_are_told_from_broken_json_and_placed(value: bytes, message: str) -> None:
    assert refused(topics.TURNS, value) == ("malformed_json", message)


def test_null_is_no_event() -> None:
    assert refused(topics.TURNS, None)[0] == "null_value"


@pytest.mark.parametrize("version", [2, 0, "1", 1.0, True, None, [1], {"v": 1}, 10**18])
def test_another_schema_version_is_refused(version: object) -> None:
    assert refused(topics.TURNS, turn(schema_version=version))[0] == "schema_version"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"type": SECRET}, "type"), ({"type": ["turn"]}, "type"), ({"type": None}, "type"), ({"type": 1}, "type"),
        ({"role": SECRET}, "role"), ({"tenant": None}, "tenant"), ({"tenant": ""}, "tenant"),
        ({"tenant": "x" * 257}, "tenant"), ({"user_id": 7}, "user_id"), ({"user_id": " u"}, "user_id"),
        ({"user_id": "u\n"}, "user_id"), ({"user_id": {"a": SECRET}}, "user_id"),
        ({"occurred_at": 1_700_000_000}, "occurred_at"), ({"occurred_at": "2026-11-21T08:00:00"}, "occurred_at"),
        ({"occurred_at": "1970-01-01T00:00:00Z"}, "occurred_at"), ({"occurred_at": SECRET}, "occurred_at"),
        ({"occurred_at": "9999-12-31T23:59:59-10:00"}, "occurred_at"),
        ({"occurred_at": "0001-01-01T00:00:00+10:00"}, "occurred_at"),
        ({SECRET: 1}, "*"), ({"sealed": SECRET}, "sealed"), ({"sealed": {}}, "sealed.content"),
        ({"sealed": {"content": " \n"}}, "sealed.content"),
        ({"sealed": {"content": f"{SECRET}\x00"}}, "sealed.content"),
        ({"sealed": {"content": SECRET * 20_000}}, "sealed.content"),
        ({"sealed": {"content": "x", "metadata": {SECRET: "\x00"}}}, "sealed.metadata"),
        ({"sealed": {"content": "x", "metadata": {f"{SECRET}\x00": 1}}}, "sealed.metadata"),
        ({"sealed": {"content": "x", "recalled": [{"id": "a", SECRET: 1}]}}, "sealed.recalled.0.*"),
        ({"sealed": {"content": "x", SECRET: 1}}, "sealed.*"),
    ],
)  # fmt: skip
def test_what_does_not_fit_names_its_field_and_never_its_content(changes: dict[str, Any], where: str) -> None:
    reason, message = refused(topics.TURNS, turn(**changes))
    assert reason == "invalid"
    assert message.removeprefix("turn.").split(":")[0] == where


@pytest.mark.parametrize(("open_", "close"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("depth", [MAX_JSON_DEPTH, 200, 900])
def test_free_json_is_bounded_in_depth(open_: str, close: str, depth: int) -> None:
    nested = open_ * depth + "1" + close * depth
    value = orjson.dumps(turn()).replace(b'"sealed":{', b'"sealed":{"metadata":{"a":' + nested.encode() + b"},")
    assert refused(topics.TURNS, value)[0] == "invalid"


def test_free_json_at_the_bound_round_trips() -> None:
    nested: Any = 1
    for _ in range(MAX_JSON_DEPTH - 1):
        nested = [nested]
    event = CODEC.decode(topics.TURNS.name, orjson.dumps(turn(sealed={"content": "x", "metadata": {"a": nested}})))
    assert CODEC.decode(topics.TURNS.name, CODEC.value(event)) == event


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, float("nan"), float("inf"), 10**400])
def test_numbers_that_no_store_holds_are_refused_at_the_door(number: float) -> None:
    with pytest.raises(ValueError, match=r"64 bits|NaN"):
        turns.TurnBody(content="x", metadata={"n": [number]})


def test_null_inside_free_json_is_kept() -> None:
    body = {"content": "x", "metadata": {"a": None, "b": {"c": [None]}}}
    event = CODEC.decode(topics.TURNS.name, orjson.dumps(turn(sealed=body)))
    assert orjson.loads(CODEC.value(event))["sealed"]["metadata"] == body["metadata"]


@pytest.mark.parametrize("embedding", ["not base64!", "a", 5, [1.0]])
def test_a_broken_embedding_is_refused(embedding: object) -> None:
    value = {"type": "memory", "tenant": "t", "sealed": {"embedding": embedding, "text": SECRET}}
    assert refused(topics.UPDATES, value)[0] == "invalid"


def test_of_duplicate_headers_the_last_counts() -> None:
    assert header([("a", b"1"), ("b", b"2"), ("a", b"3")], "a") == b"3"
    assert header(None, "a") is None


class Reversing:
    """A cipher that a test can see through: the JSON text backwards, and its place."""

    def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
        return {"alg": "rev", "kid": owner.key, "ct": orjson.dumps([place, plain]).decode()[::-1]}

    def open(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]:
        if sealed["kid"] != owner.key:
            raise SealedError("the key is gone")
        found: dict[str, Any]
        at, found = orjson.loads(sealed["ct"][::-1])
        if not at or tuple(at) != place:
            raise SealedError("it stood elsewhere")
        return found


@pytest.mark.parametrize(
    ("topic", "model"),
    [(t, m) for t, m in EVENTS if "sealed" in m.model_fields],
    ids=lambda x: getattr(x, "__name__", x),
)
@settings(max_examples=examples(6), deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_sealed_parts_open_under_their_owner_alone(topic: str, model: type[Frozen], data: st.DataObject) -> None:
    event = data.draw(of(model))
    codec = Codec(Reversing())
    raw = codec.value(event)
    assert set(orjson.loads(raw)["sealed"]) == {"alg", "kid", "ct"}
    assert codec.decode(topic, raw) == event
    stolen = orjson.loads(raw)
    stolen["sealed"]["kid"] = "someone/user/else"
    for reader, value in ((CODEC, raw), (codec, orjson.dumps(stolen))):
        with pytest.raises(DecodeError) as failure:
            reader.decode(topic, value)
        assert failure.value.reason == "sealed"


@pytest.mark.parametrize(
    "clear",
    [{"owner_kind": SECRET, "owner_id": "x"}, {"owner_kind": [1], "owner_id": "x"}, {"owner_kind": "user"},
     {"owner_kind": "user", "owner_id": 5}, {"tenant": {"a": SECRET}}],
)  # fmt: skip
def test_an_encrypted_value_without_a_proper_owner_is_invalid(clear: dict[str, Any]) -> None:
    value = {"type": "memory", "tenant": "t", "sealed": {"alg": "a", "kid": "k", "ct": "c"}, **clear}
    assert refused(topics.UPDATES, value)[0] in ("invalid", "sealed")
