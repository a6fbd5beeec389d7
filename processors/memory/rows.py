"""Rows of the gate, under a user. Keys and stored field names are known here alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

import orjson

from processors.dedupe.features import Features
from processors.hot_matter import keys_of
from processors.memory import source_positions
from processors.memory.rules import MAX_REJECTED_TURNS
from processors.memory.source_positions import ReadAt
from processors.memory.values import iso
from processors.state_tables import BuiltRows, JsonRows, Single, Table, TimeRows, UnreadableRow
from schemas.base import Json, JsonValue
from schemas.events.memory import HotValue, MemoryKind, MemoryUpdate, Span
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.ids import record_id
from schemas.log.owner import project

Ending = Literal["ended", "gone"]
"""Of a record that is not active any more: its versions are in the views, or deleted from them."""
_CODEC = Codec()


def update_of(stored: dict[str, JsonValue]) -> MemoryUpdate:
    """Of its stored form, which is that of its topic. Raises UnreadableRow."""
    try:
        event = _CODEC.event(topics.UPDATES.name, stored)
    except ValueError as exc:
        raise UnreadableRow(str(exc)) from None
    if not isinstance(event, MemoryUpdate):
        raise UnreadableRow("u.type: expected memory")
    return event


def stored_update(update: MemoryUpdate) -> dict[str, Json]:
    stored: dict[str, Json] = orjson.loads(_CODEC.value(update))
    return stored


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record, active or observed. Its parts get their types when they are asked for: most reads are of the update
    alone."""

    stored: dict[str, JsonValue]

    @classmethod
    def of(cls, update: MemoryUpdate, features: Features | None, places: ReadAt) -> StoredRecord:
        row: dict[str, Json] = {"u": stored_update(update)}
        if features is not None:
            row["f"] = features.to_json()
        if places:
            row["p"] = source_positions.row_of(places)
        return cls(row)

    @property
    def update(self) -> MemoryUpdate:
        return update_of(self.stored["u"])

    @property
    def features(self) -> Features | None:
        """None where the record is not compared with others in its words."""
        return Features.from_json(str(self.stored["f"])) if "f" in self.stored else None

    @property
    def places(self) -> ReadAt:
        return source_positions.opened(self.stored.get("p"))

    def read_in(self, places: ReadAt) -> StoredRecord:
        return StoredRecord({**self.stored, "p": source_positions.row_of(places)})


def _record(stored: JsonValue) -> StoredRecord:
    if not isinstance(stored, dict) or not isinstance(stored.get("u"), dict):
        raise UnreadableRow("u: expected a record")
    return StoredRecord(stored)


@dataclass(frozen=True, slots=True)
class LastVersion:
    """What a record said when it ended, as much as a rejection needs. `hashes`: field (empty: its text) to the keyed
    hash of the value. `turns`: the last that it cites. `means`: `meaning` of a text."""

    scope: str
    hashes: Mapping[str, str]
    turns: Sequence[str]
    means: str | None = None
    places: ReadAt = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tail:
    """Numbers of the last version of a record that is not active any more. `number`: in the order in which the user's
    records ended, -1 where that is not known. `deleted`: from the views, too. `by_change`: a later statement ended
    it."""

    version: int
    revision: int
    kind: MemoryKind
    last: LastVersion | None = None
    number: int = -1
    deleted: bool = False
    by_change: bool = False

    @property
    def ending(self) -> Ending:
        return "gone" if self.deleted else "ended"

    def moved_on(self, revision: int) -> Tail:
        return dataclasses.replace(self, revision=revision)


def _tail(stored: JsonValue) -> Tail:
    """Versions before have left out one after the other of the last four."""
    parts: list[JsonValue] = list(stored)
    version, revision, kind, last, number, deleted, by_change = parts + [None, -1, False, False][len(parts) - 3 :]
    last_version = None if last is None else _last_version(last)
    return Tail(int(version), int(revision), kind, last_version, int(number), bool(deleted), bool(by_change))


def _stored_tail(tail: Tail) -> Json:
    last = None if tail.last is None else _stored_last(tail.last)
    row: list[Json] = [tail.version, tail.revision, tail.kind, last, tail.number, tail.deleted]
    return [*row, True] if tail.by_change else row


