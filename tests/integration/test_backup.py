"""H12: Postgres dumped, put back into an empty database, and used: rows of two tenants, one of them sealed, structured
tables, and what was erased before the dump and since. What the log brings behind it is in tests/simulation."""

from __future__ import annotations

import asyncio
import random
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from memstream.checks import Status, run_checks
from memstream.cli.app import application
from memstream.erasure import export
from memstream.keyring.cipher import AesCipher
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.store import Keyring
from memstream.settings import Settings
from memstream.stack import Addresses, postgres
from query.views import memories, structured
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import user
from schemas.log.places import place_of_row
from schemas.migrations import generations, newest, upgrade, version
from schemas.security.sealing import KeyDestroyed
from sinks.decode import decode
from sinks.erased import WithoutErased
from sinks.postgres.erasure import PostgresErasures, erase
from sinks.postgres.sink import PostgresSink
from sinks.protocol import Message, SinkBatch
from tests.integration.test_upgrade import PLANS, SPECS, of_tenant, views
from tests.patience import PATIENCE, until
from tests.unit.erasure.test_eraser import Log
from tests.unit.sinks.events import CODEC, NOW, memory

pytestmark = pytest.mark.integration
MASTER = "ab" * 32


class Site:
    """A database, and memstream's parts over it."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.ring = Keyring(dsn, LocalMasterKeys.of_environment(MASTER))
        self.codec = Codec(AesCipher(self.ring))
        self.sink = WithoutErased(PostgresSink(dsn, [1], tables=SPECS), PostgresErasures(dsn), tells=True)

    def close(self) -> None:
        self.sink.close()
        self.ring.close()

    def write(self, *events: MemoryUpdate, sealed: bool = False) -> None:
        """As the log has them."""
        codec, found = self.codec if sealed else CODEC, []
        for n, e in enumerate(events):
            made = codec.encode(e, "memstream/gate", f"e{n}", [("src", f"gate/0:{n}:0".encode())])
            stamp = int(NOW.timestamp() * 1000)
            found.append(Message(topics.UPDATES.name, 0, n, made.key, made.value, made.headers, stamp))
        self.sink.write(SinkBatch(decode(codec, found).items))

    def erased(self, who: str, tenant: str) -> None:
        """As sink and eraser do."""
        e = Erasure(tenant=tenant, erasure_id=f"of-{who}", scope="user", user_id=who, stage="gate",
                    accepted_at=NOW + timedelta(hours=1))  # fmt: skip
        self.ring.renewed_if_any(user(tenant, who))
        with psycopg.connect(self.dsn) as conn:
            erase(conn, 1, e, topics.UPDATES.name, 0)
            conn.execute("UPDATE trust.erasures SET state = 'done' WHERE erasure_id = %s", (e.erasure_id,))
        self.ring.destroy(user(tenant, who).key)

    def texts(self, tenant: str, *users: str) -> list[str]:
        """What the query service reads of them, opened."""

        async def read() -> list[str]:
            async with views(self.dsn, self.codec) as db:
                found = [await memories.by_record(db, of_tenant(tenant), f"{tenant}-{who}") for who in users]
                rows = [
                    await structured.rows(db, of_tenant(tenant).user(who), PLANS.name, NOW, 10) for who in users
                ]
            return [r["text"] for rs in found for r in rs] + [r["value"]["goal"] for rs in rows for r in rs]

        return asyncio.run(read())


def memory_of(tenant: str, who: str, **over: Any) -> MemoryUpdate:
    given = {"tenant": tenant, "owner_id": who, "user_id": who, "record_id": f"{tenant}-{who}", "text": f"of {who}"}
    return memory(1, **{**given, **over})


def plan(tenant: str, who: str) -> MemoryUpdate:
    body = memory_of(tenant, who).sealed.model_copy(update={"text": "", "value": {"goal": f"goal of {who}"}})
    row = {"kind": "table", "category": "plans", "key": "p_1", "field": None, "record_id": f"{tenant}-{who}-plan"}
    return memory_of(tenant, who, sealed=body, **row)


@pytest.fixture
def sites(addresses: Addresses) -> Iterator[tuple[Site, str]]:
    """One that is filled and used, and an empty database."""
    names = [f"{name}_{random.randrange(1_000_000_000)}" for name in ("before", "behind")]
    with psycopg.connect(addresses.postgres, autocommit=True) as server:
        for name in names:
            server.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        try:
            dsn, empty = (make_conninfo(addresses.postgres, dbname=name) for name in names)
            upgrade(dsn)
            with closing(Site(dsn)) as site:
                site.sink.ensure()
                yield site, empty
        finally:
            for name in names:
                server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def tool(name: str, *arguments: str) -> None:
    path = postgres.binaries() / "bin" / name
    done = subprocess.run([str(path), *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def keyring(dsn: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    for name, value in (("POSTGRES", dsn), ("KAFKA", "x:1"), ("REDIS", "redis://x:1"), ("MILVUS", "http://x:1")):
        monkeypatch.setenv(f"MEMSTREAM_{name}", value)
    done = CliRunner().invoke(application(), ["keyring", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def test_h12_what_is_dumped_is_readable_where_it_is_put_back_and_erased_stays_erased(
    sites: tuple[Site, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, empty = sites
    site.write(memory_of("acme", "ann"), plan("acme", "ann"), memory_of("acme", "bob"), plan("acme", "bob"))
    site.write(*(memory_of("beta", who) for who in ("cid", "dan", "eve")), sealed=True)
    site.erased("bob", "acme")
    site.erased("dan", "beta")
    dump, keys = str(tmp_path / "dump"), str(tmp_path / "keyring.jsonl")
    tool("pg_dump", "--format=custom", f"--file={dump}", f"--dbname={site.dsn}")
    # Since the backup: a user whose key it has not got, and an erasure that it knows nothing of.
    site.write(memory_of("beta", "fay"), sealed=True)
    late = _sealed_part(site, "beta-fay")
    site.erased("eve", "beta")
    assert keyring(site.dsn, monkeypatch, "backup", keys) == f"6 keys in {keys}"

    tool("pg_restore", "--exit-on-error", f"--dbname={empty}", dump)
    with psycopg.connect(empty) as conn:
        assert (version(conn), generations(conn)) == (newest(), [1])
    upgrade(empty)
    with closing(Site(empty)) as back:
        back.sink.ensure()
        assert back.texts("acme", "ann", "bob") == ["of ann", "goal of ann"]
        assert back.texts("beta", "cid", "dan") == ["of cid"]
        with psycopg.connect(empty) as conn:
            goals = conn.execute('SELECT user_id, goal FROM views_g1."acme/plans"').fetchall()
        assert goals == [("ann", "goal of ann")]
        with pytest.raises(KeyDestroyed):
            back.ring.key(user("beta", "dan").key, 1)
        # Late out of the log, or of a mirror: who was erased before the dump is refused.
        back.write(memory_of("acme", "bob"), plan("acme", "bob"))
        assert back.texts("acme", "bob") == []
        assert back.texts("beta", "eve") == ["of eve"], "until the log, or the newer keyring, says that eve is erased"
    assert keyring(empty, monkeypatch, "restore", keys) == "2 of 6 keys were missing, 1 were destroyed since"
    assert keyring(empty, monkeypatch, "restore", keys) == "0 of 6 keys were missing, 0 were destroyed since"
    with closing(Site(empty)) as back:
        here = place_of_row(MemoryUpdate, memory_of("beta", "fay").model_dump())
        assert back.codec.opened(user("beta", "fay"), late, here)["text"] == "of fay"
        assert back.texts("beta", "cid", "dan", "eve") == ["of cid"]


def _sealed_part(site: Site, record: str) -> Any:
    with psycopg.connect(site.dsn) as conn:
        row = conn.execute("SELECT sealed FROM views_g1.memories WHERE record_id = %s", (record,)).fetchone()
    assert row is not None
    return row[0]


def test_h12_a_backup_of_the_keyring_destroys_no_key_of_another_system(
    sites: tuple[Site, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Owners have the same names there: a test system's backup, put back by mistake."""
    site, empty = sites
    upgrade(empty)
    keys = str(tmp_path / "keyring.jsonl")
    with closing(Site(empty)) as other:
        other.ring.current(user("beta", "cid").key)
        other.ring.renew(user("beta", "cid").key)
        other.ring.destroy(user("beta", "cid").key)
    site.write(memory_of("beta", "cid"), sealed=True)
    keyring(empty, monkeypatch, "backup", keys)
    result = keyring(site.dsn, monkeypatch, "restore", keys)
    assert result == "1 of 2 keys were missing, 0 were destroyed since"
    assert site.texts("beta", "cid") == ["of cid"]


