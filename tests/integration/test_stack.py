"""The four real servers: they serve, come back with their data after kill -9, and keep it between starts."""

import errno
import socket
import uuid
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
import redis
from confluent_kafka import KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pymilvus import DataType, MilvusClient, MilvusException

from memstream.stack import Addresses, AlreadyRunningError, EmbeddedStack
from memstream.stack.state import STATE_FILE, read_state
from schemas.storage.connections import milvus_options
from tests.integration.conftest import BackgroundStack
from tests.patience import PATIENCE, until
from tests.records import read_to_end

pytestmark = pytest.mark.integration
_DIM = 8


class Kafka:
    """Produce and consume one topic."""

    child = "kafka"

    def __init__(self, addresses: Addresses, name: str) -> None:
        self.servers: dict[str, str | int | float | bool] = {"bootstrap.servers": addresses.kafka}
        self.topic = f"t.{name}"

    def make(self) -> None:
        admin = AdminClient(self.servers)  # held: its futures die with it
        admin.create_topics([NewTopic(self.topic, 1, 1)])[self.topic].result(PATIENCE)

    def write(self, key: str, text: str) -> None:
        producer = Producer(self.servers | {"acks": "all", "message.timeout.ms": int(1_000 * PATIENCE)})
        errors: list[object] = []
        producer.produce(self.topic, text.encode(), key, partition=0, on_delivery=lambda e, _: errors.append(e))
        assert producer.flush(PATIENCE + 10) == 0
        assert errors == [None]

    def read(self) -> dict[str, str]:
        messages = read_to_end(str(self.servers["bootstrap.servers"]), [TopicPartition(self.topic, 0, 0)])
        return {(m.key() or b"").decode(): (m.value() or b"").decode() for m in messages}


class Postgres:
    """One table with Chinese and English text."""

    child = "postgres"

    def __init__(self, addresses: Addresses, name: str) -> None:
        self.dsn, self.table = addresses.postgres, f"t_{name}"

    def make(self) -> None:
        with psycopg.connect(self.dsn) as connection:
            connection.execute(f"CREATE TABLE {self.table} (key text PRIMARY KEY, text text)".encode())

    def write(self, key: str, text: str) -> None:
        with psycopg.connect(self.dsn) as connection:
            connection.execute(f"INSERT INTO {self.table} VALUES (%s, %s)".encode(), (key, text))  # noqa: S608

    def read(self) -> dict[str, str]:
        with psycopg.connect(self.dsn) as connection:
            return dict(connection.execute(f"SELECT key, text FROM {self.table}".encode()).fetchall())  # noqa: S608


class Redis:
    """One hash."""

    child = "valkey"

    def __init__(self, addresses: Addresses, name: str) -> None:
        self.url, self.hash = addresses.redis, f"t:{name}"

    def make(self) -> None:
        pass

    def write(self, key: str, text: str) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.hset(self.hash, key, text)
            # Synced every second: what a kill right after may lose is told apart from what must be kept.
            until("Redis to have synced", lambda: client.waitaof(1, 0, 5000)[0] == 1)

    def read(self) -> dict[str, str]:
        with redis.Redis.from_url(self.url, decode_responses=True) as client:
            return dict(client.hgetall(self.hash))


