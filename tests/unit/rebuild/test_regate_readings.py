"""N1: another threshold of readings is a regate, and a replay ends on the same day what nobody said again."""

from __future__ import annotations

import pytest

from memstream.reprocess.regate import records
from processors.ports import Models
from schemas.events.memory import Dropped, MemoryUpdate
from schemas.profile.model import Profile, ReadingSpec
from tests.unit.gate.bench import DAY, candidate
from tests.unit.rebuild.test_regate import Bench, plain, updates


@pytest.fixture
def bench(models: Models) -> Bench:
    return Bench(models)


def low(kept: float, taken_back: float = 1.0) -> Profile:
    return plain().model_copy(update={"reading": ReadingSpec(kept=kept, taken_back=taken_back)})


def states(bench: Bench) -> list[tuple[str, str]]:
    newest: dict[str, MemoryUpdate] = {}
    for u in updates(bench.driver):
        if u.record_id not in newest or u.revision > newest[u.record_id].revision:
            newest[u.record_id] = u
    return sorted((u.sealed.text, u.state) for u in newest.values() if u.op == "upsert")


def test_n1_another_threshold_is_a_regate(bench: Bench) -> None:
    """What stood is observed, what was observed stands, what was dropped comes back, and back again."""
    piano, boat = candidate("Bought a piano", reading=0.4), candidate("Sold a boat in May", reading=0.6)
    left = Dropped(label="light", candidate=candidate("Went rowing on the lake", reading=0.3, ordinal=2))
    bench.becomes(low(0.5))
    bench.do_all(bench.say(piano, boat, dropped=(left,)))
    before = [("Bought a piano", "observed"), ("Sold a boat in May", "active")]
    assert states(bench) == before
    both = [("Bought a piano", "active"), ("Sold a boat in May", "active")]
    wanted = [
        (low(0.2), both),
        (low(0.2, 0.3), [*both, ("Went rowing on the lake", "active")]),
        (low(0.7), [(text, "observed") for text, _ in both]),
        (low(0.5), before),
    ]
    for profile, then in wanted:
        bench.becomes(profile)
        bench.apply(bench.regate(profile))
        assert [s for s in states(bench) if s[1] != "superseded"] == then
        assert bench.regate(profile) == []


def test_n1_what_ended_unsaid_stands_where_the_threshold_allows_it_now(bench: Bench) -> None:
    bench.becomes(low(0.5))
    bench.do_all(bench.say(candidate("Bought a piano", reading=0.4)))
    for _ in range(32):
        bench.later(DAY)
        bench.driver.tick()
        bench.do_all(bench.run())
    assert states(bench) == []
    assert bench.regate(low(0.5)) == []
    found = bench.regate(low(0.3))
    assert [d.what for d in found] == ["added"]
    bench.becomes(low(0.3))
    bench.apply(found)
    assert states(bench) == [("Bought a piano", "active")]


def days(bench: Bench, count: int) -> None:
    for _ in range(count):
        bench.later(DAY)
        bench.driver.tick()
        bench.do_all(bench.run())


def same(bench: Bench, profile: Profile) -> bool:
    """Does a replay of the log come to what is there, with its reason and its end?"""
    assert bench.regate(profile) == []
    assert sum(bench.told.left.values()) == 0, "nothing differs, so nothing is left alone"
    replayed, live = records(bench.replay.out.held.rows), bench.stands
    results = [{n: {v: (u.op, u.state, u.reason, u.expires_at) for v, u in of.items()} for n, of in side.items()}
            for side in (replayed, live)]  # fmt: skip
    return results[0] == results[1]


def test_n1_a_replay_ends_what_was_unsaid_on_the_same_day(bench: Bench) -> None:
    bench.becomes(low(0.5))
    bench.do_all(bench.say(candidate("Bought a piano", reading=0.4), candidate("Sold a boat in May", reading=0.4)))
    days(bench, 20)
    bench.do_all(bench.say(candidate("Bought a piano", reading=0.4)))
    days(bench, 9)
    assert states(bench) == [("Bought a piano", "active"), ("Sold a boat in May", "observed")]
    assert same(bench, low(0.5))
    days(bench, 3)
    assert states(bench) == [("Bought a piano", "active")]
    assert same(bench, low(0.5))


def test_n1_a_higher_threshold_ends_what_nobody_has_said_again_since(bench: Bench) -> None:
    """And a lower one brings it back: nobody deleted it."""
    bench.becomes(low(0.5))
    bench.do_all(bench.say(candidate("Bought a piano", reading=0.6)))
    days(bench, 40)
    assert states(bench) == [("Bought a piano", "active")]
    for profile, then in ((low(0.7), []), (low(0.5), [("Bought a piano", "active")])):
        bench.becomes(profile)
        bench.apply(bench.regate(profile))
        assert [s for s in states(bench) if s[1] != "superseded"] == then
        assert bench.regate(profile) == []


def test_n1_what_a_regate_lowers_ends_by_the_ticks_that_follow(bench: Bench) -> None:
    bench.becomes(low(0.5))
    bench.do_all(bench.say(candidate("Bought a piano", reading=0.6)))
    days(bench, 10)
    bench.becomes(low(0.7))
    bench.apply(bench.regate(low(0.7)))
    assert states(bench) == [("Bought a piano", "observed")]
    days(bench, 22)
    assert states(bench) == []
    assert bench.regate(low(0.7)) == []


def test_n1_what_the_user_forgot_after_it_ended_does_not_come_back(bench: Bench) -> None:
    bench.becomes(low(0.5))
    bench.do_all(bench.say(candidate("Bought a piano", reading=0.4)))
    [made] = [u for u in updates(bench.driver) if u.state == "observed"]
    days(bench, 32)
    bench.do_all(bench.do("forget", memory_id=made.record_id))
    assert bench.regate(low(0.3)) == []
    assert states(bench) == []
