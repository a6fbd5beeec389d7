"""What is in memory.dead-letters, by headers: letters, and the marks that say what became of them.

The log is the truth: a mark stands behind its letter in the same partition, so any service reads the same.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import orjson

from query.deadletters.access import TopicAccess
from query.streams import Read
from schemas.base import EARLIEST
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.dead_letters import ACTIONS, RESOLVES
from schemas.log.owner import Owner

State = Literal["open", "replayed", "dropped"]
MOST = 50_000
"""Letters that are kept in memory; of more, the newest."""
CHUNK = 5_000
"""Records of a partition that are read at a time: values pass through memory once, and are not kept."""


class Source(NamedTuple):
    """The failed record: a letter that was delivered twice has the same one."""

    step: str
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Letter:
    """One dead letter. `source_at`: Kafka's time of the failed record, None where it had none; `dead_at`: when it
    became a dead letter; `size`: bytes of the value; `tenant` None: nobody can say whose it is."""

    partition: int
    offset: int
    source: Source
    reason: str
    message: str
    attempts: int
    source_at: datetime | None
    dead_at: datetime
    size: int
    tenant: str | None

    @property
    def id(self) -> str:
        return f"{self.partition}:{self.offset}"


@dataclass(frozen=True, slots=True)
class Mark:
    """`target`: where a replay goes, topic/partition:offset."""

    action: str
    target: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Filters:
    """All that are given must hold. Times are those of becoming a dead letter; `until` is exclusive."""

    step: str | None = None
    reason: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    state: State | None = "open"


class LetterIndex:
    """Read up to the end of the log by `refresh`, from one thread at a time; looked at from any."""

    def __init__(self, access: TopicAccess, most: int = MOST) -> None:
        self._access, self._most = access, most
        self._lock = threading.Lock()
        self._next: dict[int, int] = {}
        self._letters: dict[tuple[int, int], Letter] = {}
        self._marks: dict[tuple[int, int], Mark] = {}
        self._states: dict[Source, State] = {}
        self.refreshed = False

    def refresh(self) -> None:
        """Raises TopicAwayError."""
        with self._lock:
            bounds = self._access.bounds(topics.DEAD_LETTERS.name)
            for p, (low, end) in bounds.items():
                self._next[p] = max(low, self._next.get(p, low))
                self._forget(p, low)
                while self._next[p] < end:
                    stop = min(end, self._next[p] + CHUNK)
                    for record in self._access.read(topics.DEAD_LETTERS.name, {p: self._next[p]}, {p: stop}):
                        self._take(record)
                    self._next[p] = stop
            self._shrink()
            self.refreshed = True

    def state(self, letter: Letter) -> State:
        return self._states.get(letter.source, "open")

    def mark(self, letter: Letter) -> Mark | None:
        """The newest mark of this very letter."""
        return self._marks.get((letter.partition, letter.offset))

    def get(self, letter_id: str) -> Letter | None:
        """None for an id that is none, or whose letter is not there."""
        partition, _, offset = letter_id.partition(":")
        if not (partition.isascii() and partition.isdigit() and offset.isascii() and offset.isdigit()):
            return None
        return self._letters.get((int(partition), int(offset)))

    def select(self, filters: Filters) -> list[Letter]:
        """Newest first; of letters of one source the first only."""
        seen: set[Source] = set()
        found = []
        for letter in sorted(self._letters.values(), key=lambda x: (x.partition, x.offset)):
            if letter.source not in seen and self._fits(letter, filters):
                found.append(letter)
            seen.add(letter.source)
        return sorted(found, key=lambda x: (x.dead_at, x.partition, x.offset), reverse=True)

    def counts(self, letters: Iterable[Letter]) -> Counter[tuple[str, str]]:
        """(step, reason) -> letters."""
        return Counter((x.source.step, x.reason) for x in letters)

    def _fits(self, x: Letter, f: Filters) -> bool:
        return (
            (f.step is None or x.source.step == f.step)
            and (f.reason is None or x.reason == f.reason)
            and (f.since is None or x.dead_at >= f.since)
            and (f.until is None or x.dead_at < f.until)
            and (f.state is None or self.state(x) == f.state)
        )

    def _take(self, record: Read) -> None:
        resolved = _number(record, RESOLVES)
        if resolved is None:
            letter = _letter(record)
            self._letters[letter.partition, letter.offset] = letter
            return
        place = (record.partition, resolved)
        action = _text(record, "action") or ""
        if action not in ACTIONS:
            return
        self._marks[place] = Mark(action, _text(record, "target") or "", _time(record.timestamp_ms))
        of = self._letters.get(place)
        if of is not None and action in ("replayed", "dropped"):
            self._states[of.source] = "replayed" if action == "replayed" else "dropped"

    def _forget(self, partition: int, low: int) -> None:
        """What retention has taken."""
        self._drop([x for x in self._letters.values() if x.partition == partition and x.offset < low])

    def _shrink(self) -> None:
        over = len(self._letters) - self._most
        if over > 0:
            self._drop(sorted(self._letters.values(), key=lambda x: (x.dead_at, x.partition, x.offset))[:over])

    def _drop(self, letters: Sequence[Letter]) -> None:
        for x in letters:
            del self._letters[x.partition, x.offset]
            self._marks.pop((x.partition, x.offset), None)
        if letters:
            left = {x.source for x in self._letters.values()}
            self._states = {source: state for source, state in self._states.items() if source in left}


def _letter(record: Read) -> Letter:
    step, topic = _text(record, "step") or "unknown", _text(record, "source_topic") or ""
    place = _number(record, "source_partition"), _number(record, "source_offset")
    if place[0] is None or place[1] is None:  # not one of ours: it stands for itself
        place = (record.partition, record.offset)
    return Letter(
        record.partition,
        record.offset,
        Source(step, topic, place[0] or 0, place[1] or 0),
        _text(record, "reason") or "unknown",
        _text(record, "message") or "",
        _number(record, "attempts") or 1,
        _source_time(_text(record, "failed_at")),
        _time(record.timestamp_ms),
        len(record.value or b""),
        _tenant(record),
    )


def _text(record: Read, name: str) -> str | None:
    raw = header(record.headers, name)
    return None if raw is None else raw.decode("utf-8", "replace")


def _number(record: Read, name: str) -> int | None:
    raw = _text(record, name)
    return int(raw) if raw is not None and raw.isascii() and raw.isdigit() and len(raw) < 19 else None


def _time(timestamp_ms: int) -> datetime:
    return datetime.fromtimestamp(max(0, timestamp_ms) / 1000, UTC)


def _source_time(raw: str | None) -> datetime | None:
    try:
        when = datetime.fromisoformat(raw or "")
    except ValueError:
        return None
    return when if when.tzinfo is not None and when > EARLIEST else None


def _tenant(record: Read) -> str | None:
    """From the header `owner`, else from the clear envelope of the value."""
    owner = _text(record, "owner")
    if owner is not None:
        try:
            return Owner.parse(owner).tenant
        except ValueError:
            return None
    try:
        value = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None
    tenant = value.get("tenant") if isinstance(value, dict) else None
    return tenant if isinstance(tenant, str) and tenant else None
