"""The contract of the topics as the eraser reads and writes them: subclass it, give it topics."""

from __future__ import annotations

from typing import Protocol

import pytest

from memstream.erasure.ports import Away, Outgoing, Stored, Topics


class Place(Protocol):
    topic: str
    """With two partitions, empty."""

    def topics(self) -> Topics: ...


def seen(m: Stored) -> tuple[int | None, bytes | None, bytes | None, list[tuple[str, bytes]]]:
    return m.partition(), m.key(), m.value(), [(k, v) for k, v in m.headers() or ()]


class TopicsContract:
    """Subclasses provide the fixture `at`."""

    def test_what_was_written_is_read_each_partition_in_its_order(self, at: Place) -> None:
        sent = [Outgoing(at.topic, n % 2, f"k{n}".encode(), f"v{n}".encode(), [("owner", b"o")]) for n in range(1200)]
        sent.append(Outgoing(at.topic, 1, b"k1", None, [("owner", b"o")]))
        at.topics().write(sent)
        read = list(at.topics().read([(at.topic, 0), (at.topic, 1)]))
        for p in (0, 1):
            wanted = [(p, r.key, r.value, r.headers) for r in sent if r.partition == p]
            assert [seen(m) for m in read if m.partition() == p] == wanted
        assert {m.topic() for m in read} == {at.topic}
        assert all(m.timestamp()[1] > 0 for m in read)
        assert len(list(at.topics().read([(at.topic, 1)]))) == 601

    def test_some_are_read_from_an_offset_on(self, at: Place) -> None:
        at.topics().write([Outgoing(at.topic, n % 2, f"k{n}".encode(), b"v", []) for n in range(10)])
        places = [(at.topic, 0), (at.topic, 1)]
        offsets = [m.offset() for m in at.topics().read(places) if m.partition() == 1]
        assert offsets == sorted(set(offsets), key=lambda o: o or 0)
        read = list(at.topics().read(places, {(at.topic, 1): offsets[3] or 0}))
        assert [m.key() for m in read if m.partition() == 1] == [b"k7", b"k9"]
        assert [m.offset() for m in read if m.partition() == 1] == offsets[3:]
        assert [m.key() for m in read if m.partition() == 0] == [f"k{n}".encode() for n in range(0, 10, 2)]
        assert list(at.topics().read([places[1]], {places[1]: (offsets[4] or 0) + 1})) == []

    def test_an_offset_that_the_log_never_had_is_its_start(self, at: Place) -> None:
        at.topics().write([Outgoing(at.topic, 0, b"k", b"v", [])])
        assert [m.key() for m in at.topics().read([(at.topic, 0)], {(at.topic, 0): 1_000})] == [b"k"]

    def test_an_empty_partition_has_an_end(self, at: Place) -> None:
        assert list(at.topics().read([(at.topic, 0)])) == []

    def test_nothing_is_written_at_once(self, at: Place) -> None:
        at.topics().write([])
        assert list(at.topics().read([(at.topic, 0), (at.topic, 1)])) == []

    def test_what_the_brokers_do_not_take_is_said(self, at: Place) -> None:
        with pytest.raises(Away):
            at.topics().write([Outgoing(at.topic, 0, b"a", b"1", []), Outgoing(at.topic, 99, b"b", b"2", [])])
