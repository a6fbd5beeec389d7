"""Retention by class (C8): records of a user end by ticks, by way of the log, so that a replay does not restore them.

A record's class is its namespace (store items, rows, feedback, patterns) or its kind; the profile gives each class its
days (none: until the account goes) and whether it is deleted or archived. Days count from `known_at`, the last time
that its value changed; its earlier values go with it. Store items with a time to live end the same way.

Deleted: every version gets a marker without content. Archived: the newest version once more with state `archived`,
which Postgres moves out of the memory view into the archive (schemas/sql/archive.sql), readable only by asking for
that state; `expires_at` says when it ended. The versions before it get markers.

What is observed only for its reading ends `UNSAID` after it was said, unless something lifts it before.

Hot memory that came from what ends follows (processors.project.user_memories); weekly reports have their own retention.

A class whose days change ends what is written from then on; what stands follows by amendments of a `redate`
(memstream.reprocess.redate), one a version, each with the end that it had and the one that it has now.

State, partition-wide: a row a record and the day on which it may end, in a list a day; on that day a tick opens the
day's list into the list of what is due. A tick ends at most `A_TICK` records of a partition, the next one goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from processors.memory.emit import because, deleted, plain_decision, update
from processors.memory.items import lives_until
from processors.memory.low_readings import is_doubted
from processors.memory.project_notices import expired
from processors.memory.restate import LEARNED
from processors.memory.rules import MAX_ENDED, MAX_GONE
from processors.memory.store import UserMemoryStore
from processors.state_tables import JsonRows, Single, Table, TimeRows
from processors.step import Emit, Null, Out, Reads, StateSpace
from schemas.events.amendments import Amendment
from schemas.events.envelope import SourceTurn
from schemas.events.memory import Deletion, MemoryBody, MemoryCommand, MemoryUpdate
from schemas.log import topics
from schemas.log.owner import Owner, OwnerKind
from schemas.profile.model import Profile

A_TICK = 200
DAYS_A_TICK = 31
"""Lists that one tick opens, where the timer stood still."""
UNSAID = timedelta(days=30)
"""How long a statement with a low reading waits to be said again."""
UNSAID_RULE = "unsaid"
DUE = "@expiry"
OPENED_DAY: Single[date] = Single("day", JsonRows(date))
"""Under `DUE`: the last day whose list was moved to what is due."""
ENDS: Table[datetime] = Table("due/", TimeRows())
"""When a record ends, by `OWNER|RECORD`: under `DUE` what is due, under each later day (`_bucket`) what ends on it."""
_WAITS = "|unsaid"
"""At the end of the name of a row for a low reading, which ends before its class does: where the record is not active
by then, its history stays."""


def class_of(u: MemoryUpdate) -> str:
    return u.namespace[0] if u.namespace else u.kind


def days_of(profile: Profile, u: MemoryUpdate) -> float | None:
    classes = profile.retention.classes
    return classes.get(class_of(u), classes.get(u.kind))


def end_of(profile: Profile, u: MemoryUpdate) -> datetime | None:
    """When a record of a user ends by the days of a profile, its low reading, or its own time to live; None: with the
    account."""
    days = days_of(profile, u)
    by_class = None if days is None else u.known_at + timedelta(days=days)
    own = lives_until(u) if u.kind == "item" and u.extractor == "command" else None
    unsaid = u.known_at + UNSAID if is_doubted(u) else None
    return min((end for end in (by_class, own, unsaid) if end is not None), default=None)


def reads_of_redate(a: Amendment) -> tuple[Reads, ...]:
    """The lists that the record leaves and that it is put on."""
    days = sorted({t.date() for t in (a.was, a.until) if t is not None})
    return Reads(DUE, (OPENED_DAY.key,)), *(Reads(_bucket(d), ()) for d in days)


def reads_of(
    profile: Profile, at: datetime, command: MemoryCommand | None = None, *, doubted: bool = False
) -> tuple[Reads, ...]:
    """The lists that records of an event may be put on: nothing of them is loaded but the day that is open. `doubted`:
    it says something whose reading is too low."""
    days = {at + timedelta(days=d) for d in profile.retention.classes.values()}
    if command is not None and command.ttl_minutes is not None:
        days.add(at + timedelta(minutes=command.ttl_minutes))
    days |= {at + UNSAID} if doubted else set()
    if not days:
        return ()
    return Reads(DUE, (OPENED_DAY.key,)), *(Reads(_bucket(d.date()), ()) for d in sorted(days))


def reads_of_tick() -> tuple[Reads, ...]:
    return (Reads(DUE),)


def then_reads_of_tick(now: datetime, state: StateSpace) -> tuple[Reads, ...]:
    days = tuple(Reads(_bucket(d)) for d in _to_open(now, state))
    return *days, *(Reads(owner.key) for owner, _, _ in due(now, state))


def due(now: datetime, state: StateSpace) -> list[tuple[Owner, str, str]]:
    """(owner, record id, name in the list) of what is due, the longest due first."""
    ready = [(at, name) for name, at in state.of(DUE).table(ENDS).items() if at <= now]
    out = []
    for _, name in sorted(ready)[:A_TICK]:
        place, _, record = name.removesuffix(_WAITS).partition("|")
        out.append((Owner.parse(place), record, name))
    return out


def open_days(now: datetime, state: StateSpace) -> None:
    """Move the lists of days that have come into the list of what is due."""
    open_ = state.of(DUE)
    for day in _to_open(now, state):
        ends, due_ends = state.of(_bucket(day)).table(ENDS), open_.table(ENDS)
        for name, at in ends.items():
            due_ends.put(name, at)
            ends.delete(name)
        open_.single(OPENED_DAY).put(day)


def _to_open(now: datetime, state: StateSpace) -> list[date]:
    opened = state.of(DUE).single(OPENED_DAY).get()
    if opened is None:
        return []
    first = opened + timedelta(days=1)
    return [first + timedelta(days=n) for n in range(min(DAYS_A_TICK, (now.date() - first).days + 1))]


def _bucket(day: date) -> str:
    return f"{DUE}/{day.isoformat()}"


class Retention:
    """Records of one user."""

    def __init__(self, owner: Owner, store: UserMemoryStore, profile: Profile, state: StateSpace) -> None:
        self._owner = owner
        self._store = store
        self._profile = profile
        self._state = state

    def dated(self, outs: Iterable[Emit], at: datetime) -> list[Emit]:
        """The same outputs, with the end of each record that has one, and those records put on their day's list."""
        out: list[Emit] = []
        for emit in outs:
            u = emit.event
            if isinstance(u, MemoryUpdate) and u.owner == self._owner and u.op == "upsert" and u.state != "archived":
                u = self._dated(u)
                if u.expires_at is not None:
                    self._list(u, at)
                emit = Emit(emit.topic, u)
            out.append(emit)
        return out

    def _dated(self, u: MemoryUpdate) -> MemoryUpdate:
        was_doubted = u.kind in LEARNED and u.expires_at is not None
        if days_of(self._profile, u) is None and not is_doubted(u) and not was_doubted:
            return u
        end = end_of(self._profile, u)
        if end == u.expires_at:
            return u
        dated = u.model_copy(update={"expires_at": end})
        existing = self._store.get(u.record_id)
        if existing is not None and existing.revision == u.revision:
            self._store.put(dated, self._store.features(u.record_id))
        return dated

    def _list(self, u: MemoryUpdate, at: datetime) -> None:
        assert u.expires_at is not None  # noqa: S101 - the caller asked
        open_ = self._state.of(DUE)
        opened = open_.single(OPENED_DAY).get()
        if opened is None:
            opened = at.date()
            open_.single(OPENED_DAY).put(opened)
        day = u.expires_at.date()
        # A day that was opened is not opened again.
        rows = open_ if day <= opened else self._state.of(_bucket(day))
        waits = _WAITS if is_doubted(u) and u.expires_at == u.known_at + UNSAID else ""
        rows.table(ENDS).put(f"{self._owner.key}|{u.record_id}{waits}", u.expires_at)

    def redated(self, outs: Iterable[Out], was: datetime | None, at: datetime) -> list[Out]:
        """The outputs of a redate: the record is taken off the list of the day that it `was` to end on, and put on that
        of its new one. A version before the one that stands, or stood last, ends with that."""
        out = list(outs)
        for u in (e.event for e in out if isinstance(e, Emit)):
            last = self._last(u) if isinstance(u, MemoryUpdate) else None
            if last is None:
                continue
            for rows in [self._state.of(DUE), *([] if was is None else [self._state.of(_bucket(was.date()))])]:
                for waits in ("", _WAITS):
                    rows.table(ENDS).delete(f"{self._owner.key}|{last.record_id}{waits}")
            if last.expires_at is not None:
                self._list(last, at)
        return out

    def _last(self, u: MemoryUpdate) -> MemoryUpdate | None:
        """The version whose end is the record's; None where that is one that stands no more, and not this one."""
        if (existing := self._store.get(u.record_id)) is not None:
            return existing
        tail = self._store.tail(u.record_id)
        return u if tail is not None and tail.version == u.version else None

    def end(self, record_id: str, name: str, now: datetime) -> list[Emit]:
        """A record whose day has come: it ends, or is left alone where its value has changed since."""
        self._state.of(DUE).table(ENDS).delete(name)
        u = self._store.get(record_id)
        if u is None and name.endswith(_WAITS):
            return []
        if u is None:
            return [*self._end_history(record_id, now, "expired"), *self._left_projects(record_id, None, now)]
        if u.expires_at is None or u.expires_at > now:
            return []  # it was put on the list of its new day when its value changed
        rule = UNSAID_RULE if is_doubted(u) else "expired"
        outs = retired(self._owner, self._store, self._profile, u, rule, now)
        return [*outs, *self._left_projects(record_id, u, now)]

    def _left_projects(self, record_id: str, u: MemoryUpdate | None, now: datetime) -> list[Emit]:
        """Hot memory shows what it no longer is (A5)."""
        return expired(self._owner, self._store, record_id, u, now)

    def trimmed(self, now: datetime) -> list[Out]:
        """What ended longest ago leaves where too much has: first the views, and after as many more deletions the log's
        keys and the state."""
        out: list[Out] = []
        for name in self._store.tails.beyond("ended", MAX_ENDED):
            ended = self._end_history(name, now, "made_room")
            out += ended
            if ended:
                out += self._left_projects(name, None, now)
            if not ended:  # it stands again, and has its numbers there
                self._store.forget_tails([name])
        tails = self._store.tails.beyond("gone", MAX_GONE)
        for name in tails:
            tail = self._store.tail(name)
            versions = range(min(1, tail.version), tail.version + 1) if tail is not None else ()
            out += [Null(topics.UPDATES, self._owner, f"{name}/{v}".encode()) for v in versions]
        if tails:
            self._store.forget_tails(tails)
        return out

    def _end_history(self, record_id: str, now: datetime, rule: str) -> list[Emit]:
        """A record that the gate holds no value of (kept feedback, what was retired before), but the views do."""
        tail = self._store.tail(record_id)
        if tail is None:
            return []
        version, revision, kind = tail.version, tail.revision, tail.kind
        reason = because("retired", "retention", rule)
        last = Deletion(
            tenant=self._owner.tenant, owner_kind=OwnerKind.USER, owner_id=self._owner.id, record_id=record_id,
            version=version, revision=revision, kind=kind, state="deleted", reason=reason,
            user_id=self._owner.id, occurred_at=now, known_at=now, last_accessed_at=now,
        )  # fmt: skip
        markers = _markers(last, reason)
        self._store.remove(markers[-1])
        decided = plain_decision(self._owner, f"retention/{record_id}/{revision}", kind, reason, markers[-1], now)
        return [*map(update, markers), decided]


