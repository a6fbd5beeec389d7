"""The contracts of the eraser's register and topics on a real Postgres and a real broker: what the simulated ones are
held to."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from psycopg.rows import dict_row

from memstream.erasure.kafka import KafkaTopics
from memstream.erasure.ports import Register, Topics
from memstream.erasure.register import opened
from memstream.stack import Addresses
from query.reading.erased_updates import _CUTS
from schemas import migrations
from schemas.events.erasure import Erasure
from schemas.log.owner import user
from schemas.security import erasure_findings
from sinks.postgres.erasure import PostgresErasures
from streams.state.protocol import OutboxRow, carries_erasure, pack_outbox
from tests.dates import fixed
from tests.patience import PATIENCE
from tests.unit.erasure.register_contract import RegisterContract
from tests.unit.erasure.topics_contract import TopicsContract

pytestmark = pytest.mark.integration
KEY = bytes(range(32))
_STATE = "INSERT INTO stream.state (step, partition, owner, key, value) VALUES ('screen', 0, %s, %s, %s)"
_POSITION = """
INSERT INTO stream.positions (step, partition, next_offset, progress, seen, outbox, no_erasure_at, updated_at)
VALUES (%s, 0, 1, '{}', '{}', %s, %s, now())
"""


@dataclass
class _Postgres:
    dsn: str

    def begin(self, e: Erasure) -> None:
        with psycopg.connect(self.dsn) as conn:
            erasure_findings.begin(conn, e)

    def found(self, e: Erasure, where: str, counts: Mapping[str, int]) -> None:
        with psycopg.connect(self.dsn) as conn:
            erasure_findings.found(conn, e, where, counts)

    def late(self, name: str) -> None:
        PostgresErasures(self.dsn).came_late([name])

    def holds(self, owner: str, key: str) -> None:
        with psycopg.connect(self.dsn) as conn:
            conn.execute(_STATE, (owner, key, b"1"))

    def outbox(self, step: str, rows: Sequence[OutboxRow]) -> None:
        with psycopg.connect(self.dsn) as conn:
            free = None if any(map(carries_erasure, rows)) else 1
            conn.execute(_POSITION, (step, pack_outbox(rows), free))

    def opened(self) -> AbstractContextManager[Register]:
        return opened(self.dsn, KEY)


class TestPostgresRegister(RegisterContract):
    @pytest.fixture
    def at(self, addresses: Addresses) -> _Postgres:
        """A database of its own, emptied for each test."""
        with psycopg.connect(addresses.postgres, autocommit=True) as conn:
            conn.execute("DROP DATABASE IF EXISTS erasures")
            conn.execute("CREATE DATABASE erasures")
        made = psycopg.conninfo.make_conninfo(addresses.postgres, dbname="erasures")
        migrations.upgrade(made)
        return _Postgres(made)

    def test_c9_a_generation_that_is_being_dropped_is_waited_for(self, at: _Postgres) -> None:
        """Who drops it may be killed before its rows are gone: a report was signed beside them."""
        with psycopg.connect(at.dsn) as conn:
            conn.execute(
                "INSERT INTO ops.generations (store, generation, state)"
                " VALUES ('postgres', 2, 'dropping'), ('postgres', 3, 'dropped')"
            )
        with at.opened() as register:
            assert {n for store, n in register.generations() if store == "postgres"} == {1, 2}

    def test_c9_records_that_an_erasure_names_stand_beside_it(self, at: _Postgres) -> None:
        """Once, whatever comes again; and sinks and streams of updates find the erasure by its users or tenant."""
        when = fixed(2026, 11, 2, 9)
        fields: dict[str, Any] = {"tenant": "acme", "accepted_at": when}
        named = Erasure(**fields, erasure_id="e1", scope="user", user_id="ann", stage="gate", record_ids=("a", "b"))
        others = [
            Erasure(**fields, erasure_id="e2", scope="session", user_id="bob", session_id="s1"),
            Erasure(tenant="other", accepted_at=when, erasure_id="e3", scope="tenant"),
        ]
        for e in (named, *others):
            at.begin(e)
        stood = []
        for record_ids in ((), ("a", "b"), ("b",), ("b", "c")):
            with psycopg.connect(at.dsn) as conn:
                erasure_findings.named(conn, named.model_copy(update={"record_ids": record_ids}))
                row = conn.execute("SELECT record_ids, named_at FROM trust.erasures WHERE erasure_id = 'e1'").fetchone()
                assert row is not None
                stood.append(row)
        assert [sorted(names) for names, _ in stood] == [[], ["a", "b"], ["a", "b"], ["a", "b", "c"]]
        assert stood[0][1] is None
        assert stood[1][1] == stood[2][1]
        found = PostgresErasures(at.dsn)
        owners = [user("acme", "ann"), user("acme", "cid"), user("other", "dan"), user("other", "eve")]
        ann, bob = ("e1", "acme", "ann", None, when, False), ("e2", "acme", "bob", "s1", when, False)
        assert sorted(found.of(owners)) == [ann, ("e3", "other", None, None, when, False)]
        assert list(found.of([user("acme", "bob")])) == [bob]
        assert not found.of([user("acme", "cid")])
        assert [cut.erasure_id for cut in found.newest(2)] == ["e2", "e3"]
        with psycopg.connect(at.dsn, row_factory=dict_row) as conn:
            rows = conn.execute(_CUTS.text.encode(), {"tenant": "acme", "users": ["ann"]}).fetchall()
        assert [(r["user_id"], sorted(r["record_ids"])) for r in rows] == [("ann", ["a", "b", "c"])]

    def report(self, at: Any) -> Any:
        with psycopg.connect(at.dsn) as conn:
            row = conn.execute("SELECT report FROM trust.erasures WHERE erasure_id = 'e1'").fetchone()
        return None if row is None else row[0]


@dataclass
class _Kafka:
    servers: str
    topic: str = field(default_factory=lambda: f"contract-{uuid.uuid4().hex}")

    def topics(self) -> Topics:
        return KafkaTopics(self.servers, PATIENCE)


class TestKafkaTopics(TopicsContract):
    @pytest.fixture
    def at(self, addresses: Addresses) -> _Kafka:
        made = _Kafka(addresses.kafka)
        admin = AdminClient({"bootstrap.servers": made.servers})
        for done in admin.create_topics([NewTopic(made.topic, 2, 1)]).values():
            done.result(PATIENCE)
        return made