def test_h12_a_key_that_was_made_anew_before_the_keyring_was_put_back_is_named(
    sites: tuple[Site, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Services that ran before it: the backup's key of that name cannot stand beside it."""
    site, empty = sites
    upgrade(empty)
    keys = str(tmp_path / "keyring.jsonl")
    site.write(memory_of("beta", "cid"), memory_of("beta", "dan"), sealed=True)
    keyring(site.dsn, monkeypatch, "backup", keys)
    with closing(Site(empty)) as back:
        back.ring.current(user("beta", "cid").key)
    result = keyring(empty, monkeypatch, "restore", keys).splitlines()
    assert result[0] == "1 of 2 keys were missing, 0 were destroyed since"
    assert result[1].startswith("1 are not those that stand under their name")
    assert keyring(site.dsn, monkeypatch, "restore", keys) == "0 of 2 keys were missing, 0 were destroyed since"


def test_h12_a_running_process_seals_under_no_key_that_the_keyrings_restore_destroyed(
    sites: tuple[Site, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps copies of keys, and looks for what was changed within the last seconds."""
    site, empty = sites
    upgrade(empty)
    owner, keys = user("beta", "cid").key, str(tmp_path / "keyring.jsonl")
    site.write(memory_of("beta", "cid"), sealed=True)
    _a_day_ago(site)
    keyring(site.dsn, monkeypatch, "backup", keys)
    keyring(empty, monkeypatch, "restore", keys)
    with closing(Site(empty)) as back:
        assert back.ring.current(owner)[0] == 1
        site.ring.renew(owner)
        site.ring.destroy(owner)
        _a_day_ago(site)
        keyring(site.dsn, monkeypatch, "backup", keys)
        keyring(empty, monkeypatch, "restore", keys)
        until("the process looks again", lambda: back.ring.current(owner)[0] == 2)
        with pytest.raises(KeyDestroyed):
            back.ring.key(owner, 1)


def _a_day_ago(site: Site) -> None:
    """What changed in the keyring within the last hours did so then, and so a backup has it."""
    with psycopg.connect(site.dsn) as conn:
        for column in ("made_at", "destroyed_at"):
            conn.execute(
                f"UPDATE trust.data_keys SET {column} = {column} - interval '1 day' "  # noqa: S608
                f"WHERE {column} > now() - interval '1 hour'".encode()
            )


def test_h12_erasures_since_a_dump_are_done_again_from_their_export(sites: tuple[Site, str], tmp_path: Path) -> None:
    """Neither the dump nor the log knows of Eve's; Cid's the dump has, and an older log may hold his words again."""
    site, empty = sites
    site.write(*(memory_of("beta", who) for who in ("cid", "eve")), sealed=True)
    site.erased("cid", "beta")
    dump = str(tmp_path / "dump")
    tool("pg_dump", "--format=custom", f"--file={dump}", f"--dbname={site.dsn}")
    site.erased("eve", "beta")
    with psycopg.connect(site.dsn, row_factory=dict_row) as conn:
        erasures = export.read(b"".join(export.exported(conn)))
    tool("pg_restore", "--exit-on-error", f"--dbname={empty}", dump)
    log, eve = Log(), user("beta", "eve")
    with closing(Site(empty)) as back, psycopg.connect(empty, autocommit=True, row_factory=dict_row) as conn:
        wanted = export.planned(conn, log, erasures, 4)
        assert ([e.erasure_id for e in wanted.asked], wanted.sought, wanted.coming) == (["of-eve"], ["of-cid"], [])
        export.do_again(conn, log, CODEC, lambda e: back.ring.renewed_if_any(e.owner), wanted, 4)
        rows = conn.execute("SELECT erasure_id, state, step FROM trust.erasures").fetchall()
        assert rows == [{"erasure_id": "of-cid", "state": "under_way", "step": "late"}]
        assert [CODEC.decode(r.topic(), r.value()) for r in log.records] == list(wanted.asked)
        back.ring.destroy(eve.key)  # as the eraser does: all but the newest
        with pytest.raises(KeyDestroyed):
            back.ring.key(eve.key, 1)


def test_h12_the_room_for_a_dumps_locks_is_looked_at(sites: tuple[Site, str]) -> None:
    site, _ = sites
    [found] = run_checks(Settings(postgres=site.dsn), ["locks"])  # type: ignore[arg-type]
    assert found.status is Status.OK
    with psycopg.connect(site.dsn) as conn:
        [(each,)] = conn.execute("SHOW max_locks_per_transaction").fetchall()
    assert int(each) == 256
    assert found.detail.endswith("room for 25600 locks")
