"""C7: TLS and SASL everywhere. One running system whose every connection is encrypted, and what is said when one is not
accepted. The broker speaks TLS and SASL itself; the other embedded servers have a front (tests/integration/tls.py)."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its public names, not marked as exported
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka.admin import KafkaAdminClient
from pydantic import ValidationError

from memstream.checks.run import run_checks
from memstream.connect import service
from memstream.connections import brokers
from memstream.settings import Settings
from memstream.stack import Addresses, kafka
from memstream.stack.ports import pick
from memstream.stack.up import start
from schemas.storage.connections import kafka_python, librdkafka
from tests.integration.conftest import BackgroundStack, started, temporary_folder
from tests.integration.scenario import World
from tests.integration.tls import HOST, KEY_PASSWORD, Authority, TlsFront
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.integration,
    # kafka-python leaves its TLS sockets to the collector, also when it is closed.
    pytest.mark.filterwarnings("ignore:Exception ignored in.*SSLSocket:pytest.PytestUnraisableExceptionWarning"),
]  # fmt: skip
PASSWORD = "im Garten-7"


@dataclass(frozen=True)
class Encrypted:
    world: World
    env: dict[str, str]
    """Of every process of the running system."""
    mutual: int
    """Port where the broker wants certificates of its clients."""
    other: Authority
    folder: Path


def with_listeners(
    made: Callable[[Path, int, int], str], folder: Path, pair: tuple[Path, Path], ca: Path, sasl: int, mutual: int
) -> Callable[[Path, int, int], str]:
    """The embedded broker's settings with two listeners beside its own."""
    store = folder / "broker.pem"
    store.write_bytes(pair[1].read_bytes() + pair[0].read_bytes())
    plain = f'org.apache.kafka.common.security.plain.PlainLoginModule required user_plain="{PASSWORD}";'
    more = {
        "listeners": f",SASL://{HOST}:{sasl},MUTUAL://{HOST}:{mutual}",
        "listener.security.protocol.map": ",SASL:SASL_SSL,MUTUAL:SSL",
    }
    own = {
        "ssl.keystore.type": "PEM", "ssl.keystore.location": store, "ssl.truststore.type": "PEM",
        "ssl.truststore.location": ca, "listener.name.mutual.ssl.client.auth": "required",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512", "listener.name.sasl.plain.sasl.jaas.config": plain,
        "listener.name.sasl.scram-sha-512.sasl.jaas.config":
            "org.apache.kafka.common.security.scram.ScramLoginModule required;",
    }  # fmt: skip

    def properties(log_dir: Path, port: int, controller_port: int) -> str:
        given = dict(line.split("=", 1) for line in made(log_dir, port, controller_port).splitlines())
        for name in ("listeners", "advertised.listeners"):
            given[name] += more["listeners"]
        given["listener.security.protocol.map"] += more["listener.security.protocol.map"]
        return "".join(f"{k}={v}\n" for k, v in {**given, **own}.items())

    return properties


def scram_user(address: str) -> None:
    admin = AdminClient({"bootstrap.servers": address})
    wanted = UserScramCredentialUpsertion(
        "memstream", ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), PASSWORD.encode()
    )
    for done in admin.alter_user_scram_credentials([wanted]).values():
        done.result(PATIENCE)


@pytest.fixture(scope="module")
def here() -> Iterator[Encrypted]:
    with started("a memstream with every connection encrypted", _encrypted) as running:
        yield running


@contextmanager
def _encrypted(folder: Path, seconds: float) -> Iterator[Encrypted]:
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        files, below, above = (stack.enter_context(temporary_folder()) for _ in range(3))
        own, other = Authority(files, "authority"), Authority(files, "stranger")
        server, client = own.issue("server"), own.issue("client", KEY_PASSWORD)
        bare = own.issue("bare")  # libpq and Redis clients take passwords of keys too; gRPC does not
        sasl = pick(())
        mutual = pick((), [sasl])
        patch.setattr(kafka, "_properties", with_listeners(kafka._properties, files, server, own.ca, sasl, mutual))
        servers = stack.enter_context(BackgroundStack(below, seconds=seconds))
        plain = servers.addresses
        scram_user(plain.kafka)
        postgres, redis, milvus = (urlsplit(a) for a in (plain.postgres, plain.redis, plain.milvus))
        fronts = [
            TlsFront(postgres.port or 0, server, own.ca, asks=True), TlsFront(redis.port or 0, server, own.ca),
            TlsFront(milvus.port or 0, server, own.ca),
        ]  # fmt: skip
        for front in fronts:
            stack.callback(front.close)
        words = {"key": KEY_PASSWORD, "kafka": PASSWORD}
        for name, text in words.items():
            (files / f"{name}.txt").write_text(f"{text}\n")
        env = {
            "KAFKA": f"{HOST}:{sasl}", "KAFKA_CA": own.ca, "KAFKA_SASL": "SCRAM-SHA-512", "KAFKA_USER": "memstream",
            "KAFKA_PASSWORD_FILE": files / "kafka.txt",
            "POSTGRES": plain.postgres.replace(f":{postgres.port}", f":{fronts[0].port}"),
            "REDIS": f"rediss://:{redis.password}@{HOST}:{fronts[1].port}{redis.path}",
            "MILVUS": f"https://{HOST}:{fronts[2].port}",
            "HTTP_CERT": server[0], "HTTP_KEY": server[1], "HTTP_CA": own.ca,
        }  # fmt: skip
        for name in ("POSTGRES", "REDIS"):
            env |= {f"{name}_CA": own.ca, f"{name}_CERT": client[0], f"{name}_KEY": client[1]}
            env[f"{name}_KEY_PASSWORD_FILE"] = files / "key.txt"
        env |= {"MILVUS_CA": own.ca, "MILVUS_CERT": bare[0], "MILVUS_KEY": bare[1]}
        fields = {f"MEMSTREAM_{name}": str(value) for name, value in env.items()}
        for name, value in fields.items():
            patch.setenv(name, value)
        given = Settings(data_dir=above, port=0, log_level="WARNING")
        addresses = Addresses(
            given.kafka, given.postgres.get_secret_value(), given.redis.get_secret_value(), given.milvus
        )
        running = stack.enter_context(BackgroundStack(above, addresses, seconds=seconds))
        url = running.call(start(running.stack, given, lambda name, state: None), seconds)
        caller = World(url, servers)
        caller.http.close()
        context = ssl.create_default_context(cafile=str(own.ca))
        caller.http = httpx.Client(base_url=url, timeout=PATIENCE, verify=context)
        stack.callback(caller.http.close)
        yield Encrypted(caller, fields, mutual, other, files)


