"""The register of erasures as Postgres keeps it, in memory; and what the eraser is given of it in a round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, TypeVar

from memstream.erasure.ports import AT_ONCE, Access, Away, Finding, UnderWay
from schemas.events.erasure import Erasure
from schemas.log.owner import Owner
from sinks.erased import Cut
from streams.state.memory import MemoryStateStore
from streams.state.protocol import carries_erasure
from tests.simulation.net import AwayError

T = TypeVar("T")
_DENY = "deny"


@dataclass(slots=True)
class Entry:
    """One erasure. `report` once it is done."""

    under_way: UnderWay
    state: Literal["under_way", "done"] = "under_way"
    report: dict[str, Any] | None = None


@dataclass(slots=True)
class MemoryRegister:
    """`trust` and the access log; `state` is what the steps hold. Survives who uses it."""

    now: Callable[[], datetime]
    state: MemoryStateStore
    written: Callable[[], Sequence[tuple[str, int]]] = lambda: [("postgres", 1), ("redis", 1), ("milvus", 1)]
    """(store, generation) of the views."""
    entries: dict[str, Entry] = field(default_factory=dict)
    found_at: dict[tuple[str, str, str], dict[str, int]] = field(default_factory=dict)
    """(erasure, owner, place) -> kind -> count."""
    requests: dict[str, Access] = field(default_factory=dict)
    """Of the access log, the entries of erasures."""
    forgotten: set[str] = field(default_factory=set)
    """Owners whose names are out of the access log."""
    on_done: Callable[[Erasure], None] = field(default=lambda e: None)
    """Told of each erasure at the moment at which it is done."""

    # What sinks note.
    def begin(self, e: Erasure) -> None:
        if not e.part and e.erasure_id not in self.entries:
            stored = Erasure(
                tenant=e.tenant, erasure_id=e.erasure_id, scope=e.scope, user_id=e.user_id, session_id=e.session_id,
                accepted_at=e.accepted_at,
            )  # fmt: skip
            self.entries[e.erasure_id] = Entry(UnderWay(stored, "stores", self.now()))

    def found(self, e: Erasure, where: str, counts: Mapping[str, int]) -> None:
        old = self.found_at.setdefault((e.erasure_id, e.owner.key, where), {})
        old.update({kind: max(n, old.get(kind, 0)) for kind, n in counts.items()})

    # What the eraser asks.
    def tenants(self) -> Sequence[str]:
        found = sorted((entry.under_way for entry in self.entries.values() if entry.state == "under_way"), key=_place)
        return list(dict.fromkeys(u.erasure.tenant for u in found))

    def under_way(self, behind: UnderWay | None = None, tenant: str | None = None) -> Sequence[UnderWay]:
        found = [entry.under_way for entry in self.entries.values() if entry.state == "under_way"]
        found = [u for u in found if tenant in (None, u.erasure.tenant)]
        return sorted((u for u in found if behind is None or _place(u) > _place(behind)), key=_place)[:AT_ONCE]

    def answered(self, e: Erasure) -> set[str]:
        return {place for name, owner, place in self.found_at if (name, owner) == (e.erasure_id, e.owner.key)}

    def generations(self) -> Sequence[tuple[str, int]]:
        return self.written()

    def waits(self, e: Erasure, step: str) -> None:
        if (entry := self.entries.get(e.erasure_id)) is not None:
            entry.under_way = replace(entry.under_way, step=step)

    def held(self, e: Erasure) -> int:
        own = e.owner.key
        return sum(
            key != _DENY
            for table in self.state.rows.values()
            for owner, rows in table.items()
            if owner == own or owner.startswith((f"{own}|", f"{own}/"))
            for key in rows
        )

    def undelivered(self, e: Erasure) -> int:
        name = e.erasure_id.encode()
        outboxes = [outbox for _, outbox in self.state._positions.values() if any(map(carries_erasure, outbox))]
        return sum(any(name in (row.value or b"") for row in outbox) for outbox in outboxes)

    def owners(self, e: Erasure) -> Sequence[str]:
        prefix = e.owner.key.removesuffix("tenant/")
        return sorted(
            {
                owner
                for table in self.state.rows.values()
                for owner, rows in table.items()
                if owner.startswith(prefix) and rows.keys() - {_DENY}
            }
        )

    def accesses(self, e: Erasure) -> list[Access]:
        entry = self.requests.get(e.erasure_id)
        return [] if entry is None else [entry]

    def forget_accesses(self, e: Erasure) -> None:
        self.forgotten.add(e.owner.key)

    def findings(self, e: Erasure) -> Sequence[Finding]:
        mine = [(place, found) for (name, _, place), found in self.found_at.items() if name == e.erasure_id]
        return [Finding(place, dict(found)) for place, found in sorted(mine, key=lambda f: f[0])]

    def keys_destroyed(self, e: Erasure, since: datetime) -> int:
        return 0

    def finish(self, e: Erasure, report: dict[str, Any]) -> bool:
        entry = self.entries.get(e.erasure_id)
        if entry is None or entry.state != "under_way" or entry.under_way.step == "late":
            return False
        entry.state, entry.report = "done", report
        entry.under_way = replace(entry.under_way, step="done", nulled=report.get("nulled", {}))
        self.on_done(e)
        return True

    # What sinks refuse by.
    def newest(self, most: int) -> Sequence[Cut]:
        return [self._cut(entry) for entry in self.entries.values()][-most:]

    def of(self, owners: Sequence[Owner]) -> Sequence[Cut]:
        mine = {(o.tenant, name) for o in owners for name in (o.id, None)}
        return [cut for cut in self.newest(len(self.entries)) if (cut.tenant, cut.user_id) in mine]

    def came_late(self, erasure_ids: Collection[str]) -> None:
        for entry in (self.entries[name] for name in erasure_ids if name in self.entries):
            entry.state, entry.under_way = "under_way", replace(entry.under_way, step="late")

    def _cut(self, entry: Entry) -> Cut:
        e = entry.under_way.erasure
        return Cut(e.erasure_id, e.tenant, e.user_id, e.session_id, e.accepted_at, entry.state == "done")


def _place(u: UnderWay) -> tuple[datetime, str]:
    return u.started_at, u.erasure.erasure_id


class SimRegister:
    """An eraser's connection to it. `ask` blocks until Postgres has answered, and knows what writes; `passed` is told
    what is about to be asked for an erasure that is under way."""

    def __init__(
        self, data: MemoryRegister, ask: Callable[[Callable[[], Any], bool], Any], passed: Callable[[str], None]
    ) -> None:
        self._data, self._ask, self._passed = data, ask, passed

    def tenants(self) -> Sequence[str]:
        found: Sequence[str] = self._called("", self._data.tenants)
        self._passed("idle" if not found else "look")
        return found

    def under_way(self, behind: UnderWay | None = None, tenant: str | None = None) -> Sequence[UnderWay]:
        return self._called("", lambda: self._data.under_way(behind, tenant))

    def answered(self, e: Erasure) -> set[str]:
        return self._called("answered", lambda: self._data.answered(e))

    def generations(self) -> Sequence[tuple[str, int]]:
        return self._called("", self._data.generations)

    def waits(self, e: Erasure, step: str) -> None:
        self._called(f"waits for {step}", lambda: self._data.waits(e, step), writes=True)

    def held(self, e: Erasure) -> int:
        return self._called("held", lambda: self._data.held(e))

    def undelivered(self, e: Erasure) -> int:
        return self._called("undelivered", lambda: self._data.undelivered(e))

    def owners(self, e: Erasure) -> Sequence[str]:
        return self._called("owners", lambda: self._data.owners(e))

    def accesses(self, e: Erasure) -> list[Access]:
        return self._called("", lambda: self._data.accesses(e))

    def forget_accesses(self, e: Erasure) -> None:
        self._called("forgets accesses", lambda: self._data.forget_accesses(e), writes=True)

    def findings(self, e: Erasure) -> Sequence[Finding]:
        return self._called("", lambda: self._data.findings(e))

    def keys_destroyed(self, e: Erasure, since: datetime) -> int:
        return self._called("", lambda: self._data.keys_destroyed(e, since))

    def finish(self, e: Erasure, report: dict[str, Any]) -> bool:
        return self._called("finishes", lambda: self._data.finish(e, report), writes=True)

    def _called(self, point: str, call: Callable[[], T], writes: bool = False) -> T:
        if point:
            self._passed(point)
        try:
            answer: T = self._ask(call, writes)
        except AwayError as exc:
            raise Away(str(exc)) from None
        return answer
