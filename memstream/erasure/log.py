"""An erasure in the topics themselves: nulls under every key of the owner in compacted ones, counts in the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import orjson

from memstream.erasure.log_reader import Collector, LogReader
from memstream.erasure.ports import Outgoing, Stored, Topics
from memstream.erasure.users_index import SAYS_NOTHING
from schemas.components.installed import catalogue, topic_named
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import DecodeError, Headers, clear_owner, header, parsed
from schemas.log.dead_letters import REPLAY_OF, kafka_time, source_ms
from schemas.log.owner import OwnerKind, partition
from schemas.log.progress import Source, load_source
from schemas.log.topics import Cleanup, Topic
from schemas.security.sealing import ENCRYPTED_KEYS

_TIMES = ("asked_at", "accepted_at", "known_at", "updated_at", "created_at")
_PROJECT = "project"
_NARRATIVE = "profile"
"""Kind of the record that holds a user's narrative."""
KeyExists: TypeAlias = Callable[[str, int], bool]
"""Whether a data key can still be had, by owner and generation."""
COMPACTED_DAYS = 8
"""A record that a null follows is gone when its segment (a day) is compacted (`max.compaction.lag.ms`, 7 days)."""


@dataclass(frozen=True, slots=True)
class Remains:
    """What a topic still holds. `readable`: of the records, those that no destroyed key makes unreadable. `until`: the
    last day; `how` it goes."""

    topic: str
    records: int
    readable: int
    until: datetime
    how: str


Place: TypeAlias = tuple[str, int, bytes]
"""(topic, partition, key)."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A value that an erasure takes. `instead`: what its key held before it came late, which stays."""

    owner: bytes
    instead: Stored | None = None


def _behind(place: Place, taken: Taken) -> Outgoing:
    """A null, or once more what stays: readers know it by its revision."""
    topic, number, key = place
    if taken.instead is None:
        return Outgoing(topic, number, key, None, [("owner", taken.owner)])
    return Outgoing(topic, number, key, taken.instead.value(), _headers(taken.instead))


def _spoken_for(taken: Taken, of: Erasure, erasures: Sequence[Erasure]) -> Taken:
    """A value that another of the erasures takes is not put back for this one."""
    instead = taken.instead
    if instead is not None and any(_taken(instead, e) is not None for e in erasures if e is not of):
        return Taken(taken.owner)
    return taken


class Log:
    """Reads partitions to their end: what is new, and of what was read before only where it speaks of the user. Those
    that are due together are read for together. `partitions`: of each owner-keyed topic. Both methods raise Away."""

    def __init__(self, topics_: Topics, partitions: int) -> None:
        self._topics, self._count = topics_, partitions
        self._reader = LogReader(topics_)

    def remove(self, erasures: Sequence[Erasure]) -> list[dict[str, int]]:
        """Of each, topic -> records that stood and have a null now, or again what stood before they came late."""
        kept = [t for t in catalogue() if t.cleanup is not Cleanup.DELETE and t is not topics.PROFILES]
        found = [ErasureScope(e, self._places(kept, e)) for e in erasures]
        self._collect(found)
        self._topics.write(
            _behind(place, _spoken_for(taken, one.e, erasures)) for one in found for place, taken in one.found.items()
        )
        return [dict(Counter(topic for topic, _, _ in one.found)) for one in found]

    def remains(self, erasures: Sequence[Erasure], now: datetime, key_exists: KeyExists) -> list[list[Remains]]:
        """Of each, what the brokers hold until their retention has passed, or until compaction has met the nulls."""
        wanted = [t for t in catalogue() if t is not topics.PROFILES]
        counted = [_Remaining(e, self._places(wanted, e), key_exists) for e in erasures]
        self._collect(counted)
        return [one.report(now) for one in counted]

    def _places(self, wanted: Iterable[Topic], e: Erasure) -> frozenset[tuple[str, int]]:
        return frozenset((topic.name, p) for topic in wanted for p in self._partitions(topic, e))

    def _partitions(self, topic: Topic, e: Erasure) -> Iterable[int]:
        """Where records of the owner may be: a project's are anywhere, dead letters lie as their source."""
        if e.scope == "tenant" or topic in (topics.PROJECT_EVENTS, topics.UPDATES, topics.DEAD_LETTERS):
            return range(self._count)
        if topic.name not in topics.BY_NAME and topic.owners != (OwnerKind.USER,):
            return range(self._count)
        return () if topic is topics.DOCUMENTS else (partition(e.owner, self._count),)

    def _collect(self, collectors: Sequence[Collector]) -> None:
        self._reader.read(collectors)


