"""Habits of a user in the gate (C5): what is counted of a turn, when a pattern is told, and what is overdue.

State of a user, beside the pattern records: at most `ACTIONS` actions (the one unused for longest leaves) of 48
occurrences and 8 citations, `KEYS` usual keys of 48 values of at most 100 characters, and 28 days of active hours:
below 150 KB whatever is sent, a few KB in use. A partition-wide row an action with a habit says when it is due.

A pattern is told at most once a local day, and at once when it becomes readable or stops being so. A pattern that the
user forgets begins anew from what comes after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Literal

from processors.memory.emit import because, changed, deleted, sources, update
from processors.memory.habits import metadata, wording
from processors.memory.habits.appointment_times import SLOT
from processors.memory.habits.patterns import (
    RECENT_DAYS,
    SAMPLE,
    Timing,
    active_hours,
    clock,
    kept,
    local,
    next_due,
    timings,
    usual,
)
from processors.memory.habits.rows import (
    DUE_OWNER,
    DUE_TIMES,
    HOURS,
    TIMES,
    USUAL,
    ZONE,
    ActionTimes,
    UsualValues,
)
from processors.memory.habits.usual_times import first, further, last_done
from processors.memory.rules import EXPLICIT, readable
from processors.memory.store import UserMemoryStore
from processors.step import Emit, Reads, StateSpace
from schemas.base import Json
from schemas.events.envelope import SourceTurn
from schemas.events.memory import Extraction, HabitPattern, MemoryBody, MemoryUpdate, Reason
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind
from schemas.profile.model import Profile

ACTIONS = 20
KEYS = 24
CITED = 8
A_TICK = 200
"""Habits looked at by one tick of a partition."""
DUE = DUE_OWNER
_INDEX = "due"


def reads_of(turn_metadata: Mapping[str, str], times: Iterable[str]) -> tuple[Reads, ...]:
    """The due list, where a turn may change it: with its own action, or one that leaves for it."""
    return (Reads(DUE),) if metadata.ACTION in turn_metadata or any(t in turn_metadata for t in times) else ()


def due(now: datetime, state: StateSpace) -> list[tuple[Owner, str]]:
    """(owner, action) of the habits whose hour has come, the longest due first."""
    ready = sorted((at, place) for place, at in _index(state).items() if at <= now)[:A_TICK]
    return [_parsed(place) for _, place in ready]


def _index(state: StateSpace) -> dict[str, datetime]:
    rows = state.of(DUE)
    return rows.derived(_INDEX, lambda: dict(rows.table(DUE_TIMES).items()))


def forget(owner: Owner, state: StateSpace) -> None:
    """None of the user's habits is due any more (C9)."""
    index = _index(state)
    for place in [p for p in index if _parsed(p)[0] == owner]:
        del index[place]
        state.of(DUE).delete(place)


def _place(owner: Owner, name: str) -> str:
    return f"{owner.key}|{name}"


def _parsed(place: str) -> tuple[Owner, str]:
    key, _, name = place.partition("|")
    return Owner.parse(key), name


@dataclass(frozen=True, slots=True)
class Encoder:
    """Text -> search terms and unit embedding, by the model of this name."""

    encode: Callable[[str], tuple[tuple[str, ...], bytes]]
    model_id: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern as it is to be told. `name` identifies it: time/ACTION, usual/KEY, active_hours. `findable`: what a
    search finds it by; nothing where it is none's answer."""

    name: str
    kind: Literal["time", "usual", "active_hours"]
    confidence: float
    text: str
    value: dict[str, Json]
    findable: str = ""


