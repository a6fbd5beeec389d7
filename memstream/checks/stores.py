"""Checks of the brokers and stores: do they answer, is it a version that works, is what we need in them?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
from kafka.errors import KafkaError

from memstream import topics
from memstream.checks.result import CheckFailedError, CheckResult, Status, failing
from memstream.checks.tls import explained, postgres_reason
from memstream.settings import Settings
from messaging.admin import KafkaAdmin
from schemas import migrations
from schemas.storage import postgres_connections
from schemas.storage.connections import milvus_options

POSTGRES_LEAST = 150_000
"""Views that look through the caller's own permissions came with it."""
REDIS_LEAST = (6, 2)
_DURABILITY = (
    "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')"
)
_LOCKS = """
SELECT current_setting('max_locks_per_transaction')::bigint,
  current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint,
  (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
"""
_LOCKS_TO_SPARE = 0.75
"""Part of the room for locks that one dump may take: others hold some, too."""
_LOSSES = (
    "SELECT topic, sum(coalesce(lost, next_offset - first_offset))::bigint FROM ops.log_losses "
    "WHERE at > now() - interval '7 days' GROUP BY topic ORDER BY topic"
)
_LOSSES_SINCE = "0021"
KAFKA_TRIED = (4, 0)
"""Also what the brokers speak without ZooKeeper alone."""
MILVUS_TRIED = (2, 5)


def kafka(settings: Settings) -> Iterator[CheckResult]:
    """The brokers answer, and there are enough of them for the replicas asked for."""
    with explained(settings, "kafka"), failing(
        KafkaError, OSError, ValueError,
        detail=f"no broker answers at {settings.kafka}",
        remedy="check MEMSTREAM_KAFKA (host:port[,host:port]) and that the brokers are up",
    ):  # fmt: skip
        client = KafkaAdmin(
            settings.brokers, "memstream-check", request_timeout_ms=5_000, bootstrap_timeout_ms=5_000
        )
        try:
            found = client.describe_cluster()["brokers"]
            versions = [client.get_broker_version_data(b["broker_id"]).broker_version for b in found]
        finally:
            client.close()
    if len(found) < settings.replication:
        raise CheckFailedError(
            f"{len(found)} brokers for {settings.replication} replicas",
            "set MEMSTREAM_REPLICATION to at most the number of brokers, or add brokers",
        )
    least = min(versions)
    yield CheckResult("kafka", Status.OK, f"Kafka {version_text(least)}, {len(found)} broker(s) at {settings.kafka}")
    yield from tried("kafka version", "Kafka", least, KAFKA_TRIED)


def topics_(settings: Settings) -> Iterator[CheckResult]:
    """The topics are what the catalogue says."""
    remedy = "run `memstream topics apply`"
    try:
        with failing(KafkaError, OSError, ValueError, detail="topics cannot be read", remedy="mend `kafka` first"):
            states = topics.apply(settings.brokers, settings.partitions, settings.replication, dry_run=True)
    except topics.PartitionCountError as exc:
        raise CheckFailedError(str(exc), "set MEMSTREAM_PARTITIONS to the broker's count") from None
    for state in states:
        if state.action != "ok":
            yield CheckResult(f"topic {state.name}", Status.FAIL, state.detail, remedy)
    if all(s.action == "ok" for s in states):
        yield CheckResult("topics", Status.OK, f"{len(states)} topics, {settings.partitions} partitions each")


def postgres(settings: Settings) -> Iterator[CheckResult]:
    """Version, encoding, and whether the schema is the newest."""
    with (
        failing(
            psycopg.Error,
            detail="Postgres does not answer",
            remedy="check MEMSTREAM_POSTGRES (postgresql://user:password@host/db) and that the server is up",
        ),
        _connected(settings.postgres.get_secret_value()) as conn,
    ):
        version, encoding = conn.info.server_version, conn.info.parameter_status("server_encoding")
        have = migrations.version(conn)
    if version < POSTGRES_LEAST:
        raise CheckFailedError(f"Postgres {version // 10_000} is too old", "use Postgres 15 or newer")
    if encoding != "UTF8":
        raise CheckFailedError(f"the database is {encoding}", "create it with ENCODING 'UTF8' and LOCALE 'C.UTF-8'")
    yield CheckResult("postgres", Status.OK, f"Postgres {version // 10_000}.{version % 10_000}, {encoding}")
    head = migrations.newest()
    if have is not None and have > head:
        yield CheckResult(
            "schema", Status.FAIL, f"schema {have}, the newest that this version of memstream knows is {head}",
            "run the version of memstream that made it, or a newer one",
        )  # fmt: skip
    elif have != head:
        yield CheckResult(
            "schema", Status.FAIL, f"schema {have or 'missing'}, newest is {head}", "run `memstream migrate`"
        )
    else:
        yield CheckResult("schema", Status.OK, f"schema {head}")


def durability(settings: Settings) -> Iterator[CheckResult]:
    """What Postgres commits survives a power cut, and which logs lost records in one."""
    with (
        failing(psycopg.Error, detail="Postgres does not answer", remedy="mend `postgres` first"),
        _connected(settings.postgres.get_secret_value()) as conn,
    ):
        unsafe = [(name, value) for name, value in conn.execute(_DURABILITY) if value == "off"]
        lost = conn.execute(_LOSSES).fetchall() if (migrations.version(conn) or "") >= _LOSSES_SINCE else []
    for name, value in unsafe:
        yield CheckResult(
            "postgres durability", Status.FAIL, f"{name} is {value}: a power cut loses or tears what was committed",
            f"set {name} = on",
        )  # fmt: skip
    for topic, count in lost:
        yield CheckResult(
            "log losses", Status.WARN, f"{topic}: {count} records were lost within the last 7 days",
            "send again what clients still have of that time; ops.log_losses has the offsets and times",
        )  # fmt: skip
    if not unsafe and not lost:
        yield CheckResult("durability", Status.OK, "commits are synced, no log lost records within the last 7 days")


