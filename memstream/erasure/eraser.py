"""Follows erasures through the stores, nulls what kept topics hold, signs the report (C9, N6).

Everything it does can be done again: it may be killed anywhere, and two of them do no harm.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from memstream.erasure.exemptions import not_erased
from memstream.erasure.log import Log, Remains
from memstream.erasure.ports import Access, Away, Finding, Keys, Opened, Outgoing, Register, Topics, UnderWay
from memstream.erasure.report import signed
from memstream.erasure.turns import Turns
from memstream.erasure.ways import Way, ways
from schemas.components.installed import BUILT_IN
from schemas.events.documents import EVERY_VERSION, Document
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import Owner, OwnerKind, partition
from schemas.log.topics import Topic
from schemas.security.erasure_findings import place
from schemas.security.sealing import KeysAway

log = logging.getLogger(__name__)
LOOK_SECONDS = 0.5
FAILED = "failed"
"""The step of an erasure that ended with a fault nobody foresaw; the eraser's log names the place."""
ACCESS_WAIT = timedelta(seconds=60)
"""How long a report waits for the access log's entry of its request; without it, it says so."""
HELD_WAIT = timedelta(seconds=5)
"""How long rows of the user in the steps' state hold a report up: of one who talks on there are always some."""
PARTS_AT_ONCE = 5_000
"""Erasures of a tenant's owners that are made and written at a time: a tenant may have a million."""


@dataclass(frozen=True, slots=True)
class EraserConfig:
    """`stores`: those in use. `partitions`: of each owner-keyed topic. `encryption`: as the report names it. `ways`: on
    which an erasure reaches stores."""

    stores: frozenset[str]
    partitions: int
    encryption: str = "off"
    ways: tuple[Way, ...] = ways(BUILT_IN)


@dataclass(frozen=True, slots=True)
class Reached:
    """All that an eraser reaches. `now`: the time in UTC. `event_id`: another one at each call."""

    register: Opened
    topics: Topics
    keys: Keys
    codec: Codec
    signing: Ed25519PrivateKey
    now: Callable[[], datetime]
    event_id: Callable[[], str]


@dataclass(slots=True, eq=False)
class Due:
    """An erasure that waits for nobody else. `held`, `accesses`: as its report names them."""

    found: UnderWay
    held: int
    accesses: Sequence[Access]
    done: bool = False


_Failed: TypeAlias = dict[str, tuple[UnderWay, Exception]]
"""Tenant -> its erasure that ended this turn of its, and why."""