class Milvus:
    """One collection; read by a search that must find all rows."""

    child = "milvus"

    def __init__(self, addresses: Addresses, name: str) -> None:
        self.uri, self.collection = addresses.milvus, f"t_{name}"

    def _client(self) -> MilvusClient:
        """The client shares one channel a process and gives up on it within two seconds, while gRPC still waits out
        its own back-off after the server was killed: asked again, it connects."""
        return until("Milvus", lambda: MilvusClient(**milvus_options(self.uri)), errors=(MilvusException,))

    def make(self) -> None:
        client = self._client()
        schema = client.create_schema()
        schema.add_field("key", DataType.VARCHAR, is_primary=True, max_length=64)
        schema.add_field("text", DataType.VARCHAR, max_length=256)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=_DIM)
        index = client.prepare_index_params()
        index.add_index("vector", index_type="AUTOINDEX", metric_type="COSINE")
        client.create_collection(self.collection, schema=schema, index_params=index)
        client.close()

    def write(self, key: str, text: str) -> None:
        client = self._client()
        client.upsert(self.collection, [{"key": key, "text": text, "vector": [1.0] * _DIM}])
        client.close()

    def read(self) -> dict[str, str]:
        client = self._client()
        client.load_collection(self.collection)
        hits = client.search(self.collection, [[1.0] * _DIM], limit=10, output_fields=["key", "text"])[0]
        client.close()
        return {hit["entity"]["key"]: hit["entity"]["text"] for hit in hits}


SERVERS: list[Callable[[Addresses, str], Kafka | Postgres | Redis | Milvus]] = [Kafka, Postgres, Redis, Milvus]


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_serves_and_comes_back_with_its_data_after_kill_9(
    running_stack: BackgroundStack, server: type[Kafka | Postgres | Redis | Milvus]
) -> None:
    store = server(running_stack.addresses, uuid.uuid4().hex)
    store.make()
    store.write("en", "she moved to Lisbon")
    store.write("zh", "她搬到了里斯本")
    running_stack.kill(store.child)
    assert store.read() == {"en": "she moved to Lisbon", "zh": "她搬到了里斯本"}
    store.write("after", "and back")
    assert store.read()["after"] == "and back"


