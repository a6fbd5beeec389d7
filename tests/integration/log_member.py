"""A consumer of the sinks in a process of its own, told what to do line by line: one that can be killed and frozen."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any

import psutil
from confluent_kafka import KafkaException

from sinks.kafka import KafkaConsumer, KafkaSettings
from sinks.protocol import CommitLost, Transient
from tests.simulation.log_contract import Answer, Got

_SECONDS = 60.0


class RemoteMember:
    """The handle of such a process."""

    def __init__(self, servers: str, group: str, topic: str, instance: str, session: float) -> None:
        command = [sys.executable, "-m", "tests.integration.log_member", servers, group, topic, instance, str(session)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
        )
        self._selector = DefaultSelector()
        assert self._process.stdout is not None
        self._selector.register(self._process.stdout, EVENT_READ)

    def poll(self, seconds: float) -> list[Got]:
        return [(p, o, base64.b64decode(v)) for p, o, v in self._ask("poll", seconds)]

    def owns(self) -> frozenset[int]:
        return frozenset(self._ask("owns"))

    def gave_up(self) -> list[int]:
        found: list[int] = self._ask("gave_up")
        return found

    def commit(self, offsets: Mapping[int, int]) -> Answer:
        answer: Answer = self._ask("commit", sorted(offsets.items()))
        return answer

    def close(self) -> None:
        if self._process.poll() is None:
            self._ask("close")
        self.vanish()

    def vanish(self) -> None:
        self._process.kill()
        self._process.wait(_SECONDS)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def freeze(self) -> None:
        psutil.Process(self._process.pid).suspend()

    def thaw(self) -> None:
        psutil.Process(self._process.pid).resume()

    def _ask(self, what: str, argument: Any = None) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([what, argument]).encode() + b"\n")
        self._process.stdin.flush()
        assert self._selector.select(_SECONDS), f"no answer to {what}"
        return json.loads(self._process.stdout.readline())


class _Served:
    def __init__(self, servers: str, group: str, topic: str, instance: str, session: str) -> None:
        settings = KafkaSettings(servers, group, instance or None, session_timeout=float(session))
        self._topic, self._moved = topic, list[int]()
        self._consumer = KafkaConsumer(settings)
        self._consumer.subscribe([topic], lambda places: self._moved.extend(p for _, p in places))

    def poll(self, seconds: float) -> list[tuple[int, int, str]]:
        found = self._consumer.poll(100, seconds)
        return [(m.partition, m.offset, base64.b64encode(m.value or b"").decode()) for m in found]

    def owns(self, _: None) -> list[int]:
        return [p.partition for p in self._consumer._consumer.assignment()]

    def gave_up(self, _: None) -> list[int]:
        return self._moved

    def commit(self, offsets: list[tuple[int, int]]) -> Answer:
        try:
            self._consumer.commit({(self._topic, p): n for p, n in offsets})
        except CommitLost:
            return "lost"
        except Transient:
            return "again"
        except KafkaException:
            return "fenced"
        return "done"

    def close(self, _: None) -> None:
        self._consumer.close()


def main() -> None:
    """Until the input ends."""
    served = _Served(*sys.argv[1:])
    for line in sys.stdin:
        what, argument = json.loads(line)
        call: Callable[[Any], Any] = getattr(served, what)
        sys.stdout.write(json.dumps(call(argument)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
