"""C8: a change of the days of retention reaches what already stands, through the log and the gate."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memstream.reprocess.redate import Found, redated
from processors.memory.step import Gate
from processors.ports import Models, ProfileBook
from schemas.events.amendments import Amendment
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import Profile, load_profile
from streams.driver import inline
from streams.runner import RunnerConfig, StepRunner
from tests.unit.gate.bench import DAY, GateBench, candidate

GENERAL = load_profile("general")


def keeping(mode: str = "delete", **days: float) -> Profile:
    fields = {"classes": days, "on_expiry": dict.fromkeys(days, mode)}
    return GENERAL.model_copy(update={"retention": GENERAL.retention.model_copy(update=fields)})


class Bench(GateBench):
    """The gate, whose tenant's profile changes while it runs."""

    def __init__(self, models: Models, **days: float) -> None:
        super().__init__(models, profile=GENERAL)
        self._tenants: dict[str, Profile] = {"acme": keeping("delete", **days)}
        self.book = ProfileBook(GENERAL)
        self.book._tenants = self._tenants
        self.driver.runners["gate"] = StepRunner(
            Gate(models, self.book), self.store, self.driver.log, self.driver.codec, RunnerConfig(8, 2**30),
            compute=inline,
        )  # fmt: skip

    def now_keep(self, mode: str = "delete", **days: float) -> None:
        self._tenants["acme"] = keeping(mode, **days)

    def found(self) -> tuple[list[Amendment], Found]:
        found = Found()
        return list(redated(list(self.view.values()), self.book, self.driver.now, found)), found

    async def redate(self) -> Found:
        sent, found = self.found()
        for a in sent:
            self.pipe(Codec().decode(topics.LEDGER.name, Codec().encode(a, "test", a.amendment_id).value))  # type: ignore[arg-type]
        await self.run()
        return found

    async def ticks(self, days: float, count: int = 4) -> None:
        self.later(timedelta(days=days))
        for _ in range(count):
            self.driver.tick()
            await self.run()


async def home(bench: Bench, value: str = "Leeds") -> None:
    await bench.say(candidate(f"lives in {value}", "residence", value))


async def test_c8_a_class_that_begins_ends_what_stands_of_one_who_says_nothing_more(models: Models) -> None:
    bench = Bench(models)
    await home(bench)
    await bench.ticks(6)
    bench.now_keep(fact=1)
    await bench.ticks(1)
    assert bench.values("residence") == ["Leeds"], "the change alone does not reach it"
    assert (await bench.redate()).classes == {"fact": 1}
    [dated] = bench.active("residence")
    assert dated.expires_at == dated.known_at + DAY
    assert (await bench.redate()).classes == {}, "a second look finds nothing"
    await bench.ticks(0)
    assert bench.values("residence") == []
    assert {(u.op, u.reason.rule) for u in bench.view.values() if u.kind == "fact"} == {("delete", "expired")}


@pytest.mark.parametrize("days", [{}, {"fact": 30}])
async def test_c8_a_class_that_is_lengthened_or_lifted_no_longer_ends_what_stands(
    models: Models, days: dict[str, float]
) -> None:
    bench = Bench(models, fact=10)
    await home(bench)
    bench.later(DAY)
    await home(bench, "York")  # the earlier version keeps its own end
    bench.now_keep("delete", **days)
    bench.later(DAY)
    assert (await bench.redate()).classes == {"fact": 2}
    bench.restart()
    await bench.ticks(15)
    assert bench.values("residence") == ["York"]
    ends = {u.sealed.value: u.expires_at and u.expires_at - u.known_at for u in bench.view.values() if u.kind == "fact"}
    assert set(ends.values()) == {timedelta(days=30) if days else None}
    await bench.ticks(31)
    assert bench.values("residence") == ([] if days else ["York"])


async def test_c8_kept_feedback_follows_though_the_gate_holds_no_more_of_it_than_its_number(models: Models) -> None:
    bench = Bench(models, feedback=10)
    await home(bench)
    await bench.feedback(rating="good", about="function", feature="search")
    later = [u for u in bench.view.values() if u.kind == "feedback"]
    assert [u.expires_at for u in later] == [u.known_at + 10 * DAY for u in later] != []
    bench.now_keep()
    await bench.redate()
    await bench.ticks(20)
    assert [u.op for u in bench.view.values() if u.kind == "feedback"] == ["upsert"], "its day is on no list any more"
    bench.now_keep(feedback=25, fact=25)
    await bench.redate()
    await bench.ticks(6)
    assert {(u.kind, u.op) for u in bench.view.values()} == {("feedback", "delete"), ("fact", "delete")}


async def test_c8_a_time_to_live_ends_an_item_whatever_its_class_says_later(models: Models) -> None:
    bench = Bench(models, memories=1)
    place: dict[str, Any] = {"namespace": ("memories", "ann"), "value": {"a": 1}}
    await bench.do("put_item", key="kept", **place)
    await bench.do("put_item", key="lives", ttl_minutes=3 * 1440, **place)
    bench.now_keep(memories=10)
    assert (await bench.redate()).classes == {"memories": 2}
    assert {u.key: u.expires_at - u.known_at for u in bench.active() if u.expires_at} == {
        "kept": 10 * DAY, "lives": 3 * DAY,
    }  # fmt: skip
    bench.now_keep()
    await bench.redate()
    await bench.ticks(20)
    assert {u.key for u in bench.active()} == {"kept"}


async def test_c8_what_changed_since_it_was_read_is_left_to_the_days_of_now(models: Models) -> None:
    bench = Bench(models)
    await home(bench)
    bench.now_keep(fact=5)
    sent, _ = bench.found()
    bench.later(DAY)
    await home(bench, "York")
    for a in sent:
        bench.pipe(a)
    await bench.run()
    [active] = bench.active("residence")
    assert (active.sealed.value, active.expires_at) == ("York", active.known_at + 5 * DAY)
    assert ("skipped", "moved_on") in bench.outcomes()
    assert (await bench.redate()).classes == {}
