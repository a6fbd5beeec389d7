"""Rounds of the simulation: clean ones, one that must fail, and that each repeats itself."""

from __future__ import annotations

import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from query import freshness
from query.log_epochs import LogEpochs
from schemas.log.codec import Headers
from schemas.log.progress import FreshnessToken
from streams import batch_frame
from streams.batch import Batch
from streams.batch_frame import BatchFrame
from streams.runner import StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow, Position
from streams.topology import Parts
from tests.simulation.outside import watched
from tests.simulation.plan import RELEASE, OtherReleaseError, Plan
from tests.simulation.round import run
from tests.simulation.shrink import shrink

GROUPS, A_GROUP = 8, 5
"""Rounds that `make test` runs: 40."""
CASES = (
    "0.1.0:5:30:29:5:flushed",  # a power cut, on topics that flush
    # A token that wanted a project to hear of turns behind its own, in one call with it
    "0.1.0:1064:30:0,1,2,3,4,5,6,14,15,16,17,18,20,21,22,23,24,25,26,27::flushed",
    "0.1.0:1014:30:4,16,17,18,23,26:0,2:flushed",  # a clock set back, then a turn of the same session, then an erasure
)
"""What failed once, made smaller, and why."""
POWER = "0.1.0:5:30:29:5:unflushed"
"""One turn and one power cut (seed 5, made smaller by itself)."""


@pytest.mark.parametrize("group", range(GROUPS))
def test_n2_nothing_is_lost_or_doubled_whatever_strikes(group: int, parts: Parts) -> None:
    for seed in range(1 + group * A_GROUP, 1 + (group + 1) * A_GROUP):
        result = run(Plan(seed), parts)
        assert not result.failures, f"{result.plan}\n" + "\n".join(result.failures)
        assert not result.lost, "what is flushed is never taken for lost, whatever leads"
        assert sum(result.checked.values()) > 100
        assert result.checked["fresh reads"] > 10


@pytest.mark.parametrize("case", CASES)
def test_n2_what_failed_once_fails_no_more(case: str, parts: Parts) -> None:
    assert not run(Plan.parse(case), parts).failures


def test_what_is_acknowledged_off_the_disk_is_lost_in_a_power_cut_and_found(parts: Parts) -> None:
    """The loss of the state that did not flush: it can fail, and becomes as small as it gets."""
    failed = next(r for r in (run(Plan(seed, durable=False), parts) for seed in range(5, 30)) if r.failures)
    small = shrink(failed, lambda p: run(p, parts), most=60)
    assert len(small.plan.calls) <= 3
    assert [a.kind for a in small.plan.acts] == ["power"]
    assert any("not in the log" in line for line in small.failures)