def _last_version(stored: JsonValue) -> LastVersion:
    return LastVersion(
        str(stored["scope"]), dict(stored["hashes"]), tuple(stored["turns"]), stored.get("means"),
        source_positions.opened(stored.get("places")),
    )  # fmt: skip


def _stored_last(last: LastVersion) -> Json:
    row: dict[str, Json] = {"scope": last.scope, "hashes": dict(last.hashes), "turns": list(last.turns)}
    if last.means is not None:
        row["means"] = last.means
    return row | ({"places": source_positions.row_of(last.places)} if last.places else {})


class EndedCounts(NamedTuple):
    """How many records of the user have ended, and the newest revision of those whose tails are forgotten."""

    ended: int = 0
    floor: int = 0


class VersionOf(NamedTuple):
    """A version that came from a session."""

    record_id: str
    version: int


def _versions(stored: Sequence[JsonValue]) -> tuple[VersionOf, ...]:
    return tuple(VersionOf._make(entry) for entry in stored)


def _stored_versions(versions: tuple[VersionOf, ...]) -> Json:
    return [list(version) for version in versions]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A value that is not learned again from old text. `hash`: keyed, of the normalised value. `words`: keyed hash of
    the text's words, `means` of its meaning. `places`: where it was read in its turns. `at`: when it was rejected."""

    kind: str
    field: str
    scope: str
    hash: str
    turns: Sequence[str]
    at: datetime
    words: str | None = None
    means: str | None = None
    places: ReadAt = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        """In the table `REJECTIONS`."""
        return f"{self.kind}/{self.scope}/{self.field}/{self.hash}"

    def after(self, old: Rejection) -> Rejection:
        """Of the same value: the source turns of the one before stay barred, the last MAX_REJECTED_TURNS of both."""
        turns = tuple(dict.fromkeys((*old.turns, *self.turns)))[-MAX_REJECTED_TURNS:]
        return dataclasses.replace(
            self, turns=turns, at=max(old.at, self.at),
            places=source_positions.among(source_positions.joined(old.places, self.places), turns),
            words=old.words if self.words is None else self.words,
            means=old.means if self.means is None else self.means,
        )  # fmt: skip


def _rejection(stored: JsonValue) -> Rejection:
    return Rejection(
        stored["kind"], stored["field"], stored["scope"], stored["hash"], tuple(stored["turns"]),
        datetime.fromisoformat(stored["at"]), stored.get("words"), stored.get("means"),
        source_positions.opened(stored.get("places")),
    )  # fmt: skip


def _stored_rejection(r: Rejection) -> Json:
    row: dict[str, Json] = {
        "kind": r.kind, "field": r.field, "scope": r.scope, "hash": r.hash, "turns": list(r.turns), "at": iso(r.at),
        "places": source_positions.row_of(r.places),
    }  # fmt: skip
    for name, value in (("words", r.words), ("means", r.means)):
        if value is not None:
            row[name] = value
    return row


@dataclass(frozen=True, slots=True)
class ReplacedVersions:
    """What a record replaced, until then. Versions get their type when they are asked for."""

    until: datetime
    stored: Sequence[dict[str, JsonValue]]

    @classmethod
    def of(cls, updates: Sequence[MemoryUpdate], until: datetime) -> ReplacedVersions:
        return cls(until, [stored_update(u) for u in updates])

    @property
    def updates(self) -> list[MemoryUpdate]:
        return [update_of(stored) for stored in self.stored]

    def without_session(self, session_id: str) -> ReplacedVersions:
        return ReplacedVersions(self.until, [u for u in self.stored if u.get("session_id") != session_id])


def _replaced(stored: JsonValue) -> ReplacedVersions:
    return ReplacedVersions(datetime.fromisoformat(stored["until"]), tuple(stored["old"]))


def _stored_replaced(row: ReplacedVersions) -> Json:
    return {"until": iso(row.until), "old": list(row.stored)}


