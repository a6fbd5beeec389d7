"""Any sequence of turns, commands and feedback keeps the gate's promises, however it is batched and cached (N2, N4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from processors.memory.values import canonical, same
from processors.ports import Models
from schemas.events.envelope import UserEvent
from schemas.events.memory import MemoryUpdate
from tests.examples import examples
from tests.unit.gate.bench import DAY, GateBench, brief, candidate

TEXTS = (
    "We agreed to ship the beta on Friday", "We did not agree to ship the beta on Friday",
    "We agreed to ship the beta on Monday", "我们决定周五发布测试版", "我们决定周五不发布测试版",
    "Bought a red kayak in Oslo",
)  # fmt: skip
PLACES = ("Leeds", "York", "杭州")
STUDY = {"education": ("MSc", "硕士"), "university": ("Leeds", "浙江大学"), "major": ("Physics", "音乐")}

statements = st.one_of(
    st.tuples(st.just("episode"), st.sampled_from(TEXTS)),
    st.tuples(st.just("residence"), st.sampled_from(PLACES)),
    st.tuples(st.just("hobby"), st.sampled_from(("tennis", "围棋"))),
    st.tuples(st.just("study"), st.tuples(*(st.sampled_from((None, *values)) for values in STUDY.values()))),
)
operations = st.one_of(
    st.tuples(
        st.just("say"), statements, st.sampled_from(("explicit", "explicit", "inferred")),
        st.sampled_from((False, False, False, True)), st.integers(-3, 0), st.booleans(), st.none() | st.integers(0, 3),
    ),
    st.tuples(st.just("forget"), st.integers(0, 7)),
    st.tuples(st.just("correct"), st.integers(0, 7), st.sampled_from(PLACES)),
    st.tuples(st.just("feedback"), st.integers(0, 7), st.sampled_from(("good", "bad", "wrong", "adopted"))),
    st.tuples(st.just("remember"), st.sampled_from(("residence", "hobby", "major")), st.sampled_from(PLACES)),
    st.tuples(st.just("wait"), st.integers(1, 80)),
)  # fmt: skip


@dataclass
class Play:
    """One run of a sequence, record by record; `events` are what was piped, with the clock before each."""

    gate: GateBench
    events: list[tuple[datetime, UserEvent]] = field(default_factory=list)
    forgotten: list[tuple[datetime, MemoryUpdate]] = field(default_factory=list)
    commanded: set[tuple[str, str]] = field(default_factory=set)
    version: int = 1

    async def step(self, op: tuple[Any, ...]) -> None:
        match op:
            case ("wait", hours):
                self.gate.later(timedelta(hours=hours))
            case ("say", what, source, negated, days, late, turn):
                await self.say(what, source, negated, days, late, turn)
            case ("forget", i) if target := self.target(i):
                self.forgotten.append((self.gate.driver.now, target))
                await self.pipe(self.gate.command("forget", target.record_id))
            case ("correct", i, value) if target := self.target(i):
                await self.pipe(self.gate.command("correct", target.record_id, text=f"Rather {value}", value=value))
            case ("feedback", i, word) if target := self.target(i):
                words: dict[str, dict[str, Any]] = {"wrong": {"correction": "no"}, "adopted": {"adopted": True}}
                await self.pipe(self.gate.judgement(target.record_id, **words.get(word, {"rating": word})))
            case ("remember", name, value):
                text = f"It is {value}"
                await self.pipe(self.gate.command("remember", kind="fact", field=name, text=text, value=value))

    async def say(self, what: Any, source: str, negated: bool, days: int, late: bool, turn: int | None) -> None:
        at = self.gate.driver.now + days * DAY
        self.version += turn is not None
        extraction = self.gate.extraction(
            _candidate(what, source, negated), at=at, accepted=at if late else self.gate.driver.now,
            turn=None if turn is None else f"turn-again-{turn}", version=self.version,
        )  # fmt: skip
        await self.pipe(extraction)

    def target(self, i: int) -> MemoryUpdate | None:
        known = sorted({u.record_id for u in self.gate.view.values()})
        if not known:
            return None
        return self.gate.history(known[i % len(known)])[-1]

    async def pipe(self, event: UserEvent) -> None:
        self.gate.pipe(event)
        self.events.append((self.gate.driver.now, event))
        before = len(self.gate.log)
        await self.gate.run()
        for u in self.gate.log[before:]:
            self.check(u)

    def check(self, u: MemoryUpdate) -> None:
        """N4: what was forgotten comes back only from a later turn, or by command."""
        if u.reason.gate == "command":
            self.commanded.add((u.record_id, canonical(u.sealed.value)))
        if (u.record_id, canonical(u.sealed.value)) in self.commanded:
            return
        if u.op == "delete" or u.state not in ("active", "observed") or not u.sources or u.field is None:
            return
        for at, removed in self.forgotten:
            if (removed.kind, removed.scope, removed.field) != (u.kind, u.scope, u.field):
                continue
            learned = u.sources[-1]
            if removed.op == "upsert" and removed.state == "active" and same(removed.sealed.value, u.sealed.value):
                assert learned.occurred_at > at, f"learned again: {brief(u)}"


def _candidate(what: Any, source: str, negated: bool) -> Any:
    match what:
        case ("episode", text):
            return candidate(text, source=source)
        case ("study", values):
            fields = {n: v for n, v in zip(STUDY, values, strict=True) if v is not None}
            if len(fields) == 1:
                [(name, value)] = fields.items()
                return candidate(f"{name} {value}", name, value, source=source, negated=negated)
            if fields:
                return candidate(
                    " ".join(fields.values()), value=fields, fields=tuple(fields), source=source, negated=negated
                )
            return candidate("Studied somewhere", source=source)
        case (name, value):
            return candidate(f"{name} {value}", name, value, source=source, negated=negated)
    raise AssertionError(what)


async def _again(
    models: Models, events: list[tuple[datetime, UserEvent]], batch: int, cache: int, restart: int
) -> GateBench:
    gate = GateBench(models, batch=batch, cache_bytes=cache)
    for i, (now, event) in enumerate(events):
        gate.driver.now = now
        gate.pipe(event)
        if restart and i % restart == restart - 1:
            await gate.run()
            gate.restart()
    await gate.run()
    return gate


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sequence=st.lists(operations, min_size=3, max_size=25))
def test_n2_n4_any_sequence_in_any_batches_with_any_cache(models: Models, sequence: list[tuple[Any, ...]]) -> None:
    async def play() -> None:
        first = Play(GateBench(models, batch=1))
        for op in sequence:
            await first.step(op)
        for batch, cache, restart in ((64, 2**30, 0), (3, 1, 0), (2, 2**30, 3)):
            again = await _again(models, first.events, batch, cache, restart)
            assert [brief(u) for u in again.log] == [brief(u) for u in first.gate.log]
            assert again.log == first.gate.log
            assert again.decisions == first.gate.decisions
            assert again.rows() == first.gate.rows()

    asyncio.run(play())
