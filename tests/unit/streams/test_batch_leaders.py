"""The leader epochs of what was fetched, from the bytes of a fetch response (C1)."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from aiokafka.protocol.fetch import FetchResponse_v4, FetchResponse_v11
from aiokafka.protocol.offset import OffsetResponse_v1
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from schemas.log.leaders import LeaderSpans
from streams.faust.batch_leaders import batches, note_leaders, take

PLACE = ("turns", 3)


def batch(offset: int, epoch: int, count: int = 2) -> bytes:
    """As a broker stores it: it writes the offset and its leader's epoch into what a producer has sent."""
    builder = DefaultRecordBatchBuilder(
        magic=2, compression_type=0, is_transactional=0, producer_id=-1, producer_epoch=-1, base_sequence=-1,
        batch_size=99_999,
    )  # fmt: skip
    for n in range(count):
        assert builder.append(n, timestamp=1_764_000_000_000, key=b"k", value=b"v" * 50, headers=[]) is not None
    sent = bytes(builder.build())
    return struct.pack(">q", offset) + sent[8:12] + struct.pack(">i", epoch) + sent[16:]


def test_c1_each_batch_says_its_leader() -> None:
    found = batch(7, 2) + batch(9, 2) + batch(11, 5)
    assert list(batches(found)) == [(7, 2), (9, 2), (11, 5)]
    assert list(batches(found[:-1])) == [(7, 2), (9, 2), (11, 5)], "brokers cut the last one short"
    assert list(batches(found[: len(batch(7, 2)) + 5])) == [(7, 2)]
    assert list(batches(b"")) == []


def test_c1_a_format_without_leaders_has_none() -> None:
    assert list(batches(struct.pack(">qiib", 7, 30, 12345, 1) + b"x" * 30)) == []


@pytest.mark.parametrize(
    "response",
    [
        FetchResponse_v4(0, [("turns", [(3, 0, 13, 13, [], batch(7, 2) + batch(9, 5))])]),
        FetchResponse_v11(0, 0, 0, [("turns", [(3, 0, 13, 13, 0, [], -1, batch(7, 2) + batch(9, 5))])]),
    ],
    ids=["version 4", "version 11"],
)
def test_c1_a_record_has_the_leader_of_its_batch(response: Any) -> None:
    spans = LeaderSpans()
    take(response, spans)
    assert [spans.of(PLACE, offset) for offset in (6, 7, 8, 9, 10)] == [None, 2, 2, 5, 5]
    assert spans.of(("turns", 4), 7) is None


def test_c1_what_is_fetched_again_from_an_earlier_offset_replaces_what_was_known() -> None:
    spans = LeaderSpans()
    for offset, epoch in ((7, 2), (9, 2), (11, 5), (8, 6)):
        spans.note(PLACE, offset, epoch)
    assert [spans.of(PLACE, offset) for offset in (7, 8, 12)] == [2, 6, 6]
    spans.note(PLACE, 20, -1)
    assert spans.of(PLACE, 21) is None, "an epoch that is none"


async def test_c1_only_answers_to_fetches_are_looked_into() -> None:
    class Client:
        async def send(self, node_id: int, request: Any, *, group: int = 0) -> Any:
            assert (node_id, group) == (1, 4)
            return request

    client, spans = Client(), LeaderSpans()
    note_leaders(client, spans)
    fetched = FetchResponse_v4(0, [("turns", [(3, 0, 9, 9, [], batch(7, 2)), (4, 0, 0, 0, [], None)])])
    for answer in (fetched, OffsetResponse_v1([("turns", [(3, 0, -1, 9)])])):
        assert await client.send(1, answer, group=4) is answer
    assert spans.of(PLACE, 7) == 2