class HabitGate:
    """Habits of one user."""

    def __init__(
        self, owner: Owner, store: UserMemoryStore, state: StateSpace, profile: Profile, now: datetime, encoder: Encoder
    ) -> None:
        self._encoder = encoder
        self._owner = owner
        self._store = store
        self._state = state
        rows = state.of(owner.key)
        self._times, self._usual = rows.table(TIMES), rows.table(USUAL)
        self._hours_row, self._zone_row = rows.single(HOURS), rows.single(ZONE)
        self._profile = profile
        self._now = now
        self._zone = self._zone_row.get() or profile.time_zone

    def turn(self, e: Extraction) -> list[Emit]:
        """Count a user's turn. Order of arrival does not matter within the window."""
        if e.role != "user" or e.refused:
            return []
        turn_metadata = e.sealed.metadata
        spec = self._profile.habits
        if (zone := turn_metadata.get(metadata.ZONE)) and zone != self._zone:
            self._zone_row.put(zone)
            self._zone = zone
        out: list[Emit] = []
        if action := turn_metadata.get(metadata.ACTION):
            out += self._done(action, e.turn.occurred_at, e)
            if phrase := turn_metadata.get(metadata.PHRASE):
                out += self._value(wording.PHRASE + action, phrase, e)
        for key in spec.times:
            if when := metadata.time_of(turn_metadata.get(key)):
                out += self._done(key, when, e, planned=True)
            if slot := turn_metadata.get(SLOT + key):
                out += self._value(wording.SLOT + key, slot, e)
                out += self._value(wording.PART + key, slot.partition(" ")[2], e)
        for key in spec.usual:
            if value := turn_metadata.get(key):
                out += self._value(key, value, e)
        return out + (self._hours(e) if spec.active_hours else [])

    def tick(self, action: str) -> list[Emit]:
        """The hour of a habit has come: overdue when it is not done that day, weaker when it was missed before."""
        name = f"time/{action}"
        row = self._times.get(action)
        old = self._store.get(self._id(name))
        if row is None or old is None:
            self._unlist(action)
            return []
        today, minute = local(self._now, self._zone)
        sample = kept(row.occurrences, today)
        found = first(timings(sample, today), row.minute)
        if found is None:
            self._times.delete(action)
            self._unlist(action)
            return [self._ended(old)]
        day = row.due_day  # what is usual shortly before midnight is overdue on the next day
        missed = sample[-1][0] < day and today - day == found.due // (24 * 60)
        late = missed and readable(_decimal(found.confidence)) and row.missed_day != day
        due_day = self._list(action, found, sample[-1][0])
        missed_day = day if late else row.missed_day
        self._times.put(action, row.model_copy(update={"due_day": due_day, "missed_day": missed_day}))
        overdue: dict[str, Json] | None = {"date": _day(day), "at": clock(minute)} if late else None
        pattern = self._time(action, found, sample[-1][0], old.language, overdue)
        reason = because("kept", "confidence", "overdue", found.confidence) if late else None
        return self._tell(pattern, old, None, reason)

    def _done(self, action: str, when: datetime, e: Extraction, *, planned: bool = False) -> list[Emit]:
        """`planned`: the time is that of something ahead, so it is never overdue."""
        name = f"time/{action}"
        old = self._store.get(self._id(name))
        row = self._times.get(action)
        if row is None or (row.told and old is None):  # forgotten by the user
            row = ActionTimes(used_at=self._now)
        today = local(self._now, self._zone)[0]
        horizon = max(today, local(when, self._zone)[0]) if planned else today
        sample = kept([*row.occurrences, local(when, self._zone)], horizon)
        cited = [*row.sources, e.turn][-CITED:]
        times = timings(sample, horizon)
        found = first(times, row.minute)
        more = further([t for t in times if t is not found], row.further)
        due_day = row.due_day
        if found is not None and not planned:
            due_day = self._list(action, found, sample[-1][0])
        row = ActionTimes(
            used_at=self._now, occurrences=tuple(sample), sources=tuple(cited), told=row.told or found is not None,
            minute=row.minute if found is None else found.minute, due_day=due_day, missed_day=row.missed_day,
            further={number: t.minute for number, t in more.items() if t is not None},
        )  # fmt: skip
        self._times.put(action, row)
        self._make_room()
        if found is None:
            return []
        out = self._tell(self._time(action, found, sample[-1][0], e.language, None), old, cited)
        return [*out, *self._others(action, more, sample, e.language, cited)]

    def _others(
        self, action: str, slots: Mapping[str, Timing | None], sample: Sequence[tuple[int, int]], language: str,
        cited: list[SourceTurn],
    ) -> list[Emit]:  # fmt: skip
        """Further usual times of an action (C5). Reminders are of the first alone."""
        out: list[Emit] = []
        for number, t in sorted(slots.items()):
            name = f"time/{action}/{number}"
            old = self._store.get(self._id(name))
            if t is not None:
                pattern = self._time(action, t, last_done(sample, t), language, None)
                out += self._tell(replace(pattern, name=name), old, cited)
            elif old is not None:
                out.append(self._ended(old))
        return out

    def _ended(self, old: MemoryUpdate) -> Emit:
        reason = because("retired", "retention", "habit_ended")
        deletion = deleted(old, revision=old.revision + 1, sealed=MemoryBody(), sources=(), reason=reason)
        self._store.remove(deletion)
        return update(deletion)

    def _value(self, key: str, value: str, e: Extraction) -> list[Emit]:
        name = f"usual/{key}"
        old = self._store.get(self._id(name))
        row = self._usual.get(key)
        if row is None and len(self._usual.names()) >= KEYS:
            return []
        if row is None or (row.told and old is None):
            row = UsualValues()
        values, cited = (*row.values, value)[-SAMPLE:], [*row.sources, e.turn][-CITED:]
        found = usual(values, worded=key.startswith(wording.PHRASE))
        reported = row.told or found is not None
        self._usual.put(key, UsualValues(values=values, sources=tuple(cited), told=reported))
        if found is None:
            return []
        text = wording.usual_text(self._profile.habits, key, found.value, e.language)
        what: dict[str, Json] = {"key": key, "value": found.value, "support": found.support}
        return self._tell(_Pattern(name, "usual", found.confidence, text, what, text), old, cited)

    def _hours(self, e: Extraction) -> list[Emit]:
        """A row is written once an hour of activity, not once a turn."""
        day, minute = local(e.turn.occurred_at, self._zone)
        days = dict(self._hours_row.get() or ())
        mask = days.get(day, 0) | 1 << minute // 60
        if days.get(day) == mask:
            return []
        days[day] = mask
        recent = sorted(days.items())[-RECENT_DAYS:]
        self._hours_row.put(tuple(recent))
        found = active_hours(recent)
        if found is None:
            return []
        text = wording.hours_text(found.hours, e.language)
        what: dict[str, Json] = {"hours": list(found.hours), "support": found.support}
        old = self._store.get(self._id("active_hours"))
        return self._tell(_Pattern("active_hours", "active_hours", found.confidence, text, what), old, [e.turn])

    def _time(
        self, action: str, t: Timing, last_done: int, language: str, overdue: dict[str, Json] | None
    ) -> _Pattern:
        usually = clock(t.minute)
        text = wording.time_text(self._profile.habits, action, usually, t.weekdays, language)
        findable = text
        if overdue:
            text = wording.overdue_text(text, str(overdue["at"]), language)
        what: dict[str, Json] = {
            "action": action, "time": usually, "minute": t.minute, "spread_minutes": t.spread,
            "weekdays": list(t.weekdays), "support": t.support, "missed": t.missed, "last_done": _day(last_done),
            "due": clock(t.due), "due_minute": t.due, "overdue": overdue,
        }  # fmt: skip
        return _Pattern(f"time/{action}", "time", t.confidence, text, what, findable)

    def _tell(
        self, p: _Pattern, old: MemoryUpdate | None, cited: list[SourceTurn] | None, reason: Reason | None = None
    ) -> list[Emit]:
        confidence = _decimal(p.confidence)
        state: Literal["active", "observed"] = "active" if readable(confidence) else "observed"
        day = _day(local(self._now, self._zone)[0])
        value: dict[str, Json] = {
            "type": p.kind, **p.value, "confidence": p.confidence, "time_zone": self._zone, "as_of": day
        }
        if old is not None and reason is None and old.state == state and isinstance(old.sealed.value, dict):
            was = old.sealed.value
            if all(was.get(k) == value.get(k) for k in ("as_of", "value", "last_done", "overdue")):
                return []
        rule = reason or because("kept" if state == "active" else "observed", "confidence", "habit", p.confidence)
        body = self._found_by(p, old).model_copy(update={"text": p.text, "value": value})
        grown = () if old is None else old.sources
        for s in cited or ():
            grown = sources(grown, s, CITED)
        fields: dict[str, object] = {
            "state": state, "reason": rule, "confidence": confidence, "sources": grown, "sealed": body,
            "known_at": self._now, "occurred_at": self._now, "last_accessed_at": self._now,
            "model_id": self._encoder.model_id if body.embedding else "",
        }  # fmt: skip
        new = changed(old, **fields) if old is not None else self._new(p, rule, state).model_copy(update=fields)
        self._store.put(new)
        return [update(new)]

    def _found_by(self, p: _Pattern, old: MemoryUpdate | None) -> MemoryBody:
        """Terms and vector of a pattern: those that it has, where it is still told so."""
        if not p.findable:
            return MemoryBody()
        if old is not None and old.model_id == self._encoder.model_id and old.sealed.embedding:
            more = old.sealed.text.partition(p.findable)  # of what is overdue it says more, behind a comma
            if more[:2] == ("", p.findable) and more[2][:1] in ("", "，", ";"):
                return MemoryBody(terms=old.sealed.terms, embedding=old.sealed.embedding)
        terms, embedding = self._encoder.encode(p.findable)
        return MemoryBody(terms=terms, embedding=embedding)

    def _new(self, p: _Pattern, reason: Reason, state: Literal["active", "observed"]) -> HabitPattern:
        name = self._id(p.name)
        language: Literal["en", "zh"] = "zh" if any("\u4e00" <= c <= "\u9fff" for c in p.text) else "en"
        return HabitPattern(
            tenant=self._owner.tenant, owner_kind=OwnerKind.USER, owner_id=self._owner.id, record_id=name,
            revision=self._store.next_numbers(name)[1], category=p.kind, key=p.name,
            namespace=("patterns", self._owner.id), user_id=self._owner.id, source="inferred", language=language,
            valid_from=self._now, extractor="habits", profile=self._profile.name, reason=reason, state=state,
            profile_version=self._profile.version, known_at=self._now, occurred_at=self._now,
            last_accessed_at=self._now,
        )  # fmt: skip

    def _id(self, name: str) -> str:
        return record_id(self._owner, "pattern", name)

    def _list(self, action: str, t: Timing, last_done: int) -> int:
        """Put the next time at which the habit is overdue on the partition's list; its local day."""
        found = next_due(t, last_done, self._zone, self._now)
        # A habit without expected weekdays left is looked at again in a week, to end it in time.
        day, when = found or (last_done, self._now + timedelta(days=7))
        place, at = _place(self._owner, action), when.astimezone(UTC)
        index = _index(self._state)
        self._state.of(DUE).table(DUE_TIMES).put(place, at)
        index[place] = at
        return day

    def _unlist(self, action: str) -> None:
        place = _place(self._owner, action)
        index = _index(self._state)
        self._state.of(DUE).delete(place)
        index.pop(place, None)

    def _make_room(self) -> None:
        if len(self._times.names()) > ACTIONS:
            oldest, _ = min(self._times.items(), key=lambda item: (item[1].used_at, item[0]))
            self._times.delete(oldest)
            self._unlist(oldest)


def _decimal(confidence: float) -> Decimal:
    return min(EXPLICIT, Decimal(str(round(confidence, 4))))


def _day(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()
