"""Subscribers: filters, kinds of change, and that nothing counts as seen before its handler returned."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from memstream.client.changes import MemoryChange, change_of, dump_positions, load_positions
from memstream.client.errors import ClosedError
from memstream.client.errors import SealedError as NoCodecError
from memstream.client.subscriber import AsyncSubscriber, Subscriber
from query.reading.common import memory
from schemas.events.envelope import Marker
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryBody, MemoryUpdate, Reason, parse
from schemas.log import topics
from schemas.log.codec import Codec, Headers
from schemas.log.dead_letters import replay_headers
from schemas.log.owner import Owner, OwnerKind
from schemas.security.sealing import Place, SealedError

AT = datetime(2026, 11, 21, tzinfo=UTC)


def update(n: int, **over: Any) -> MemoryUpdate:
    given: dict[str, Any] = {
        "tenant": "default", "owner_kind": OwnerKind.USER, "owner_id": "u1", "user_id": "u1", "record_id": f"r{n}",
        "revision": 1, "kind": "fact", "state": "active", "occurred_at": AT, "known_at": AT, "last_accessed_at": AT,
        "reason": Reason(outcome="kept", gate="confidence", rule="explicit"), "sealed": MemoryBody(text=f"事实 {n}"),
    }  # fmt: skip
    return parse({**given, **over})


def test_d11_a_change_has_the_names_and_types_of_the_services_answers() -> None:
    sources = [{"turn_id": "t1", "session_id": "s1", "occurred_at": AT, "content_hash": "a" * 64}]
    found = MemoryChange("new", update(7, confidence="0.9", importance=0.25, sources=sources), 0, 0)
    result = memory(defaultdict(lambda: None, importance=0.25, confidence=0.9, sources=sources))
    assert found.memory.model_dump().keys() == result.keys()
    assert (found.id, found.memory.id, found.update.record_id) == ("r7", "r7", "r7")
    assert found.memory.reason == {"outcome": "kept", "gate": "confidence", "rule": "explicit", "score": None}
    assert (found.memory.confidence, found.memory.importance, found.memory.text) == (0.9, 0.25, "事实 7")
    assert found.memory.source_turn_ids == ["t1"]
    assert found.memory.known_at == found.update.known_at == AT


class Message:
    def __init__(self, offset: int, value: bytes | None, headers: Headers) -> None:
        self._offset, self._value, self._headers = offset, value, headers

    def error(self) -> None:
        return None

    def partition(self) -> int:
        return 3

    def offset(self) -> int:
        return self._offset

    def value(self) -> bytes | None:
        return self._value

    def headers(self) -> Headers:
        return self._headers


class ScriptedConsumer:
    """Hands out batches; remembers commits. `headers`: of a record, by its offset, where they are special."""

    def __init__(self, *batches: Sequence[bytes | None]) -> None:
        self.batches = deque(batches)
        self.committed: list[int] = []
        self.assigned: list[TopicPartition] = []
        self.revoked: Any = None
        self._next = 0
        self.headers: dict[int, Headers] = {}
        self.on_empty: Any = lambda: None

    def subscribe(self, names: list[str], on_revoke: Any) -> None:
        self.revoked = on_revoke

    def assign(self, partitions: list[TopicPartition]) -> None:
        self.assigned = partitions

    def consume(self, most: int, seconds: float) -> list[Message]:
        if not self.batches:
            self.on_empty()
            return []
        out = []
        for value in self.batches.popleft():
            out.append(Message(self._next, value, self.headers.get(self._next, [("traceparent", b"00-a-b-01")])))
            self._next += 1
        return out

    def commit(self, offsets: list[TopicPartition], asynchronous: bool) -> None:
        assert asynchronous is False
        self.committed += [p.offset for p in offsets]

    def close(self) -> None:
        self.batches.clear()


def encoded(*events: Any) -> list[bytes]:
    return [Codec().value(e) for e in events]


def subscriber(consumer: ScriptedConsumer, **more: Any) -> Subscriber:
    made = Subscriber("none", group="g", consumer=consumer, **more)
    consumer.on_empty = made.stop
    return made


def seen_by(consumer: ScriptedConsumer, **filters: Any) -> list[str]:
    seen: list[MemoryChange] = []
    with subscriber(consumer, **filters) as s:
        s.run(seen.append)
    return [c.update.record_id for c in seen]


def test_k5_only_what_is_wanted_is_seen_and_all_of_it_is_passed() -> None:
    events = encoded(
        update(1), update(2, kind="preference"), update(3, owner_id="u2", user_id="u2"), Marker(),
        update(4, state="superseded", revision=2), update(5, tenant="other"),
    )  # fmt: skip
    consumer = ScriptedConsumer(events)
    assert seen_by(consumer, kinds={"fact"}, users={"u1"}, tenants={"default"}) == ["r1", "r4"]
    assert consumer.committed == [6]
    assert seen_by(ScriptedConsumer(events), changes={"superseded"}) == ["r4"]
    assert seen_by(ScriptedConsumer(events)) == ["r1", "r2", "r3", "r4", "r5"]


def test_n6_a_subscriber_is_told_what_was_erased() -> None:
    def erased(user: str) -> Erasure:
        return Erasure(tenant="default", erasure_id=f"e-{user}", scope="user", user_id=user, accepted_at=AT)

    events = encoded(update(1), erased("u1"), erased("u2"), update(2))
    result: list[str] = []
    order = seen_by(
        ScriptedConsumer(events), users={"u1"}, kinds={"fact"}, on_erasure=lambda e: result.append(e.user_id)
    )
    assert (order, result) == (["r1", "r2"], ["u1"])
    failing = ScriptedConsumer(events)

    def fail(erasure: Erasure) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError), subscriber(failing, on_erasure=fail) as s:
        s.run(lambda change: None)
    assert failing.committed == [1]


def test_the_change_whose_handler_failed_comes_again() -> None:
    consumer = ScriptedConsumer(encoded(update(1), update(2), update(3)))

    def handle(change: MemoryChange) -> None:
        if change.update.record_id == "r2":
            raise RuntimeError("the other system is away")

    with pytest.raises(RuntimeError), subscriber(consumer) as s:
        s.run(handle)
    assert consumer.committed == [1]


async def test_asynchronous_handlers_are_awaited_before_the_commit() -> None:
    consumer = ScriptedConsumer(encoded(update(1), update(2)))
    seen: list[str] = []

    async def handle(change: MemoryChange) -> None:
        seen.append(change.text)
        if change.update.record_id == "r2":
            raise RuntimeError

    with pytest.raises(RuntimeError):
        async with AsyncSubscriber(subscriber(consumer)) as s:
            await s.run(handle)
    assert seen == ["事实 1", "事实 2"]
    assert consumer.committed == [1]


def test_a_partition_that_goes_is_committed_first_and_forgotten() -> None:
    consumer = ScriptedConsumer(encoded(update(1)))
    with subscriber(consumer) as s:
        s.run(lambda change: None)
        consumer.revoked(consumer, [TopicPartition(topics.UPDATES.name, 3)])
        assert consumer.committed == [1]
        assert s.positions == ""
    assert consumer.committed == [1]


def test_resuming_reads_from_the_given_place_and_moves_no_group() -> None:
    consumer = ScriptedConsumer(encoded(update(1)))
    with subscriber(consumer, resume=load_positions("0:5,3:0")) as s:
        s.run(lambda change: None)
        assert s.positions == "0:5,3:1"
    assert [(p.partition, p.offset) for p in consumer.assigned] == [(0, 5), (3, 0)]
    assert consumer.committed == []


def test_what_cannot_be_read_is_counted_and_passed() -> None:
    class KeylessCipher:
        def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
            return plain

        def open(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]:
            raise SealedError("the key has been destroyed")

    sealed = encoded(update(1))[0].replace(b'"sealed":{', b'"sealed":{"alg":"A","kid":"k","ct":"x","was":{', 1)
    consumer = ScriptedConsumer([b"no json", sealed.replace(b'},"session', b'}},"session'), None, *encoded(update(2))])
    seen: list[str] = []
    with subscriber(consumer, codec=Codec(KeylessCipher())) as s:
        s.run(lambda change: seen.append(change.key))
        assert s.undecodable == 2
    assert seen == ["r2/0"]
    assert consumer.committed == [4]


def test_k5_the_same_subscriber_goes_on_with_the_change_that_failed() -> None:
    """The consumer has handed out the whole batch by then; what no handler saw must not be passed over."""
    consumer = ScriptedConsumer(encoded(update(1), update(2), update(3)), encoded(update(4)))
    seen: list[str] = []
    away = [True]

    def handle(change: MemoryChange) -> None:
        if change.update.record_id == "r2" and away[0]:
            away[0] = False
            raise RuntimeError("the other system is away")
        seen.append(change.update.record_id)

    with subscriber(consumer) as s:
        with pytest.raises(RuntimeError):
            s.run(handle)
        s.run(handle)
    assert seen == ["r1", "r2", "r3", "r4"]
    assert consumer.committed[-1] == 4


def test_what_was_put_back_for_one_sink_is_no_change() -> None:
    """Its change was told when it came first; told again behind a newer one it would be out of order."""
    back = replay_headers([], "3:17", "sink-milvus", 1, AT)
    consumer = ScriptedConsumer(encoded(update(1, revision=2), update(1)))
    consumer.headers[1] = back
    assert seen_by(consumer) == ["r1"]
    assert consumer.committed == [2]


def test_a_sealed_value_without_a_codec_is_an_error_and_not_passed_over() -> None:
    class Seals:
        def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
            return {"alg": "A256GCM", "kid": "1", "ct": "eA=="}

        def open(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]:
            return {"text": "opened"}

    value = Codec(Seals()).value(update(1))
    consumer = ScriptedConsumer([value])
    with subscriber(consumer) as s:
        for _ in range(2):  # the second call must not go on behind it
            with pytest.raises(NoCodecError, match="codec="):
                s.poll(0)
    assert consumer.committed == []
    with subscriber(ScriptedConsumer([value]), codec=Codec(Seals())) as s:
        ((change, _, _),) = s.poll(0)
        assert isinstance(change, MemoryChange)
        assert change.text == "opened"


@pytest.mark.parametrize(
    ("over", "change"),
    [({}, "new"), ({"revision": 2}, "changed"), ({"state": "superseded"}, "superseded"), ({"op": "delete"}, "deleted"),
     ({"state": "deleted"}, "deleted"), ({"state": "observed"}, "observed"), ({"state": "archived"}, "archived")],
)  # fmt: skip
def test_kinds_of_change(over: dict[str, Any], change: str) -> None:
    assert change_of(update(1, **over)) == change


def test_positions_read_back_and_bad_ones_are_refused() -> None:
    assert load_positions(dump_positions({2: 7, 0: 1})) == {0: 1, 2: 7}
    for bad in ("", "a:1", "1", "1:-1"):
        with pytest.raises(ValueError, match="partition:offset"):
            load_positions(bad)


def test_a_subscriber_that_is_not_open_says_so() -> None:
    with pytest.raises(ClosedError):
        Subscriber("none", group="g").poll(0)
