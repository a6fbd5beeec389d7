"""Real servers for the integration tests: one embedded stack a session, supervised in a thread of its own.

The thread matters: the supervisor goes on restarting what a test kills while tests run in event loops of their own.
"""

import asyncio
import tempfile
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import psutil
import pytest

from memstream.stack import Addresses, EmbeddedStack

T = TypeVar("T")
HERE = Path(__file__).parent
FIRST = ("test_crash", "servers", "scenarios", "test_rebuild", "test_model_work")
"""Groups that take longest: begun first, so that workers end together. The crash test before all: a worker takes the
next group when it has two tests left, so that a group of one test is never its last."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a running stack go to one worker of pytest-xdist (`--dist loadgroup`), one behind the other:
    those on the session's servers, those of a folder, those of a file with a stack of its own."""
    on_servers = {item.path for item in items if "running_stack" in getattr(item, "fixturenames", ())}

    def group(item: pytest.Item) -> str:
        inside = item.path.relative_to(HERE).parts if item.path.is_relative_to(HERE) else item.path.parts[-1:]
        return "servers" if item.path in on_servers else inside[0].removesuffix(".py")

    groups = {item: group(item) for item in items}
    for item, name in groups.items():
        item.add_marker(pytest.mark.xdist_group(name))
    items.sort(key=lambda item: FIRST.index(groups[item]) if groups[item] in FIRST else len(FIRST))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Raises where pytest-xdist does not group after all: each test would then go to whichever worker is free."""
    if getattr(session.config.option, "loadgroup", False) and not all("@" in item.nodeid for item in session.items):
        raise pytest.UsageError("pytest-xdist does not know the groups of tests; is its release made for this pytest?")


class BackgroundStack:
    """An EmbeddedStack for code that is not async: started on entering, stopped on leaving."""

    def __init__(self, data_dir: Path) -> None:
        # No default ports: a developer's own stack may hold them.
        self.stack = EmbeddedStack(data_dir, default_ports={})
        self._loop = asyncio.new_event_loop()
        # Children live as long as the thread that started them (the kernel's parent-death signal is per thread).
        self._thread = threading.Thread(target=self._loop.run_forever, name="embedded stack", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.call(self.stack.__aenter__())
        try:
            self.call(self.stack.start())
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.call(self.stack.__aexit__(kind, error, trace))
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    @property
    def addresses(self) -> Addresses:
        """Where the servers are."""
        return self.stack.addresses

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the stack or its supervisor to its end."""
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result(timeout=180)

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> None:
        """Let a coroutine run beside the caller; what it raises is dropped."""
        asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def kill(self, name: str) -> None:
        """SIGKILL a server and wait until the supervisor has it serving again."""

        async def kill_and_wait() -> None:
            self.stack.supervisor.kill(name)
            await self.stack.supervisor.wait_ready(name)

        self.call(kill_and_wait())

    def pause(self, name: str) -> None:
        """Freeze a server; back when every thread of it stands still, which on a busy machine is not at once."""

        async def pause() -> int | None:
            self.stack.supervisor.pause(name)
            return next(c.pid for c in self.stack.supervisor.status() if c.name == name)

        pid = self.call(pause())
        while not all(_stands(task) for task in Path(f"/proc/{pid}/task").iterdir()):
            time.sleep(0.01)

    def resume(self, name: str) -> None:
        """Let it go on."""
        self._loop.call_soon_threadsafe(self.stack.supervisor.resume, name)

    @contextmanager
    def frozen(self, *names: str) -> Iterator[None]:
        """Servers with all their processes stand still: a paused Postgres would answer through its children."""
        pids = {c.name: c.pid for c in self.stack.supervisor.status()}
        stood: list[psutil.Process] = []
        try:
            for name in names:
                server = psutil.Process(pids[name])
                server.suspend()
                stood.append(server)
                for child in server.children(recursive=True):
                    child.suspend()
                    stood.append(child)
            yield
        finally:
            for process in stood:
                with suppress(psutil.NoSuchProcess):
                    process.resume()


def _stands(task: Path) -> bool:
    """Whether a thread is stopped, or gone."""
    try:
        return (task / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "T"
    except FileNotFoundError:
        return True


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Not pytest's: those are closed to other users, and as root Postgres runs as nobody."""
    with tempfile.TemporaryDirectory(prefix="memstream-test-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def stack_folder() -> Iterator[Path]:
    """A folder for a stack of the test's own."""
    with temporary_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def running_stack() -> Iterator[BackgroundStack]:
    """The session's stack; tests must not lean on what others left in it: use names and prefixes of your own."""
    with temporary_folder() as folder, BackgroundStack(folder) as stack:
        yield stack


@pytest.fixture(scope="session")
def addresses(running_stack: BackgroundStack) -> Addresses:
    """Kafka, Postgres, Redis and Milvus addresses of the session's stack."""
    return running_stack.addresses