@dataclass(slots=True)
class _Remaining:
    """Counts what is left of an erasure's records."""

    e: Erasure
    places: frozenset[tuple[str, int]]
    key_exists: KeyExists
    counts: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)

    def take(self, m: Stored) -> None:
        name = m.topic() or ""
        if _taken(m, self.e, projects=True) is not None if _is_kept(topic_named(name)) else _names(m, self.e):
            self.counts[name] += 1
            self.open[name] += readable(m, self.key_exists)

    def report(self, now: datetime) -> list[Remains]:
        out = []
        for topic in catalogue():
            if count := self.counts[topic.name]:
                kept = _is_kept(topic)
                days = 1 + (topic.retention_days or (COMPACTED_DAYS - 1 if kept else 0))
                how = "compaction" if kept else "retention"
                out.append(Remains(topic.name, count, self.open[topic.name], now + timedelta(days=days), how))
        return out


def _is_kept(topic: Topic) -> bool:
    return topic.cleanup is not Cleanup.DELETE


def readable(m: Stored, key_exists: KeyExists) -> bool:
    """Can its words still be read: in the clear (another program wrote it so, encryption was off), bytes that are no
    event, or sealed under a key that stands (a project's; the user's own, of what was said between the request and the
    cut-off, which is sealed with the next one already)? What has no sealed part holds no words."""
    try:
        data = parsed(m.value())
        sealed = data.get("sealed")
        if not isinstance(sealed, dict) or sealed.keys() != ENCRYPTED_KEYS:
            return sealed is not None
        source = dict(m.headers() or ()).get("source_topic", b"").decode() or m.topic() or ""
        return key_exists(clear_owner(source, data).key, int(sealed["kid"]))
    except (DecodeError, ValueError, TypeError, KeyError):
        return True


@dataclass(slots=True)
class ErasureScope:
    """What an erasure takes of the records that it is given: those accepted by the cut-off, and of a user's or
    session's all before the erasure itself in its partition, whatever a clock said. It comes there more than once, as
    do those records (a step's outbox is delivered again, the queue of a process that stood still goes out): what lies
    before the first one came before it, and so did a copy behind it whose place in the step's outputs is before it."""

    e: Erasure
    places: frozenset[tuple[str, int]] = frozenset()
    found: dict[Place, Taken] = field(default_factory=dict)
    _stays: dict[Place, Stored] = field(default_factory=dict)
    """Dated later, or a project's: the newest under its key."""
    _met: dict[tuple[str, int], Source | None] = field(default_factory=dict)

    def take(self, m: Stored) -> None:
        e, key, value = self.e, m.key(), m.value()
        here = m.topic() or "", m.partition() or 0
        if value is not None and here not in self._met and e.erasure_id.encode() in value and _is(e, value):
            self._met[here] = _source(m)
            self.found |= _before_it(here, self.found, self._stays, e)
        if key is None:
            return
        place = *here, key
        old, before = self.found.pop(place, None), self._stays.pop(place, None)
        data, owner = (None, None) if value is None else _read_of(m, e)
        if data is None:
            return
        late = owner is not None and (_accepted(data, m) <= e.accepted_at or _delivered_again(m, self._met.get(here)))
        if owner is not None and late:
            self.found[place] = Taken(owner, before or (old.instead if old is not None else None))
        else:
            self._stays[place] = m


def _before_it(
    here: tuple[str, int], found: Mapping[Place, Taken], stays: dict[Place, Stored], e: Erasure
) -> dict[Place, Taken]:
    """What lies in a partition before the erasure goes, but for what projects keep."""
    out = {p: Taken(t.owner) for p, t in found.items() if p[:2] == here and not _of_project(t.instead)}
    for place, m in [(p, m) for p, m in stays.items() if p[:2] == here and not _of_project(m)]:
        out[place] = Taken(_owner_header(m) or e.owner.key.encode())
        del stays[place]
    return out


def _read_of(m: Stored, e: Erasure) -> tuple[dict[str, Any] | None, bytes | None]:
    """What a record of the erasure's scope says, and its owner. (None, None) of what does not matter."""
    owner = _owner_in_scope(m, e)
    if owner is not None:
        return orjson.loads(m.value() or b""), owner
    its_tenant = (_owner_header(m) or b"").startswith(e.owner.key.partition("/")[0].encode() + b"/")
    return ({}, None) if e.scope != "tenant" and its_tenant and _of_project(m) else (None, None)


def _delivered_again(m: Stored, erasure: Source | None) -> bool:
    """Whether a record behind the first erasure is a copy of one before it: the same step has made it of what it read
    earlier."""
    its = None if erasure is None else _source(m)
    if its is None or erasure is None or (its.step, its.partition) != (erasure.step, erasure.partition):
        return False
    return (its.offset, its.ordinal) < (erasure.offset, erasure.ordinal)


def _source(m: Stored) -> Source | None:
    try:
        return load_source(header(_headers(m), "src"))
    except ValueError:  # another program's
        return None


