"""C7: every statement that reads sealed rows of a real Postgres opens them where they stand, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import psycopg
import pytest

from memstream.checks.sealed_texts import count_older
from memstream.keyring.cipher import AesCipher
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.store import Keyring
from memstream.stack import Addresses
from query.search.limits import NOTHING
from query.views import candidates, dashboard, hot, items, memories, readings, retention, sessions, structured, turns
from query.views.db import Database
from query.views.documents import ScopeDocuments, memories_as_of
from query.views.memories import After
from schemas import migrations
from schemas.events.memory import MemoryBody
from schemas.log.codec import Codec, Event
from schemas.security.sealing import Bound
from sinks.decode import decode
from sinks.postgres.sink import PostgresSink
from sinks.protocol import Message, SinkBatch
from tests.integration.test_upgrade import of_tenant, views
from tests.unit.sinks.events import NOW, checkpoint, decision, memory, session, topic_of, turn
from tests.unit.sinks.events import hot as entry

pytestmark = pytest.mark.integration
SCOPE = of_tenant("acme")
MINE: Mapping[str, Any] = {"tenant": "acme", "owner_id": "ann", "user_id": "ann"}
PLACED: Mapping[str, Any] = {"field": None, "namespace": ("notes", "ann")}


def turns_of(n: int) -> list[Event]:
    """A row of each kind, all of one user."""
    text = f"text {n}"
    body = MemoryBody(text=text, value={"goal": text}, terms=("goal",))
    of_project: dict[str, Any] = {"tenant": "acme", "user_id": "ann", "project_id": "p1", "owner_id": "p1"}
    return [
        turn(n, tenant="acme", user_id="ann", text=text, project_id="p1"),
        memory(n, **MINE, text=text),
        memory(n + 10, **MINE, **PLACED, kind="item", key=f"k{n}", sealed=body),
        memory(n + 20, **MINE, kind="feedback", category="answer", field=None, sealed=body),
        memory(n + 30, **MINE, kind="table", category="plans", key=f"k{n}", field=None, sealed=body),
        memory(n + 40, **MINE, state="archived", sealed=body),
        entry(n, **of_project, text=text),
        decision(n, tenant="acme", owner_id="ann", sealed={"text": text}),
        session(n, tenant="acme", user_id="ann", text=text),
        checkpoint(n, tenant="acme", user_id="ann", sealed={"summary": text}),
    ]


class Site:
    def __init__(self, dsn: str, keyring: Keyring) -> None:
        self.dsn, self._keyring = dsn, keyring
        with closing(PostgresSink(dsn, [1])) as sink:
            sink.ensure()

    def write(self, *events: Event, to: Bound = "place") -> None:
        codec, found = Codec(AesCipher(self._keyring, to)), []
        for n, e in enumerate(events):
            found.append(Message(topic_of(e), 0, n, b"k", codec.value(e), [], int(NOW.timestamp() * 1000)))
        with closing(PostgresSink(self.dsn, [1])) as sink:
            sink.write(SinkBatch(decode(codec, found).items))

    def read(self, to: Bound = "place") -> dict[str, list[str]]:
        async def asked() -> dict[str, list[str]]:
            async with views(self.dsn, Codec(AesCipher(self._keyring, to))) as db:
                return {name: sorted(map(_text, rows)) for name, rows in (await _everything(db)).items()}

        return asyncio.run(asked())


@pytest.fixture
def site(addresses: Addresses) -> Iterator[Site]:
    """A database of its own."""
    with psycopg.connect(addresses.postgres, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS sealed_places")
        connection.execute("CREATE DATABASE sealed_places")
    dsn = psycopg.conninfo.make_conninfo(addresses.postgres, dbname="sealed_places")
    migrations.upgrade(dsn)
    with closing(Keyring(dsn, LocalMasterKeys.of_environment("ab" * 32))) as keyring:
        yield Site(dsn, keyring)
    with psycopg.connect(addresses.postgres, autocommit=True) as connection:
        connection.execute("DROP DATABASE sealed_places WITH (FORCE)")


def _text(row: Mapping[str, Any]) -> str:
    """By whatever its kind of row has."""
    named = {**row, **row.get("body", {})}
    value = named.get("content") or named.get("text") or named.get("summary") or named.get("value")
    return str(value["goal"] if isinstance(value, dict) else value)


async def _everything(db: Database) -> dict[str, list[dict[str, Any]]]:
    ann, plan, after = SCOPE.user("ann"), SCOPE.project("p1"), After()
    whole = await ScopeDocuments(db, ann).whole(100)
    assert whole is not None
    both = [("ann", "turn-1"), ("ann", "turn-2")]
    return {
        "turn by id": [r for n in (1, 2) if (r := await turns.by_id(db, ann, f"turn-{n}", NOW))],
        "turns by ids": [*(await turns.by_ids(db, ann, ["turn-1", "turn-2"], NOW)).values()],
        "turns by ids of a project": [*(await turns.by_ids(db, plan, ["turn-1", "turn-2"], NOW)).values()],
        "turns by keys": await turns.by_keys(db, SCOPE, both, NOW),
        "turns of a session": (await turns.of_session(db, ann, "s1", NOW))[0],
        "page of a session": await turns.page_of_session(db, ann, "s1", NOW, 0, 10),
        "turns before": await turns.before(db, ann, "s1", NOW, 0, 10, 10),
        "last turns": await turns.last_of_session(db, ann, "s1", NOW, 10),
        "turns to rank": whole[1][0],
        "turn hits": await candidates.confirmed(db, SCOPE, both, [], NOTHING, NOW),
        "decisions of a turn": await turns.decisions(db, ann, "turn-1"),
        "timeline": await dashboard.timeline(db, ann, 10, None, None),
        "memories": await memories.listed(db, ann, ["fact"], "active", NOW, 10, after),
        "memories as of": await memories.as_of(db, ann, ["fact"], NOW, 10, after),
        "memories to rank as of": [r for r in await memories_as_of(db, ann, NOW) if r["kind"] == "fact"],
        "memories of fields": await memories.current_of_fields(db, ann, ["city"], NOW),
        "memory by record": [r for n in (1, 2) for r in await memories.by_record(db, SCOPE, f"record-{n}")],
        "memories confirmed": await memories.confirmed(db, SCOPE, ["record-1", "record-2"], NOW),
        "memory hits": await candidates.confirmed(db, SCOPE, [], [("record-1", 0), ("record-2", 0)], NOTHING, NOW),
        "memories to rank": [r for r in whole[1][1] if r["kind"] == "fact"],
        "readings": await readings.of_fields(db, ann, ["city"], NOW),
        "item": [r for n in (1, 2) if (r := await memories.item(db, ann, ["notes", "ann"], f"k{n}", NOW))],
        "items": await memories.items(db, SCOPE, ["notes"], NOW, 10),
        "items named": await memories.items_named_in(db, ann, None, "k1k2", "", NOW, 10),
        "items below": await items.below(db, SCOPE, ["notes"], NOW, 10),
        "items searched": await items.below(db, SCOPE, ["notes"], NOW, 10, searched=True),
        "feedback": await retention.feedback(db, ann, None, NOW, 10, after),
        "feedback of all": await retention.feedback_of_all(db, SCOPE, None, NOW, NOW, 10),
        "table": await structured.rows(db, ann, "plans", NOW, 10),
        "table by keys": await structured.by_keys(db, ann, "plans", ["k1", "k2"], NOW),
        "archive": await retention.archived(db, ann, ["fact"], 10, after),
        "hot memory": await hot.rows(db, plan),
        "session": [r for n in (1, 2) if (r := await sessions.get(db, ann, f"s{n}"))],
        "checkpoints": await sessions.checkpoints(db, ann, "s1", 10, None),
    }  # fmt: skip


_SWAP = """UPDATE views_g1.{table} r SET sealed = o.sealed FROM views_g1.{table} o
    WHERE r.ctid <> o.ctid AND r.{key} IN (%(one)s, %(other)s) AND o.{key} IN (%(one)s, %(other)s)"""
_SWAP_ARCHIVE = """UPDATE views_g1.archive r SET record = jsonb_set(r.record, '{{sealed}}', o.record -> 'sealed')
    FROM views_g1.archive o WHERE r.ctid <> o.ctid"""
PAIRS = [("turns", "turn_id", "turn-1", "turn-2"), ("decisions", "decision_id", "d1", "d2"),
         ("sessions", "session_id", "s1", "s2"), ("checkpoints", "message_id", "m1", "m2"),
         ("memories", "record_id", "hot-1", "hot-2"),
         *(("memories", "record_id", f"record-{n}", f"record-{n + 1}") for n in (1, 11, 21, 31))]  # fmt: skip


def test_c7_every_statement_opens_rows_where_they_stand_and_none_that_were_swapped(site: Site) -> None:
    site.write(*turns_of(1), *turns_of(2))
    assert {name: rows for name, rows in site.read("place_only").items() if rows != ["text 1", "text 2"]} == {}
    with psycopg.connect(site.dsn) as conn:
        assert count_older(conn) == 0
        for table, key, one, other in PAIRS:
            swap: Any = _SWAP.format(table=table, key=key)
            assert conn.execute(swap, {"one": one, "other": other}).rowcount == 2
        assert conn.execute(_SWAP_ARCHIVE.format().encode()).rowcount == 2
    assert {name: rows for name, rows in site.read().items() if rows} == {}


def test_c7_rows_of_before_open_are_counted_and_can_be_refused(site: Site) -> None:
    site.write(*turns_of(1), *turns_of(2), to="owner")
    assert {name: rows for name, rows in site.read().items() if rows != ["text 1", "text 2"]} == {}
    with psycopg.connect(site.dsn) as conn:
        assert count_older(conn) == 20
    assert {name: rows for name, rows in site.read("place_only").items() if rows} == {}


def test_c7_an_archived_record_is_not_read_as_another_users(site: Site) -> None:
    site.write(*turns_of(1), *turns_of(2))
    with psycopg.connect(site.dsn) as conn:
        conn.execute("UPDATE views_g1.archive SET owner_id = 'bob' WHERE record_id = 'record-41'")
    assert site.read()["archive"] == ["text 2"]

    async def of_bob() -> list[Any]:
        async with views(site.dsn, Codec(AesCipher(site._keyring))) as db:
            return await retention.archived(db, SCOPE.user("bob"), ["fact"], 10, After())

    assert asyncio.run(of_bob()) == []
