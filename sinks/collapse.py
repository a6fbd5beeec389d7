"""One record id, one row: the batch's records collapsed to the newest revision of each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from datetime import datetime

from schemas.events.documents import Access
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from sinks.protocol import Item, Tombstone

RECORD = "record"
"""First word of the identity of a record whose type an installed package brings."""


def identity(event: Event | Tombstone) -> tuple[Hashable, ...] | None:
    """What the record is, within its topic; None for what no sink writes (commands, ticks, markers)."""
    match event:
        case ScreenedTurn():
            return ("turn", event.tenant, event.user_id, event.turn_id)
        case MemoryUpdate():
            return ("memory", event.tenant, event.record_id, event.version)
        case Decision():
            return ("decision", event.tenant, event.decision_id)
        case SessionState():
            return ("session", event.tenant, event.user_id, event.session_id)
        case Checkpoint():
            return ("checkpoint", event.tenant, event.user_id, event.session_id, event.message_id)
        case Erasure():
            return ("erasure", event.subject, event.erasure_id)
        case Access():
            return ("access", event.access_id)
        case Tombstone():
            return ("tombstone", event.topic, event.owner, event.key)
        case Envelope() if event.RECORD:
            return (RECORD, getattr(event, "type", ""), event.subject)
        case _:
            return None


def revision(event: Event | Tombstone) -> int:
    """0 for what has none: the later one wins then."""
    number: int = getattr(event, "revision", 0)
    return number


def accepted_at(event: Event | Tombstone) -> datetime | None:
    """When what made the record was accepted at the door; None where the record does not say."""
    match event:
        case ScreenedTurn() | Decision() | Access():
            return event.accepted_at
        case MemoryUpdate():
            return event.known_at
        case SessionState():
            return event.updated_at
        case Checkpoint():
            return event.created_at
        case Envelope() if event.RECORD:
            when = getattr(event, "accepted_at", None)
            return when if isinstance(when, datetime) else None
        case _:
            return None


_JUDGED = frozenset({"fact", "preference", "intent", "episode", "relation"})
"""Their later revisions change what is thought of them, not what they say; of other kinds a change is a new value."""
_CURRENT_STATES = frozenset({"active", "observed"})
_BY_OPERATORS = frozenset({"pii", "retention"})


def caused_at(event: Event | Tombstone) -> datetime | None:
    """When what caused this revision was accepted, for freshness; None where the record does not say: a memory that
    ends, is masked or gets another end keeps the times at which it became known and was last said, which may be days
    ago, and a session that a tick closes that of its last turn."""
    if isinstance(event, SessionState) and event.status == "idle":
        return None
    if not isinstance(event, MemoryUpdate) or event.revision == 1 or event.kind not in _JUDGED:
        return accepted_at(event)
    renewed = event.state in _CURRENT_STATES and event.reason.gate not in _BY_OPERATORS
    return event.last_accessed_at if renewed and event.last_accessed_at > event.known_at else None


def collapse(items: Sequence[Item]) -> list[Item]:
    """At most one item a record: the highest revision, at equal revisions the later one; the others stand in its
    `older`. A tombstone gives way to a later value under its key (`runs` parts the two), and never swallows the
    deletion before it: the store removes only what is marked deleted. Order is that of the newest items."""
    newest: dict[tuple[Hashable, ...], Item] = {}
    for item in items:
        name = identity(item.event)
        if name is None:
            continue
        if not isinstance(item.event, Tombstone):
            newest.pop(_tombstone_of(item), None)
        old = newest.pop(name, None)
        newest[name] = item if old is None else _newer(old, item)
    return list(newest.values())


def runs(items: Sequence[Item]) -> list[Sequence[Item]]:
    """The items cut behind each erasure, and before a value whose tombstone stands earlier in its run. Nothing is
    collapsed over either: revisions start anew behind them (C9), and a store has to meet the tombstone first."""
    found: list[list[Item]] = [[]]
    tombstones: set[tuple[Hashable, ...]] = set()
    for item in items:
        if _tombstone_of(item) in tombstones and not isinstance(item.event, Tombstone):
            tombstones.clear()
            found.append([])
        found[-1].append(item)
        if isinstance(item.event, Erasure):
            tombstones.clear()
            found.append([])
        elif isinstance(item.event, Tombstone) and (name := identity(item.event)) is not None:
            tombstones.add(name)
    return [run for run in found if run] or [()]


def _newer(old: Item, item: Item) -> Item:
    if revision(item.event) >= revision(old.event):
        first, second = item, old
    else:
        first, second = old, item
    rest = sorted((replace(second, older=()), *first.older, *second.older), key=lambda i: -revision(i.event))
    return replace(first, older=tuple(rest))


def _tombstone_of(item: Item) -> tuple[Hashable, ...]:
    event = item.event
    owner = getattr(event, "owner", None)
    return ("tombstone", item.message.topic, owner, (item.message.key or b"").decode(errors="replace"))


def memory_of(tombstone: Tombstone) -> tuple[str, str, int] | None:
    """(tenant, record_id, version) of a tombstone of memory.updates; None when its key is no memory's."""
    record_id, _, version = tombstone.key.rpartition("/")
    if tombstone.topic != topics.UPDATES.name or not record_id or not version.isdecimal():
        return None
    return tombstone.owner.tenant, record_id, int(version)


def session_of(tombstone: Tombstone) -> tuple[str, str, str] | None:
    """(tenant, user_id, rest) of a tombstone of session.state; `rest` is `session` or `session/message`."""
    prefix = f"{tombstone.owner.key}/"
    if tombstone.topic != topics.SESSION_STATE.name or not tombstone.key.startswith(prefix):
        return None
    return tombstone.owner.tenant, tombstone.owner.id, tombstone.key.removeprefix(prefix)
