"""The leader epochs of what aiokafka (0.14) fetches. Its records do not carry them, though each batch on the wire does:
they are read from the answers on their way to its fetcher."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from schemas.log.leaders import LeaderSpans

_FETCH = 1
"""The protocol's number of fetch requests."""
_BATCH = struct.Struct(">qiib")
"""Of a record batch: offset of its first record, bytes behind this length, leader epoch, version of the format."""
_LENGTH_ENDS = 12
_WITH_EPOCHS = 2
"""The format that has them; before it, that place is a checksum's."""


def note_leaders(client: Any, spans: LeaderSpans) -> None:
    """From now on, of all that this client of aiokafka fetches."""
    send = client.send

    async def sent(node_id: Any, request: Any, **settings: Any) -> Any:
        response = await send(node_id, request, **settings)
        if getattr(response, "API_KEY", None) == _FETCH:
            take(response, spans)
        return response

    client.send = sent


def take(response: Any, spans: LeaderSpans) -> None:
    """The epochs of a fetch response."""
    for topic, partitions in response.topics or ():
        for number, _error, *_, records in partitions:
            for offset, epoch in batches(records or b""):
                spans.note((topic, number), offset, epoch)


def batches(records: bytes) -> Iterator[tuple[int, int]]:
    """First offset and leader epoch of each batch; the last one may be cut short, as brokers send it."""
    at = 0
    while at + _BATCH.size <= len(records):
        offset, length, epoch, version = _BATCH.unpack_from(records, at)
        if version < _WITH_EPOCHS or length <= 0:
            return
        yield offset, epoch
        at += _LENGTH_ENDS + length
