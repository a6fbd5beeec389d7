"""Tokens of what the log has lost: never fresh, and none is taken for lost that the log has (C1)."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import httpx
import orjson
import pytest
from kafka import TopicPartition
from kafka.errors import NotLeaderForPartitionError
from kafka.protocol.consumer import OffsetForLeaderEpochResponse

from messaging.admin import KafkaAdmin
from query.freshness import Needs, ProgressWatch, arrived
from query.log_epochs import LogEpochs, LostOffsets
from query.pipeline.offsets import BrokersAwayError, Place
from query.producer import Outgoing
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written
from tests.unit.query.memory_log import MemoryLog

TURNS = topics.TURNS.name
PLACE: Place = (TURNS, 0)
TURN = {"user_id": "ann", "session_id": "s", "role": "user", "content": "Hello.", "turn_id": "t",
        "occurred_at": "2026-11-21T11:00:00Z"}  # fmt: skip


def write(offset: int, epoch: int | None, partition: int = 0) -> Written:
    return Written(topic=TURNS, partition=partition, offset=offset, epoch=epoch)


def token(*writes: Written) -> FreshnessToken:
    return FreshnessToken.parse(str(FreshnessToken.of(writes)))


async def is_fresh(written: Written, watch: ProgressWatch, epochs: LogEpochs) -> bool:
    return (await arrived(token(written), ["turns"], watch, 1.0, epochs.lost, lambda: {"postgres": 1}))[0]


class Brokers:
    """A partition 0 whose leaders (epochs) ended at these offsets; the last one is still at work."""

    def __init__(self, ends: Mapping[int, int]) -> None:
        self.end_of, self.up, self.asked = dict(ends), True, 0

    async def epochs_of(self, places: Iterable[Place]) -> Mapping[Place, int]:
        return dict.fromkeys(places, max(self._answered()))

    async def ends_of(self, epochs: Mapping[Place, int]) -> Mapping[Place, int]:
        known = self._answered()
        return {place: max((known[e] for e in known if e <= epoch), default=-1) for place, epoch in epochs.items()}

    def _answered(self) -> Mapping[int, int]:
        self.asked += 1
        if not self.up:
            raise BrokersAwayError
        return self.end_of


@pytest.mark.parametrize(
    ("written", "lost"),
    [
        (write(4, 3), False), (write(5, 3), True), (write(900, 3), True),  # leader 3 ended at 5
        (write(7, 4), False), (write(900, 4), False),  # leader 4 is at work
        (write(900, None), False),  # nobody knows
        (write(0, 2), True),  # of which the log knows nothing
    ],
)  # fmt: skip
async def test_c1_what_lies_above_the_end_of_its_leader_is_lost(written: Written, lost: bool) -> None:
    epochs = LogEpochs(Brokers({3: 5, 4: 8}), 1)
    assert await epochs.lost(token(written)) is lost


@pytest.mark.parametrize(
    ("written", "lost"),
    [
        (write(4, None), False), (write(5, None), True), (write(900, None), True),  # which of two writes was that?
        (write(4, 4), False), (write(5, 4), True), (write(8, 4), True), (write(9, 4), False),
        (write(900, None, 1), False),  # another partition
    ],
)  # fmt: skip
async def test_c1_where_something_was_lost_a_write_without_a_leader_is_not_believed(
    written: Written, lost: bool
) -> None:
    """Offsets 5 to 8 were given to others, which readers had passed."""
    epochs = LogEpochs(Brokers({3: 5, 4: 1_000}), 2)
    assert not await epochs.lost(token(written)), "before it is known"
    epochs.know_losses([LostOffsets(PLACE, 5, 9)])
    assert await epochs.lost(token(written)) is lost
    epochs.know_losses([])
    assert not await epochs.lost(token(written)), "it is long over"


async def test_c1_an_old_write_is_told_as_lost_also_where_a_newer_one_is_there() -> None:
    """Offset 5 was lost with 5 to 9; then came others, up to 7."""
    epochs = LogEpochs(Brokers({3: 5, 4: 8}), 1)
    assert await epochs.lost(token(write(9, 3), write(7, 4)))
    assert not await epochs.lost(token(write(4, 3), write(7, 4)))


async def test_c1_brokers_are_asked_once_a_leader_and_not_while_it_leads() -> None:
    brokers = Brokers({3: 5, 4: 8})
    epochs = LogEpochs(brokers, 1)
    epochs.looked({PLACE: 4})
    assert not await epochs.lost(token(write(7, 4)))
    assert brokers.asked == 0
    for offset in (2, 3, 9):
        assert await epochs.lost(token(write(offset, 3))) is (offset == 9)
    assert brokers.asked == 1
    brokers.end_of = {3: 1, 5: 9}
    epochs.looked({PLACE: 5})
    assert await epochs.lost(token(write(2, 3))), "a later loss took more"


async def test_c1_the_end_of_a_leader_that_the_look_has_not_seen_yet_is_not_kept() -> None:
    brokers = Brokers({3: 5, 4: 8})
    epochs = LogEpochs(brokers, 1)
    epochs.looked({PLACE: 3})
    assert not await epochs.lost(token(write(7, 4)))
    brokers.end_of[4] = 10
    assert not await epochs.lost(token(write(9, 4)))


async def test_c1_brokers_that_were_away_are_asked_before_a_token_is_believed() -> None:
    brokers = Brokers({3: 9})
    epochs = LogEpochs(brokers, 1)
    epochs.looked({PLACE: 3})
    epochs.looked(None)
    brokers.end_of = {3: 5, 4: 30}
    assert epochs.at_send() == {}
    assert await epochs.lost(token(write(8, 3)))
    assert epochs.at_send() == {PLACE: 4} | {(t, 0): 4 for t in topics.ROOTS}


async def test_c1_while_brokers_are_away_the_leader_that_was_known_last_counts() -> None:
    """A log that nobody can write to has not given its offsets away."""
    brokers = Brokers({3: 9})
    brokers.up = False
    epochs = LogEpochs(brokers, 1)
    assert await epochs.lost(token(write(8, 3))), "nothing is known of it"
    epochs.looked({PLACE: 3})
    epochs.looked(None)
    assert not await epochs.lost(token(write(8, 3)))
    assert await epochs.lost(token(write(8, 2))), "cannot be asked"


async def test_c1_a_wait_for_a_lost_write_does_not_end_fresh_though_others_have_its_offset() -> None:
    async def everything(places: list[tuple[str, int, str]]) -> Mapping[tuple[str, int, str], int]:
        return dict.fromkeys(places, 1_000)

    brokers = Brokers({3: 9})
    epochs, watch = LogEpochs(brokers, 1), ProgressWatch(everything)
    assert await is_fresh(write(8, 3), watch, epochs)
    brokers.end_of = {3: 5, 4: 30}
    epochs.looked({PLACE: 4})
    assert not await is_fresh(write(8, 3), watch, epochs)
    assert await is_fresh(write(4, 3), watch, epochs)


async def test_c1_what_is_lost_while_a_read_waits_is_not_fresh() -> None:
    brokers = Brokers({3: 9})
    epochs = LogEpochs(brokers, 1)
    epochs.looked({PLACE: 3})

    class Cut(ProgressWatch):
        async def wait(self, needs: Needs, seconds: float) -> bool:
            brokers.end_of = {3: 5, 4: 30}
            epochs.looked({PLACE: 4})
            return True

    async def nothing(places: object) -> Mapping[Any, int]:
        return {}

    assert not await is_fresh(write(8, 3), Cut(nothing), epochs)


@pytest.mark.parametrize(("lost_in", "fresh"), [(None, True), (2, False)])
async def test_c1_n1_a_wait_that_begins_again_in_a_rebuilt_generation_asks_again_what_is_lost(
    lost_in: int | None, fresh: bool
) -> None:
    """Readers move to generation 2 during the first wait, and the log loses the write during the second."""
    brokers, numbers, waits = Brokers({3: 9}), {"postgres": 1}, list[int]()
    epochs = LogEpochs(brokers, 1)
    epochs.looked({PLACE: 3})

    class Moves(ProgressWatch):
        async def wait(self, needs: Needs, seconds: float) -> bool:
            waits.append(numbers["postgres"])
            if numbers["postgres"] == lost_in:
                brokers.end_of = {3: 5, 4: 30}
                epochs.looked({PLACE: 4})
            numbers["postgres"] = 2
            return True

    async def nothing(places: object) -> Mapping[Any, int]:
        return {}

    found = await arrived(token(write(8, 3)), ["turns"], Moves(nothing), 1.0, epochs.lost, lambda: dict(numbers))
    assert (found, waits) == ((fresh, {"postgres": 2}), [1, 2])


async def test_c1_a_write_names_the_leader_that_it_was_sent_to_also_where_another_leads_when_it_is_acknowledged(
    client: httpx.AsyncClient, log: MemoryLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = client._transport.app.state  # type: ignore[attr-defined]
    whole = log.send

    async def send(records: Sequence[Outgoing]) -> list[int | None]:
        offsets = await whole(records)
        state.epochs.looked({(TURNS, p): 7 for p in range(state.config.partitions)})
        return offsets

    monkeypatch.setattr(log, "send", send)
    state.epochs.looked({(TURNS, p): 6 for p in range(state.config.partitions)})
    answer = await client.post("/v1/turns", json={"turns": [TURN]})
    assert [w.epoch for w in FreshnessToken.parse(answer.json()["freshness_token"]).writes] == [6]


async def test_c1_a_write_names_the_leader_that_there_was_before_it_was_sent(
    client: httpx.AsyncClient, log: MemoryLog
) -> None:
    state = client._transport.app.state  # type: ignore[attr-defined]
    for known, wanted in (({}, None), ({(TURNS, p): 6 for p in range(state.config.partitions)}, 6)):
        state.epochs.looked(known)
        answer = await client.post("/v1/turns", json={"turns": [TURN]})
        assert answer.status_code == 202, answer.text
        [written] = FreshnessToken.parse(answer.json()["freshness_token"]).writes
        assert (written.topic, written.epoch) == (TURNS, wanted)


def test_c1_a_token_carries_leaders_and_is_read_by_clients_of_an_earlier_release() -> None:
    """Those take the third member of a row for a number that grows, and hand it back as it is."""
    known = FreshnessToken.of([write(9, 3), write(7, 4), write(5, None, 1), write(0, 0, 2)])
    assert FreshnessToken.parse(str(known)) == known
    rows = orjson.loads(base64.urlsafe_b64decode(str(known) + "=="))
    assert [(row[0], row[1]) for row in rows] == [(TURNS, 0), (TURNS, 0), (TURNS, 1), (TURNS, 2)]
    numbers = [row[2] for row in rows]
    assert all(type(n) is int and 0 <= n < 2**63 for n in numbers)
    assert (numbers[0] < numbers[1], numbers[2]) == (True, 5)


@pytest.mark.parametrize(("epoch", "kept"), [(0, 0), (2**18 - 2, 2**18 - 2), (2**18 - 1, None), (2**31 - 1, None)])
def test_c1_a_leader_that_there_is_no_room_for_is_left_out(epoch: int, kept: int | None) -> None:
    assert token(write(7, epoch)).writes == (write(7, kept),)


def test_c1_of_a_partition_a_token_names_its_last_leaders_newest_writes() -> None:
    found = token(*(write(offset, epoch) for epoch in range(6) for offset in (epoch, 20 - epoch)))
    assert [(w.epoch, w.offset) for w in found.writes] == [(3, 17), (4, 16), (5, 15)]


class _Wire(KafkaAdmin):
    """Two brokers' answers, without a connection."""

    def __init__(self, error: int = 0) -> None:
        self.asked: list[tuple[int, list[tuple[str, list[tuple[int, int]]]]]] = []
        self._error, self._manager = error, self
        self._closed = True

    def run(self, question: Any, *given: Any) -> Any:
        try:
            question(*given).send(None)
        except StopIteration as done:
            return done.value

    async def _async_get_leader_for_partitions(self, partitions: Any) -> Mapping[int, set[TopicPartition]]:
        return {n: {tp for tp in partitions if tp.partition % 2 == n} for n in (0, 1)}

    async def send(self, request: Any, node_id: int) -> Any:
        asked = [(t.topic, [(p.partition, p.leader_epoch) for p in t.partitions]) for t in request.topics]
        self.asked.append((node_id, asked))
        topic = OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
        return OffsetForLeaderEpochResponse(topics=[
            topic(topic=name, partitions=[
                topic.EpochEndOffset(error_code=self._error, partition=p, leader_epoch=e, end_offset=100 * p + e)
                for p, e in places
            ]) for name, places in asked
        ])  # fmt: skip


def test_c1_each_leader_is_asked_for_its_own_partitions() -> None:
    wire = _Wire()
    asked = {TopicPartition(TURNS, 0): 3, TopicPartition(TURNS, 1): 4, TopicPartition("other", 2): 5}
    found = wire.epoch_ends(asked)
    assert found == {TopicPartition(TURNS, 0): 3, TopicPartition(TURNS, 1): 104, TopicPartition("other", 2): 205}
    assert sorted((node, sorted(places)) for node, places in wire.asked) == [
        (0, [(TURNS, [(0, 3)]), ("other", [(2, 5)])]), (1, [(TURNS, [(1, 4)])]),
    ]  # fmt: skip


def test_c1_a_broker_that_does_not_lead_is_no_answer() -> None:
    with pytest.raises(NotLeaderForPartitionError):
        _Wire(error=NotLeaderForPartitionError.errno).epoch_ends({TopicPartition(TURNS, 0): 3})