def retired(
    owner: Owner, store: UserMemoryStore, profile: Profile, u: MemoryUpdate, rule: str, now: datetime,
    turn: SourceTurn | None = None,
) -> list[Emit]:  # fmt: skip
    """A standing record ends as its class says: deleted, or archived (`rule` is that of a deletion but for expiry).
    `turn`: whose outcome tells it."""
    mode = profile.retention.on_expiry.get(class_of(u), "delete")
    if mode == "archive" and not (u.kind == "item" and u.extractor == "table"):
        reason = because("retired", "retention", "archived" if rule == "expired" else rule)
        earlier = _markers(u, reason, u.version)
        moved = {"revision": u.revision + 1 + len(earlier), "state": "archived", "reason": reason}
        deletions: Sequence[MemoryUpdate] = [*earlier, u.model_copy(update=moved)]
    else:
        reason = because("retired", "retention", rule)
        deletions = _markers(u, reason)
    store.remove(deletions[-1])
    decided = plain_decision(owner, f"retention/{u.record_id}/{u.revision}", u.kind, reason, deletions[-1], now, turn)
    return [*map(update, deletions), decided]


def _markers(u: MemoryUpdate, reason: object, before: int | None = None) -> Sequence[Deletion]:
    """Every version of a record (those before one), without content; revisions go on, so that no redelivery comes
    between."""
    out: list[Deletion] = []
    for n, version in enumerate(range(min(1, u.version), u.version + 1 if before is None else before)):
        marker = deleted(
            u, version=version, revision=u.revision + 1 + n, reason=reason, sealed=MemoryBody(), sources=(),
            conflicts_with=(), expires_at=None,
        )  # fmt: skip
        out.append(marker)
    return out
