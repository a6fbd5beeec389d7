"""What must hold of a world that has come to rest: the oracle's comparison of topics, state and views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from schemas.events.erasure import Erasure
from schemas.events.turns import ScreenedTurn, TurnEvent
from schemas.log import topics
from schemas.log.codec import Event
from sinks.collapse import collapse, runs
from sinks.decode import decode
from sinks.memory import MemorySink
from sinks.protocol import Message as SinkMessage
from sinks.protocol import Sink, SinkBatch
from streams.batch import Message
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from streams.topology import Parts
from tests.crash.compare import Differences, dead_letters, topic_records
from tests.crash.log import Log, without_redelivered
from tests.crash.oracle import Expected, source_topic
from tests.simulation import models
from tests.simulation.acts import SINKS
from tests.simulation.broker import Broker
from tests.simulation.loop import SimLoop
from tests.simulation.partition import Partition, Stored
from tests.simulation.promises import Lineage, Rows, kept, placed
from tests.simulation.readers import Readers
from tests.simulation.sinks import topics_of
from tests.simulation.world import PARTITIONS, World


def read(broker: Broker, lost: bool = True) -> dict[str, Log]:
    """Every topic, as a reader of committed records has seen it; without `lost`: what it has still of its outputs."""
    return {
        name: {
            (name, n): [message_of(name, n, s) for s in _ever(name, p, lost) if s.record.visible]
            for n, p in enumerate(found)
        }
        for name, found in broker.topics.items()
    }


def message_of(topic: str, number: int, s: Stored) -> Message:
    return Message(topic, number, s.offset, s.record.key, s.record.value, s.record.headers, s.record.timestamp_ms)


def _ever(topic: str, log: Partition, lost: bool) -> list[Stored]:
    """Of a kept log with what compaction took: nulls alone take something there, for erasures, and who reads it in
    time has had it. Where a log has lost something: what was read there."""
    records = [*log.records, *log.lost] if lost and log.resent is None else log.records
    if log.resent is not None:
        first, end = log.resent
        records = [*(s for s in records if not first <= s.offset < end), *log.lost]
    if topic in topics.KEPT_LOGS:
        records = [*log.compacted, *records]
    return sorted(records, key=lambda s: s.offset)


async def expected(name: str, records: Log, parts: Parts) -> tuple[Expected, MemoryStateStore]:
    """One step over the whole of its source, record by record, and the state that it ends with."""
    step, store = models.build(name, parts), MemoryStateStore(lambda: 0.0)
    driver = TopologyDriver([step], datetime.fromtimestamp(0, UTC), partitions=PARTITIONS, batch=1, store=store)
    for place, found in records.items():
        driver.log.partitions[place] = without_redelivered(found)  # the runner under test has to drop them itself
    await driver.run()
    outputs = {(t.name, p): driver.log.partitions[t.name, p] for t in step.outputs for p in range(PARTITIONS)}
    return Expected(name, outputs, driver.dead_letters()), store


def differences(world: World, readers: Readers, parts: Parts) -> Differences:
    """`readers`: what was acknowledged, and what fresh reads have shown."""
    d, logs = Differences(), read(world.broker)
    want: dict[str, Expected] = {}
    states: dict[str, MemoryStateStore] = {}
    oracle = SimLoop(0)
    for name in models.STEPS:
        want[name], states[name] = oracle.run_until_complete(expected(name, logs[source_topic(name).name], parts))
    lies = read(world.broker, lost=False)
    _topics(d, want, lies)
    for name in models.STEPS:
        _state(d, name, states[name], world.state.data)
    _accepted(d, world, readers.turns, lies)
    lineage = Lineage(world.codec, logs, {name: e.outputs for name, e in want.items()})
    placed(d, readers.said, lineage)
    kept(d, readers.seen, lineage)
    history = {place: without_redelivered(found) for place, found in logs[topics.HISTORY.name].items()}
    for name in SINKS:
        _view(d, name, world, [history, *(want[s].outputs for s in ("gate", "session", "project"))])
    return d


def _accepted(d: Differences, world: World, accepted: Collection[tuple[str, str]], logs: Mapping[str, Log]) -> None:
    """Each turn that was acknowledged is in the log of turns, and in the history, but where it was erased."""
    sent = _events(world, logs[topics.TURNS.name])
    turns = {(e.user_id, e.turn_id) for e in sent if isinstance(e, TurnEvent)}
    erased = {e.user_id for e in sent if isinstance(e, Erasure)}
    history = _events(world, logs[topics.HISTORY.name])
    kept = Counter((e.user_id, e.turn_id) for e in history if isinstance(e, ScreenedTurn))
    d.checked["accepted turns"] += len(accepted)
    for turn in sorted(accepted):
        if turn not in turns:
            d.add("accepted turns", f"not in the log: {turn}")
        elif turn not in kept and turn[0] not in erased:
            d.add("accepted turns", f"lost {turn}")


def _events(world: World, log: Log) -> list[Event]:
    found = [(place[0], m.value) for place, records in log.items() for m in records if m.value]
    return [world.codec.decode(topic, value) for topic, value in found]


def _topics(d: Differences, want: Mapping[str, Expected], logs: Mapping[str, Log]) -> None:
    pairs = {
        "screen": (topics.HISTORY,), "extract": (topics.LEDGER,),
        "gate": (topics.UPDATES, topics.DECISIONS, topics.PROJECT_EVENTS), "session": (topics.SESSION_STATE,),
        "project": (topics.UPDATES, topics.DECISIONS),
    }  # fmt: skip
    for step, out in pairs.items():
        for topic in out:
            topic_records(d, topic, step, want[step].outputs, logs[topic.name], coalesced=step == "session")
    dead_letters(d, [m for e in want.values() for m in e.dead], logs[topics.DEAD_LETTERS.name])


def _state(d: Differences, name: str, want: MemoryStateStore, have: MemoryStateStore) -> None:
    for p in range(PARTITIONS):
        a, b = (
            {(o, k): v for o, rows in s.rows[name, p].items() for k, v in rows.items()} for s in (want, have)
        )  # fmt: skip
        d.checked[f"state {name}"] += len(a)
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                word = "lost" if key not in b else "unexpected" if key not in a else "differs"
                d.add(f"state {name}", f"{p}: {word} {key}")


def _rows(log: Log, name: str, world: World) -> dict[tuple[Any, ...], Any]:
    """What a sink makes of these records, in their order."""
    sink = MemorySink(name, sorted({t for t, _ in log}), world.now)
    for records in log.values():
        feed(sink, world, records)
    return sink.rows


def feed(sink: Sink, world: World, records: Sequence[Message]) -> None:
    raw = [SinkMessage(m.topic, m.partition, m.offset, m.key, m.value, m.headers, m.timestamp_ms) for m in records]
    found = decode(world.codec, raw)
    *before, last = [collapse(run) for run in runs(found.items)]
    for items in before:
        sink.write(SinkBatch(items))
    sink.write(SinkBatch(last, found.progress, found.sweep))


def _view(d: Differences, name: str, world: World, logs: list[Log]) -> None:
    mine = {t.name for t in topics_of(name)}
    want: dict[tuple[Any, ...], Any] = {}
    for log in logs:
        want.update(_rows({place: found for place, found in log.items() if place[0] in mine}, name, world))
    for _, number, sink in (found for found in world.views.written() if found[0] == name):
        _rows_differ(d, name if number == 1 else f"{name} of generation {number}", want, sink.rows)


def _rows_differ(d: Differences, name: str, want: Rows, have: Rows) -> None:
    d.checked[f"view {name}"] += len(want)
    for key in sorted(want.keys() | have.keys(), key=str):
        if key not in have:
            d.add(f"view {name}", f"lost {key}")
        elif key not in want:
            d.add(f"view {name}", f"unexpected {key}")
        elif want[key] != have[key]:
            d.add(f"view {name}", f"differs {key}")
