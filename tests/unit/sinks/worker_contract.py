"""The contract of the worker over a log: the same tests on a fake log and on a real broker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest

from schemas.events.envelope import Marker
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Headers, header
from sinks.memory import MemorySink
from sinks.protocol import Mark, Message, Permanent, Sink, SinkBatch, Transient, Undelivered
from sinks.worker import Worker
from tests.patience import until
from tests.unit.sinks.events import TEXTS, hot, memory, message, turn

UPDATES, HISTORY = topics.UPDATES.name, topics.HISTORY.name


class Log(Protocol):
    def send(self, *messages: Message) -> list[Message]:
        """Appended at their topic and partition; returned with the offsets that they got."""
        ...

    def worker(self, sink: Sink, **options: Any) -> Worker:
        """A worker in a new process's place, started."""
        ...

    def committed(self, topic: str, partition: int) -> int | None: ...

    def dead_letters(self) -> list[tuple[bytes | None, bytes | None, Headers]]: ...


class Scripted(MemorySink):
    """Fails as told, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.poison: set[str] = set()
        self.failures: list[Exception] = []
        self.batches: list[SinkBatch] = []

    def write(self, batch: SinkBatch) -> int:
        if self.failures:
            raise self.failures.pop(0)
        for item in batch.items:
            if getattr(item.event, "record_id", "") in self.poison:
                raise Permanent("will_not_fit")
        self.batches.append(batch)
        return super().write(batch)

    def held(self) -> dict[str, int]:
        """Record id -> revision."""
        return {str(name[2]): getattr(row, "revision", 0) for name, row in self.rows.items() if name[0] == "memory"}


@dataclass
class Seen:
    """An observer that keeps all."""

    batches: list[tuple[int, int]] = field(default_factory=list)
    ages: list[tuple[str, float]] = field(default_factory=list)
    delays: list[tuple[str, float]] = field(default_factory=list)
    refusals: int = 0
    letters: list[str] = field(default_factory=list)

    def batch(self, sink: str, records: int, rows: int, seconds: float) -> None:
        self.batches.append((records, rows))

    def fresh(self, sink: str, topic: str, seconds: Sequence[float]) -> None:
        self.ages += [(topic, s) for s in seconds]

    def retry(self, sink: str, operation: str, delay: float) -> None:
        self.delays.append((operation, delay))

    def refused(self, sink: str, count: int) -> None:
        self.refusals += count

    def dead_letter(self, sink: str, reason: str) -> None:
        self.letters.append(reason)


class Unreachable:
    """Dead letters that no broker takes."""

    def deliver(self, message: Message, headers: Headers) -> None:
        raise Undelivered("_MSG_TIMED_OUT")

    def close(self) -> None: ...


class Abort(BaseException):
    """The process ends here."""


class AbortAt:
    def __init__(self, point: str) -> None:
        self._point = point

    def hit(self, stage: str, point: str) -> None:
        if point == self._point:
            raise Abort(point)


def drain(worker: Worker, records: int) -> None:
    """Batches until so many records were read."""
    left = records

    def step() -> int:
        nonlocal left
        left -= worker.step()
        return left

    until(f"{records} records", step, lambda rest: rest <= 0, pause=0)


def updates(*revisions: tuple[int, int], partition: int = 0) -> list[Message]:
    return [message(memory(n, revision), partition=partition) for n, revision in revisions]


class WorkerContract:
    """Subclasses provide the fixture `log`."""

    @pytest.fixture
    def sink(self) -> Scripted:
        return Scripted()

    def test_writes_what_was_sent_and_commits_behind_it(self, log: Log, sink: Scripted) -> None:
        sent = log.send(*updates((1, 1), (2, 1)), message(turn(1, text=TEXTS[1]), partition=3))
        drain(log.worker(sink), 3)
        assert sink.held() == {"record-1": 1, "record-2": 1}
        assert len(sink.rows) == 3
        assert log.committed(UPDATES, 0) == sent[1].offset + 1
        assert log.committed(HISTORY, 3) == sent[2].offset + 1

    def test_restart_goes_on_where_it_committed(self, log: Log, sink: Scripted) -> None:
        log.send(*updates((1, 1)))
        drain(log.worker(sink), 1)
        log.send(*updates((2, 1)))
        second = Scripted()
        drain(log.worker(second), 1)
        assert second.held() == {"record-2": 1}

    def test_batch_is_one_row_a_record(self, log: Log, sink: Scripted) -> None:
        log.send(*updates((1, 1), (2, 1), (1, 3), (1, 2)))
        seen = Seen()
        drain(log.worker(sink, observer=seen), 4)
        assert sink.held() == {"record-1": 3, "record-2": 1}
        assert sum(records for records, _ in seen.batches) == 4
        assert [len(b.items) for b in sink.batches] == [rows for _, rows in seen.batches]

    def test_progress_is_handed_over_with_the_rows(self, log: Log, sink: Scripted) -> None:
        """N3: the offset below which all is emitted, per stage, partition read and root; markers carry it too."""
        root = "conversation.turns.v1/5"
        log.send(
            message(memory(1), partition=5, progress={root: 7}),
            message(Marker(), 1, 5, topic=UPDATES, progress={root: 9}),
            message(hot(1), 2, 2, step="project", progress={root: 4}),
        )
        drain(log.worker(sink), 3)
        assert sink.progress() == {Mark(f"gate:{UPDATES}", 5, root): 9, Mark(f"project:{UPDATES}", 2, root): 4}

    def test_what_is_no_event_is_dead_lettered(self, log: Log, sink: Scripted) -> None:
        """Delivery rule 2: the original bytes, with step, reason, attempts and source."""
        good = message(memory(1))
        broken = Message(UPDATES, 4, 0, b"k", b'{"type": "memory", "text": "secret"', [("attempts", b"2")], 0)
        sent = log.send(good, broken)
        drain(log.worker(sink), 2)
        ((key, value, headers),) = log.dead_letters()
        assert (key, value) == (broken.key, broken.value)
        assert {name: (header(headers, name) or b"").decode() for name in _HEADERS} == {
            "step": "sink-memory",
            "reason": "malformed_json",
            "attempts": "3",
            "source_topic": UPDATES,
            "source_partition": "4",
            "source_offset": str(sent[1].offset),
        }
        assert all(b"secret" not in content for _, content in headers)
        assert sink.held() == {"record-1": 1}
        assert log.committed(UPDATES, 4) == sent[1].offset + 1

    def test_progress_that_no_step_writes_is_dead_lettered(self, log: Log, sink: Scripted) -> None:
        """Postgres takes no NUL: such a name in its table of progress would end the worker each time it came."""
        root = "conversation.turns.v1/0"
        odd, good = message(memory(1), progress={f"{root}\0": 5}), message(memory(2), progress={root: 3})
        log.send(odd, good)
        drain(log.worker(sink), 2)
        assert len(log.dead_letters()) == 1
        assert (sink.held(), sink.progress()) == ({"record-2": 1}, {Mark(f"gate:{UPDATES}", 0, root): 3})

    def test_poison_is_halved_out(self, log: Log, sink: Scripted) -> None:
        root = "conversation.turns.v1/0"
        sent = log.send(*updates(*((n, 1) for n in range(10))), message(memory(10), progress={root: 3}))
        sink.poison = {"record-3", "record-7"}
        seen = Seen()
        drain(log.worker(sink, observer=seen), 11)
        assert set(sink.held()) == {f"record-{n}" for n in range(11)} - sink.poison
        assert [value for _, value, _ in log.dead_letters()] == [sent[3].value, sent[7].value]
        assert seen.letters == ["will_not_fit"] * 2
        assert sink.progress() == {Mark(f"gate:{UPDATES}", 0, root): 3}
        assert log.committed(UPDATES, 0) == sent[-1].offset + 1

    def test_poison_does_not_take_older_revisions_with_it(self, log: Log, sink: Scripted) -> None:
        """What a poisonous revision had collapsed is written as if it had come alone."""
        log.send(message(memory(1, 1)), message(memory(2)), message(memory(1, 2, text="poison")))

        class RefusesText(Scripted):
            def write(self, batch: SinkBatch) -> int:
                texts = [item.event.sealed.text for item in batch.items if isinstance(item.event, MemoryUpdate)]
                if "poison" in texts:
                    raise Permanent("will_not_fit")
                return super().write(batch)

        strict = RefusesText()
        drain(log.worker(strict), 3)
        assert strict.held() == {"record-1": 1, "record-2": 1}
        assert len(log.dead_letters()) == 1

    def test_store_away_is_waited_for(self, log: Log, sink: Scripted) -> None:
        """Paused and retried with growing delays; nothing is dead-lettered or lost."""
        log.send(*updates((1, 1), (2, 1)))
        sink.failures = [Transient("away")] * 3
        seen = Seen()
        drain(log.worker(sink, observer=seen, jitter=lambda: 1.0), 2)
        delays = [delay for operation, delay in seen.delays if operation == "write"]
        assert delays[:3] == pytest.approx([0.1, 0.2, 0.4])
        assert sink.held() == {"record-1": 1, "record-2": 1}
        assert log.dead_letters() == []
        assert log.committed(UPDATES, 0) is not None

    @pytest.mark.parametrize("point", ["after_poll", "after_write", "after_dead_letter"])
    def test_process_ends_before_the_commit(self, log: Log, sink: Scripted, point: str) -> None:
        """N2: the next one reads it all again, and the store is the same as if nothing had happened."""
        sent = log.send(*updates((1, 2), (2, 1), (3, 1)))
        sink.poison = {"record-3"}
        with pytest.raises(Abort):
            drain(log.worker(sink, faults=AbortAt(point)), 3)
        assert log.committed(UPDATES, 0) != sent[-1].offset + 1
        drain(log.worker(sink), 3)
        assert sink.held() == {"record-1": 2, "record-2": 1}
        assert {value for _, value, _ in log.dead_letters()} == {sent[2].value}
        assert log.committed(UPDATES, 0) == sent[-1].offset + 1

    def test_dead_letter_that_cannot_be_delivered_stops_uncommitted(self, log: Log, sink: Scripted) -> None:
        """Delivery rule 2."""
        sent = log.send(*updates((1, 1), (2, 1)))
        sink.poison = {"record-2"}
        with pytest.raises(Undelivered):
            drain(log.worker(sink, dead_letters=Unreachable()), 2)
        assert log.committed(UPDATES, 0) != sent[-1].offset + 1


_HEADERS = ("step", "reason", "attempts", "source_topic", "source_partition", "source_offset")