def _outbox_is_not_sent_again(patch: pytest.MonkeyPatch) -> None:
    whole = MemoryStateStore.position

    async def position(self: MemoryStateStore, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        return (await whole(self, step, partition))[0], []

    patch.setattr(MemoryStateStore, "position", position)


def _redelivered_records_are_taken_in(patch: pytest.MonkeyPatch) -> None:
    whole = BatchFrame.receive

    def receive(self: BatchFrame, batch: Batch, given_up: Container[int] = ()) -> None:
        batch.position = replace(batch.position, seen={})
        whole(self, batch, given_up)

    patch.setattr(BatchFrame, "receive", receive)


def _only_kills(of: str, first: Sequence[int]) -> Iterator[Plan]:
    """Rounds of one fault: processes of that kind die a few callbacks behind a named point. `first`: seeds that are
    tried before the others."""
    for seed in (*first, *range(1, 400)):
        acts = Plan(seed).acts
        kills = [n for n, a in enumerate(acts) if a.kind == "kill" and a.target.startswith(of) and a.busy]
        few = [n for n in kills if 2 <= acts[n].count <= 20]
        if few:
            yield Plan(seed).keeping(range(30), few)


@pytest.mark.parametrize(
    ("broken", "first"), [(_outbox_is_not_sent_again, (83,)), (_redelivered_records_are_taken_in, (41,))]
)
def test_a_rule_of_delivery_that_is_taken_back_is_found(
    broken: Callable[[pytest.MonkeyPatch], None], first: Sequence[int], parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`first`: seeds that found it when this was written; they only save rounds."""
    broken(monkeypatch)
    failed = (lines for plan in _only_kills("memory", first) if (lines := run(plan, parts).failures))
    assert any(line.startswith("topic ") for line in next(failed))


def _progress_comes_before_the_rows(patch: pytest.MonkeyPatch) -> None:
    def on_first(rows: list[OutboxRow], topic: str, headers: Headers) -> list[OutboxRow]:
        first = {r.partition: i for i, r in reversed(list(enumerate(rows))) if r.topic == topic}
        begins = set(first.values())
        return [replace(r, headers=[*r.headers, *headers]) if i in begins else r for i, r in enumerate(rows)]

    patch.setattr(batch_frame, "_on_last", on_first)


def _a_wait_ends_one_write_early(patch: pytest.MonkeyPatch) -> None:
    whole = freshness.needs_of
    patch.setattr(freshness, "needs_of", lambda token, views: {p: n - 1 for p, n in whole(token, views).items()})


def _nobody_tells_a_project_of_what_ended(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BatchFrame, "_paid", lambda self, batch, rows: [])


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        (_progress_comes_before_the_rows, "freshness: "), (_a_wait_ends_one_write_early, "freshness: "),
        (_nobody_tells_a_project_of_what_ended, "token: "),
    ],
)  # fmt: skip
def test_n3_a_token_that_is_honoured_too_early_or_never_is_found(
    broken: Callable[[pytest.MonkeyPatch], None], word: str, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch)
    assert any(line.startswith(word) for seed in range(1, 12) for line in run(Plan(seed), parts).failures)


def test_n2_a_worker_that_fails_in_silence_as_partitions_leave_is_found(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost, as others take over: the change of a single statement showed that nobody would have known."""

    async def leave(self: StepRunner, partitions: Sequence[int]) -> None:
        raise LookupError("offsets")

    monkeypatch.setattr(StepRunner, "leave", leave)
    assert any(line.startswith("nobody caught a consumer: LookupError") for line in run(Plan(2), parts).failures)


@pytest.mark.parametrize("seed", [5, 12])
def test_c1_a_read_is_never_fresh_of_what_a_power_cut_took(
    seed: int, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topics that acknowledge what is not on the disk: other losses are found there, but no false token."""

    def false_tokens() -> list[str]:
        return [line for line in run(Plan(seed, durable=False), parts).failures if "the log has lost it" in line]

    assert false_tokens() == []

    async def never(self: LogEpochs, token: FreshnessToken) -> bool:
        return False

    monkeypatch.setattr(LogEpochs, "lost", never)
    assert false_tokens() != [], "as it was: whoever has the offset now stands for it"


def test_a_case_is_a_line_of_text(parts: Parts) -> None:
    plan = Plan.parse(POWER)
    assert str(plan) == POWER
    assert any("not in the log" in line for line in run(plan, parts).failures)
    assert Plan.parse(str(Plan(7))) == Plan(7)


def test_a_case_of_another_release_is_refused_with_its_name() -> None:
    with pytest.raises(OtherReleaseError, match=r"0\.0\.9"):
        Plan.parse("0.0.9:5:30:all:all:flushed")
    with pytest.raises(ValueError, match="expected RELEASE"):
        Plan.parse(f"{RELEASE}:5")


def test_nothing_reaches_past_the_world(parts: Parts) -> None:
    """No clock of the machine, thread, socket or randomness of its own: steps, loop, outbox, sinks' worker, eraser."""
    run(Plan(7), parts)  # what is loaded once
    with watched() as found:
        run(Plan(7), parts)
    assert dict(found) == {}


@pytest.mark.parametrize(
    "reach",
    [
        time.time, time.monotonic, lambda: datetime.now(UTC), random.random, lambda: secrets.token_hex(6),
        lambda: threading.Thread(target=print, args=("",)).start(), lambda: socket.getaddrinfo("127.0.0.1", 9),
    ],
)  # fmt: skip
def test_what_reaches_past_it_is_seen(reach: object) -> None:
    assert callable(reach)

    def inside() -> None:
        reach()

    with watched() as found:
        inside()
    assert sum(found.values()) >= 1
