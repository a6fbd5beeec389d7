"""The daily update of a project's status (A4): figures that follow from others, once a local day. Pure.

The profile says which (`[[hot_keys]] ratio_of`): a share of two numbers of hot memory, in percent, such as progress
from what is reached and what is aimed at. A value that somebody stated that day stands. State: a row a project whose
figures changed since, in a list of the partition that ticks look at; at most `A_TICK` projects a tick.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from processors.project.rows import DUE_STATUS, DUE_STATUS_OWNER
from processors.step import Reads, StateSpace
from schemas.events.memory import MemoryUpdate
from schemas.log.owner import Owner
from schemas.profile.model import HotKey, Profile

A_TICK = 200
DUE = DUE_STATUS_OWNER
RULE = "daily_status"


def derived(profile: Profile) -> Iterable[HotKey]:
    return (k for k in profile.hot_keys if len(k.ratio_of) == 2)


READS = Reads(DUE, ())
"""The list, for an event that may change a figure."""


def note(profile: Profile, owner: Owner, key: str, at: datetime, state: StateSpace) -> None:
    """A figure changed: the next local midnight updates what follows from it."""
    if any(key in k.ratio_of for k in derived(profile)):
        zone = ZoneInfo(profile.zone_of(owner.id))
        midnight = datetime.combine(at.astimezone(zone).date() + timedelta(days=1), time(), zone)
        state.of(DUE).table(DUE_STATUS).put(owner.key, midnight.astimezone(UTC))


def again(owner: Owner, at: datetime, state: StateSpace) -> None:
    """The next tick makes them anew: what they were made from was erased."""
    state.of(DUE).table(DUE_STATUS).put(owner.key, at)


def without(profile: Profile, owner: Owner, key: str, at: datetime, state: StateSpace) -> None:
    """A figure was taken back: so is what follows from it."""
    if any(key in k.ratio_of for k in derived(profile)):
        again(owner, at, state)


def is_derived(u: MemoryUpdate) -> bool:
    """Was a standing value made here? Those of before `RULE` are told by what nobody stated and yet cites turns."""
    return u.user_id is None and (u.reason.rule == RULE or bool(u.sources))


def due(now: datetime, state: StateSpace) -> list[Owner]:
    ready = sorted((at, key) for key, at in state.of(DUE).table(DUE_STATUS).items() if at <= now)[:A_TICK]
    return [Owner.parse(key) for _, key in ready]


def ratio(parts: Iterable[object]) -> float | None:
    """Percent to one decimal; None where one of the two is no number, or the whole is none."""
    values = [v for v in parts if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(values) != 2 or values[1] <= 0:
        return None
    percent = round(100 * values[0] / values[1], 1)
    return int(percent) if percent.is_integer() else percent
