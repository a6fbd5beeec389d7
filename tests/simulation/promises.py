"""Freshness: a read that was said to be fresh has shown all that the writes of its token had led to.

What a write leads to is followed record by record, from the log as it is to what the oracle makes of it. The progress
that steps and sinks tell each other is not asked: it is what is under test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec, Event
from schemas.log.progress import Written
from sinks.collapse import accepted_at, identity, revision
from streams.batch import Message
from tests.crash.compare import Differences
from tests.crash.log import Log, source_of, without_redelivered
from tests.simulation.load import Call

VIEWS_OF: Mapping[str, tuple[str, ...]] = {
    "postgres": ("turns", "memories", "outcomes", "sessions", "projects"), "milvus": ("turns", "memories", "projects"),
}  # fmt: skip
"""Views for which a read waits in a store. What Redis has is compared with Postgres, revision by revision."""
_FED: Mapping[str, tuple[str, str]] = {
    "turns": ("screen", topics.HISTORY.name), "memories": ("gate", topics.UPDATES.name),
    "outcomes": ("gate", topics.DECISIONS.name), "sessions": ("session", topics.SESSION_STATE.name),
    "projects": ("project", topics.UPDATES.name),
}  # fmt: skip
"""View -> the step and the topic that feed it."""
_WAY = {
    topics.TURNS.name: (("screen", topics.HISTORY.name),),
    topics.HISTORY.name: (("extract", topics.LEDGER.name),),
    topics.LEDGER.name: (("gate", topics.PROJECT_EVENTS.name),),
}
"""From a topic by a step into the next, as far as steps read on."""
_READS = {
    "screen": topics.TURNS.name, "gate": topics.LEDGER.name, "session": topics.HISTORY.name,
    "project": topics.PROJECT_EVENTS.name,
}  # fmt: skip
_KINDS = {"turns": ("turn",), "memories": ("memory",), "outcomes": ("decision",), "sessions": ("session", "checkpoint")}
Rows = Mapping[tuple[Hashable, ...], Event]
Place = tuple[str, int, int]
"""(topic, partition, offset)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a read that was said to be fresh found in its store, and the writes that its token named. `lost`: numbers
    of those calls that the log no longer held then."""

    read: str
    store: str
    views: tuple[str, ...]
    writes: tuple[tuple[Call, Written], ...]
    rows: Rows
    lost: tuple[int, ...] = ()


class Lineage:
    """`logs`: the topics as they are. `outputs`: what each step must make of its own, by the oracle."""

    def __init__(self, codec: Codec, logs: Mapping[str, Log], outputs: Mapping[str, Log]) -> None:
        self._codec, self._logs, self._outputs = codec, logs, outputs
        self._real = {t: _by_source(logs[t]) for t in (topics.HISTORY.name, topics.LEDGER.name, _READS["project"])}
        self._wanted = {step: _by_source(found) for step, found in outputs.items()}
        self._roots = {
            (m.topic, m.partition, m.offset): m
            for topic in (topics.TURNS.name, topics.LEDGER.name) for records in logs[topic].values() for m in records
        }  # fmt: skip
        self._nulled = {
            (m.topic, m.partition, m.key): m.offset
            for found in outputs.values() for records in found.values() for m in records if m.value is None
        }  # fmt: skip

    def records(self, view: str, written: Written) -> Iterator[Message]:
        """What the step behind the view makes of a write."""
        step, topic = _FED[view]
        for place in self._places(_READS[step], (written.topic, written.partition, written.offset)):
            yield from (m for m in self._wanted[step].get((step, *place[1:]), ()) if m.topic == topic)

    def event(self, m: Message) -> Event | None:
        return self._codec.decode(m.topic, m.value) if m.value else None

    def holds(self, call: Call, written: Written) -> bool:
        """Whether what the call asked for lies where its token says."""
        m = self._roots.get((written.topic, written.partition, written.offset))
        return m is not None and call.made(self.event(m))

    def removed(self, m: Message) -> bool:
        """Whether a later record of its key takes its row away."""
        return self._nulled.get((m.topic, m.partition, m.key), -1) > m.offset

    def erasure(self, written: Written) -> Erasure | None:
        """The write, where it is one."""
        for m in self._logs[written.topic][written.topic, written.partition]:
            if m.offset == written.offset and m.value:
                found = self._codec.decode(m.topic, m.value)
                return found if isinstance(found, Erasure) else None
        return None

    def erased_behind(self, user: str, written: Written) -> bool:
        """Whether the user was erased later in the log, or without an order that can be told."""
        for records in self._logs[topics.TURNS.name].values():
            for m in records:
                later = written.topic != m.topic or m.offset > written.offset
                if later and m.value and b'"erasure"' in m.value:
                    found = self._codec.decode(m.topic, m.value)
                    if isinstance(found, Erasure) and found.user_id == user:
                        return True
        return False

    def _places(self, wanted: str, at: Place) -> Iterator[Place]:
        """Where the write, and what came of it, lies in that topic."""
        if at[0] == wanted:
            yield at
            return
        for step, topic in _WAY.get(at[0], ()):
            for m in self._real[topic].get((step, *at[1:]), ()):
                if m.topic == topic:
                    yield from self._places(wanted, (topic, m.partition, m.offset))


def placed(d: Differences, acknowledged: Sequence[tuple[Call, Written]], lineage: Lineage) -> None:
    """What was acknowledged lies at the offset that was named for it: a token of any other is a promise of nothing."""
    for call, w in acknowledged:
        d.checked["places of writes"] += 1
        if not lineage.holds(call, w):
            d.add("places of writes", f"{call.number} {call.what} is not at {w.topic}/{w.partition}:{w.offset}")


def kept(d: Differences, seen: Sequence[Seen], lineage: Lineage) -> None:
    for s in seen:
        for number in s.lost:
            d.add("freshness", f"{s.read} in {s.store}: {number} is said to be there, and the log has lost it")
        for call, written in s.writes:
            d.checked["fresh reads"] += 1
            if not lineage.holds(call, written):
                continue  # lost since: that is said of its place
            if call.what == "erase":
                _check_erased(d, s, call, written, lineage)
            elif not lineage.erased_behind(call.user, written):
                for view in s.views:
                    for m in lineage.records(view, written):
                        _there(d, s, view, call, m, lineage)


def _there(d: Differences, s: Seen, view: str, call: Call, m: Message, lineage: Lineage) -> None:
    event = lineage.event(m)
    name = None if event is None else identity(event)
    if event is None or name is None or isinstance(event, Erasure) or name[0] not in _kinds(view):
        return
    row = s.rows.get(name)
    d.checked[f"fresh {view} in {s.store}"] += 1
    over = isinstance(event, MemoryUpdate) and event.op == "delete"
    if row is None and not over and not lineage.removed(m):
        d.add("freshness", f"{s.read} in {s.store}: {call.number} {call.what} is said to be in {view}: lacks {name}")
    elif row is not None and revision(row) < revision(event):
        d.add("freshness", f"{s.read} in {s.store}: {call.number} {call.what} is said to be in {view}: old {name}")


def _check_erased(d: Differences, s: Seen, call: Call, written: Written, lineage: Lineage) -> None:
    """Behind an erasure nothing stands that was accepted by its cut-off."""
    e = lineage.erasure(written)
    for name, row in s.rows.items() if e is not None else ():
        when = accepted_at(row)
        mine = getattr(row, "owner", None) == e.owner and when is not None and e.covers(when)  # type: ignore[union-attr]
        d.checked["fresh erasures"] += 1
        if mine and any(name[0] in _kinds(view) for view in s.views if view != "projects"):
            d.add("freshness", f"{s.read} in {s.store}: {call.number} has erased {call.user}, and shown is {name}")


def _kinds(view: str) -> tuple[str, ...]:
    return _KINDS.get(view, ("memory",))


def _by_source(log: Log) -> dict[tuple[str, int, int], list[Message]]:
    """(step, partition, offset) of the source -> what came of it, without what was delivered again."""
    out: dict[tuple[str, int, int], list[Message]] = defaultdict(list)
    for records in log.values():
        for m in without_redelivered(records):
            source = source_of(m)
            if source is not None:
                step, _, partition = source[0].partition("/")
                out[step, int(partition), source[1]].append(m)
    return out
