"""Habits (C5): usual times of an action, usual values, active hours. Pure; times are local to the user.

**Time of an action.** Sample: at most `SAMPLE` occurrences of the last `WINDOW_DAYS` days. A day on which the action
was done weighs `2 ** -(newer such days / HALF_LIFE)`, so a habit that changes is forgotten after a week or two of doing
otherwise. The centre is the weighted circular mean (atan2 of mean sine and cosine) of the occurrences within `REACH`
minutes of the occurrence that has most weight around it; spread is the circular standard deviation
`sqrt(-2 ln R)` there, in minutes.

- support n = days with an occurrence within `REACH` of the centre; below `MIN_SUPPORT` there is no habit
- share s = their weight / the weight of all days with an occurrence
- chance c = 1 - (1 - window / day) ** k: the share of someone who does it k times a day at any time
- missed m = days since the last on which it was expected and not done
- prior p = 2, or 1.5 where all n days are the same weekday: that they are is evidence, too
- **confidence = max(0, (s - c) / (1 - c)) * (1 - c ** n) * n / (n + m + p)**; c ** n is the chance of n days by luck:
  next to nothing at one occurrence a day

Read above 0.7, as every inferred memory (D4): five days at the same time are 0.71, four weeks on the same weekday 0.73.
A weekday is expected when
`(done on it + rate) / (such dates + 1)` is at least one half over the `RECENT_DAYS` days up to the last occurrence,
where rate is the share of all those days on which it was done: a new habit is taken for daily until its weekdays say
otherwise.

**Usual value** (and phrasing). Sample: the last `SAMPLE` values, each weighing `2 ** -(newer values / USUAL_HALF)`;
confidence = share * n / (n + 1.5), n its count, `MIN_SUPPORT` at least: four of four are 0.73. A phrasing counts with
those that are a part of it or that it is a part of ("log bp" with "log my bp"). **Active hours.** Hours in which the
user spoke on at least half of the last `RECENT_DAYS` active days; confidence = the largest such share * n / (n + 2).

Circular statistics: Mardia and Jupp, Directional Statistics, 2000, ch. 2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from schemas.base import JsonValue

Occurrence = tuple[int, int]
"""Local day as a proleptic ordinal, minute of that day."""
SAMPLE = 48
WINDOW_DAYS = 60
RECENT_DAYS = 28
HALF_LIFE = 5.0
USUAL_HALF = 10.0
REACH = 75
MIN_SUPPORT = 3
PRIOR, SURER_PRIOR = 2.0, 1.5
"""Days, or values, that say otherwise and are counted before any is seen."""
MOST_TIMES = 3
"""Usual times of one action (morning, noon and evening)."""
TIMES = frozenset({"time_zone", "minute", "time", "weekdays", "due_minute"})
"""What `compare` needs of a time habit's value."""
_DAY = 1440
_GRACE = (20, 120)
"""Least and most minutes after the usual time before a habit is overdue; between them, twice its spread."""


@dataclass(frozen=True, slots=True)
class Timing:
    """`minute` of the day: the quarter of an hour within five minutes, else to the nearest five;
    `weekdays` ISO 1 to 7; `due` minutes after midnight, may pass 1440."""

    minute: int
    spread: int
    support: int
    missed: int
    confidence: float
    weekdays: tuple[int, ...]
    due: int


@dataclass(frozen=True, slots=True)
class Usual:
    value: str
    support: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Hours:
    hours: tuple[int, ...]
    support: int
    confidence: float


def local(when: datetime, zone: str) -> Occurrence:
    there = when.astimezone(ZoneInfo(zone))
    return there.toordinal(), there.hour * 60 + there.minute


def kept(sample: Sequence[Occurrence], today: int) -> list[Occurrence]:
    """What counts of a sample today, oldest first."""
    return sorted(o for o in sample if today - WINDOW_DAYS < o[0] <= today + 1)[-SAMPLE:]


def timing(sample: Sequence[Occurrence], today: int) -> Timing | None:
    """The strongest habit in a sample as `kept` leaves it; None where there is none."""
    return next(iter(timings(sample, today)), None)


def timings(sample: Sequence[Occurrence], today: int) -> list[Timing]:
    """Up to `MOST_TIMES` usual times of day of one action, the strongest first: each is looked for in what the ones
    before it leave, and must stand `REACH` apart from them."""
    out: list[Timing] = []
    rest = list(sample)
    while rest and len(out) < MOST_TIMES:
        found = _timing(rest, sample, today)
        if found is None:
            break
        out.append(found)
        rest = [o for o in rest if apart(o[1], found.minute) > 2 * REACH]
    return out


def _timing(rest: Sequence[Occurrence], sample: Sequence[Occurrence], today: int) -> Timing | None:
    """The habit in `rest`; its share and chance are those of all days and occurrences of the sample."""
    days = sorted({d for d, _ in sample}, reverse=True)
    weight = {d: 2.0 ** -(i / HALF_LIFE) for i, d in enumerate(days)}
    centre = _centre(rest, weight)
    near = [(d, m) for d, m in rest if apart(m, centre) <= REACH]
    mean, spread = _circular([(m, weight[d]) for d, m in near])
    done = {d for d, _ in near}
    if len(done) < MIN_SUPPORT:
        return None
    share = sum(weight[d] for d in done) / sum(weight.values())
    chance = 1 - (1 - 2 * REACH / _DAY) ** (len(sample) / len(days))
    weekdays = _weekdays(done, days[0] + 1)
    missed = sum(1 for d in range(days[0] + 1, today) if _iso(d) in weekdays)
    regular = max(0.0, (share - chance) / (1 - chance)) * (1 - chance ** len(done))
    prior = SURER_PRIOR if len({_iso(d) for d in done}) == 1 else PRIOR
    confidence = regular * len(done) / (len(done) + missed + prior)
    quarter = round(mean / 15) * 15
    minute = (quarter if abs(mean - quarter) < 5 else round(mean / 5) * 5) % _DAY
    due = minute + min(_GRACE[1], max(_GRACE[0], 2 * spread))
    return Timing(minute, spread, len(done), missed, round(confidence, 4), weekdays, due)


