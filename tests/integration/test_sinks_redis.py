"""The Redis sink on a real server: the contract of all, the seeds' layouts, and hot memory that is never stale."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import orjson
import pytest
import redis

from memstream.stack import Addresses
from schemas.events.memory import MemoryBody
from schemas.events.sessions import SessionBody, SessionState, WindowMessage
from schemas.log.codec import Event
from schemas.migrations import upgrade
from schemas.profile.model import SessionSpec, load_profile
from schemas.storage.layouts import RedisLayout
from sinks.clock import utc_now
from sinks.postgres.sink import PostgresSink
from sinks.protocol import Item, Permanent, SinkBatch, Tombstone, Transient
from sinks.redis.contents import RedisContents
from sinks.redis.session import as_idle
from sinks.redis.sink import RedisSink
from tests.unit.sinks.contract import SinkContract, Store
from tests.unit.sinks.events import NOW, TEXTS, batch, hot, message, session

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]


def _now() -> datetime:
    return NOW + timedelta(minutes=1)


class RedisStore:
    """A database of its own (1 to 15), emptied."""

    def __init__(self, addresses: Addresses) -> None:
        self.url = f"{addresses.redis.rsplit('/', 1)[0]}/{random.randrange(1, 16)}"
        self.client: Any = redis.Redis.from_url(self.url)
        self.client.flushdb()
        self._open: list[RedisSink] = []

    def sink(self, **options: Any) -> RedisSink:
        sink = RedisSink(self.url, **{"now": _now, **options})
        self._open.append(sink)
        sink.ensure()
        return sink

    def record(self, n: int, revision: int, text: str, **changes: Any) -> Event:
        return session(n, revision, text, **changes)

    def read(self, record: Event) -> tuple[int, str] | None:
        assert isinstance(record, SessionState)
        value = self.value(record)
        return None if value is None else (value["revision"], value["message_context"]["summary"])

    def value(self, s: SessionState) -> dict[str, Any] | None:
        raw = self.client.get(RedisLayout().session(s.owner, s.session_id))
        return None if raw is None else orjson.loads(raw)

    def close(self) -> None:
        for sink in self._open:
            sink.close()
        self.client.close()


@pytest.fixture
def store(addresses: Addresses) -> Iterator[RedisStore]:
    store = RedisStore(addresses)
    yield store
    store.close()


class TestRedisSink(SinkContract):
    @pytest.fixture
    def store(self, addresses: Addresses) -> Iterator[Store]:
        store = RedisStore(addresses)
        yield store
        store.close()


def test_keys_of_a_session_are_the_seeds(store: RedisStore) -> None:
    """D6, E1: value, history newest first and at most 20, summaries newest first, anchors; 30 minutes."""
    window = tuple(
        WindowMessage(role="user", content=f"第 {i} 句", timestamp=NOW + timedelta(seconds=i), turn_id=f"t{i}")
        for i in range(25)
    )
    body = SessionBody(
        window=window, summary="second", summaries=("second", "first"), anchors={"language": "german", "depth": 2},
        last_bot_message="好的", global_state={"agent_slots": {"a": 1}}, user_snapshot={"name": "Ann"},
    )  # fmt: skip
    s = session(1, sealed=body, mode="SUMMARY_N", checkpoint_message_id="m1", updated_at=_now())
    store.sink().write(batch(s))
    tag = "{t1/user/u1}:"
    value = orjson.loads(store.client.get(f"{tag}short_term_memory:session:s1"))
    assert value["meta"] == {"conversation_id": "s1", "user_id": "u1", "updated_at": int(_now().timestamp())}
    assert value["flow_context"] == {"current_agent_key": "guide", "last_bot_message": "好的", "turn_count": 3}
    context = value["message_context"]
    assert context["window_messages"][0] == {"role": "user", "content": "第 0 句"}
    assert {k: context[k] for k in ("summary", "mode", "checkpoint_message_id", "cached_checkpoint")} == {
        "summary": "second",
        "mode": "SUMMARY_N",
        "checkpoint_message_id": "m1",
        "cached_checkpoint": "second",
    }
    assert value["global_state"] == {
        "shared": {}, "entities": {}, "agent_slots": {"a": 1}, "current_intent": "", "pending_action": None,
    }  # fmt: skip
    assert (value["user_snapshot"]["user_id"], value["user_snapshot"]["name"]) == ("u1", "Ann")
    history = [orjson.loads(m) for m in store.client.lrange(f"{tag}wm:history:s1", 0, -1)]
    assert len(history) == 20
    last = f"{NOW + timedelta(seconds=24):%Y-%m-%dT%H:%M:%SZ}"
    assert history[0] == {"role": "user", "content": "第 24 句", "timestamp": last}
    assert store.client.lrange(f"{tag}wm:summary:s1", 0, -1) == [b"second", b"first"]
    assert store.client.hgetall(f"{tag}wm:anchors:s1") == {b"language": b"german", b"depth": b"2"}
    for key in ("short_term_memory:session:s1", "wm:history:s1", "wm:summary:s1", "wm:anchors:s1"):
        assert 1_790_000 < store.client.pttl(tag + key) <= 1_800_000


def test_e1_a_tenant_whose_sessions_are_idle_sooner_is_held_and_compared_for_as_long(
    store: RedisStore, addresses: Addresses, postgres: PostgresSink, tenant: str
) -> None:
    """Put back by a reader, whose idle time was over: no rebuilt generation has that one."""
    quick = load_profile("general").model_copy(update={"session": SessionSpec(idle_minutes=5)})
    ttl = as_idle(lambda _: quick)
    sink = store.sink(fill_from=addresses.postgres, now=utc_now, session_ttl=ttl)
    old = session(1, tenant=tenant, updated_at=utc_now() - timedelta(minutes=10))
    new = session(2, tenant=tenant, updated_at=utc_now())
    postgres.write(batch(old, new))
    sink.write(batch(old, new))
    assert (store.value(old), store.value(new) is None) == (None, False)
    store.client.lpush(RedisLayout().wanted, RedisLayout.want_session(old.owner, old.session_id))
    _until(lambda: store.value(old))
    for s in (old, new):
        assert 200_000 < store.client.pttl(RedisLayout().session(s.owner, s.session_id)) <= 300_000
    contents = RedisContents(store.url, session_ttl=ttl)
    mine = [b for b in contents.buckets(1) if b.tenant == tenant]
    assert [key for b in mine for key in contents.rows(1, b)] == [f"u1\x1f{new.session_id}"]
    contents.close()


def test_session_is_written_whole(store: RedisStore) -> None:
    """Nothing of an older revision stays behind: no message, no anchor."""
    sink = store.sink()
    sink.write(batch(session(1, 1)))
    sink.write(batch(session(1, 2, sealed=SessionBody())))
    s = session(1)
    assert store.client.exists(RedisLayout().history(s.owner, "s1"), RedisLayout().anchors(s.owner, "s1")) == 0


def test_time_to_live_counts_from_the_newest_event(store: RedisStore) -> None:
    """A session whose 30 minutes were over before its record was read is not held; a late redelivery stays out."""
    sink = store.sink()
    sink.write(batch(session(1, 2, updated_at=_now() - timedelta(minutes=20))))
    key = RedisLayout().session(session(1).owner, "s1")
    assert 590_000 < store.client.pttl(key) <= 600_000
    sink.write(batch(session(1, 3, updated_at=_now() - timedelta(minutes=30))))
    assert store.value(session(1)) is None
    assert sink.write(batch(session(1, 2, updated_at=_now()))) == 1
    assert store.value(session(1)) is None


def test_session_tombstone_removes_its_keys(store: RedisStore) -> None:
    sink = store.sink()
    s = session(1)
    sink.write(batch(s))
    sink.write(SinkBatch([Item(Tombstone("session.state.v1", s.owner, s.subject), message(s))]))
    assert store.client.keys("{t1/user/u1}:*") == []


def test_foreign_type_under_a_key_is_permanent(store: RedisStore) -> None:
    sink = store.sink()
    p = hot(1)
    store.client.set(RedisLayout().hot_guard(p.owner, p.owner.id), "foreign")
    with pytest.raises(Permanent):
        sink.write(batch(p))


def test_server_away_is_transient() -> None:
    sink = RedisSink("redis://127.0.0.1:1/0")
    with pytest.raises(Transient):
        sink.ensure()
    sink.close()


def test_scripts_flushed_by_a_restart_are_loaded_again(store: RedisStore) -> None:
    sink = store.sink()
    sink.write(batch(session(1)))
    store.client.script_flush()
    assert sink.write(batch(session(2))) == 0
    assert store.value(session(2)) is not None


@pytest.fixture
def postgres(addresses: Addresses) -> Iterator[PostgresSink]:
    """The live views, which the filler reads."""
    upgrade(addresses.postgres)
    sink = PostgresSink(addresses.postgres)
    sink.ensure()
    yield sink
    sink.close()


@pytest.fixture
def tenant() -> str:
    """Of this test alone: the live views are shared."""
    return f"t{random.randrange(10**9)}"


def _until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("did not come about")


class TestHotMemory:
    """A5."""

    @pytest.fixture
    def sink(self, store: RedisStore, addresses: Addresses) -> RedisSink:
        return store.sink(fill_from=addresses.postgres)

    def snapshot(self, store: RedisStore, tenant: str) -> dict[str, Any] | None:
        raw = store.client.get(RedisLayout().hot_memory(hot(tenant=tenant).owner, "p1"))
        return None if raw is None else orjson.loads(raw)

    def test_snapshot_is_whole_and_ordered(
        self, store: RedisStore, sink: RedisSink, postgres: PostgresSink, tenant: str
    ) -> None:
        """Groups of the seed; priority first, then the newest; 300 seconds."""
        rows = [
            hot(1, tenant=tenant, priority=1),
            hot(2, tenant=tenant, priority=9),
            hot(3, tenant=tenant, priority=1, known_at=NOW + timedelta(hours=1)),
            hot(4, tenant=tenant, category="preference", sealed=MemoryBody(text="x", value={"语言": "中文"})),
            hot(5, tenant=tenant, category="meta", op="delete", state="deleted"),
        ]
        postgres.write(batch(*rows))
        sink.write(batch(*rows))
        value = _until(lambda: self.snapshot(store, tenant))
        assert list(value) == ["meta", "status", "decisions", "preferences"]
        assert [r["key"] for r in value["decisions"]] == ["k2", "k3", "k1"]
        assert [r["value"] for r in value["preferences"]] == [{"语言": "中文"}]
        assert value["meta"] == []
        assert 0 < store.client.pttl(RedisLayout().hot_memory(rows[0].owner, "p1")) <= 300_000

    def test_change_is_never_hidden_by_an_older_snapshot(
        self, store: RedisStore, sink: RedisSink, postgres: PostgresSink, tenant: str
    ) -> None:
        """Dropped in the write itself, and not put back before Postgres has the change."""
        old, new = hot(1, 1, tenant=tenant), hot(1, 2, TEXTS[1], tenant=tenant)
        postgres.write(batch(old))
        sink.write(batch(old))
        _until(lambda: self.snapshot(store, tenant))
        sink.write(batch(new))
        wish = RedisLayout.want_hot(new.owner)
        for _ in range(3):
            assert sink._filler is not None
            assert self.snapshot(store, tenant) is None, "Postgres still has the old one"
            store.client.lpush(RedisLayout().wanted, wish)
            _until(lambda: store.client.llen(RedisLayout().wanted) == 0)
        postgres.write(batch(new))
        store.client.lpush(RedisLayout().wanted, wish)
        value = _until(lambda: self.snapshot(store, tenant))
        assert [r["revision"] for r in value["decisions"]] == [2]
        assert not store.client.exists(RedisLayout().hot_guard(new.owner, "p1"))

    def test_expired_snapshot_is_put_back_on_a_wish(
        self, store: RedisStore, sink: RedisSink, postgres: PostgresSink, tenant: str
    ) -> None:
        row = hot(1, tenant=tenant)
        postgres.write(batch(row))
        assert self.snapshot(store, tenant) is None
        store.client.lpush(RedisLayout().wanted, b"no wish", RedisLayout.want_hot(row.owner))
        assert _until(lambda: self.snapshot(store, tenant))

    def test_a_huge_number_is_a_number_and_no_end_of_the_filler(
        self, store: RedisStore, sink: RedisSink, postgres: PostgresSink, tenant: str
    ) -> None:
        """Postgres tells it in digits: no integer that a snapshot takes."""
        row = hot(1, tenant=tenant)
        huge = row.model_copy(update={"sealed": row.sealed.model_copy(update={"value": 1e25})})
        postgres.write(batch(huge))
        store.client.lpush(RedisLayout().wanted, RedisLayout.want_hot(row.owner))
        value = _until(lambda: self.snapshot(store, tenant))
        assert [r["value"] for r in value["decisions"]] == [1e25]
        assert sink._filler is not None
        assert sink._filler._thread is not None
        assert sink._filler._thread.is_alive()


def test_lost_session_is_put_back_on_a_wish(
    store: RedisStore, addresses: Addresses, postgres: PostgresSink, tenant: str
) -> None:
    """E6: state written by the caller included; the wish does not bring back what Redis has a newer revision of."""
    store.sink(fill_from=addresses.postgres, now=utc_now)
    s = session(1, 4, tenant=tenant, updated_at=NOW, sealed=SessionBody(summary=TEXTS[1], global_state={"x": [1]}))
    postgres.write(batch(s))
    store.client.lpush(RedisLayout().wanted, RedisLayout.want_session(s.owner, "s1"))
    value = _until(lambda: store.value(s))
    assert (value["revision"], value["message_context"]["summary"]) == (4, TEXTS[1])
    assert value["global_state"]["x"] == [1]
    assert store.client.pttl(RedisLayout().session(s.owner, "s1")) > 1_700_000
    store.client.delete(RedisLayout().session(s.owner, "s1"))
    store.client.set(RedisLayout().revision(s.owner, "s1"), 5)
    store.client.lpush(RedisLayout().wanted, RedisLayout.want_session(s.owner, "s1"))
    _until(lambda: store.client.llen(RedisLayout().wanted) == 0)
    assert store.value(s) is None


def test_n1_a_session_that_is_back_because_it_was_read_is_not_compared(
    store: RedisStore, addresses: Addresses, postgres: PostgresSink, tenant: str
) -> None:
    """Its time was over before: no rebuilt generation has it."""
    old = session(1, tenant=tenant, updated_at=utc_now() - timedelta(hours=2))
    new = session(2, tenant=tenant, updated_at=utc_now())
    sink = store.sink(fill_from=addresses.postgres, now=utc_now)
    postgres.write(batch(old, new))
    for s in (old, new):
        store.client.lpush(RedisLayout().wanted, RedisLayout.want_session(s.owner, s.session_id))
        _until(partial(store.value, s))
    sink.close()
    contents = RedisContents(store.url)
    mine = [b for b in contents.buckets(1) if b.tenant == tenant]
    assert [key for b in mine for key in contents.rows(1, b)] == [f"u1\x1f{new.session_id}"]
    contents.close()


def test_slow_postgres_delays_no_record(store: RedisStore) -> None:
    """A filler that cannot reach Postgres does not stop the sink."""
    sink = store.sink(fill_from="postgresql://memstream@127.0.0.1:1/memstream")
    store.client.lpush(RedisLayout().wanted, RedisLayout.want_hot(hot().owner))
    sink.write(batch(session(1)))
    assert store.value(session(1)) is not None
