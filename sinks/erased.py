"""A sink that takes nothing back of what was erased, however late it comes (C9): out of the queue of a producer that
stood still, from an outbox that is delivered again, as a dead letter that is replayed. It lies behind the erasure in
the log, which the sink has met already. (Steps refuse theirs by the cut-off in their state, `processors.erasure.guard`,
and as redelivered.)

Known are the erasures that came along, and those that the register held when the process began. A tombstone removes
only what is marked deleted: where the eraser's null follows, a rebuild needs this as much as a store that runs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple, Protocol

from schemas.components.installed import topic_named
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.log.codec import header
from schemas.log.dead_letters import REPLAY_OF, kafka_time, source_ms
from schemas.log.owner import Owner, OwnerKind
from schemas.log.progress import Source, load_source
from schemas.log.topics import Cleanup
from sinks.collapse import accepted_at
from sinks.protocol import Item, Message, Sink, SinkBatch
from sinks.wrapper import SinkWrapper

CUTS_KEPT = 100_000
"""Erasures that a process remembers, the newest: some 40 MB, and more than come while a process stands still."""


class Cut(NamedTuple):
    """`user_id` None: of a tenant; `session_id` None: of all sessions. `done`: every step and store has had it."""

    erasure_id: str
    tenant: str
    user_id: str | None
    session_id: str | None
    accepted_at: datetime
    done: bool = False


class Erasures(Protocol):
    """The register of the erasures that there were. Every method raises Transient while it cannot be asked."""

    def newest(self, most: int) -> Sequence[Cut]:
        """So many, the oldest of them first."""
        ...

    def of(self, owners: Sequence[Owner]) -> Sequence[Cut]:
        """All of these users and their tenants."""
        ...

    def came_late(self, erasure_ids: Collection[str]) -> None:
        """A kept topic holds something again of what these took: the eraser has to null it."""
        ...


@dataclass(slots=True)
class _Known:
    """`met`: topic -> the place of the erasure among the outputs of the step that wrote it there. `projects`: bits of
    the partitions whose projects have given up what they kept of the user."""

    cut: Cut
    met: dict[str, Source] = field(default_factory=dict)
    projects: int = 0

    def takes(self, item: Item, owner: Owner, when: datetime) -> bool:
        """Of a record of its user or tenant."""
        if self.cut.session_id not in (None, getattr(item.event, "session_id", None)):
            return False
        if owner.kind is OwnerKind.USER:
            return when <= self.cut.accepted_at or _is_before(item.message, self.met.get(item.message.topic))
        # What a project writes for the erasure is a deletion, or is nobody's.
        word = isinstance(item.event, MemoryUpdate) and item.event.op != "delete"
        return word and when <= self.cut.accepted_at and bool(self.projects >> item.message.partition & 1)


class _Memory:
    """Erasures by whom they took, `most` at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._of: dict[tuple[str, str | None], list[_Known]] = {}

    def add(self, cut: Cut) -> _Known:
        known = self._known.get(cut.erasure_id)
        if known is None:
            known = self._known[cut.erasure_id] = _Known(cut, projects=-1 if cut.done else 0)
            self._of.setdefault((cut.tenant, cut.user_id), []).append(known)
            if len(self._known) > self._most:
                self._forget(self._known.popitem(last=False)[1])
        return known

    def of(self, tenant: str, user_id: str | None) -> Iterable[_Known]:
        """Of a user (None: of nobody) and the tenant."""
        yield from self._of.get((tenant, None), ())
        if user_id is not None:
            yield from self._of.get((tenant, user_id), ())

    def _forget(self, known: _Known) -> None:
        place = known.cut.tenant, known.cut.user_id
        left = [k for k in self._of[place] if k is not known]
        if left:
            self._of[place] = left
        else:
            del self._of[place]


