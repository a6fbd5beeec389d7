"""A dead letter that is replayed weeks after it failed: retention leaves it to its reader, and what counts from
acceptance (expiry, an erasure's cut-off) does not begin anew."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.dead_letters import REPLAY_FOR, REPLAY_OF, SOURCE_TIME, source_ms
from schemas.log.topics import Cleanup
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts
from tests.unit.processors.talk import NoNames
from tests.unit.query.letters import HOME, opened, tools
from tests.unit.streams.toy import START, Counter, turn

LATE = timedelta(days=20)
"""Longer than turns are kept, shorter than letters are."""


def turn_of(text: str, at: datetime | None = None, occurred_at: datetime = START) -> TurnEvent:
    """`at` None: the log's time is that of acceptance."""
    return TurnEvent(
        tenant="acme", user_id="ann", session_id="s", turn_id="t", role="user", occurred_at=occurred_at,
        accepted_at=at, sealed=TurnBody(content=text),
    )  # fmt: skip


def stray(d: TopologyDriver, event: TurnEvent) -> None:
    """In another owner's partition: a dead letter that a replay mends."""
    encoded = d.codec.encode(event, "client", "1")
    d.log.append(topics.TURNS.name, (HOME + 1) % 8, encoded.key, encoded.value, encoded.headers)


def memory_steps(models: Models) -> TopologyDriver:
    models = Models(NoNames(), models.embedder, models.counter, models.language_of, models.terms, models.hash_key)
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    return TopologyDriver([TOPOLOGY[name].build(parts) for name in ("screen", "extract", "gate")], START)


def learned(d: TopologyDriver) -> list[str]:
    return [e.sealed.value or "" for e in d.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "fact"]


async def replay_all(d: TopologyDriver) -> list[str]:
    _, index, replayer = tools(d)
    return [r.outcome for r in await replayer.replay(opened(index))]


async def test_a_letter_of_20_days_survives_a_retention_pass() -> None:
    d = TopologyDriver([Counter()], START)
    d.pipe(topics.TURNS, turn("reject 1"))
    await d.run()
    d.advance(LATE)
    assert await replay_all(d) == ["replayed"]
    d.retention_pass()
    await d.run()
    _, index, _ = tools(d)
    (letter,) = opened(index)
    assert letter.attempts == 2, "its step has read it once more"
    assert letter.source_at == START, "the second letter tells the first source's time"


async def test_a_retention_pass_takes_what_was_not_read_in_time() -> None:
    """So the test above could fail."""
    d = TopologyDriver([Counter()], START)
    d.pipe(topics.TURNS, turn("reject 1"))
    d.advance(LATE)
    d.retention_pass()
    await d.run()
    assert d.dead_letters() == []


async def test_a_letter_replayed_over_and_over_keeps_the_time_of_its_first_source() -> None:
    d = TopologyDriver([Counter()], START)
    d.pipe(topics.TURNS, turn("reject 1"))
    await d.run()
    for _ in range(3):
        d.advance(timedelta(days=9))
        assert await replay_all(d) == ["replayed"]
        await d.run()
    back = d.log.partitions[topics.TURNS.name, HOME][-1]
    assert back.timestamp_ms == int(d.now.timestamp() * 1000), "its own time is that of the replay"
    assert header(back.headers, SOURCE_TIME) == str(int(START.timestamp() * 1000)).encode()


async def test_expiry_does_not_begin_anew(models: Models) -> None:
    d = memory_steps(models)
    stray(d, turn_of("I live in Leeds."))
    await d.run()
    d.advance(LATE)
    assert await replay_all(d) == ["replayed"]
    await d.run()
    (screened,) = [e for e in d.read(topics.HISTORY) if isinstance(e, ScreenedTurn)]
    assert screened.accepted_at == START
    assert screened.expires_at == START + timedelta(days=load_profile("general").retention.turns_days)
    assert learned(d) == ["Leeds"]


@pytest.mark.parametrize("ahead", [None, timedelta(hours=5), timedelta(days=3)])
async def test_a_letter_of_a_user_who_was_erased_since_stays_erased(models: Models, ahead: timedelta | None) -> None:
    """Also where a clock had dated it behind the erasure: what came into the log before it is of before."""
    d = memory_steps(models)
    stray(d, turn_of("I live in Leeds.", None if ahead is None else START + ahead))
    await d.run()
    d.advance(timedelta(hours=1))
    erased = Erasure(tenant="acme", erasure_id="e", scope="user", user_id="ann", accepted_at=d.now)
    d.pipe(topics.TURNS, erased)
    await d.run()
    d.advance(LATE)
    assert await replay_all(d) == ["replayed"]
    await d.run()
    assert learned(d) == []
    assert not [e for e in d.read(topics.HISTORY) if isinstance(e, ScreenedTurn)]
    assert len(d.dead_letters()) == 3, "the letter and its two marks"


@pytest.mark.parametrize(
    "early",
    [
        turn_of("I live in Leeds.", START + timedelta(days=3)),
        turn_of("I live in Leeds.", None, START + timedelta(days=3)),
    ],
    ids=["accepted_at", "occurred_at"],
)
async def test_what_was_dated_ahead_is_taken_when_its_time_has_come(models: Models, early: TurnEvent) -> None:
    d = memory_steps(models)
    d.pipe(topics.TURNS, early)
    await d.run()
    assert learned(d) == []
    assert await replay_all(d) == ["replayed"]
    await d.run()
    assert learned(d) == [], "it is still ahead"
    d.advance(timedelta(days=4))
    assert await replay_all(d) == ["replayed"]
    await d.run()
    assert learned(d) == ["Leeds"]


@pytest.mark.parametrize("result", [b"", b"x", b"-5", b"1" * 16, "１".encode()])
async def test_a_source_time_that_is_none_is_a_dead_letter(result: bytes) -> None:
    """None would count as now, and let what was erased come back."""
    d = TopologyDriver([Counter()], START)
    headers = [(REPLAY_OF, b"0:0"), (REPLAY_FOR, b"counter"), (SOURCE_TIME, result)]
    d.pipe_raw(topics.TURNS, HOME, d.codec.value(turn("one")), headers)
    await d.run()
    assert [header(m.headers, "reason") for m in d.dead_letters()] == [b"timestamp"]


def test_the_header_counts_in_replays_alone_and_is_never_later_than_the_record() -> None:
    assert source_ms([(SOURCE_TIME, b"5")], 9) == 9
    assert source_ms([(REPLAY_OF, b"0:0"), (SOURCE_TIME, b"5")], 9) == 5
    assert source_ms([(REPLAY_OF, b"0:0"), (SOURCE_TIME, b"99")], 9) == 9
    assert source_ms([(REPLAY_OF, b"0:0")], 9) == 9, "a replay of before this header"


def test_letters_outlive_what_they_may_be_replayed_into() -> None:
    """What the tests above are about: a letter may be older than its topic keeps records."""
    assert topics.TURNS.cleanup is Cleanup.DELETE
    assert (topics.TURNS.retention_days or 0) < LATE.days < (topics.DEAD_LETTERS.retention_days or 0)
