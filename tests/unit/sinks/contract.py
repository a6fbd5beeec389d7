"""The contract of every sink, real or in memory: subclass it, give it a store.

A `Store` is one store and one kind of guarded record in it, so that a test says the same of each.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

import pytest

from schemas.log.codec import Event
from sinks.protocol import Mark, Sink
from tests.unit.sinks.events import NOW, TEXTS, batch

ROOT = "conversation.turns.v1/0"
MARK = Mark("gate:memory.updates.v1", 3, ROOT)


class Store(Protocol):
    def sink(self) -> Sink:
        """A new instance over the same data, ensured."""
        ...

    def record(self, n: int, revision: int, text: str, **changes: Any) -> Event:
        """Record `n`; `changes` to its fields."""
        ...

    def read(self, record: Event) -> tuple[int, str] | None:
        """(revision, text) as the store holds it, None when it holds nothing."""
        ...


class SinkContract:
    """Subclasses provide the fixture `store`."""

    @pytest.fixture
    def sink(self, store: Store) -> Sink:
        return store.sink()

    @pytest.mark.parametrize("text", TEXTS)
    def test_writes_what_it_is_given(self, store: Store, sink: Sink, text: str) -> None:
        records = [store.record(n, 1, text) for n in range(5)]
        assert sink.write(batch(*records)) == 0
        assert [store.read(r) for r in records] == [(1, text)] * 5

    def test_same_batch_twice_changes_nothing(self, store: Store, sink: Sink) -> None:
        """N2: a redelivery after a crash between write and commit."""
        records = [store.record(n, 2, TEXTS[0]) for n in range(3)]
        sink.write(batch(*records))
        sink.write(batch(*records))
        assert [store.read(r) for r in records] == [(2, TEXTS[0])] * 3

    def test_higher_revision_replaces(self, store: Store, sink: Sink) -> None:
        sink.write(batch(store.record(0, 1, "before")))
        assert sink.write(batch(store.record(0, 2, "after"))) == 0
        assert store.read(store.record(0, 2, "")) == (2, "after")

    def test_lower_revision_is_refused(self, store: Store, sink: Sink) -> None:
        sink.write(batch(store.record(0, 5, "newest")))
        assert sink.write(batch(store.record(0, 4, "late"), store.record(1, 1, "other"))) == 1
        assert store.read(store.record(0, 5, "")) == (5, "newest")
        assert store.read(store.record(1, 1, "")) == (1, "other")

    def test_lower_revision_is_refused_after_restart(self, store: Store, sink: Sink) -> None:
        """The guard stands in the store, not in the memory of a process."""
        sink.write(batch(store.record(0, 5, "newest")))
        sink.close()
        assert store.sink().write(batch(store.record(0, 4, "late"))) == 1
        assert store.read(store.record(0, 5, "")) == (5, "newest")

    def test_batch_is_collapsed_per_record(self, store: Store, sink: Sink) -> None:
        sink.write(batch(*(store.record(0, r, f"text {r}") for r in (1, 3, 2))))
        assert store.read(store.record(0, 3, "")) == (3, "text 3")

    def test_tenants_do_not_meet(self, store: Store, sink: Sink) -> None:
        """The same ids in two tenants are two records."""
        one, two = store.record(0, 7, "one"), store.record(0, 1, "two", tenant="t2")
        sink.write(batch(one, two))
        assert (store.read(one), store.read(two)) == ((7, "one"), (1, "two"))

    def test_progress_is_stored_and_never_goes_back(self, store: Store, sink: Sink) -> None:
        """N3."""
        other = MARK._replace(partition=4)
        sink.write(batch(store.record(0, 1, "text"), progress={MARK: 10, other: 3}))
        sink.write(batch(progress={MARK: 7, other: 4}))
        assert sink.progress() == {MARK: 10, other: 4}
        assert store.sink().progress() == {MARK: 10, other: 4}

    def test_markers_tell_when_it_was_last_written(self, store: Store, sink: Sink) -> None:
        """Delivery rule 3: how far behind a store is must survive the process."""
        assert sink.written_at() is None
        sink.write(batch(progress={MARK: 1}))
        written = store.sink().written_at()
        assert isinstance(written, datetime)
        assert written.tzinfo is not None

    def test_nothing_to_write_is_fine(self, sink: Sink) -> None:
        assert sink.write(batch()) == 0
        sink.idle(NOW)

    def test_ensure_again_keeps_what_is_there(self, store: Store, sink: Sink) -> None:
        sink.write(batch(store.record(0, 1, "text"), progress={MARK: 1}))
        sink.ensure()
        assert store.read(store.record(0, 1, "")) == (1, "text")
        assert sink.progress() == {MARK: 1}
