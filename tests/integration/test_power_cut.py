"""A log that lost acknowledged records: what is accepted afterwards is read, and the loss is reported."""

from __future__ import annotations

import re
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psutil
import pytest
from confluent_kafka import TopicPartition

from memstream.stack.state import running_addresses
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition, user
from schemas.log.progress import FreshnessToken
from tests.integration.conftest import temporary_folder
from tests.integration.test_up import address_of, environment
from tests.pages import ROOT
from tests.patience import PATIENCE, until
from tests.records import read_to_end

pytestmark = [pytest.mark.integration, pytest.mark.rebuild]
PARTITIONS = 8
USER = "ana"
LOST = 6
"""Batches, of a turn or a tick each."""


@contextmanager
def running(data: Path) -> Iterator[tuple[str, str]]:
    """Address of `memstream up` on the folder, and what it printed before; every process of it is killed at once."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memstream", "up"], cwd=ROOT, env=environment(data), stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield address_of(process, data)
    finally:
        parent = psutil.Process(process.pid)
        everything = [parent, *parent.children(recursive=True)]
        for one in everything:
            with suppress(psutil.NoSuchProcess):  # those whose parent was killed before them end by themselves
                one.send_signal(signal.SIGKILL)
        psutil.wait_procs(everything, timeout=PATIENCE)
        process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()


def batch_starts(segment: Path) -> list[int]:
    """Byte positions of the record batches: each begins with its base offset (8 bytes) and its length (4)."""
    content, at, starts = segment.read_bytes(), 0, []
    while at + 12 <= len(content) and (size := struct.unpack_from(">i", content, at + 8)[0]) > 0:
        starts.append(at)
        at += 12 + size
    return starts


def cut_newest(data: Path, topic: str, number: int, batches: int) -> None:
    """Cuts batches off the end of a partition's newest segment: what a disk forgets that acknowledged too early."""
    segment = max((data / "kafka" / "log" / f"{topic}-{number}").glob("*.log"))
    with segment.open("r+b") as file:
        file.truncate(batch_starts(segment)[-batches])


def send(http: httpx.Client, name: str) -> str:
    turn = {
        "turn_id": name, "user_id": USER, "session_id": "s", "role": "user", "content": f"Note {name}.",
        "occurred_at": datetime.now(UTC).isoformat(),
    }  # fmt: skip
    written = {"turns": [turn]}
    answer = until("a turn to be taken", lambda: http.post("/v1/turns", json=written), lambda a: a.status_code == 202)
    token: str = answer.json()["freshness_token"]
    return token


def readable(http: httpx.Client, name: str, token: str) -> bool:
    def ask() -> httpx.Response:
        waiting = {"Memstream-Wait-For": token, "Memstream-Wait-Ms": "30000"}
        return http.get(f"/v1/turns/{name}", params={"user_id": USER}, headers=waiting)

    answer = until(f"an answer about {name}", ask, lambda a: a.headers.get("Memstream-Fresh") == "true")
    return answer.status_code == 200


def fresh(http: httpx.Client, name: str, token: str) -> str | None:
    """What a read says that waits for the token for a second at most."""
    waiting = {"Memstream-Wait-For": token, "Memstream-Wait-Ms": "1000"}
    answer = http.get(f"/v1/turns/{name}", params={"user_id": USER}, headers=waiting)
    header: str | None = answer.headers.get("Memstream-Fresh")
    return header


def test_turns_accepted_after_a_log_lost_its_newest_records_are_all_read() -> None:
    """And a token of what was lost is never answered as fresh (C1), one of what the log still has is."""
    number = partition(user("default", USER), PARTITIONS)
    before, after = [f"before-{n}" for n in range(12)], [f"after-{n}" for n in range(10)]
    with temporary_folder() as data:
        with running(data) as (url, _), httpx.Client(base_url=url, timeout=PATIENCE) as http:
            tokens_before = {name: send(http, name) for name in before}
            assert all(readable(http, name, tokens_before[name]) for name in before)
        cut_newest(data, topics.TURNS.name, number, LOST)
        with running(data) as (url, printed), httpx.Client(base_url=url, timeout=PATIENCE) as http:
            cut = re.search(rf"records lost: {re.escape(topics.TURNS.name)}/{number} ends at (\d+) .* lost", printed)
            assert cut is not None
            tokens = {name: send(http, name) for name in after}
            assert [name for name in after if not readable(http, name, tokens[name])] == []
            assert [name for name in before if not readable(http, name, tokens[after[-1]])] == []
            first = before[0]
            until("a fresh read", lambda: fresh(http, first, tokens_before[first]), lambda answer: answer == "true")
            lost = {n for n in before if FreshnessToken.parse(tokens_before[n]).writes[0].offset >= int(cut[1])}
            assert 0 < len(lost) <= LOST
            found = {name: fresh(http, name, tokens_before[name]) for name in before}
            assert found == {name: "false" if name in lost else "true" for name in before}


def turns_in(kafka: str, number: int) -> set[str]:
    """Ids of the turns that a partition of the history holds."""
    records = read_to_end(kafka, [TopicPartition(topics.HISTORY.name, number, 0)])
    found = [Codec().decode(topics.HISTORY.name, value) for m in records if (value := m.value())]
    return {event.turn_id for event in found if isinstance(event, ScreenedTurn)}


def test_c1_outputs_that_a_log_has_lost_are_sent_again() -> None:
    """The turns' topic and the step's state are whole; the history has lost the newest of what came of them."""
    number = partition(user("default", USER), PARTITIONS)
    names = {f"before-{n}" for n in range(12)}
    with temporary_folder() as data:
        with running(data) as (url, _), httpx.Client(base_url=url, timeout=PATIENCE) as http:
            for name in sorted(names):  # one behind the other: each is a batch of its own
                assert readable(http, name, send(http, name))
        cut_newest(data, topics.HISTORY.name, number, LOST)
        with running(data) as (url, printed):
            assert f"records lost: {topics.HISTORY.name}/{number} ends at" in printed
            addresses = running_addresses(data)
            assert addresses is not None
            kafka = addresses["kafka"]
            until("the history", lambda: turns_in(kafka, number), lambda found: found == names)
