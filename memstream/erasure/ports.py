"""What the eraser reaches: the register of erasures, the topics, the keys. Each real one stands beside this file, under
the contract of `tests/unit/erasure/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from schemas.base import Json
from schemas.events.erasure import Erasure
from schemas.log.codec import Headers


class Away(Exception):  # noqa: N818 - it names an outcome
    """A store or the brokers did not answer, or refused: the erasure waits, and all of it may be done again. The
    message names an error class or code, never content."""


class Stored(Protocol):
    """A record as it lies in a topic, as librdkafka gives it. `timestamp` is (kind, milliseconds)."""

    def topic(self) -> str | None: ...

    def partition(self) -> int | None: ...

    def offset(self) -> int | None: ...

    def key(self) -> bytes | None: ...

    def value(self) -> bytes | None: ...

    def headers(self) -> Any: ...

    def timestamp(self) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record to write. `value` None is a null under the key."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers


NO_OFFSETS: Mapping[tuple[str, int], int] = MappingProxyType({})


class Topics(Protocol):
    """The brokers' topics, read and written whole. Both raise Away."""

    def read(
        self, places: Sequence[tuple[str, int]], since: Mapping[tuple[str, int], int] = NO_OFFSETS
    ) -> Iterator[Stored]:
        """Every record of these partitions (topic, number), from the start of each to its end as it is when it is
        reached; those of a partition in its order. `since`: of some the offset to begin at; where that is behind the
        end, or no longer in the log, from the start."""
        ...

    def write(self, records: Iterable[Outgoing]) -> None:
        """Returns when the brokers have acknowledged every one. Raises Away where one was not, which may be there
        nonetheless."""
        ...


@dataclass(frozen=True, slots=True)
class UnderWay:
    """An erasure that is not done, or not any more: something came late. `step`: what it waited for last.
    `started_at`: when Postgres heard of it. `nulled`: topic -> records, as the report of the time before says."""

    erasure: Erasure
    step: str
    started_at: datetime
    nulled: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a place (`schemas.security.erasure_findings.place`) has removed: kind -> count."""

    place: str
    found: Mapping[str, int]


Access: TypeAlias = dict[str, Json | datetime]
"""An entry of the access log as the report names it: chain, seq, at, operation, principal, hash."""


AT_ONCE = 20
"""Erasures that a register names together."""


class Register(Protocol):
    """The erasures and what stands of them in Postgres. Every method raises Away; each is one transaction."""

    def tenants(self) -> Sequence[str]:
        """Those with erasures that are not done, whose oldest began first before the others."""
        ...

    def under_way(self, behind: UnderWay | None = None, tenant: str | None = None) -> Sequence[UnderWay]:
        """Those that are not done, in the order in which they began (of one moment: of their ids), `AT_ONCE` at most;
        `behind`: those that follow it; `tenant`: its own."""
        ...

    def answered(self, e: Erasure) -> set[str]:
        """Places that have told what they removed of the erasure's own owner."""
        ...

    def generations(self) -> Sequence[tuple[str, int]]:
        """(store, number) of the generations that are built, stand, or are being dropped: as long as one is there, it
        may hold what it has not answered for."""
        ...

    def waits(self, e: Erasure, step: str) -> None:
        """Note what it waits for."""
        ...

    def held(self, e: Erasure) -> int:
        """Rows of a user in the steps' state, but for the cut-off's own."""
        ...

    def undelivered(self, e: Erasure) -> int:
        """Outboxes of steps with the erasure in them, or a part of it: what lies before it there may be delivered once
        more. What it costs does not grow with what else is undelivered."""
        ...

    def owners(self, e: Erasure) -> Sequence[str]:
        """Whose rows of the erasure's tenant the steps' state holds: owners as they are written there."""
        ...

    def accesses(self, e: Erasure) -> list[Access]:
        """The access log's entry of the request (C10)."""
        ...

    def forget_accesses(self, e: Erasure) -> None:
        """Take the owner out of the access log, as far as the cut-off."""
        ...

    def findings(self, e: Erasure) -> Sequence[Finding]:
        """Of the erasure and its parts, by place."""
        ...

    def keys_destroyed(self, e: Erasure, since: datetime) -> int:
        """Keys that the erasure destroyed, also before the eraser was killed and began anew."""
        ...

    def finish(self, e: Erasure, report: dict[str, Any]) -> bool:
        """Done, with its signed report. False where it stays as it is: it is done, or something came late since its
        step was noted last (`sinks.erased.Erasures.came_late`)."""
        ...


class Keys(Protocol):
    """The part of the keyring that an erasure needs. Every method raises KeysAway."""

    def destroy(self, owner: str) -> int:
        """The keys of an owner but the newest generation; how many."""
        ...

    def destroy_tenant(self, tenant: str) -> int: ...

    def key_exists(self, owner: str, generation: int) -> bool:
        """Whether what lies under this key can still be opened."""
        ...


Opened: TypeAlias = Callable[[], AbstractContextManager[Register]]
"""The register for one look. Raises Away."""
