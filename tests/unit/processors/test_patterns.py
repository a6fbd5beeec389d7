"""Habits mined from the stream's metadata and intents (C5, C11 scenarios 2 and 3), English and Chinese."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from processors.memory.habits.patterns import Occurrence, active_hours, compare, kept, next_due, timing, usual
from processors.ports import Models
from schemas.events.memory import MemoryCommand, MemoryUpdate
from schemas.log import topics
from schemas.profile.model import HabitSpec, Profile
from streams.state.memory import MemoryStateStore
from tests.unit.processors.talk import Talk

SHANGHAI = ZoneInfo("Asia/Shanghai")
DAY = timedelta(days=1)
START = datetime(2026, 11, 2, 7, 0, tzinfo=SHANGHAI)
SPEC = HabitSpec(
    usual=("department", "doctor"), times=("appointment_at",), phrases=True, active_hours=True,
    labels={"measure_bp": {"en": "measure blood pressure", "zh": "测量血压"}, "department": {"zh": "科室"}},
)  # fmt: skip
PROFILE = Profile(name="care", version=1, time_zone="Asia/Shanghai", habits=SPEC)
STATEMENTS = {"en": "Record blood pressure {} over 82", "zh": "记录血压 {}/82"}
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


def talk_of(models: Models, profile: Profile = PROFILE) -> Talk:
    return Talk(models, profile, START)


async def measure(talk: Talk, when: datetime, language: str = "zh", **metadata: Any) -> None:
    """A measurement; the clock goes there by ticks of ten minutes, as a timer's would (coarser)."""
    await talk.until(when, timedelta(hours=6))
    await talk.say(STATEMENTS[language].format(120 + when.day), action="measure_bp", **metadata)


async def two_weeks(talk: Talk, language: str = "zh") -> datetime:
    """About 08:00 every day; returns the next day's midnight."""
    midnight = START.replace(hour=0)
    for n in range(14):
        await measure(talk, midnight + n * DAY + timedelta(hours=8, minutes=(n * 7) % 15 - 7), language)
    return midnight + 14 * DAY


def habit(talk: Talk, key: str = "time/measure_bp") -> MemoryUpdate:
    return [u for u in talk.updates("pattern") if u.key == key][-1]


def overdue(talk: Talk) -> list[MemoryUpdate]:
    return [u for u in talk.updates("pattern") if u.reason.rule == "overdue"]


@LANGUAGES
async def test_c5_c11_usually_at_eight_and_now_half_past_is_said_once(models: Models, language: str) -> None:
    talk = talk_of(models)
    next_day = await two_weeks(talk, language)
    result = habit(talk)
    assert (result.state, result.sealed.value["time"], result.sealed.value["support"]) == ("active", "08:00", 14)
    assert result.sealed.value["weekdays"] == [1, 2, 3, 4, 5, 6, 7]
    assert float(result.confidence) == result.sealed.value["confidence"] == 0.875, "14 / (14 + 0 + 2)"
    assert result.source == "inferred"
    assert 0 < len(result.sources) <= 8, "N5"
    request = compare(result.sealed.value, next_day + timedelta(hours=8, minutes=30))
    assert (request["usual"], request["now"], request["minutes_late"]) == ("08:00", "08:30", 30)
    assert (request["overdue"], request["done_today"]) == (True, False)

    await talk.until(next_day + timedelta(hours=8, minutes=5))
    assert overdue(talk) == [], "not yet"
    await talk.until(next_day + timedelta(hours=8, minutes=30))
    [statement] = overdue(talk)
    assert statement.sealed.value["overdue"] == {"date": "2026-11-16", "at": "08:30"}
    words = {"en": ("08:00", "measure blood pressure", "08:30"), "zh": ("08:00", "测量血压", "08:30")}[language]
    assert all(w in statement.sealed.text for w in words)
    await talk.until(next_day + timedelta(hours=23), timedelta(minutes=30))
    assert len(overdue(talk)) == 1, "once a day"


async def test_c5_done_that_day_is_not_overdue(models: Models) -> None:
    talk = talk_of(models)
    next_day = await two_weeks(talk)
    await measure(talk, next_day + timedelta(hours=6, minutes=30))
    await talk.until(next_day + timedelta(hours=22), timedelta(minutes=30))
    assert overdue(talk) == []
    assert habit(talk).sealed.value["last_done"] == "2026-11-16"