def test_c7_a_turn_becomes_a_memory_with_every_connection_encrypted(here: Encrypted) -> None:
    world = here.world
    assert str(world.http.base_url).startswith("https://")
    for n, text in enumerate(("I live in Reykjavik.", "我住在杭州。")):
        turn = {
            "user_id": f"u{n}", "session_id": "s", "turn_id": f"t{n}", "role": "user", "content": text,
            "occurred_at": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        world.post("/v1/turns", {"turns": [turn]})
        assert world.get(f"/v1/users/u{n}/memories")["memories"]
        assert world.post("/v1/search", {"query": text, "user_id": f"u{n}"})["results"]
        assert world.get("/v1/sessions/s", user_id=f"u{n}")["flow_context"]["turn_count"] == 1
    assert world.get("/v1/pipeline")
    world.until("/readyz", lambda body: True)
    found = {r.name: r.status for r in run_checks(Settings(), ("kafka", "topics", "postgres", "redis", "milvus"))}
    assert {found[name] for name in ("kafka", "topics", "postgres", "schema", "redis", "milvus")} == {"ok"}


def test_c7_brokers_that_want_certificates_and_plain_passwords(here: Encrypted) -> None:
    """Both client libraries of the project that are not in the running system's listener."""
    client = {"cert": here.folder / "client-cert.pem", "key": here.folder / "client-key.pem"}
    mutual = Settings(
        kafka=f"{HOST}:{here.mutual}", kafka_sasl="", kafka_cert=client["cert"], kafka_key=client["key"],
        kafka_key_password_file=here.folder / "key.txt",
    ).brokers  # fmt: skip
    plain = Settings(kafka_sasl="PLAIN", kafka_user="plain").brokers
    for given in (mutual, plain):
        assert AdminClient(librdkafka(given)).list_topics(timeout=PATIENCE).topics
        admin = KafkaAdminClient(**kafka_python(given), bootstrap_timeout_ms=int(1_000 * PATIENCE))
        assert admin.describe_cluster()["brokers"]
        admin.close()
    assert "im Garten" not in repr(plain)


def refusals(**changed: Any) -> dict[str, str]:
    names = ("kafka", "postgres", "redis", "milvus")
    return {r.name: r.detail for r in run_checks(Settings(**changed), names) if r.status == "fail"}


def test_c7_a_certificate_of_another_authority_is_refused_and_said(here: Encrypted) -> None:
    ca = here.other.ca
    # Milvus' client keeps what it has once connected to by its address; so it goes by the other name.
    named = Settings().milvus.replace(HOST, "localhost")
    result = refusals(kafka_ca=ca, postgres_ca=ca, redis_ca=ca, milvus_ca=ca, milvus=named)
    assert set(result) == {"kafka", "postgres", "redis", "milvus"}
    for store, detail in result.items():
        assert f"MEMSTREAM_{store.upper()}_CA" in detail, detail
        assert PASSWORD not in detail
    with pytest.raises(KafkaException):
        AdminClient(librdkafka(Settings(kafka_ca=ca).brokers)).list_topics(timeout=5)
    with pytest.raises(httpx.ConnectError):
        httpx.get(str(here.world.http.base_url), verify=ssl.create_default_context(cafile=str(ca)))
    assert service(Settings(http_ca=here.folder / "authority.pem"), str(here.world.http.base_url)).get("/livez")


def test_c7_a_wrong_password_is_refused_and_said(here: Encrypted) -> None:
    wrong = here.folder / "wrong.txt"
    wrong.write_text("no")
    result = refusals(kafka_password_file=wrong)
    assert set(result) == {"kafka"}
    assert "refuses user or password" in result["kafka"], result


def test_c7_a_server_without_tls_is_said(here: Encrypted) -> None:
    result = refusals(kafka=here.world.stack.addresses.kafka)
    assert "speaks no TLS" in result["kafka"], result


def test_settings_that_do_not_fit_are_named(here: Encrypted) -> None:
    for bad, word in (
        ({"redis": "redis://h:1/0"}, "rediss://"), ({"milvus": "http://h:1"}, "https://"),
        ({"kafka_cert": here.folder / "client-cert.pem"}, "MEMSTREAM_KAFKA_CERT"), ({"kafka": ""}, "MEMSTREAM_KAFKA_"),
    ):  # fmt: skip
        with pytest.raises(ValidationError, match=word):
            Settings(**bad)
    assert brokers("a:1", Settings()).protocol == "SASL_SSL"