def _centre(sample: Sequence[Occurrence], weight: Mapping[int, float]) -> int:
    """The occurrence with most weight around it, the newest of equals."""

    def around(o: Occurrence) -> tuple[float, Occurrence]:
        days = {d for d, m in sample if apart(m, o[1]) <= REACH}
        return round(sum(weight[d] for d in days), 9), o

    return max(sample, key=around)[1]


def apart(a: float, b: float) -> float:
    """Minutes between two times of day, the short way round."""
    gap = abs(a - b) % _DAY
    return min(gap, _DAY - gap)


def _circular(weighted: Sequence[tuple[int, float]]) -> tuple[float, int]:
    """Mean direction and circular standard deviation, both in minutes of a day."""
    total = sum(w for _, w in weighted)
    sine = sum(w * math.sin(2 * math.pi * m / _DAY) for m, w in weighted) / total
    cosine = sum(w * math.cos(2 * math.pi * m / _DAY) for m, w in weighted) / total
    length = min(1.0, math.hypot(sine, cosine))
    mean = math.atan2(sine, cosine) / (2 * math.pi) * _DAY % _DAY
    return mean, round(math.sqrt(max(0.0, -2 * math.log(length))) / (2 * math.pi) * _DAY)


def _weekdays(done: set[int], end: int) -> tuple[int, ...]:
    """ISO weekdays on which it is expected, from the days before `end`."""
    dates = range(max(min(done), end - RECENT_DAYS), end)
    rate = sum(d in done for d in dates) / len(dates)
    out = []
    for weekday in range(1, 8):
        such = [d for d in dates if _iso(d) == weekday]
        if (sum(d in done for d in such) + rate) / (len(such) + 1) >= 0.5:
            out.append(weekday)
    return tuple(out)


def _iso(day: int) -> int:
    return date.fromordinal(day).isoweekday()


def next_due(t: Timing, last_done: int, zone: str, after: datetime) -> tuple[int, datetime] | None:
    """The next expected day not yet done, and when the habit is overdue on it (UTC, later than `after`)."""
    today = after.astimezone(ZoneInfo(zone)).toordinal()
    for day in range(today - 1, today + 8):
        if day > last_done and _iso(day) in t.weekdays:
            midnight = datetime.combine(date.fromordinal(day), time(), ZoneInfo(zone))
            when = (midnight + timedelta(minutes=t.due)).astimezone(UTC)
            if when > after:
                return day, when
    return None


def usual(values: Sequence[str], *, worded: bool = False) -> Usual | None:
    """The value that is usual in a sample, oldest first. `worded`: the values are words of one action."""
    if not values:
        return None
    weights: dict[str, float] = defaultdict(float)
    for age, value in enumerate(reversed(values)):
        weights[value] += 2.0 ** -(age / USUAL_HALF)
    best = max(weights, key=lambda v: (weights[v], v))
    alike = {v for v in weights if v == best or (worded and _is_part(v, best))}
    if values.count(best) < MIN_SUPPORT:
        return None
    n = sum(v in alike for v in values)
    share = sum(weights[v] for v in alike) / sum(weights.values())
    return Usual(best, n, round(share * n / (n + SURER_PRIOR), 4))


def _is_part(one: str, other: str) -> bool:
    """Are the words of one, in their order, among those of the other?"""
    shorter, longer = sorted((one.split(), other.split()), key=len)
    rest = iter(longer)
    return all(word in rest for word in shorter)


def active_hours(days: Sequence[tuple[int, int]]) -> Hours | None:
    """Usual hours of (day, bit mask of its hours) pairs."""
    n = len(days)
    if n < MIN_SUPPORT:
        return None
    shares = [sum(mask >> hour & 1 for _, mask in days) / n for hour in range(24)]
    hours = tuple(h for h, s in enumerate(shares) if s >= 0.5)
    return Hours(hours, n, round(max(shares) * n / (n + 2), 4)) if hours else None


def clock(minute: int) -> str:
    return f"{minute // 60 % 24:02}:{minute % 60:02}"


def compare(habit: Mapping[str, JsonValue], at: datetime) -> dict[str, JsonValue]:
    """"Usually at 08:00, now 08:30": where a moment lies to a time habit (the value of its record).

    `minutes_late` is negative before the usual time (between -720 and 720); `overdue` when it is expected
    that day (where it is due past midnight: the day before), past due and not done.
    """
    zone = str(habit["time_zone"])
    there = at.astimezone(ZoneInfo(zone))
    now = there.hour * 60 + there.minute
    late = (now - int(habit["minute"]) + _DAY // 2) % _DAY - _DAY // 2
    today = there.date()
    done = habit.get("last_done") == today.isoformat()
    expected = there.isoweekday() in habit["weekdays"]
    due = int(habit["due_minute"])
    overdue = expected and not done and now >= due
    if late > 0 and now < int(habit["minute"]) and now + _DAY >= due >= _DAY:  # the day before is meant
        before = today - timedelta(days=1)
        missed = not done and habit.get("last_done") != before.isoformat()
        overdue = missed and before.isoweekday() in habit["weekdays"]
    return {
        "usual": habit["time"], "now": clock(now), "minutes_late": late, "usual_now": abs(late) <= REACH,
        "expected_today": expected, "done_today": done,
        "overdue": overdue,
    }  # fmt: skip
