"""Where the project step keeps a project's weeks, and which of them have something to write (A6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple

from processors.project.rollup import bounds, week_of, weeks_of
from processors.project.rows import (
    DUE_WEEKS,
    DUE_WEEKS_OWNER,
    HOT,
    LATE_TURNS,
    REPORT,
    STATEMENTS,
    TEXTS,
    WEEK,
    DueWeek,
    HotName,
)
from processors.step import Reads, StateSpace
from schemas.events.documents import TurnDigest
from schemas.log.owner import Owner
from schemas.profile.model import Profile

A_TICK = 8
"""Weeks closed by one tick of a partition: about half a second of encoder each, at most."""
DUE = DUE_WEEKS_OWNER
"""Partition-wide rows: one a week that has something to write, so that a tick finds it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A week of a project."""

    owner: Owner
    monday: date

    @property
    def key(self) -> str:
        return f"{self.owner.key}|{self.monday.isoformat()}"

    def next(self, weeks: int = 1) -> Place:
        return Place(self.owner, self.monday + timedelta(weeks=weeks))


def places_of(d: TurnDigest, profile: Profile) -> list[Place]:
    """The week that counts a turn; of one that is told anew also the one that did if the zone was another then."""
    now = week_of(d.turn.occurred_at, profile.zone_of(d.owner.id))
    return [Place(d.owner, m) for m in dict.fromkeys((now, *(weeks_of(d.turn.occurred_at) if d.restated else ())))]


def held(owner: Owner, at: datetime, profile: Profile) -> list[Place]:
    """Weeks of a project whose state may stand."""
    monday = week_of(at, profile.zone_of(owner.id))
    back = int(profile.retention.aggregates_days) // 7 + 3
    return [Place(owner, monday + timedelta(weeks=n)) for n in range(-back, 2)]


def place_of(d: TurnDigest, profile: Profile, state: StateSpace) -> Place:
    """A turn that is told anew stays in the week that holds it."""
    places = places_of(d, profile)
    return next((p for p in places if _holds(p, d.turn.turn_id, state)), places[0])


def _holds(place: Place, turn_id: str, state: StateSpace) -> bool:
    rows = state.of(place.key)
    return turn_id in rows.table(TEXTS) or turn_id in rows.table(STATEMENTS)


def reads_of_turn(d: TurnDigest, profile: Profile) -> tuple[Reads, ...]:
    name = d.turn.turn_id
    places = places_of(d, profile)
    return (
        *(Reads(p.key, (WEEK.key, TEXTS.key(name), STATEMENTS.key(name))) for p in places),
        *(Reads(DUE, (p.key,)) for p in places),
        Reads(d.owner.key, (LATE_TURNS.key,)),
    )


def reads_of_command(owner: Owner, at: datetime, profile: Profile) -> tuple[Reads, ...]:
    place = Place(owner, week_of(at, profile.zone_of(owner.id)))
    return *reads_of_report(place, profile), Reads(DUE, (place.key,))


def reads_of_report(place: Place, profile: Profile) -> tuple[Reads, ...]:
    """What writing a week's report looks at: the week, the report of the one before, and what shares are made of."""
    parts = {name for key in profile.hot_keys for name in key.ratio_of}
    hot = tuple(HOT.key(HotName(k.type, k.key).name) for k in profile.hot_keys if k.key in parts)
    return Reads(place.key), Reads(place.next(-1).key, (REPORT.key,)), *([Reads(place.owner.key, hot)] if hot else [])


def reads_of_tick() -> tuple[Reads, ...]:
    return (Reads(DUE),)


def due(now: datetime, state: StateSpace) -> list[Place]:
    """Weeks that have something to write, the longest due first."""
    ready = sorted(row for _, row in state.of(DUE).table(DUE_WEEKS).items() if row.due_at <= now)
    return [Place(Owner.parse(row.owner), row.monday) for row in ready[:A_TICK]]


def note_due(place: Place, when: datetime, state: StateSpace) -> None:
    state.of(DUE).table(DUE_WEEKS).put(place.key, DueWeek(when, place.owner.key, place.monday))


class Span(NamedTuple):
    """A week's start and end in the zone in force, and when what is kept of it goes."""

    start: datetime
    end: datetime
    ends_at: datetime


def span(place: Place, profile: Profile) -> Span:
    start, end = bounds(place.monday, profile.zone_of(place.owner.id))
    return Span(start, end, end + timedelta(days=profile.retention.aggregates_days))
