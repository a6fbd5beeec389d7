"""Stores that refuse instead of being away (N2): full, read-only, slow. The others go on meanwhile,
nothing is given up, and nothing is missing afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from processors.step import Reads
from schemas import migrations
from schemas.storage.layouts import postgres_schema
from streams.state.postgres import PostgresStateStore
from streams.state.protocol import StoreAway
from tests.crash import hurt
from tests.integration.conftest import BackgroundStack
from tests.integration.test_sinks_outage import COUNT, Stores, stores
from tests.integration.test_state_away import batch
from tests.patience import until

__all__ = ["stores"]
pytestmark = [pytest.mark.integration, pytest.mark.crash]


@contextmanager
def postgres_disk_full(s: Stores) -> Iterator[None]:
    """The tables of the view lie on a small disk, which is then filled."""
    disk = s.stack.stack.data_dir / "small-disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", disk]).returncode:
        pytest.skip("a disk of its own needs the right to mount one")
    schema, place = postgres_schema(s.number), disk / "space"
    place.mkdir()
    shutil.chown(place, Path(s.stack.stack.data_dir / "postgres").owner())
    with psycopg.connect(s.stack.addresses.postgres, autocommit=True) as conn:
        try:
            conn.execute(f"CREATE TABLESPACE small LOCATION '{place}'".encode())
            for table in ("turns", "memories"):
                conn.execute(f"ALTER TABLE {schema}.{table} SET TABLESPACE small".encode())
            filler = disk / "filler"
            with filler.open("wb") as file:
                file.write(b"x" * (shutil.disk_usage(disk).free - 4_096))
            yield
            filler.unlink()
            until("Postgres to have all", s.in_postgres, lambda n: n == 4 * COUNT)
        finally:
            (disk / "filler").unlink(missing_ok=True)
            for table in ("turns", "memories"):
                conn.execute(f"ALTER TABLE {schema}.{table} SET TABLESPACE pg_default".encode())
            conn.execute("DROP TABLESPACE IF EXISTS small")
            until("the disk to be let go", lambda: subprocess.run(["umount", disk]).returncode == 0, pause=0.5)


FAULTS: dict[str, tuple[str, Callable[[Stores], AbstractContextManager[None]]]] = {
    "read-only": ("postgres", lambda s: hurt.postgres_read_only(s.stack.addresses.postgres)),
    "disk-full": ("postgres", postgres_disk_full),
    "slow": ("postgres", lambda s: hurt.postgres_slow(s.stack.addresses.postgres, postgres_schema(s.number))),
    "memory-full": ("redis", lambda s: hurt.redis_full(s.stack.addresses.redis)),
    "writes-refused": ("redis", lambda s: hurt.redis_read_only(s.stack.addresses.redis)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_n2_a_store_that_refuses_costs_nothing_and_delays_nobody_else(stores: Stores, fault: str) -> None:
    hurt_one, hold = FAULTS[fault]
    with stores.running():
        first = made = stores.send(0)
        reached: dict[str, Callable[[int], bool]] = {
            "postgres": lambda n: stores.in_postgres() >= 2 * n,
            "redis": lambda n: stores.in_redis(n - COUNT) == COUNT,
            "milvus": lambda n: stores.in_milvus(made if n > COUNT else first) == COUNT,
        }
        everywhere(reached, COUNT)
        with hold(stores):
            made = stores.send(COUNT)
            # The others have all of it while the hurt one is kept from it: nobody waits for it.
            everywhere({name: f for name, f in reached.items() if name != hurt_one}, 2 * COUNT)
            if fault != "slow":
                until(f"{hurt_one} to be tried again", lambda: len(stores.observers[hurt_one].delays), lambda n: n >= 3)
                assert not reached[hurt_one](2 * COUNT)
        everywhere(reached, 2 * COUNT)
    assert [o.letters for o in stores.observers.values()] == [[], [], []], "what the store refuses is not the record's"


def everywhere(reached: Mapping[str, Callable[[int], bool]], count: int) -> None:
    """Back when each of these stores has so many."""
    for name, has in reached.items():
        until(f"{name} to have {count}", lambda has=has: has(count))  # type: ignore[misc]


async def test_n2_steps_wait_for_a_postgres_that_only_reads(running_stack: BackgroundStack) -> None:
    """A worker waits, instead of ending: the batch is done once, when writes are taken again."""
    dsn = running_stack.addresses.postgres
    migrations.upgrade(dsn)
    async with AsyncConnectionPool(dsn, min_size=1, max_size=1, kwargs={"autocommit": True}, open=False) as pool:
        store = PostgresStateStore(pool)
        first = replace(batch(0), step="reads", outbox=[])
        with hurt.postgres_read_only(dsn):
            until("Postgres to only read", lambda: _reads_only(dsn))
            with pytest.raises(StoreAway):
                await store.commit([first])
            assert await store.load(first.step, {0: [Reads("acme/user/ann")]}) == {0: {"acme/user/ann": {}}}
        until("Postgres to take writes", lambda: not _reads_only(dsn))
        await store.commit([first])
        position, _ = await store.position(first.step, 0)
        assert position.next_offset == 1


def _reads_only(dsn: str) -> bool:
    with psycopg.connect(dsn) as conn:
        row = conn.execute("SHOW default_transaction_read_only").fetchone()
    return row == ("on",)