async def test_c5_done_after_the_reminder_clears_it(models: Models) -> None:
    talk = talk_of(models)
    next_day = await two_weeks(talk)
    await talk.until(next_day + timedelta(hours=8, minutes=30))
    await talk.say("记录血压 121/80", action="measure_bp")
    value = habit(talk).sealed.value
    assert (value["overdue"], value["last_done"]) == (None, "2026-11-16")
    assert compare(value, next_day + timedelta(hours=9))["overdue"] is False


@pytest.mark.slow
async def test_c5_a_habit_that_ends_is_reminded_of_a_few_days_and_then_let_go(models: Models) -> None:
    talk = talk_of(models)
    next_day = await two_weeks(talk)
    await talk.until(next_day + 90 * DAY, timedelta(hours=3))
    assert [u.sealed.value["overdue"]["date"] for u in overdue(talk)] == [
        (date(2026, 11, 16) + n * DAY).isoformat() for n in range(len(overdue(talk)))
    ]
    assert 3 <= len(overdue(talk)) <= 5, "14 / (14 + m + 2) falls to 0.7 at m = 4"
    last = habit(talk)
    assert (last.op, last.state, last.reason.rule) == ("delete", "deleted", "habit_ended")


@pytest.mark.parametrize(("last", "at", "late"), [
    ("2026-11-16", "2026-11-18T00:20", True), ("2026-11-16", "2026-11-18T00:05", False),
    ("2026-11-17", "2026-11-18T00:20", False), ("2026-11-18", "2026-11-18T00:20", False),
    ("2026-11-16", "2026-11-17T23:59", False), ("2026-11-16", "2026-11-18T23:55", False),
])  # fmt: skip
def test_c5_what_is_due_past_midnight_is_overdue_then_as_the_tick_says(last: str, at: str, late: bool) -> None:
    habit = {"time_zone": "UTC", "minute": 1430, "time": "23:50", "weekdays": [1, 2, 3, 4, 5, 6, 7],
             "due_minute": 1450, "last_done": last}  # fmt: skip
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert compare(habit, moment)["overdue"] is late
    assert compare({**habit, "weekdays": [3]}, moment)["overdue"] is False, "the night before was a Tuesday's"


@pytest.mark.slow
async def test_c5_a_habit_that_changes_is_followed(models: Models) -> None:
    talk = talk_of(models)
    evening = await two_weeks(talk) + timedelta(hours=20)
    states = []
    for n in range(14):
        await measure(talk, evening + n * DAY)
        states.append((habit(talk).sealed.value["time"], habit(talk).state))
    assert states[0] == ("08:00", "active")
    assert ("08:00", "observed") in states, "it decays before it is replaced"
    assert states[-1] == ("20:00", "active")
    assert [s for s in states if s == ("20:00", "active")] == states[-states.count(("20:00", "active")) :]


async def test_c5_the_users_zone_counts(models: Models) -> None:
    """The same instants: 08:00 in Shanghai is 00:00 UTC."""
    talk = talk_of(models)
    for n in range(6):
        await measure(talk, START.replace(hour=8) + n * DAY, time_zone="Europe/Paris")
    value = habit(talk).sealed.value
    assert (value["time"], value["time_zone"]) == ("01:00", "Europe/Paris")


async def test_c5_fewer_than_five_days_are_not_read(models: Models) -> None:
    talk = talk_of(models)
    states = []
    for n in range(5):
        await measure(talk, START.replace(hour=8) + n * DAY)
        results = [u for u in talk.updates("pattern") if u.category == "time"]
        states.append([(u.state, round(float(u.confidence), 2)) for u in results[-1:]])
    assert states == [[], [], [("observed", 0.6)], [("observed", 0.67)], [("active", 0.71)]]


async def test_c5_an_action_comes_from_the_intent_too(models: Models) -> None:
    talk = talk_of(models)
    for n in range(5):
        await talk.until(START.replace(hour=21) + n * DAY)
        await talk.say("今天的血压怎么样？", intent="QUERY_RECORDS")
    assert habit(talk, "time/QUERY_RECORDS").sealed.value["time"] == "21:00"
    assert habit(talk, "active_hours").sealed.value["hours"] == [21]