@dataclass(slots=True)
class TurnReading:
    """Who read a turn, and what came of it. `versions`: extractor -> its newest version that read it. `spans`: the head
    span that each of its records was read from. `said_too`: extractor -> records of another one's that it says as
    well."""

    versions: dict[str, int] = dataclasses.field(default_factory=dict)
    spans: dict[str, Span | None] = dataclasses.field(default_factory=dict)
    said_too: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    def others(self, extractor: str) -> bool:
        return any(name != extractor for name in self.versions)

    def says_too(self, record_id: str, extractor: str) -> bool:
        """Does another extractor say a record that `extractor` says no more?"""
        return any(record_id in ids for name, ids in self.said_too.items() if name != extractor)


class KeptReading(NamedTuple):
    """`until`: how long it counts."""

    reading: TurnReading
    until: datetime


def _reading(stored: JsonValue) -> KeptReading:
    if isinstance(stored, list):  # before a second reading could follow: [extractor, version, until]
        return KeptReading(TurnReading({str(stored[0]): int(stored[1])}), datetime.fromisoformat(stored[2]))
    spans = {r: None if s is None else Span(start=s[0], end=s[1]) for r, s in stored.get("spans", {}).items()}
    said_too = {name: list(ids) for name, ids in stored.get("too", {}).items()}
    return KeptReading(TurnReading(dict(stored["by"]), spans, said_too), datetime.fromisoformat(stored["until"]))


def _stored_reading(kept: KeptReading) -> Json:
    reading = kept.reading
    row: dict[str, Json] = {"by": dict(reading.versions), "until": iso(kept.until)}
    if reading.spans:
        row["spans"] = {r: None if s is None else [s.start, s.end] for r, s in reading.spans.items()}
    if reading.said_too:
        row["too"] = {name: list(ids) for name, ids in reading.said_too.items()}
    return row


class InHot(NamedTuple):
    """An entry of a project's hot memory: of which project and type, and its id there."""

    project: str
    type: str
    entry: str

    @classmethod
    def all_of(cls, tenant: str, project_id: str, hot: HotValue) -> list[InHot]:
        """Under each of the keys that it may have there, its own the last."""
        owner = project(tenant, project_id)
        keys = reversed(keys_of(hot))
        return [cls(project_id, hot.type, record_id(owner, "hot", hot.type, key)) for key in keys]


class NarrativeJob(NamedTuple):
    """A model words the narrative of this revision."""

    job_id: str
    revision: int


RECORDS: Table[StoredRecord] = Table("m/", BuiltRows(_record, lambda row: row.stored))
"""By record id: what is active or observed."""
TAILS: Table[Tail] = Table("v/", BuiltRows(_tail, _stored_tail))
"""By record id: what is not active any more, so that the same record can come back."""
ENDED_COUNTS: Single[EndedCounts] = Single("n/ended", JsonRows(EndedCounts))
ENDED_AT: Table[datetime] = Table("e/", BuiltRows(datetime.fromisoformat, datetime.isoformat))
"""By record id, when the version that ended last was known."""
VERSIONS_OF_SESSION: Table[tuple[VersionOf, ...]] = Table("s/", BuiltRows(_versions, _stored_versions))
"""By session id: superseded versions are in the views only, and are erased with it."""
REJECTIONS: Table[Rejection] = Table("r/", BuiltRows(_rejection, _stored_rejection))
"""By `Rejection.name`."""
REPLACED: Table[ReplacedVersions] = Table("p/", BuiltRows(_replaced, _stored_replaced))
"""By the id of the record that replaced them."""
READINGS: Table[KeptReading] = Table("x/", BuiltRows(_reading, _stored_reading))
"""By turn id."""
HOT_OF_RECORD: Table[tuple[InHot, ...]] = Table("h/", JsonRows(tuple[InHot, ...]))
"""By record id, the newest last. Not their keys, which may be what somebody said."""
SUMMARIES: Table[int] = Table("summaries/", JsonRows(int))
"""By session id, how often its end was summed up."""
NARRATIVE_JOB: Single[NarrativeJob] = Single("narrative/job", JsonRows(NarrativeJob))
APPLIED: Table[datetime] = Table("a/", TimeRows())
"""By command or feedback, until when it is remembered that it was applied."""