class Eraser:
    """Looks at the erasures that are under way, some at a time."""

    def __init__(self, reached: Reached, config: EraserConfig) -> None:
        self._at, self._config = reached, config
        self._log = Log(reached.topics, config.partitions)
        self._turns = Turns()

    def look(self) -> int:
        """How many of `AT_ONCE` are still under way. One that fails costs its tenant the rest of this turn, and others
        nothing. Raises Away, KeysAway, once all had their turn."""
        with self._at.register() as register:
            page = self._turns.page(register)
            unlooked: _Failed = {}
            unended: _Failed = {}
            ready: list[Due] = []
            try:
                for found in page:
                    self._spared(register, found, unlooked, partial(self._add_due, register, found, ready))
                done = self._ended(register, ready, unended)
            finally:
                failed = {**unlooked, **unended}
                self._turns.passed(page, {tenant: found for tenant, (found, _) in failed.items()})
            for _, exc in failed.values():
                raise exc
            return len(page) - done

    def _add_due(self, register: Register, found: UnderWay, ready: list[Due]) -> None:
        due = self._due(register, found)
        if due is not None:
            ready.append(due)

    def _ended(self, register: Register, ready: Sequence[Due], failed: _Failed) -> int:
        """How many are done now. The log is read for all of them at once: of a thousand users each would else have to
        wait until it was read through for every one before. Where that fails, for whichever of them, each is ended
        alone; so is always a tenant's erasure, whose records may be many (one in its turn), one that failed before,
        and a user's second, which has to see what the first put back."""
        first = {d.found.erasure.owner: d for d in reversed(ready) if d.found.step != FAILED}
        together = [d for d in first.values() if d.found.erasure.scope != "tenant"]
        if len(together) > 1:
            try:
                self._end(register, together)
            except Exception as exc:  # noqa: BLE001 - met again below, by the one that it comes from
                log.warning("erasures are ended one by one", extra={"error": type(exc).__name__})
                together = []
        else:
            together = []
        for due in ready:
            later = due.found.erasure.scope == "tenant" and first.get(due.found.erasure.owner, due) is not due
            if due not in together and not due.done and not later:
                self._spared(register, due.found, failed, partial(self._end, register, [due]))
        return sum(due.done for due in ready)

    def _spared(
        self, register: Register, found: UnderWay, failed: _Failed, advance: Callable[[], object]
    ) -> None:
        """A fault of one erasure (a record that nobody can read, a bug) costs this one its turn: were it to end the
        process, the next life would begin with the oldest again, and never come past it. Where brokers or keys do not
        answer, others of the tenant wait for the next look."""
        tenant = found.erasure.tenant
        if tenant in failed:
            return
        try:
            advance()
        except (Away, KeysAway) as exc:
            failed[tenant] = found, exc
        except Exception as exc:  # noqa: BLE001 - said so, shown as its step, and tried again at its next turn
            if found.step != FAILED:  # its text may quote a record
                error = {"error": type(exc).__name__, "erasure_id": found.erasure.erasure_id, "where": _where(exc)}
                log.error("an erasure fails: it is tried again, and the others go on", extra=error)
            failed[tenant] = found, exc  # for as long as this cannot be noted: Postgres may have gone with it
            register.waits(found.erasure, FAILED)
            del failed[tenant]

    def _due(self, register: Register, found: UnderWay) -> Due | None:
        """None while it waits for others."""
        e, waited = found.erasure, self._at.now() - found.started_at
        missing = self._expected(register, e) - register.answered(e)
        if missing:
            return self._waits(register, found, "stores")
        if e.scope == "tenant" and (left := self._parts(register, e, found.step)):
            return self._waits(register, found, left)
        # Every step gave its rows up in the transaction in which it handed the erasure on, and all have done so: what
        # stands now came after, for a user who talks on. It is looked at a while longer, and told.
        held = register.held(e) if e.scope == "user" else 0
        if held and waited < HELD_WAIT:
            return self._waits(register, found, "state")
        # Delivered again by who takes a partition over, it would bring back behind the nulls what they take out.
        if register.undelivered(e):
            return self._waits(register, found, "outbox")
        accesses = register.accesses(e)
        if not accesses and waited < ACCESS_WAIT:
            return self._waits(register, found, "access log")
        return Due(found, held, accesses)

    def _end(self, register: Register, ready: Sequence[Due]) -> None:
        """Null what kept topics hold, destroy the keys, sign the reports. May be done again from its beginning."""
        erasures = [due.found.erasure for due in ready]
        for due in ready:
            self._waits(register, due.found, "log")
        removed = self._log.remove(erasures)
        for e, nulled in zip(erasures, removed, strict=True):
            if nulled and e.scope == "tenant":
                self._log.remove([e])
            self._destroy(e)
            if e.scope != "session":
                register.forget_accesses(e)
        now = self._at.now()
        remains = self._log.remains(erasures, now, cache(self._at.keys.key_exists))
        for due, nulled, kept in zip(ready, removed, remains, strict=True):
            e = due.found.erasure
            nulled = dict(Counter(due.found.nulled) + Counter(nulled))
            report = {
                **self._report(register, e, nulled, kept, now),
                "encryption": self._config.encryption,
                "keys_destroyed": register.keys_destroyed(e, due.found.started_at),
                "accesses": due.accesses,
                "since": due.held,
            }
            due.done = register.finish(e, signed(report, self._at.signing))
            if due.done:
                log.info("an erasure is done", extra={"scope": e.scope, "erasure_id": e.erasure_id})

    def _destroy(self, e: Erasure) -> None:
        """The owner's keys but the newest, which is for what came after the cut-off; a tenant's all."""
        if e.scope == "tenant":
            self._at.keys.destroy_tenant(e.tenant)
        elif e.scope != "session":
            self._at.keys.destroy(e.owner.key)

    def _expected(self, register: Register, e: Erasure) -> set[str]:
        """Places that must have answered: every generation of every store, of every partition that it comes from."""
        numbers: dict[str, list[int]] = {}
        for store, number in register.generations():
            numbers.setdefault(store, []).append(number)
        everywhere = range(self._config.partitions)
        own: Iterable[int] = everywhere if e.scope == "tenant" else (partition(e.owner, len(everywhere)),)
        return {
            place(way.store, number, way.topic, way.stage, p)
            for way in self._config.ways
            if way.store in self._config.stores
            for number in numbers.get(way.store, ())
            for p in (everywhere if way.everywhere else own)
        }

    def _waits(self, register: Register, found: UnderWay, step: str) -> Due | None:
        """Noted; it is not due."""
        if step != found.step:  # else it is noted already
            register.waits(found.erasure, step)
        return None

    def _parts(self, register: Register, e: Erasure, step: str) -> str | None:
        """A tenant owner by owner: documents and projects, then users. None once nothing of it is held."""
        found = register.owners(e)
        owners = sorted({o for raw in found if (o := _owner(raw)) is not None})
        documents = [o for o in owners if o.kind is OwnerKind.DOCUMENT]
        projects = [o for o in owners if o.kind is OwnerKind.PROJECT]
        users = [o for o in owners if o.kind is OwnerKind.USER]
        part_owners: list[Owner] = []
        if step in ("stores", FAILED):  # a document's rows hold numbers once it is deleted: nothing to wait for
            part_owners += documents
        phase, wanted = ("projects", projects) if projects else ("users", users)
        if step != phase:  # once a phase
            part_owners += wanted
        parts = [owner for owner in part_owners if owner.kind is not OwnerKind.TENANT]
        for n in range(0, len(parts), PARTS_AT_ONCE):
            self._at.topics.write([self._part(e, owner) for owner in parts[n : n + PARTS_AT_ONCE]])
        return phase if wanted else None

    def _part(self, e: Erasure, owner: Owner) -> Outgoing:
        part: dict[str, Any] = {
            "tenant": e.tenant, "erasure_id": e.erasure_id, "accepted_at": e.accepted_at, "part": True,
        }  # fmt: skip
        if owner.kind is OwnerKind.USER:
            return self._outgoing(topics.TURNS, Erasure(**part, scope="user", user_id=owner.id))
        if owner.kind is OwnerKind.PROJECT:
            return self._outgoing(topics.PROJECT_EVENTS, Erasure(**part, scope="project", project_id=owner.id))
        tombstone = Document(
            tenant=e.tenant, document_id=owner.id, version=EVERY_VERSION, op="delete", accepted_at=e.accepted_at
        )
        return self._outgoing(topics.DOCUMENTS, tombstone)

    def _outgoing(self, topic: Topic, event: Envelope) -> Outgoing:
        encoded = self._at.codec.encode(event, "memstream/eraser", self._at.event_id())
        target = partition(event.owner, self._config.partitions)
        return Outgoing(topic.name, target, encoded.key, encoded.value, encoded.headers)

    def _report(
        self, register: Register, e: Erasure, removed: dict[str, int], kept: Sequence[Remains], now: datetime
    ) -> dict[str, Any]:
        return {
            "version": 1, "erasure_id": e.erasure_id, "tenant": e.tenant, "scope": e.scope, "user_id": e.user_id,
            "session_id": e.session_id, "cut_off": e.accepted_at, "finished_at": now,
            "removed": _added(register.findings(e)), "nulled": removed,
            "remains": [{**asdict(r), "until": r.until.date().isoformat()} for r in kept],
            "not_erased": not_erased(e.scope, sealed=self._config.encryption != "off"),
        }  # fmt: skip




def follow(eraser: Eraser, stop: threading.Event, wait: Callable[[float], object]) -> None:
    """Look until `stop` is set. `wait`: so many seconds, or until it is."""
    while not stop.is_set():
        try:
            eraser.look()
        except (Away, KeysAway) as exc:
            log.warning("erasures wait", extra={"error": f"{type(exc).__name__}: {exc}"})
        wait(LOOK_SECONDS)


def _where(exc: Exception) -> list[str]:
    return [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(exc.__traceback__)[-3:]]


def _added(findings: Sequence[Finding]) -> dict[str, dict[str, int]]:
    """Store (or step) -> kind -> removed, over partitions; a store's first generation speaks where several stand."""
    out: dict[str, dict[str, int]] = {}
    for finding in findings:
        name = "/".join(finding.place.split("/")[:2])
        for kind, count in finding.found.items():
            out.setdefault(name, {})[kind] = out.get(name, {}).get(kind, 0) + int(count)
    return out


def _owner(raw: str) -> Owner | None:
    """The owner of a row of state; rows beside it (`owner|session`, `owner/given`) are dropped with it."""
    try:
        return Owner.parse("/".join(raw.partition("|")[0].split("/")[:3]))
    except ValueError:
        return None