def _is(e: Erasure, value: bytes) -> bool:
    """The erasure itself, of a user or session: a tenant's is cut by time alone. What the project step hands on comes
    from other partitions, at any later time: it says nothing of the order of the user's records."""
    try:
        data = orjson.loads(value)
    except orjson.JSONDecodeError:
        return False
    if e.scope == "tenant" or not isinstance(data, dict) or data.get("stage") == _PROJECT:
        return False
    return bool(data.get("erasure_id") == e.erasure_id)


def _names(m: Stored, e: Erasure) -> bool:
    """Does a record of a topic with retention carry the owner, accepted by the cut-off? A step may have written it
    behind the cut-off, of what was accepted before."""
    owner = _owner_header(m)
    if owner is None or e.scope == "session":  # another program wrote it
        return _taken(m, e) is not None
    mine = e.owner.key.encode()
    its = owner.startswith(mine.partition(b"/")[0] + b"/") if e.scope == "tenant" else owner == mine
    return its and _came_by(m, e.accepted_at)


def _taken(m: Stored, e: Erasure, projects: bool = False) -> bytes | None:
    """The owner of a record that the erasure takes by its time, None for another's."""
    owner = _owner_in_scope(m, e, projects)
    return None if owner is None or _accepted(orjson.loads(m.value() or b""), m) > e.accepted_at else owner


def _owner_in_scope(m: Stored, e: Erasure, projects: bool = False) -> bytes | None:
    """The owner of a record of the erasure's scope, None for another's. `projects`: what a project keeps of the user
    is meant, too."""
    raw = m.value() or b""
    needle = orjson.dumps(e.tenant if e.scope == "tenant" else e.user_id)[1:-1]
    if needle not in raw and b"\\" not in raw:  # where something is escaped, so may the id be
        return None
    try:
        data = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(data, dict) or data.get("type") in SAYS_NOTHING or data.get("tenant") != e.tenant:
        return None
    if e.scope != "tenant" and e.user_id not in (data.get("user_id"), _own(data)):
        return None
    if e.scope == "session" and not _of_session(data, e):
        return None
    users = e.scope == "tenant" or projects or data.get("owner_kind") == "user"
    if m.topic() == topics.UPDATES.name and not users and data.get("op") == "delete":
        # The project step's own doing, of which whoever reads the topic has to hear. It has deleted all that the user
        # wrote before this is asked: a value that stands came late, behind its deletion.
        return None
    return _owner_header(m) or e.owner.key.encode()


def _of_session(data: dict[str, Any], e: Erasure) -> bool:
    """Whether a record of the user may hold what was said in the session. A narrative is worded of all of a user's
    sessions."""
    turn, sealed = data.get("turn"), data.get("sealed")
    session = data.get("session_id") or (turn.get("session_id") if isinstance(turn, dict) else None)
    if data.get("type") == "amendment" and session is None and isinstance(sealed, dict):
        # The record that it brings says it; where that cannot be read, nobody needs the amendment any more: it was
        # applied before the erasure, or is refused.
        record = sealed.get("record")
        if not isinstance(record, dict):
            return sealed.keys() == ENCRYPTED_KEYS
        return record.get("session_id") == e.session_id or record.get("kind") == _NARRATIVE
    return session == e.session_id or (data.get("type") == "job_result" and data.get("job") == "narrative")


def _of_project(m: Stored | None) -> bool:
    """What a project keeps."""
    return m is not None and m.topic() == topics.UPDATES.name and b"/project/" in (_owner_header(m) or b"")


def _came_by(m: Stored, cut: datetime) -> bool:
    """Bytes that are no event are of the time at which they were written. Ticks, markers and erasures say nothing."""
    try:
        data = orjson.loads(m.value() or b"")
    except orjson.JSONDecodeError:
        data = None
    if not isinstance(data, dict):
        return _when(m) <= cut
    return data.get("type") not in SAYS_NOTHING and _accepted(data, m) <= cut


def _owner_header(m: Stored) -> bytes | None:
    return header(_headers(m), "owner")


def _own(data: dict[str, Any]) -> Any:
    return data.get("owner_id") if data.get("owner_kind") == "user" else None


def _accepted(data: dict[str, Any], m: Stored) -> datetime:
    for name in _TIMES:
        accepted = data.get(name)
        if isinstance(accepted, str):
            try:
                at = datetime.fromisoformat(accepted)
            except ValueError:
                continue
            return min(at, _when(m)) if header(_headers(m), REPLAY_OF) is not None else at
    return _when(m)


def _when(m: Stored) -> datetime:
    return kafka_time(source_ms(_headers(m), m.timestamp()[1]))


def _headers(m: Stored) -> Headers:
    pairs: Any = m.headers() or ()
    return [(k, v) for k, v in pairs if isinstance(v, bytes)]
