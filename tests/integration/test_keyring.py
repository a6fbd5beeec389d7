"""C7: data keys in a real Postgres while master keys rotate, and while Postgres does not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import timedelta

import psycopg
import pytest

from memstream.keyring.cipher import AesCipher
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.originals import Vault
from memstream.keyring.store import Keyring
from memstream.stack import Addresses
from query.errors import ProblemError
from query.key_threads import KeyThreads
from query.views.sealed import opened
from schemas import migrations
from schemas.log.codec import Codec
from schemas.log.owner import user
from schemas.security.encrypted_values import Original
from schemas.security.sealing import KeyDestroyed, MasterKeyAway
from tests.patience import PATIENCE

KEYS = KeyThreads(PATIENCE)
OLD, NEW = "ab" * 32, "cd" * 32
ANN, BOB = user("acme", "ann"), user("acme", "bob")
HERE = ("memory", "acme", "user", "ann", "r1", "0", "1")


@pytest.fixture
def dsn(addresses: Addresses) -> Iterator[str]:
    """A database of its own: a rotation wraps every key that there is."""
    with psycopg.connect(addresses.postgres, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS keyring")
        connection.execute("CREATE DATABASE keyring")
    made = psycopg.conninfo.make_conninfo(addresses.postgres, dbname="keyring")
    migrations.upgrade(made)
    yield made
    with psycopg.connect(addresses.postgres, autocommit=True) as connection:
        connection.execute("DROP DATABASE keyring WITH (FORCE)")


class Processes:
    """Ciphers of processes with master keys of their environment."""

    def __init__(self, dsn: str, stack: ExitStack) -> None:
        self._dsn, self._stack = dsn, stack

    def start(self, masters: str) -> AesCipher:
        return AesCipher(self.keyring(masters))

    def keyring(self, masters: str) -> Keyring:
        return self._stack.enter_context(closing(Keyring(self._dsn, LocalMasterKeys.of_environment(masters))))


@pytest.fixture
def processes(dsn: str) -> Iterator[Processes]:
    with ExitStack() as stack:
        yield Processes(dsn, stack)


def test_c7_master_keys_of_the_environment_rotate_in_the_documented_order(processes: Processes) -> None:
    sealed = [processes.start(OLD).seal(ANN, {"n": 0}, HERE)]
    for masters in ((OLD, f"{OLD},{NEW}"), (f"{OLD},{NEW}", f"{NEW},{OLD}")):
        for n, mine in enumerate(masters):  # some were started anew, others not yet
            sealed.append(processes.start(mine).seal(user("acme", f"u{len(sealed)}{n}"), {"n": len(sealed)}, HERE))
    owners = [ANN, *(user("acme", f"u{n}{(n + 1) % 2}") for n in range(1, 5))]
    readers = [processes.start(m) for m in (f"{OLD},{NEW}", f"{NEW},{OLD}")]
    for reader in readers:
        assert [reader.open(o, s, HERE)["n"] for o, s in zip(owners, sealed, strict=True)] == [0, 1, 2, 3, 4]
    assert processes.keyring(f"{NEW},{OLD}").rewrap() == 4
    last = processes.start(NEW)
    assert [last.open(o, s, HERE)["n"] for o, s in zip(owners, sealed, strict=True)] == [0, 1, 2, 3, 4]


async def test_c7_what_lies_under_a_master_key_that_a_process_has_not_got_waits(processes: Processes) -> None:
    ahead, behind = processes.start(f"{NEW},{OLD}"), processes.start(OLD)
    behind.seal(user("acme", "eve"), {}, HERE)
    sealed = ahead.seal(ANN, {"text": "likes tea"}, HERE)
    calls: list[Callable[[], object]] = [lambda: behind.open(ANN, sealed, HERE), lambda: behind.seal(ANN, {}, HERE)]
    for late in calls:
        with pytest.raises(MasterKeyAway, match="no master key"):
            late()
    row = {"text": "", "sealed": sealed, "sealed_for": ANN.key, "sealed_place": list(HERE)}
    with pytest.raises(ProblemError) as refused:
        await opened(Codec(behind), [dict(row)], KEYS)
    assert refused.value.status == 503
    assert behind.open(BOB, behind.seal(BOB, {"a": 1}, HERE), HERE) == {"a": 1}, "the others' go on"
    assert [r["text"] for r in await opened(Codec(processes.start(f"{OLD},{NEW}")), [dict(row)], KEYS)] == ["likes tea"]


def test_c7_no_key_is_made_under_a_master_key_of_another_system(processes: Processes, dsn: str) -> None:
    """One write of a process with the wrong master key made one, and the gate stood still for everybody."""
    right, wrong = processes.start(OLD), processes.start(NEW)
    sealed = right.seal(ANN, {"a": 1}, HERE)
    with pytest.raises(MasterKeyAway, match="open no data key that stands"):
        wrong.seal(BOB, {"b": 1}, HERE)
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT owner FROM trust.data_keys").fetchall() == [(ANN.key,)]
    assert right.open(ANN, sealed, HERE) == {"a": 1}
    assert right.open(BOB, right.seal(BOB, {"b": 2}, HERE), HERE) == {"b": 2}


def test_n6_an_owner_without_a_key_needs_no_new_one(processes: Processes, dsn: str) -> None:
    ring = processes.keyring(OLD)
    vault = Vault(ring)
    assert ring.renewed_if_any(ANN) == timedelta(0)
    taken = [Original("PHONE_NUMBER", "<PHONE_NUMBER:1>", "13812345678")]
    [kept] = vault.keep(ANN, "t", taken)
    assert vault.keep(ANN, "t", taken) == (kept,)
    assert Vault(processes.keyring(OLD)).open(ANN, "t", kept) == taken
    assert ring.renewed_if_any(ANN) > timedelta(0)
    assert ring.destroy(ANN.key) == 1
    with pytest.raises(KeyDestroyed):
        vault.open(ANN, "t", kept)
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT count(*) FROM trust.data_keys").fetchone() == (2,)


def test_n6_keys_of_a_tenant_are_destroyed_by_pages(
    processes: Processes, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One statement over a tenant of 100,000s of keys was cancelled at each try: its erasure never ended."""
    monkeypatch.setattr("memstream.keyring.store.PAGE", 2)
    ring = processes.keyring(OLD)
    owners = [user("acme", f"u{n}").key for n in range(5)]
    others = [user("acm", "ann").key, user("acme2", "ann").key, user("acme%", "ann").key]
    for owner in (*owners, *others):
        ring.current(owner)
    ring.renew(owners[0])
    assert ring.destroy_tenant("acme") == 6
    assert ring.destroy_tenant("acme") == 0
    for owner in owners:
        with pytest.raises(KeyDestroyed):
            ring.key(owner, 1)
    assert all(ring.key_exists(owner, 1) for owner in others)
    with psycopg.connect(dsn) as connection:
        left = connection.execute("SELECT owner FROM trust.data_keys WHERE wrapped IS NOT NULL ORDER BY owner")
        assert sorted(r[0] for r in left) == sorted(others)


def test_c7_keys_are_wrapped_anew_by_pages_and_each_still_opens(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memstream.keyring.store.PAGE", 2)
    owners = [user("acme", f"u{n}") for n in range(5)]
    before = processes.start(OLD)
    sealed = [before.seal(o, {"n": n}, HERE) for n, o in enumerate(owners)]
    ring = processes.keyring(f"{NEW},{OLD}")
    assert (ring.rewrap(), ring.rewrap()) == (5, 0)
    after = processes.start(NEW)
    assert [after.open(o, s, HERE)["n"] for o, s in zip(owners, sealed, strict=True)] == [0, 1, 2, 3, 4]
