"""Rows that expire: what a record sees of them follows from the log alone, whatever is in memory and however the
records are batched (N1, N2)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from processors.state_tables import JsonRows, Table
from processors.step import Emit, Out, PlainStep, Reads, Record, StateSpace
from schemas.events.envelope import Tick
from schemas.events.sessions import SessionBody, SessionState
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec, header
from schemas.log.owner import user
from streams.driver import MemoryLog, inline
from streams.runner import Message, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from tests.unit.streams.toy import START, turn

WORDS: Table[str] = Table("", JsonRows(str))

P = 0
KEYS = "abcdef"


class Notes(PlainStep):
    """A turn says `put KEY HOUR`, `drop KEY` or `wipe`, and how its reads are named; it tells what it saw before."""

    name = "notes"
    source = topics.TURNS
    outputs = (topics.SESSION_STATE,)

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        event = record.event
        if not isinstance(event, TurnEvent):
            return ()
        owner, how = event.owner.key, event.sealed.content.split()[0]
        return {"all": (Reads(owner),), "some": (Reads(owner, ("a", "b")),), "none": ()}[how]

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        event = record.event
        if isinstance(event, Tick):
            words = state.of(user("acme", "ann").key).table(WORDS)
            words.put("f", "of the tick", event.now - timedelta(hours=1))
            return [_emitted("tick", {"f": words.get("a")})]
        assert isinstance(event, TurnEvent)
        how, word, *rest = event.sealed.content.split()
        rows = state.of(event.owner.key)
        words = rows.table(WORDS)
        seen: dict[str, Any] = dict(words.items()) if how == "all" else {k: words.get(k) for k in "abf"}
        match word:
            case "put":
                hours = int(rest[1])
                words.put(rest[0], event.sealed.content, START + timedelta(hours=hours) if hours >= 0 else None)
            case "drop":
                rows.delete(rest[0])
            case "wipe":
                seen["wiped"] = rows.clear()
        return [_emitted(event.turn_id or "", seen)]


def _emitted(name: str, seen: dict[str, Any]) -> Emit:
    value = SessionState(
        tenant="acme", user_id="ann", session_id=name, revision=1, updated_at=START,
        sealed=SessionBody(anchors={k: v for k, v in seen.items() if v is not None}),
    )  # fmt: skip
    return Emit(topics.SESSION_STATE, value)


def talk(seed: int) -> list[Message]:
    """Ticks go on by hours, and now and then back."""
    rng, codec, out, hour = random.Random(seed), Codec(), list[Message](), 0
    for offset in range(160):
        if rng.random() < 0.25:
            hour = max(0, hour + rng.choice((1, 1, 2, 5, 20, -3)))
            value = codec.value(Tick(now=START + timedelta(hours=hour)))
        else:
            how = rng.choice(("all", "some", "some", "none"))
            end = rng.choice((-1, hour - 2, hour + 1, hour + 3, hour + 30))
            words = ("put", "put", "drop", "look") if rng.random() < 0.97 else ("wipe",)
            text = f"{how} {rng.choice(words)} {rng.choice(KEYS)} {max(-1, end)}"
            value = codec.value(turn(text).model_copy(update={"turn_id": f"t{offset}"}))
        out.append(Message(topics.TURNS.name, P, offset, None, value, [], int(START.timestamp() * 1000)))
    return out


async def outcome(feed: list[Message], batch: int, *, forgets: bool, cache_bytes: int = 2**40) -> Any:
    """What each record saw, and the rows that stand at last."""
    store, log = MemoryStateStore(), MemoryLog(lambda: START)
    runner = StepRunner(Notes(), store, log, Codec(), RunnerConfig(1, cache_bytes), compute=inline)
    for at in range(0, len(feed), batch):
        await runner.process(feed[at : at + batch])
        if forgets:
            runner.forget()
    assert not log.partitions[topics.DEAD_LETTERS.name, P]
    fields = {header(m.headers, "src"): m.value for m in log.partitions[topics.SESSION_STATE.name, P]}
    return fields, {o: dict(rows) for o, rows in store.rows["notes", P].items() if rows}


@pytest.mark.parametrize("seed", range(4))
async def test_n1_rows_that_expire_are_seen_alike_however_records_are_batched_and_cached(seed: int) -> None:
    feed = talk(seed)
    want = await outcome(feed, 1, forgets=True)
    assert len(want[0]) == len(feed)
    for batch in (1, 7, 160):
        for forgets, cache in ((False, 2**40), (True, 2**40), (False, 1)):
            assert await outcome(feed, batch, forgets=forgets, cache_bytes=cache) == want, (batch, forgets)


def _saw(fields: dict[bytes | None, bytes | None]) -> int:
    return sum(b"put" in (v or b"") for v in fields.values())


async def test_the_talk_lets_rows_expire() -> None:
    """Else the above would not have met what it is for."""
    feed = talk(0)
    ticks = [m for m in feed if b'"tick"' in (m.value or b"")]
    without = [m for m in feed if m not in ticks]
    assert len(ticks) > 30
    with_them, (result, _) = (await outcome(feed, 7, forgets=False))[0], await outcome(without, 7, forgets=False)
    assert _saw(result) > _saw({k: v for k, v in with_them.items() if k in result})