async def test_c5_c11_usual_department_doctor_appointment_time_and_phrase(models: Models) -> None:
    talk = talk_of(models)
    visits = [("心内科", "张医生")] * 3 + [("皮肤科", "李医生")] + [("心内科", "张医生")] * 4
    for n, (department, doctor) in enumerate(visits):
        await talk.until(START + n * DAY)
        at = (START.replace(hour=15) + (n + 3) * DAY).isoformat()
        await talk.say("我想预约复诊", action="book", department=department, doctor=doctor, appointment_at=at)
    assert habit(talk, "usual/department").sealed.value["value"] == "心内科"
    assert habit(talk, "usual/department").sealed.text == "常用科室：心内科"
    doctor_habit = habit(talk, "usual/doctor")
    assert (doctor_habit.sealed.value["value"], doctor_habit.sealed.value["support"]) == ("张医生", 7)
    assert 0.6 < float(doctor_habit.confidence) < 7 / 9
    assert habit(talk, "time/appointment_at").sealed.value["time"] == "15:00"
    phrase = habit(talk, "usual/phrase/book").sealed
    assert (phrase.value["value"], phrase.text) == ("我想预约复诊", "book时常说：我想预约复诊")
    await talk.until(talk.driver.now + 20 * DAY, timedelta(hours=6))
    assert not [u for u in overdue(talk) if u.key == "time/appointment_at"], "what is planned is never overdue"


async def test_c5_a_forgotten_pattern_begins_anew(models: Models) -> None:
    talk = talk_of(models)
    next_day = await two_weeks(talk)
    forget = MemoryCommand(
        tenant="acme", user_id="ann", command="forget", command_id="c1", memory_id=habit(talk).record_id,
        accepted_at=talk.driver.now,
    )  # fmt: skip
    talk.driver.pipe(topics.LEDGER, forget)
    await talk.driver.run()
    revision = habit(talk).revision
    assert habit(talk).op == "delete"
    await talk.until(next_day + timedelta(hours=12), timedelta(minutes=30))
    assert overdue(talk) == []
    for n in range(3):
        await measure(talk, next_day + (n + 1) * DAY + timedelta(hours=9))
    assert habit(talk).sealed.value["support"] == 3
    assert habit(talk).revision > revision


async def test_c5_others_turns_and_an_unknown_zone_count_for_nothing(models: Models) -> None:
    talk = talk_of(models)
    for n in range(6):
        await talk.until(START.replace(hour=8) + n * DAY)
        await talk.say("Please measure.", role="assistant", action="measure_bp")
    assert talk.updates("pattern") == []
    for n in range(6, 11):
        await talk.until(START.replace(hour=8) + n * DAY)
        await talk.say("Measured.", action="measure_bp", time_zone="Mars/Olympus")
    assert habit(talk).sealed.value["time_zone"] == "Asia/Shanghai"


async def test_c5_the_state_of_a_user_is_bounded(models: Models) -> None:
    talk = talk_of(models)
    for n in range(30):
        talk.driver.advance(timedelta(minutes=1))
        await talk.say("Go.", action=f"action-{n}", department=f"d-{n}")
    assert isinstance(talk.driver.store, MemoryStateStore)
    tables = [t for (step, _), t in talk.driver.store.rows.items() if step == "gate"]
    names = [key for table in tables for rows in table.values() for key in rows]
    assert sum(n.startswith("h/t/") for n in names) == 20
    assert sum(n.startswith("h/u/") for n in names) <= 24


async def test_c5_a_restart_changes_nothing(models: Models) -> None:
    """N2: rows read again decide as the cache does."""
    results = []
    for restart in (False, True):
        talk = talk_of(models)
        for n in range(6):
            await measure(talk, START.replace(hour=8) + n * DAY)
            if restart:
                talk.driver.restart(rewind=2)
        await talk.until(START.replace(hour=9) + 6 * DAY, timedelta(minutes=30))
        # What a restart delivers again is the same again: readers drop it by revision.
        results.append({(u.key, u.revision): (u.sealed, u.confidence) for u in talk.updates("pattern")})
    assert results[0] == results[1]
    assert any(v.value.get("overdue") for v, _ in results[0].values())


# The pure parts.

TODAY = date(2026, 11, 30).toordinal()


def daily(minute: int, days: int = 14, last: int = TODAY) -> list[Occurrence]:
    return [(last - n, minute) for n in range(days)]


def test_c5_midnight_is_no_seam() -> None:
    """23:50 and 00:10 are twenty minutes apart."""
    sample = [(TODAY - n, 1430 if n % 2 else 10) for n in range(10)]
    found = timing(sample, TODAY)
    assert found is not None
    assert found.minute in (0, 1435, 5)
    assert found.support == 10
    assert found.spread <= 11


