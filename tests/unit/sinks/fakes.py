"""A log, its consumer and a clock without a broker; they stand under the contract that the real ones stand under."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from schemas.log.codec import Headers
from sinks.protocol import Message, Revoked, Sink
from sinks.worker import Worker
from tests.unit.sinks.events import CODEC, NOW


class FakeClock:
    """Stands still until somebody waits."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.at)

    def monotonic(self) -> float:
        return self.at

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        self.at += seconds
        return stop.is_set()


class FakeLog:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.records: dict[tuple[str, int], list[Message]] = {}
        self.offsets: dict[tuple[str, int], int] = {}
        self.letters: list[tuple[bytes | None, bytes | None, Headers]] = []
        self.consumer: FakeConsumer | None = None

    def send(self, *messages: Message) -> list[Message]:
        out = []
        for m in messages:
            line = self.records.setdefault((m.topic, m.partition), [])
            line.append(replace(m, offset=len(line)))
            out.append(line[-1])
        return out

    def worker(self, sink: Sink, **options: Any) -> Worker:
        self.consumer = FakeConsumer(self)
        letters = options.pop("dead_letters", FakeDeadLetters(self))
        worker = Worker(sink, self.consumer, letters, CODEC, clock=self.clock, **options)
        worker.start()
        return worker

    def committed(self, topic: str, partition: int) -> int | None:
        return self.offsets.get((topic, partition))

    def dead_letters(self) -> list[tuple[bytes | None, bytes | None, Headers]]:
        return self.letters


class FakeConsumer:
    """`on_poll` is called in each poll: what happens to a group while a member waits."""

    def __init__(self, log: FakeLog) -> None:
        self._log = log
        self._positions = dict(log.offsets)
        self._topics: Sequence[str] = ()
        self.revoked: Revoked | None = None
        self.paused = False
        self.closed = False
        self.calls: list[str] = []
        self.on_poll: Callable[[], None] | None = None
        self.commit_failures: list[Exception] = []

    def subscribe(self, topics: Sequence[str], revoked: Revoked) -> None:
        self._topics, self.revoked = topics, revoked

    def poll(self, max_records: int, timeout: float, linger: float = 0.0) -> list[Message]:
        if self.on_poll is not None:
            self.on_poll()
        found: list[Message] = []
        for place, line in sorted(self._log.records.items()):
            if place[0] in self._topics and not self.paused:
                start = self._positions.get(place, 0)
                part = line[start : start + max_records - len(found)]
                self._positions[place] = start + len(part)
                found += part
        if not found:
            self._log.clock.at += timeout
        return found

    def pause(self) -> None:
        self.calls.append("pause")
        self.paused = True

    def resume(self) -> None:
        self.calls.append("resume")
        self.paused = False

    def commit(self, offsets: Mapping[tuple[str, int], int]) -> None:
        if self.commit_failures:
            raise self.commit_failures.pop(0)
        self.calls.append("commit")
        self._log.offsets.update(offsets)

    def waiting(self) -> Mapping[tuple[str, int], int] | None:
        done = {place: self._log.offsets.get(place, 0) for place in self._log.records if place[0] in self._topics}
        return {place: offset for place, offset in done.items() if offset < len(self._log.records[place])}

    def close(self) -> None:
        self.closed = True


def consumer_of(log: FakeLog) -> FakeConsumer:
    assert log.consumer is not None
    return log.consumer


class FakeDeadLetters:
    def __init__(self, log: FakeLog) -> None:
        self._log = log

    def deliver(self, message: Message, headers: Headers) -> None:
        self._log.letters.append((message.key, message.value, headers))

    def close(self) -> None: ...
