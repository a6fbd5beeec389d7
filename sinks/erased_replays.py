"""A sink that takes no replayed dead letter of what was erased since (C9): it comes behind the erasure in the log,
which the sink has met already. (Steps refuse theirs by the cut-off in their state, `processors.erasure.guard`.)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, Protocol

from schemas.log.codec import header
from schemas.log.dead_letters import REPLAY_OF, kafka_time, source_ms
from schemas.log.owner import Owner, OwnerKind
from sinks.collapse import accepted_at
from sinks.protocol import Item, Sink, SinkBatch
from sinks.wrapper import Around


class Cut(NamedTuple):
    """`user_id` None: of a tenant; `session_id` None: of all sessions."""

    tenant: str
    user_id: str | None
    session_id: str | None
    accepted_at: datetime


class Cuts(Protocol):
    """The erasures that there were."""

    def __call__(self, owners: Sequence[Owner]) -> Sequence[Cut]:
        """Those of these users and their tenants. Raises Transient while they cannot be asked for."""
        ...


class WithoutErased(Around):
    """`cuts` is asked where a batch holds a replay of a user's record, which is seldom."""

    def __init__(self, sink: Sink, cuts: Cuts) -> None:
        super().__init__(sink)
        self._cuts = cuts

    def write(self, batch: SinkBatch) -> int:
        """Raises Transient also while it is not known what was erased."""
        owners = {owner for item in _each(batch.items) if (owner := _replayed_of(item)) is not None}
        if not owners:
            return self._sink.write(batch)
        found: Mapping[str, list[Cut]] = {owner.tenant: [] for owner in owners}
        for cut in self._cuts(sorted(owners)):
            found[cut.tenant].append(cut)
        items = [kept for item in batch.items if (kept := _kept(item, found)) is not None]
        return self._sink.write(replace(batch, items=items)) + len(batch.items) - len(items)


def _each(items: Iterable[Item]) -> Iterable[Item]:
    for item in items:
        yield item
        yield from item.older


def _kept(item: Item, cuts: Mapping[str, Sequence[Cut]]) -> Item | None:
    """The item, or of what it stands for as well the newest that was not erased."""
    left = [i for i in (item, *item.older) if not _is_erased(i, cuts)]
    return replace(left[0], older=tuple(left[1:])) if left else None


def _replayed_of(item: Item) -> Owner | None:
    """The user whose record is a replay."""
    owner = getattr(item.event, "owner", None)
    mine = isinstance(owner, Owner) and owner.kind is OwnerKind.USER
    return owner if mine and header(item.message.headers, REPLAY_OF) is not None else None


def _is_erased(item: Item, cuts: Mapping[str, Sequence[Cut]]) -> bool:
    owner = _replayed_of(item)
    if owner is None:
        return False
    # As steps have it: of a replay no later than its source came into the log.
    came = kafka_time(source_ms(item.message.headers, item.message.timestamp_ms))
    when = min(accepted_at(item.event) or came, came)
    session = getattr(item.event, "session_id", None)
    return any(
        when <= cut.accepted_at and cut.user_id in (None, owner.id) and cut.session_id in (None, session)
        for cut in cuts[owner.tenant]
    )
