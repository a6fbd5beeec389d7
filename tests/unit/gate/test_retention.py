"""Retention by class (C8): what ends, by which ticks, and that a sweep may be killed anywhere and run twice."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from processors.memory.retention import A_TICK
from processors.ports import Models
from schemas.events.memory import MemoryUpdate
from schemas.log.owner import partition, user
from schemas.profile.model import Profile, load_profile
from streams.faults import Point
from tests.unit.gate.bench import DAY, GateBench, candidate, put, rows
from tests.unit.streams.test_faults import Abort, AbortAt

HEALTH = load_profile("health")
YEARS = timedelta(days=366 * 5)


def keeping(mode: str = "delete", **days: float) -> Profile:
    """The health profile with classes of these days, all of which end the same way."""
    classes = days or HEALTH.retention.classes
    fields = {"classes": classes, "on_expiry": dict.fromkeys(classes, mode)}
    return HEALTH.model_copy(update={"retention": HEALTH.retention.model_copy(update=fields)})


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models, profile=HEALTH)


async def ticks(gate: GateBench, count: int = 2, together: int = 1) -> None:
    """`together`: ticks that come in one batch, as after a standstill."""
    for n in range(count):
        gate.driver.tick()
        if n % together == together - 1:
            await gate.run()
    await gate.run()


@pytest.mark.parametrize("mode", ["delete", "archive"])
async def test_c8_a_class_ends_by_ticks_and_other_classes_stay(models: Models, mode: Any) -> None:
    gate = GateBench(models, profile=keeping(mode, diagnosis_history=1826, feedback=730))
    await put(gate, "diagnosis_history", "diagnosis_7", diagnosis="angina")
    await put(gate, "health_profile", "profile", age=45)
    gate.later(YEARS - 3 * DAY)
    await put(gate, "diagnosis_history", "diagnosis_8", diagnosis="flu")
    await ticks(gate, 30)
    gate.restart()
    await ticks(gate, 10)  # a tick opens at most a month of days
    await ticks(gate, 120, together=4)
    assert set(rows(gate)) == {"diagnosis_8", "profile"}
    assert set(rows(gate, "item")) == {"diagnosis_8", "profile"}
    [removed] = [u for u in gate.view.values() if u.kind == "table" and u.key == "diagnosis_7"]
    assert removed.state == ("archived" if mode == "archive" else "deleted")
    assert (removed.sealed.value == {"diagnosis": "angina"}) == (mode == "archive")
    assert removed.reason.gate == "retention"


async def test_c8_a_value_that_changed_since_stays_and_a_time_to_live_ends_an_item(gate: GateBench) -> None:
    await gate.do("put_item", namespace=("memories", "ann"), key="k", value={"a": 1}, ttl_minutes=30)
    await gate.do("put_item", namespace=("memories", "ann"), key="kept", value={"a": 1})
    await ticks(gate)
    assert set(rows(gate, "item")) == {"k", "kept"}
    gate.later(timedelta(minutes=31))
    await ticks(gate)
    assert set(rows(gate, "item")) == {"kept"}


async def test_c8_a_fact_is_archived_without_the_values_before_it(models: Models) -> None:
    gate = GateBench(models, profile=keeping("archive", fact=10))
    await gate.say(candidate("lives in Leeds", "residence", "Leeds"))
    gate.later(DAY)
    [*_, home] = await gate.say(candidate("lives in York", "residence", "York"))
    gate.later(11 * DAY)
    await ticks(gate)
    first, second = gate.history(home.record_id)
    assert (first.op, first.sealed.value, first.sealed.text) == ("delete", None, "")
    assert (second.op, second.state, second.sealed.value) == ("upsert", "archived", "York")
    assert second.expires_at == home.known_at + timedelta(days=10), "when it ended stays with it"
    assert gate.values("residence") == []
    # The user may still have it deleted (C9), and may say it again.
    await gate.do("forget", home.record_id)
    assert {u.op for u in gate.history(home.record_id)} == {"delete"}
    gate.later(DAY)
    await gate.say(candidate("lives in York", "residence", "York"))
    assert gate.values("residence") == ["York"]


class InSweep(AbortAt):
    """Counts from the sweep on."""

    armed = False

    def hit(self, stage: str, point: str) -> None:
        if self.armed:
            super().hit(stage, point)


async def sweep(models: Models, fault: InSweep | None = None, again: int = 0) -> GateBench:
    """More diagnoses than a tick ends, all due at once; `again`: ticks that come twice after each crash."""
    gate = GateBench(models, profile=keeping("archive", diagnosis_history=5), batch=16, faults=fault)
    for n in range(A_TICK // 2 + 20):  # a row and what the store shows of it
        item: dict[str, Any] = {"namespace": ("diagnosis_history", "ann"), "key": f"diagnosis_{n}"}
        item["value"] = {"symptoms": ["x"]}
        gate.pipe(gate.command("put_item", **item))
    await gate.run()
    gate.later(6 * DAY)
    if fault is not None:
        fault.armed = True
    for _ in range(4):
        gate.driver.tick()
        while True:
            try:
                await gate.run()
            except Abort:
                gate.driver.restart(again)
            else:
                break
    return gate


_CALM: list[GateBench] = []
STEPWISE = (Point.BEFORE_LOAD, Point.AFTER_LOAD, Point.AFTER_COMPUTE, Point.AFTER_TRANSACTION, Point.AFTER_DELIVERY)
PLACE = partition(user("acme", "ann"), 8) + 1
"""The partitions' ticks are taken in order: hers is this one of each eight."""


@pytest.mark.parametrize(("point", "count"), [
    *((p, PLACE) for p in STEPWISE), (Point.MID_DELIVERY, 2),
    *(pytest.param(p, PLACE + 8, marks=pytest.mark.slow) for p in STEPWISE),
    pytest.param(Point.MID_DELIVERY, 1, marks=pytest.mark.slow),
])  # fmt: skip
async def test_c8_a_sweep_that_is_killed_and_run_again_ends_everything_once(
    models: Models, point: Point, count: int
) -> None:
    if not _CALM:
        _CALM.append(await sweep(models))
    [calm] = _CALM
    fault = InSweep("gate", point, count)
    hurt = await sweep(models, fault, again=3)
    assert fault.done
    ended = Counter((u.record_id, u.state) for u in hurt.log if u.reason.gate == "retention")
    assert set(ended.values()) == {1}
    assert len(ended) == 2 * (A_TICK // 2 + 20) > A_TICK, "it took more than one tick"
    assert {k: brief_of(u) for k, u in hurt.view.items()} == {k: brief_of(u) for k, u in calm.view.items()}
    assert hurt.rows() == calm.rows()


def brief_of(u: MemoryUpdate) -> tuple[Any, ...]:
    return u.revision, u.op, u.state, u.sealed.value, u.reason.rule


def test_c8_kept_feedback_cannot_be_archived_and_the_error_says_where() -> None:
    result = HEALTH.model_dump(mode="json")
    result["retention"]["on_expiry"]["feedback"] = "archive"
    with pytest.raises(ValidationError, match=r"on_expiry\.feedback: expected delete"):
        Profile.model_validate(result)
