"""What an open stream of updates takes, it gives back, whenever its caller leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.reading import updates
from query.streams import Read
from schemas.events.memory import MemoryUpdate
from schemas.log.codec import Codec
from schemas.log.owner import OwnerKind
from schemas.security.scope import Permission, TenantScope
from tests.unit.sinks.events import NOW, hot, memory


class Reader:
    """A topic without records; counts what was closed."""

    closed = 0

    def __init__(self, *_: object) -> None: ...

    def bounds(self) -> dict[int, tuple[int, int]]:
        return {0: (0, 5)}

    def start(self, offsets: object) -> None: ...

    def next(self, seconds: float, most: int = 200) -> list[Any]:
        return []

    def close(self) -> None:
        Reader.closed += 1


def request() -> dict[str, Any]:
    return {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "GET",
        "path": "/v1/updates", "raw_path": b"/v1/updates", "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "state": {},
    }  # fmt: skip


async def status_of(app: Any, leaves: Callable[[], Any]) -> int:
    """The status that a caller gets who leaves when `leaves` returns."""
    statuses: list[int] = []

    async def receive() -> dict[str, str]:
        await leaves()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        await asyncio.sleep(0)

    await app(request(), receive, send)
    return statuses[0] if statuses else 0


async def test_callers_that_leave_before_the_first_byte_hold_no_slot(
    deps: Deps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "TopicReader", Reader)
    app = create_app(QueryConfig(), deps)

    async def at_once() -> None:
        return

    async def later() -> None:
        await asyncio.sleep(0.05)

    Reader.closed = 0
    most = app.state.updates._config.limits.streams
    for _ in range(most + 2):
        await status_of(app, at_once)
    assert await status_of(app, later) == 200
    app.state.updates._threads.shutdown(wait=True)
    assert Reader.closed == most + 3


class _Erasures:
    """The register: of who, in which session, at what time. `memories`: (record id, version, revision) of the rows of
    memories; `progress`: next offset of the gate's updates in the sink's progress."""

    def __init__(self, *rows: tuple[str | None, str | None, datetime]) -> None:
        self.rows, self.asked = rows, 0
        self.named: dict[str, Any] = {}
        self.memories: list[tuple[str, int, int]] = []
        self.progress = 0

    async def of_tenant(self, scope: TenantScope, statement: Any, /, **values: Any) -> list[dict[str, Any]]:
        assert scope.tenant == "t1"
        columns = "record_id", "version", "revision"
        return [dict(zip(columns, m, strict=True)) for m in self.memories if m[0] in values["ids"]]

    async def of_system(self, statement: Any, /, **values: Any) -> list[dict[str, Any]]:
        if "progress" in statement.text:
            place = {"stage": "gate:memory.updates.v1", "partition": 0, "root": "conversation.turns.v1/0"}
            assert (values["stages"], values["partitions"]) == ([place["stage"]], [0])
            return [{**place, "next_offset": self.progress}]
        self.asked += 1
        assert values["tenant"] == "t1"
        found = [r for r in self.rows if r[0] is None or r[0] in values["users"]]
        none: dict[str, Any] = {"record_ids": [], "named_at": None}
        return [none | self.named | dict(zip(("user_id", "session_id", "accepted_at"), r, strict=True)) for r in found]


class _Context:
    def __init__(self, db: _Erasures) -> None:
        self.db, self.deps = db, self
        self.codec = Codec()

    async def key_threads(self, call: Callable[[], Any], seconds: float) -> Any:
        return call()

    def saw(self, *shown: object) -> None: ...


def _headers(reached: int) -> list[tuple[str, bytes]]:
    """Of a record that the gate wrote when it had emitted what came of `reached` turns."""
    return [("progress", b'{"conversation.turns.v1/0":%d}' % reached), ("src", b"gate/0:%d:0" % reached)]


async def _shown(db: _Erasures, resumed: bool, *records: MemoryUpdate, progress: bool = False) -> list[str]:
    """Texts of a stream of these records, which lie behind the callers' last one where it is resumed. `progress`: each
    with that of its step, one more than the one before."""
    batch = [Read(0, n, Codec().value(u), _headers(n + 1) if progress else (), 0) for n, u in enumerate(records)]

    async def batches() -> AsyncIterator[list[Read]]:
        yield batch

    async def still() -> TenantScope:
        return scope

    scope = TenantScope("t1", "key:k", frozenset({Permission.READ}))
    wanted = updates._Wanted(scope, None, None, None)
    context: Any = _Context(db)
    events = updates._events(batches(), {0: 0}, wanted, context, still, {0: len(batch) if resumed else 0})
    results = [e async for e in events]
    found = [orjson.loads(e.partition(b"data: ")[2]) for e in results if b"event: memory" in e]
    assert not [u for u in found if u["op"] == "delete" and u.keys() & {"key", "field"}], "names may be what was said"
    return [u["text"] or f"{u['record_id']} is deleted" for u in found]


async def test_c9_a_resumed_stream_shows_nothing_that_was_erased_since() -> None:
    """The topic holds it until it is compacted, for days: whoever named an old event was shown it again."""
    hour = timedelta(hours=1)
    old, new = memory(1, 1, "old", known_at=NOW), memory(2, 1, "new", known_at=NOW + 2 * hour)
    other = memory(3, 1, "bob's", known_at=NOW, owner_id="u2", user_id="u2")
    entry = hot(4, 1, text="entry", known_at=NOW, user_id="u1")
    assert (old.owner_kind, entry.owner_kind) == (OwnerKind.USER, OwnerKind.PROJECT)
    every = (old, new, other, entry)
    texts = [u.sealed.text for u in every]
    assert await _shown(_Erasures(("u1", None, NOW + hour)), True, *every) == ["new", "bob's"]
    assert await _shown(_Erasures((None, None, NOW + hour)), True, *every) == ["new"]
    assert await _shown(_Erasures(("u1", "elsewhere", NOW + hour)), True, *every) == texts
    assert await _shown(_Erasures(("u1", "s1", NOW + hour)), True, old, other) == ["bob's"]
    live = _Erasures(("u1", None, NOW + hour))
    assert await _shown(live, False, *every) == texts
    assert live.asked == 0, "what comes now cannot have been erased"


async def test_c9_a_resumed_stream_shows_deletions_of_before_an_erasure() -> None:
    """Who has the record from the stream has to hear that it is gone."""
    removed = hot(1, 2, text="", known_at=NOW, user_id="u1", key="said", op="delete", state="deleted")
    assert await _shown(_Erasures(("u1", None, NOW)), True, removed) == [f"{removed.record_id} is deleted"]


async def test_c9_a_resumed_stream_shows_nothing_that_an_erasure_named() -> None:
    """Written while the erasure was on its way, it is dated behind the cut-off. What comes back later is shown."""
    second = timedelta(seconds=1)
    named, other = memory(1, 1, "named", known_at=NOW + second), memory(2, 1, "other", known_at=NOW + second)
    again = memory(1, 2, "again", known_at=NOW + 3 * second)
    db = _Erasures(("u1", None, NOW))
    db.named = {"record_ids": [named.record_id], "named_at": NOW + 2 * second}
    assert await _shown(db, True, named, other, again) == ["other", "again"]


async def test_c9_a_forgotten_memory_is_not_shown_on_a_resumed_stream() -> None:
    """Its text lay in the topic until compaction, and whoever named an old event was shown it again."""
    forgotten, put_again = memory(1, 1, "forgotten"), memory(2, 1, "before it was deleted and put again")
    kept, closed = memory(3, 5, "kept"), memory(4, 1, "an earlier version", version=1)
    records = (forgotten, put_again, kept, closed)
    db = _Erasures()
    texts = [u.sealed.text for u in records]
    db.memories = [(u.record_id, u.version, u.revision) for u in records]
    assert await _shown(db, True, *records) == texts
    db.memories[0] = forgotten.record_id, 0, 2
    db.memories[1] = put_again.record_id, put_again.version, 3
    db.memories.append((closed.record_id, closed.version + 1, 9))
    assert await _shown(db, True, *records) == ["kept", "an earlier version"]
    assert await _shown(db, False, *records) == texts, "what comes now is shown as it comes"
    removed = memory(5, 1, text="", op="delete", state="deleted", field=None)
    db.memories.append((removed.record_id, removed.version, 2))
    assert await _shown(db, True, removed) == [f"{removed.record_id} is deleted"]


async def test_c9_a_memory_without_a_row_is_not_shown_once_the_sink_has_passed_it() -> None:
    """A null removed its row, or an erasure. While the sink is behind nothing is left out: it would be lost."""
    first, second = memory(1, 1, "first"), memory(2, 1, "second")
    db = _Erasures()
    for reached, shown in ((0, ["first", "second"]), (1, ["first", "second"]), (2, ["second"]), (3, [])):
        db.progress = reached
        assert await _shown(db, True, first, second, progress=True) == shown
    assert await _shown(db, True, first, second) == ["first", "second"], "written by another program, without progress"


def test_m5_what_other_tenants_wrote_is_not_opened() -> None:
    """A key of theirs that was away ended everybody's stream, and each stream opened everything."""
    mine = memory(1)
    theirs = mine.model_copy(update={"tenant": "t2"})
    opened: list[str] = []

    class Keyed(Codec):
        def decode(self, topic: str, value: bytes | None) -> Any:
            event = super().decode(topic, value)
            assert isinstance(event, MemoryUpdate)
            opened.append(event.tenant)
            return event

    codec = Keyed()
    batch = [Read(0, n, codec.value(u), [("owner", u.owner.key.encode())], 0) for n, u in enumerate((theirs, mine))]
    batch += [Read(0, 2, codec.value(mine), [("owner", b"no owner")], 0), Read(0, 3, codec.value(mine), [], 0)]
    assert updates._all_decoded(batch, codec, "t1") == [None, mine, mine, mine]
    assert opened == ["t1"] * 3