def locks(settings: Settings) -> Iterator[CheckResult]:
    """A dump of the whole database has room for its locks: it takes one a table, and tenants have their own."""
    with (
        failing(psycopg.Error, detail="Postgres does not answer", remedy="mend `postgres` first"),
        _connected(settings.postgres.get_secret_value()) as conn,
    ):
        each, backends, tables = conn.execute(_LOCKS).fetchone() or (0, 0, 0)
    yield room_for_locks(each, backends, tables)


def room_for_locks(each: int, backends: int, tables: int) -> CheckResult:
    """`each`: max_locks_per_transaction, which there are as often as connections and prepared transactions."""
    room, needed = each * backends, tables / _LOCKS_TO_SPARE
    if needed <= room:
        return CheckResult("locks", Status.OK, f"{tables} tables and views, room for {room} locks")
    enough = each
    while enough * backends < needed:
        enough *= 2
    return CheckResult(
        "locks", Status.WARN, f"{tables} tables and views, room for {room} locks: pg_dump takes one for each at once",
        f"set max_locks_per_transaction = {enough} and restart Postgres before the next dump",
    )  # fmt: skip


def _connected(dsn: str) -> psycopg.Connection[Any]:
    """Raises CheckFailedError where TLS or the password is what is wrong, psycopg.Error for the rest."""
    try:
        return postgres_connections.connect(dsn)
    except psycopg.OperationalError as exc:
        if why := postgres_reason(str(exc)):
            raise CheckFailedError(
                f"Postgres does not answer: {why}", "check MEMSTREAM_POSTGRES and its TLS settings"
            ) from None
        raise


def redis(settings: Settings) -> Iterator[CheckResult]:
    """Version, persistence, and that nothing is evicted behind our back."""
    from redis import Redis
    from redis.exceptions import RedisError

    with explained(settings, "redis"), failing(
        RedisError, ValueError, OSError,
        detail="Redis does not answer",
        remedy="check MEMSTREAM_REDIS (redis://host:port/0) and that the server is up",
    ):  # fmt: skip
        client = Redis.from_url(settings.redis.get_secret_value(), socket_timeout=5, socket_connect_timeout=5)
        with client:
            info: Any = client.info()
            try:
                answer: Any = client.config_get("appendfsync")
                fsync = str(answer.get("appendfsync", ""))
            except RedisError:  # managed servers forbid CONFIG
                fsync = ""
    version = tuple(int(p) for p in str(info["redis_version"]).split(".")[:2])
    if version < REDIS_LEAST:
        raise CheckFailedError(f"Redis {info['redis_version']} is too old", "use Redis 6.2 or newer, or Valkey")
    yield CheckResult("redis", Status.OK, f"Redis protocol {info['redis_version']}")
    if info.get("maxmemory_policy", "noeviction") not in ("noeviction", "volatile-ttl"):
        yield CheckResult(
            "redis memory", Status.WARN, f"maxmemory-policy is {info['maxmemory_policy']}",
            "set maxmemory-policy noeviction: an evicted session is rebuilt, but at the cost of a read from Postgres",
        )  # fmt: skip
    if info.get("aof_enabled") and fsync == "no":
        yield CheckResult(
            "redis fsync", Status.WARN, "appendfsync is no: a power cut loses half a minute of sessions",
            "set appendfsync always, or everysec",
        )  # fmt: skip
    if not info.get("aof_enabled"):
        yield CheckResult(
            "redis persistence", Status.WARN, "appendonly is off",
            "set appendonly yes: without it a restart empties Redis and sessions are served from Postgres until filled",
        )  # fmt: skip


def milvus(settings: Settings) -> Iterator[CheckResult]:
    """The server answers; collections are made by their sink."""
    import grpc
    from pymilvus import MilvusClient
    from pymilvus.exceptions import MilvusException

    with explained(settings, "milvus"), failing(
        MilvusException, grpc.RpcError, ValueError, OSError,
        detail="Milvus does not answer",
        remedy="check MEMSTREAM_MILVUS (http://host:19530) and that the server is up",
    ):  # fmt: skip
        client = MilvusClient(**milvus_options(settings.milvus_access), timeout=5)
        try:
            names = [n for n in client.list_collections() if str(n).startswith("memstream_")]
            version = str(client.get_server_version(detail=True)["version"])
        finally:
            client.close()
    description = f"Milvus {version.removeprefix('v')}" if version else "Milvus Lite, which tells no version"
    yield CheckResult("milvus", Status.OK, f"{description}, {len(names)} collections of ours")
    if (numbers := re.match(r"v?(\d+)\.(\d+)", version)) is not None:
        yield from tried("milvus version", "Milvus", (int(numbers[1]), int(numbers[2])), MILVUS_TRIED)


def tried(name: str, server: str, version: tuple[int, ...], least: tuple[int, ...]) -> Iterator[CheckResult]:
    """A warning where a server is older than those that memstream is written for."""
    if version < least:
        detail = f"{server} {version_text(version)} is older than what memstream is written for"
        yield CheckResult(name, Status.WARN, detail, f"use {server} {version_text(least)} or newer")


def version_text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
