"""Replay and drop (delivery rule 2): the original bytes go back to the topic that they came from, meant for the one
reader that failed; what was done is marked behind the letter.

Safe to run twice, also after a crash between two of its writes: before a record is put back, a mark names the end of
its partition; whoever finds that mark without a second one looks behind that end for the record, and puts it back only
where it is not there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from query.deadletters.access import TopicAccess
from query.deadletters.index import Letter, LetterIndex, Source
from query.pipeline.groups import groups
from query.producer import Log, Outgoing
from query.streams import Read
from schemas.components.installed import components, topic_named
from schemas.events.envelope import Envelope
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError, header
from schemas.log.dead_letters import NOBODY, REPLAY_OF, mark_headers, replay_headers
from schemas.log.owner import partition as partition_of
from schemas.log.progress import Written
from schemas.log.topics import Cleanup

BATCH = 200
"""Letters that are put back together."""
Outcome = Literal[
    "replayed", "dropped", "already", "replayed_before", "dropped_before", "gone", "unreplayable", "failed"
]


@dataclass(frozen=True, slots=True)
class Result:
    """`already`: what is asked for was done before; `replayed_before`, `dropped_before`: the other of both was, and
    stands, so what is asked for is not done; `gone`: retention has taken the letter; `unreplayable`: its source is no
    topic of ours, or not one that the reader it names reads; `failed`: the brokers did not take it, and repeating
    the same call is safe."""

    letter: Letter
    outcome: Outcome
    written: Written | None = None


class _Place(NamedTuple):
    topic: str
    partition: int


class Replayer:
    """One run at a time: the caller holds the lock. `count`: partitions of owner-keyed topics. `reads`: reader -> the
    topics that it reads; None: as they are declared."""

    def __init__(
        self, index: LetterIndex, access: TopicAccess, log: Log, codec: Codec, count: int,
        reads: Mapping[str, Sequence[str]] | None = None,
    ) -> None:  # fmt: skip
        self._index, self._access, self._log, self._codec, self._count = index, access, log, codec, count
        self._reads = {g.name: g.topics for g in groups()} if reads is None else reads

    async def drop(self, letters: Iterable[Letter]) -> list[Result]:
        """The bytes stay in the log until its retention takes them; nobody is offered them again."""
        await asyncio.to_thread(self._index.refresh)
        out: list[Result] = []
        fresh, done = self._fresh(letters, "dropped")
        out += done
        offsets = await self._log.send([_mark(x, "dropped", "") for x in fresh])
        pairs = zip(fresh, offsets, strict=True)
        out += [Result(x, "dropped" if at is not None else "failed") for x, at in pairs]
        await asyncio.to_thread(self._index.refresh)
        return out

    async def replay(self, letters: Iterable[Letter]) -> list[Result]:
        """In the order of the sources, so in order per key. Raises TopicAwayError, QueueFullError."""
        await asyncio.to_thread(self._index.refresh)
        fresh, out = self._fresh(letters, "replayed")
        fresh.sort(key=lambda x: (x.source.topic, x.source.partition, x.source.offset))
        for at in range(0, len(fresh), BATCH):
            done = await self._some(fresh[at : at + BATCH])
            out += done
            if any(r.outcome == "failed" for r in done):
                out += [Result(x, "failed") for x in fresh[at + BATCH :]]  # what follows must not overtake it
                break
        await asyncio.to_thread(self._index.refresh)
        return out

    def _fresh(
        self, letters: Iterable[Letter], wanted: Literal["replayed", "dropped"]
    ) -> tuple[list[Letter], list[Result]]:
        """Each source once; those that were decided before apart."""
        seen: set[Source] = set()
        fresh, done = [], []
        for letter in letters:
            if letter.source in seen:
                continue
            seen.add(letter.source)
            state = self._index.state(letter)
            if state == "open":
                fresh.append(letter)
            elif state == wanted:
                done.append(Result(letter, "already"))
            else:
                done.append(Result(letter, "dropped_before" if state == "dropped" else "replayed_before"))
        return fresh, done

    async def _some(self, letters: Sequence[Letter]) -> list[Result]:
        records = await asyncio.to_thread(self._values, letters)
        results = {x.id: Result(x, "gone") for x in letters if x.id not in records}
        targets: dict[str, _Place] = {}
        for x in letters:
            if x.id not in records:
                continue
            place = self._target(x, records[x.id])
            if place is None:
                results[x.id] = Result(x, "unreplayable")
            else:
                targets[x.id] = place
        ends = await asyncio.to_thread(self._ends, {p.topic for p in targets.values()})
        replayed = await asyncio.to_thread(self._already_replayed, [x for x in letters if x.id in targets], ends)
        todo = [x for x in letters if x.id in targets and x.id not in replayed]
        sent = await self._log.send(
            [_mark(x, "replaying", f"{targets[x.id].topic}/{targets[x.id].partition}:{ends[targets[x.id]]}")
             for x in todo if self._index.mark(x) is None]
        )  # fmt: skip
        if any(offset is None for offset in sent):
            return [*results.values(), *(Result(x, "failed") for x in letters if x.id in targets)]
        written = {**replayed, **await self._put_back(todo, records, targets)}
        marks = [x for x in letters if x.id in written]
        kept = await self._log.send([_mark(x, "replayed", _place_text(written[x.id])) for x in marks])
        for x, offset in zip(marks, kept, strict=True):
            results[x.id] = Result(x, "replayed" if offset is not None else "failed", written[x.id])
        return [results.get(x.id, Result(x, "failed")) for x in letters]

    async def _put_back(
        self, letters: Sequence[Letter], records: Mapping[str, Read], targets: Mapping[str, _Place]
    ) -> dict[str, Written]:
        outgoing: list[Outgoing] = []
        which: list[str | None] = []
        for x in letters:
            place, compacted = targets[x.id], topic_named(x.source.topic).cleanup is not Cleanup.DELETE
            record = _outgoing(x, records[x.id], place, compacted)
            outgoing.append(record)
            which.append(x.id)
            if compacted:  # beside the record's own key, which keeps its newest value, and out of the log again
                removed = [(k, NOBODY.encode() if k == "replay_for" else v) for k, v in record.headers]
                outgoing.append(Outgoing(record.topic, record.partition, record.key, None, removed))
                which.append(None)
        offsets = await self._log.send(outgoing)
        return {
            name: Written(topic=o.topic, partition=o.partition, offset=offset)
            for name, o, offset in zip(which, outgoing, offsets, strict=True)
            if name is not None and offset is not None
        }

    def _values(self, letters: Sequence[Letter]) -> dict[str, Read]:
        """The records themselves, by letter id."""
        wanted: dict[int, list[int]] = {}
        for x in letters:
            wanted.setdefault(x.partition, []).append(x.offset)
        starts = {p: min(offsets) for p, offsets in wanted.items()}
        ends = {p: max(offsets) + 1 for p, offsets in wanted.items()}
        found = self._access.read(topics.DEAD_LETTERS.name, starts, ends)
        ids = {x.id for x in letters}
        return {f"{r.partition}:{r.offset}": r for r in found if f"{r.partition}:{r.offset}" in ids}

    def _target(self, letter: Letter, record: Read) -> _Place | None:
        """Where it came from; the owner's own partition where it stood in another one. None where the reader that it
        is meant for does not read there: everybody would pass it by."""
        topic = components().topics.get(letter.source.topic)
        if topic is None or topic.name not in self._reads.get(letter.source.step, ()):
            return None
        if letter.source.partition >= self._count:
            return None
        partition = letter.source.partition
        if letter.reason == "wrong_partition":
            try:
                event = self._codec.decode(topic.name, record.value)
            except DecodeError:
                return _Place(topic.name, partition)
            if isinstance(event, Envelope):
                partition = partition_of(event.owner, self._count)
        return _Place(topic.name, partition)

    def _ends(self, names: Iterable[str]) -> dict[_Place, int]:
        return {_Place(t, p): end for t in names for p, (_, end) in self._access.bounds(t).items()}

    def _already_replayed(self, letters: Sequence[Letter], ends: Mapping[_Place, int]) -> dict[str, Written]:
        """Those that an unfinished run has put back already."""
        out: dict[str, Written] = {}
        for x in letters:
            mark = self._index.mark(x)
            if mark is None:
                continue
            topic, _, rest = mark.target.partition("/")
            p, start = (int(n) for n in rest.split(":"))
            for r in self._access.read(topic, {p: start}, {p: ends[_Place(topic, p)]}):
                if header(r.headers, REPLAY_OF) == x.id.encode() and r.value is not None:
                    out[x.id] = Written(topic=topic, partition=p, offset=r.offset)
        return out


def _outgoing(letter: Letter, record: Read, place: _Place, compacted: bool) -> Outgoing:
    """The time of the source goes along in a header: what counts from acceptance must not begin anew, and an erasure
    since then holds. Of a source without a time the letter's own is the nearest."""
    at = letter.source_at or letter.dead_at
    headers = replay_headers(list(record.headers), letter.id, letter.source.step, letter.attempts, at)
    key = f"replay/{letter.id}".encode() if compacted else record.key
    return Outgoing(place.topic, place.partition, key, record.value, headers)


def _mark(letter: Letter, action: str, target: str) -> Outgoing:
    headers = mark_headers(letter.offset, action, target)
    return Outgoing(topics.DEAD_LETTERS.name, letter.partition, None, None, headers)


def _place_text(w: Written) -> str:
    return f"{w.topic}/{w.partition}:{w.offset}"


def shown(letter: Letter, index: LetterIndex) -> dict[str, object]:
    """A letter as the API has it: what its headers say, and what became of it."""
    mark = index.mark(letter)
    return {
        "id": letter.id,
        "state": index.state(letter),
        "step": letter.source.step,
        "reason": letter.reason,
        "message": letter.message,
        "attempts": letter.attempts,
        "source": {"topic": letter.source.topic, "partition": letter.source.partition, "offset": letter.source.offset},
        "failed_at": letter.source_at,
        "dead_since": letter.dead_at.astimezone(UTC),
        "bytes": letter.size,
        "tenant": letter.tenant,
        "decided": _decided(mark.action, mark.target, mark.at) if mark else None,
    }


def _decided(action: str, target: str, at: datetime) -> dict[str, object]:
    return {"action": action, "target": target or None, "at": at}
