"""What goes to Kafka is what the door would have written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memstream.client import AsyncProducer, BufferLimits, DeliveryError, Feedback, Memory
from memstream.client.kafka import KafkaTransport
from memstream.client.kafka_leaders import KafkaLeaders
from query import events
from schemas.events.memory import MemoryCommand
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec, header
from schemas.log.freshness_tokens import Tokens
from schemas.log.leaders import Place as LogPlace
from schemas.log.owner import Owner, partition, user
from schemas.log.progress import FreshnessToken
from schemas.security.sealing import IdentityCipher, KeysAway, Place
from tests.unit.client.scripted import turn
from tests.unit.query.memory_log import MemoryLog


def producer(log: MemoryLog) -> AsyncProducer:
    tokens = Tokens()
    way = KafkaTransport("none", "acme", tokens, log=log, partitions=8, source="chat")
    return AsyncProducer(way, tokens, tenant="acme", limits=BufferLimits(linger_seconds=0))


async def test_k5_messages_are_events_on_their_owners_partition() -> None:
    log = MemoryLog()
    async with producer(log) as p:
        statement = turn(1, turn_id=None)
        name = await p.send(statement)
        await p.send(Feedback(user_id="u1", memory_ids=("m",), rating="bad"))
        memory = Memory(user_id="u1", kind="preference", text="用中文回答", field="language", value="zh")
        memory_id = await p.send(memory)
        token = FreshnessToken.parse(await p.flush())
        records = list(log.records)
    first, _, third = records
    assert {r.partition for r in records} == {partition(user("acme", "u1"), 8)}
    assert [r.topic for r in records] == [topics.TURNS.name, topics.LEDGER.name, topics.LEDGER.name]
    event = Codec().decode(first.topic, first.value)
    assert isinstance(event, TurnEvent)
    assert (event.tenant, event.turn_id, event.accepted_at) == ("acme", name, None)
    assert event == events.turn_event("acme", statement, None)
    assert header(first.headers, "ce_source") == b"memstream/chat"
    command = Codec().decode(third.topic, third.value)
    assert isinstance(command, MemoryCommand)
    assert memory_id == events.memory_id_of("acme", memory, command.command_id)
    assert {(w.topic, w.offset) for w in token.writes} == {(topics.TURNS.name, 0), (topics.LEDGER.name, 1)}


async def test_c1_a_token_names_the_leader_that_there_was_before_the_record_was_sent() -> None:
    asked: list[list[LogPlace]] = []
    clock = [100.0]
    epoch = [6]

    def ask(places: list[LogPlace]) -> Mapping[LogPlace, int]:
        asked.append(places)
        return {p: epoch[0] for p in places if p[0] == topics.TURNS.name}

    log, tokens = MemoryLog(), Tokens()
    leaders = KafkaLeaders("none", ask, lambda: clock[0])
    way = KafkaTransport("none", "acme", tokens, log=log, partitions=8, leaders=leaders)
    place = partition(user("acme", "u1"), 8)
    async with AsyncProducer(way, tokens, tenant="acme", limits=BufferLimits(linger_seconds=0)) as p:
        await p.send(turn(1, user_id="u1"))
        assert [w.epoch for w in FreshnessToken.parse(await p.flush()).writes] == [6]
        await p.send(Feedback(user_id="u1", memory_ids=("m",), rating="bad"))
        await p.flush()
        clock[0], epoch[0] = 101.9, 7
        await p.send(turn(2, user_id="u1"))
        await p.flush()
        assert asked == [[(topics.TURNS.name, place)], [(topics.LEDGER.name, place)]], "an answer holds two seconds"
        clock[0] = 102.1
        await p.send(turn(3, user_id="u1"))
        found = FreshnessToken.parse(await p.flush()).writes
    assert {(w.topic, w.epoch) for w in found} == {
        (topics.TURNS.name, 6), (topics.TURNS.name, 7), (topics.LEDGER.name, None),
    }  # fmt: skip


async def test_a_token_names_the_project_that_a_turn_reaches() -> None:
    log = MemoryLog()
    async with producer(log) as p:
        await p.send(turn(1, project_id="p1"))
        token = FreshnessToken.parse(await p.flush())
    assert len(token.writes[0].project_partitions) == 1


async def test_k5_a_codec_seals_what_is_sent_and_waits_for_its_keys() -> None:
    class Keys(IdentityCipher):
        away = True

        def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
            if self.away:
                raise KeysAway("postgres")
            return {"alg": "A", "kid": "1", "ct": "eA=="}

    log, keys, tokens = MemoryLog(), Keys(), Tokens()
    way = KafkaTransport("none", "acme", tokens, log=log, partitions=8, codec=Codec(keys))
    async with AsyncProducer(way, tokens, tenant="acme", limits=BufferLimits(linger_seconds=0)) as p:
        await p.send(turn(1))
        with pytest.raises(DeliveryError) as waits:
            await p.flush(0.05)
        assert (waits.value.waiting, waits.value.refused) == (1, ())
        keys.away = False
        await p.flush(20)
        (record,) = log.records
    assert b'"sealed":{"alg":"A","ct":"eA==","kid":"1"}' in (record.value or b"")


async def test_what_the_brokers_did_not_take_waits() -> None:
    log = MemoryLog()
    log.failing.add(topics.TURNS.name)
    async with producer(log) as p:
        await p.send(turn(1))
        with pytest.raises(DeliveryError, match="1 still waiting"):
            await p.flush(0.05)
        assert p.waiting == 1
        log.failing.clear()
        await p.flush()
        assert p.waiting == 0


async def test_k5_a_message_that_cannot_be_encoded_is_set_aside_and_the_others_go_on() -> None:
    """An error that nobody foresaw: of one message, not of the log."""

    class Broken(IdentityCipher):
        broken = True

        def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
            if self.broken and "poison" in str(plain):
                raise UnicodeError("poison")
            return super().seal(owner, plain, place)

    log, cipher, tokens = MemoryLog(), Broken(), Tokens()
    way = KafkaTransport("none", "acme", tokens, log=log, partitions=8, codec=Codec(cipher))
    limits = BufferLimits(linger_seconds=0, failing_tries=2)
    async with AsyncProducer(way, tokens, tenant="acme", limits=limits) as p:
        for n in range(4):
            await p.send(turn(n, content="poison" if n == 1 else "said"))
        with pytest.raises(DeliveryError) as raised:
            await p.flush(20)
        assert [r.id for r in raised.value.aside] == ["t1"]
        assert "cannot be encoded: UnicodeError" in str(raised.value)
        assert "poison" not in str(raised.value)
        assert raised.value.waiting == 0
        assert await p.flush(5)
        cipher.broken = False
        assert await p.retry_aside() == 1
        await p.flush(20)
        sent = [Codec().decode(r.topic, r.value) for r in log.records]
    assert [e.turn_id for e in sent if isinstance(e, TurnEvent)] == ["t0", "t2", "t3", "t1"]