class WithoutErased(SinkWrapper):
    """`tells`: the eraser is told of what a kept topic holds again. One sink is enough: the one whose store is always
    there, of the generation that is live."""

    def __init__(self, sink: Sink, erasures: Erasures, *, tells: bool = False, most: int = CUTS_KEPT) -> None:
        super().__init__(sink)
        self._erasures, self._tells, self._most = erasures, tells, most
        self._memory = _Memory(most)

    def ensure(self) -> None:
        super().ensure()
        for cut in self._erasures.newest(self._most):
            self._memory.add(cut)

    def write(self, batch: SinkBatch) -> int:
        """Raises Transient also while it is not known what was erased."""
        replayed = self._replayed(batch)
        late: set[str] = set()
        items = [kept for item in batch.items if (kept := self._kept(item, replayed, late)) is not None]
        if late and self._tells:
            self._erasures.came_late(late)
        refused = self._sink.write(replace(batch, items=items)) + len(batch.items) - len(items)
        # Only now: what came with an erasure is written before it, and counted as removed by it.
        for item in batch.items:
            if isinstance(item.event, Erasure):
                self._met(item.event, item.message)
        return refused

    def _met(self, e: Erasure, message: Message) -> None:
        if e.part or e.scope == "project":
            return
        known = self._memory.add(Cut(e.erasure_id, e.tenant, e.user_id, e.session_id, e.accepted_at))
        if e.stage == "project":  # it says nothing of the order of a user's records
            known.projects |= 1 << message.partition
        elif e.scope != "tenant" and (source := _source(message)) is not None:
            known.met.setdefault(message.topic, source)

    def _replayed(self, batch: SinkBatch) -> Mapping[str, Sequence[Cut]]:
        """Tenant -> erasures of those of whom a record was replayed, which may be of any age. That is seldom."""
        owners = {owner for item in _each(batch.items) if (owner := _replayed_of(item)) is not None}
        found: dict[str, list[Cut]] = {owner.tenant: [] for owner in owners}
        for cut in self._erasures.of(sorted(owners)) if owners else ():
            found[cut.tenant].append(cut)
        return found

    def _kept(self, item: Item, replayed: Mapping[str, Sequence[Cut]], late: set[str]) -> Item | None:
        """The item, or of what it stands for as well the newest that was not erased."""
        left = []
        for i in (item, *item.older):
            taken = self._taken(i, replayed)
            if taken is None:
                left.append(i)
            elif topic_named(i.message.topic).cleanup is not Cleanup.DELETE:
                late.add(taken)
        return replace(left[0], older=tuple(left[1:])) if left else None

    def _taken(self, item: Item, replayed: Mapping[str, Sequence[Cut]]) -> str | None:
        """The erasure that took it."""
        owner, when = getattr(item.event, "owner", None), accepted_at(item.event)
        if not isinstance(owner, Owner) or when is None:
            return None
        user_id = owner.id if owner.kind is OwnerKind.USER else getattr(item.event, "user_id", None)
        for known in self._memory.of(owner.tenant, user_id):
            if known.takes(item, owner, when):
                return known.cut.erasure_id
        if _replayed_of(item) is None:
            return None
        # As steps have it: of a replay no later than its source came into the log.
        when = min(when, kafka_time(source_ms(item.message.headers, item.message.timestamp_ms)))
        mine = (_Known(cut) for cut in replayed[owner.tenant] if cut.user_id in (None, user_id))
        return next((known.cut.erasure_id for known in mine if known.takes(item, owner, when)), None)


def _each(items: Iterable[Item]) -> Iterable[Item]:
    for item in items:
        yield item
        yield from item.older


def _replayed_of(item: Item) -> Owner | None:
    """The user whose record is a replay."""
    owner = getattr(item.event, "owner", None)
    mine = isinstance(owner, Owner) and owner.kind is OwnerKind.USER
    return owner if mine and header(item.message.headers, REPLAY_OF) is not None else None


def _is_before(message: Message, erasure: Source | None) -> bool:
    """Whether the step that handed the erasure on has made the record before it."""
    its = None if erasure is None else _source(message)
    if its is None or erasure is None or (its.step, its.partition) != (erasure.step, erasure.partition):
        return False
    return (its.offset, its.ordinal) < (erasure.offset, erasure.ordinal)


def _source(message: Message) -> Source | None:
    try:
        return load_source(header(message.headers, "src"))
    except ValueError:  # another program's
        return None