def test_c5_no_habit_in_what_happens_at_any_time() -> None:
    found = timing([(TODAY - n, (n * 457) % 1440) for n in range(40)], TODAY)
    assert found is None or found.confidence < 0.3
    busy = timing([(TODAY - n, m) for n in range(4) for m in range(30, 1440, 120)], TODAY)
    assert busy is not None
    assert busy.confidence < 0.5, "twelve times a day hits any hour"


def test_c5_a_weekly_habit_is_expected_on_its_weekday_alone() -> None:
    sample = [(TODAY - 7 * n, 600) for n in range(8)]
    found = timing(kept(sample, TODAY), TODAY)
    assert found is not None
    assert (found.weekdays, found.missed) == ((date.fromordinal(TODAY).isoweekday(),), 0)
    day, when = next_due(found, TODAY, "UTC", datetime(2026, 11, 30, 12, tzinfo=UTC)) or (0, None)
    assert (day, when) == (TODAY + 7, datetime(2026, 12, 7, 10, 20, tzinfo=UTC))


def test_c5_four_weeks_on_one_weekday_are_read() -> None:
    """That the days are all the same weekday is evidence, too: of four in a row it is none."""
    weekly = timing([(TODAY - 7 * n, 900) for n in range(4)], TODAY)
    daily_for_four = timing(daily(900, days=4), TODAY)
    assert weekly is not None
    assert daily_for_four is not None
    assert weekly.confidence > 0.7 > daily_for_four.confidence


def test_c5_a_time_near_a_quarter_of_an_hour_is_that_quarter() -> None:
    around = [timing([(TODAY - 7 * n, minute) for n in range(4)], TODAY) for minute in (904, 908, 896)]
    assert [t.minute for t in around if t] == [900, 910, 900]


def test_c5_missed_days_cost_confidence() -> None:
    last = [timing(daily(480, last=TODAY - removed), TODAY) for removed in (0, 1, 3, 6)]
    assert [t.missed for t in last if t] == [0, 0, 2, 5], "today is not over"
    scores = [t.confidence for t in last if t]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[2] > scores[3]


def test_c5_old_occurrences_are_left_out() -> None:
    assert kept([(TODAY - 60, 1), (TODAY - 59, 2), (TODAY + 2, 3)], TODAY) == [(TODAY - 59, 2)]
    assert len(kept([(TODAY, m) for m in range(100)], TODAY)) == 48


def test_c5_usual_values_follow_what_is_new() -> None:
    assert usual(["a", "a"]) is None
    assert (usual(["a"] * 20 + ["b"] * 14) or usual([])).value == "b"  # type: ignore[union-attr]
    first = usual(["a", "a", "a"])
    assert first is not None
    assert first.confidence == 0.6667, "3 / (3 + 1.5)"
    four = usual(["a"] * 4)
    assert four is not None
    assert four.confidence > 0.7, "four of four are read"


def test_c5_a_phrasing_counts_with_those_that_are_a_part_of_it() -> None:
    phrases = ["log my bp", "log bp", "log my bp", "bp log it", "log my bp", "log"]
    found = usual(phrases, worded=True)
    assert found is not None
    assert (found.value, found.support) == ("log my bp", 5)
    apart = usual(phrases)
    assert apart is not None
    assert (apart.support, apart.confidence < found.confidence) == (3, True)


def test_c5_active_hours_are_those_of_most_days() -> None:
    found = active_hours([(n, 1 << 20 | (1 << 9 if n % 4 == 0 else 0)) for n in range(8)])
    assert found is not None
    assert (found.hours, found.support, found.confidence) == ((20,), 8, 0.8)
    assert active_hours([(1, 1), (2, 1)]) is None


async def test_c5_an_action_may_have_several_usual_times_each_with_its_own_pattern(models: Models) -> None:
    talk, midnight = talk_of(models), START.replace(hour=0)
    for n in range(14):
        for hour in (8, 20):
            await talk.until(midnight + n * DAY + timedelta(hours=hour))
            await talk.say("记录血压 128/82", action="measure_bp")
    newest = {u.key: u for u in talk.updates("pattern") if u.category == "time"}
    assert {k: (u.sealed.value["time"], u.state) for k, u in newest.items()} == {
        "time/measure_bp": ("08:00", "active"), "time/measure_bp/2": ("20:00", "active"),
    }  # fmt: skip
    for n in range(14, 34):  # the evening is given up
        await talk.until(midnight + n * DAY + timedelta(hours=8))
        await talk.say("记录血压 128/82", action="measure_bp")
    assert habit(talk, "time/measure_bp/2").state != "active"
    assert (habit(talk).sealed.value["time"], habit(talk).state) == ("08:00", "active")
