"""N1: the log folded must be what a sink makes of it."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from memstream.reprocess.fold import Fold
from schemas.events.envelope import Tick
from schemas.events.memory import MemoryBody, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.owner import OwnerKind
from sinks.collapse import collapse, revision
from sinks.decode import decode
from sinks.memory import MemorySink
from sinks.milvus.held import in_milvus
from sinks.milvus.rows import is_held
from sinks.postgres.held import in_postgres
from sinks.protocol import Message, SinkBatch
from sinks.redis.held import in_redis
from tests.unit.sinks.events import CODEC, NOW, checkpoint, decision, memory, message, session, turn


def log(seed: int) -> list[Message]:
    """A few ids in an order that the steps could have sent: revisions of a record ascend, some records come twice."""
    r = random.Random(seed)
    out: list[Message] = []
    revisions: dict[str, int] = {}
    for offset in range(300):
        n = r.randrange(12)
        kind = r.choice(("turn", "memory", "memory", "gone", "null", "session", "decision", "checkpoint", "tick"))
        name = f"{kind if kind != 'gone' else 'memory'}-{n}"
        up = revisions[name] = revisions.get(name, 0) + 1
        event: Event
        match kind:
            case "turn":
                event = turn(n, up, expires_at=NOW + timedelta(days=1 + n))
            case "memory":
                event = memory(n, up, state=r.choice(("active", "superseded")))
            case "gone":
                event = memory(n, up, op="delete", state="deleted", sealed=MemoryBody(), sources=())
            case "session":
                event = session(n, up, updated_at=NOW + timedelta(minutes=n * 5))
            case "decision":
                event = decision(n)
            case "checkpoint":
                event = checkpoint(n)
            case "tick":
                out.append(message(Tick(now=NOW + timedelta(minutes=offset)), offset))
                continue
            case _:
                revisions[name] -= 1
                removed = message(memory(n, 1), offset)
                out.append(replace(removed, value=None))
                continue
        out.append(message(event, offset))
        if r.random() < 0.1:
            out.append(out[-1])
    out.append(message(Tick(now=NOW + timedelta(days=6)), 999))
    return out


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [1, 7, 500])
def test_n1_the_fold_is_what_a_sink_holds(seed: int, size: int) -> None:
    messages = log(seed)
    sink = MemorySink()
    folds = {name: Fold(reading) for name, reading in (("postgres", in_postgres), ("milvus", in_milvus))}
    for start in range(0, len(messages), size):
        part = messages[start : start + size]
        decoded = decode(CODEC, part)
        sink.write(SinkBatch(collapse(decoded.items), decoded.progress, decoded.sweep))
        for fold in folds.values():
            fold.add(decode(CODEC, part))
    rows = {name: revision(event) for name, event in sink.rows.items()}
    folded = {
        name: {key: token.revision for bucket in fold.buckets() for key, token in fold.rows(bucket).items()}
        for name, fold in folds.items()
    }
    assert folded["postgres"] == {"\x1f".join(map(str, name[2:])): number for name, number in rows.items()}
    assert len(folded["milvus"]) == sum(is_held(event) for event in sink.rows.values())


def test_n1_c8_an_archived_record_of_a_user_stands_in_two_views() -> None:
    """In the archive with its content, in the view with its revision, until it comes back or goes."""
    fold = Fold(in_postgres)

    def views(*events: MemoryUpdate) -> dict[str, dict[str, int]]:
        fold.add(decode(CODEC, [message(e, n) for n, e in enumerate(events)]))
        out: dict[str, dict[str, int]] = {}
        for bucket in fold.buckets():
            out.setdefault(bucket.view, {}).update({k: t.revision for k, t in fold.rows(bucket).items()})
        return out

    key = "record-1\x1f0"
    chunk = memory(2, 1, state="archived", kind="chunk", owner_kind=OwnerKind.DOCUMENT, owner_id="d", user_id=None)
    assert views(memory(1, 1), memory(1, 2, state="archived"), chunk) == {
        "memories": {key: 2, "record-2\x1f0": 1}, "archive": {key: 2},
    }  # fmt: skip
    assert views(memory(1, 3, state="archived"))["archive"] == {key: 3}
    assert "archive" not in views(memory(1, 4))
    assert views(memory(1, 5, state="archived"))["archive"] == {key: 5}
    assert "archive" not in views(memory(1, 6, op="delete", state="deleted", sealed=MemoryBody(), sources=()))


def test_n1_redis_holds_sessions_that_are_not_over() -> None:
    fold = Fold(in_redis, clock=lambda: NOW + timedelta(minutes=20))
    fold.add(decode(CODEC, [message(session(n, 1, updated_at=NOW + timedelta(minutes=n))) for n in (-40, -10, 0, 5)]))
    keys = {key for bucket in fold.buckets() for key in fold.rows(bucket)}
    assert keys == {"u1\x1fs0", "u1\x1fs5"}


def test_n1_a_record_put_back_for_another_reader_is_none_of_this_store() -> None:
    fold = Fold(in_postgres, reader="sink-postgres")
    fold.add(decode(CODEC, [message(turn(1))], fold.reader))
    assert [bucket.view for bucket in fold.buckets()] == ["turns"]
    assert topics.HISTORY.name == message(turn(1)).topic