def test_the_database_is_utf8_with_the_c_locale(addresses: Addresses) -> None:
    with psycopg.connect(addresses.postgres) as connection:
        row = connection.execute(
            "SELECT current_database(), pg_encoding_to_char(encoding), datlocale, lower('ÀÉ里')"
            " FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    assert row == ("memstream", "UTF8", "C.UTF-8", "àé里")


def test_the_broker_creates_no_topic_by_itself(addresses: Addresses) -> None:
    admin = AdminClient({"bootstrap.servers": addresses.kafka})
    request = admin.list_topics("no.such.topic", timeout=PATIENCE).topics["no.such.topic"]
    assert request.error is not None
    assert request.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert "no.such.topic" not in admin.list_topics(timeout=PATIENCE).topics


def test_every_server_listens_on_the_loopback_alone(running_stack: BackgroundStack) -> None:
    """Asked at its door: who may not look into other users' processes cannot ask the system. One that listens on all
    addresses would answer at this other one of the loopback, too."""
    ports = running_stack.stack._chosen
    assert set(ports) >= {"kafka", "kafka-controller", "postgres", "valkey", "milvus"}
    for name, port in ports.items():
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        with socket.socket() as elsewhere:
            assert elsewhere.connect_ex(("127.0.0.2", port)) == errno.ECONNREFUSED, name


def test_stop_and_start_keeps_data_even_on_other_ports(stack_folder: Path) -> None:
    with BackgroundStack(stack_folder) as background:
        stores = [server(background.addresses, "kept") for server in SERVERS]
        for store in stores:
            store.make()
            store.write("k", "值 value")
        first = background.addresses
        with pytest.raises(AlreadyRunningError):
            background.call(EmbeddedStack(stack_folder).__aenter__())
        pids = [status.pid for status in background.stack.supervisor.status()]
    assert not [pid for pid in pids if pid is not None and psutil.pid_exists(pid)]
    with BackgroundStack(stack_folder) as background:
        assert background.addresses == first
    state = read_state(stack_folder)
    state.ports = {}
    (stack_folder / "stack.json").write_text(state.dump())
    with BackgroundStack(stack_folder) as background:
        assert background.addresses != first
        for server in SERVERS:
            assert server(background.addresses, "kept").read() == {"k": "值 value"}


async def test_a_port_lost_between_choice_and_start_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EmbeddedStack(tmp_path, Addresses(kafka="-", postgres="-", milvus="-"), default_ports={}) as stack:
        start, thieves = stack.supervisor.start, list[socket.socket]()

        async def start_too_late(*names: str) -> None:
            if not thieves:
                thieves.append(socket.create_server(("127.0.0.1", stack._chosen["valkey"])))
            await start(*names)

        monkeypatch.setattr(stack.supervisor, "start", start_too_late)
        started = await stack.start()
        with thieves[0] as thief, redis.Redis.from_url(started.redis) as client:
            assert urlsplit(started.redis).port != thief.getsockname()[1]
            assert client.ping()


async def test_only_what_is_not_given_is_started(tmp_path: Path, addresses: Addresses) -> None:
    given = Addresses(kafka=addresses.kafka, postgres=addresses.postgres, milvus=addresses.milvus)
    async with EmbeddedStack(tmp_path, given, default_ports={}) as stack:
        started = await stack.start()
        assert [status.name for status in stack.supervisor.status()] == ["valkey"]
        assert (started.kafka, started.postgres, started.milvus) == (given.kafka, given.postgres, given.milvus)
        with redis.Redis.from_url(started.redis) as client:
            assert client.ping()


def _stranger(postgres: str, redis_url: str) -> tuple[str, str]:
    """What somebody without a password, or with another one, is answered by Postgres and by Valkey."""
    port, other = urlsplit(postgres).port, urlsplit(redis_url).port
    answers = []
    for password in ("", ":guessed"):
        with pytest.raises(psycopg.OperationalError) as refused:
            psycopg.connect(f"postgresql://memstream{password}@127.0.0.1:{port}/postgres", connect_timeout=5)
        answers.append(str(refused.value))
        with (
            redis.Redis.from_url(f"redis://{password and f'{password}@'}127.0.0.1:{other}/0") as client,
            pytest.raises(redis.AuthenticationError),
        ):
            client.keys()
    return answers[0], answers[1]


async def test_h11_postgres_and_valkey_let_in_only_who_has_the_password(tmp_path: Path) -> None:
    """Whoever could connect was Postgres' superuser, and `COPY ... TO PROGRAM` ran as the account of `memstream up`."""
    given = Addresses(kafka="-", milvus="-")
    async with EmbeddedStack(tmp_path, given, default_ports={}) as stack:
        started = await stack.start()
        none, wrong = _stranger(started.postgres, started.redis)
        assert ("no password supplied" in none, "password authentication failed" in wrong) == (True, True)
        for name in (STATE_FILE, "servers.key", "valkey/valkey.conf"):
            assert (tmp_path / name).stat().st_mode & 0o777 == 0o600, name
        for status in stack.supervisor.status():
            family = [psutil.Process(status.pid), *psutil.Process(status.pid).children(recursive=True)]
            shown = " ".join(word for process in family for word in process.cmdline())
            assert str(urlsplit(started.postgres).password) not in shown
            assert str(urlsplit(started.redis).password) not in shown
        with psycopg.connect(started.postgres) as connection:
            connection.execute("CREATE TABLE kept (n int)")
        rules = (tmp_path / "postgres").resolve() / "pg_hba.conf"
        with psycopg.connect(started.postgres, autocommit=True) as connection:
            connection.execute("ALTER ROLE memstream PASSWORD NULL")
    rules.write_text("host all all 127.0.0.1/32 trust\n")  # a folder of an earlier version
    async with EmbeddedStack(tmp_path, given, default_ports={}) as stack:
        again = await stack.start()
        _stranger(again.postgres, again.redis)
        with psycopg.connect(again.postgres) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    (tmp_path / "servers.key").unlink()
    async with EmbeddedStack(tmp_path, given, default_ports={}) as stack:
        renewed = await stack.start()
        assert urlsplit(renewed.postgres).password != urlsplit(again.postgres).password
        with psycopg.connect(renewed.postgres) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
