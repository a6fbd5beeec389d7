"""Real servers for the integration tests: one embedded stack a session, supervised in a thread of its own.

The thread matters: the supervisor goes on restarting what a test kills while tests run in event loops of their own.
"""

import asyncio
import gc
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import psutil
import pytest

from memstream.stack import Addresses, EmbeddedStack, logs, milvus, milvus_file
from tests import patience
from tests.patience import PATIENCE, until
from tests.wide_limits import SHIPPED, STORE_SECONDS, wide_profiles

T = TypeVar("T")
HERE = Path(__file__).parent
FIRST = ("test_crash", "servers", "scenarios", "test_rebuild", "test_model_work")
"""Groups that take longest: begun first, so that workers end together. The crash test before all: a worker takes the
next group when it has two tests left, so that a group of one test is never its last."""
TRIES = 3
START = 600.0 * PATIENCE / 180.0
"""Seconds for all tries of a start together."""
STOP = 60.0
"""Seconds for a stop; what runs then is killed."""
LEAKS = ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
"""Told by the collector in whichever test it runs: they fail a strict run only."""


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
        if item.path.is_relative_to(HERE) and not patience.STRICT:
            for warning in LEAKS:
                item.add_marker(pytest.mark.filterwarnings(f"default::{warning}"), append=False)
    items.sort(key=lambda item: FIRST.index(groups[item]) if groups[item] in FIRST else len(FIRST))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Raises where pytest-xdist does not group after all: each test would then go to whichever worker is free."""
    if getattr(session.config.option, "loadgroup", False) and not all("@" in item.nodeid for item in session.items):
        raise pytest.UsageError("pytest-xdist does not know the groups of tests; is its release made for this pytest?")


@pytest.fixture(scope="module", autouse=True)
def _collected() -> Iterator[None]:
    """What a file leaves to the collector is told in its last test, not in another file's."""
    yield
    gc.collect()


@pytest.fixture(scope="session", autouse=True)
def _wide_limits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For every process that tests start: wide limits, no lower priority than the tests have, and bytecode that is kept
    (some images forbid it): a dozen processes of a stack would compile all that they import, at every start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("MEMSTREAM_NICE", "false")
        if not SHIPPED:
            patch.setenv("MEMSTREAM_STORE_SECONDS", str(STORE_SECONDS))
            patch.setenv("MEMSTREAM_PROFILES_DIR", str(wide_profiles(tmp_path_factory.mktemp("wide") / "profiles")))
        yield


class BackgroundStack:
    """An EmbeddedStack for code that is not async: started on entering, stopped on leaving.

    `seconds`: for its start. `harmed`: its processes end in many ways because the test wants them to, so their ends
    are not recorded; else every end that did not come by `kill`, `pause` or `frozen` is."""

    def __init__(
        self, data_dir: Path, given: Addresses | None = None, *, seconds: float = START, harmed: bool = False
    ) -> None:
        # No default ports: a developer's own stack may hold them.
        self.stack = EmbeddedStack(data_dir, given, self._changed, default_ports={}, nice=False)
        self._seconds, self._harmed = seconds, harmed
        self._asked: set[str] = set()
        """Processes whose next end a test has asked for."""
        self._loop = asyncio.new_event_loop()
        # Children live as long as the thread that started them (the kernel's parent-death signal is per thread).
        self._thread = threading.Thread(target=self._loop.run_forever, name="embedded stack", daemon=True)
        self._watch = patience.watched(self.logs)

    def __enter__(self) -> Self:
        self._watch.__enter__()
        self._thread.start()
        self.call(self.stack.__aenter__())
        try:
            self.call(self.stack.start(), self._seconds)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._harmed = True
        stopping = asyncio.run_coroutine_threadsafe(self.stack.__aexit__(kind, error, trace), self._loop)
        try:
            try:
                stopping.result(STOP)
            except TimeoutError:
                self._kill_all()
                stopping.result(STOP)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._watch.__exit__(None, None, None)

    @property
    def addresses(self) -> Addresses:
        """Where the servers are."""
        return self.stack.addresses

    @property
    def logs(self) -> Path:
        """Folder of the processes' logs."""
        return self.stack.supervisor.log_dir

    def call(self, coroutine: Coroutine[Any, Any, T], seconds: float = PATIENCE) -> T:
        """Run a coroutine of the stack or its supervisor to its end. Raises AssertionError with the ends of the logs
        when it does not come."""
        what, began = getattr(coroutine, "__qualname__", "a coroutine"), time.monotonic()
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(seconds)
        except TimeoutError:
            if future.done():
                raise  # its own
            future.cancel()
            raise AssertionError(f"{what} took {seconds:.0f} s\n{patience.ends_of_logs(self.logs)}") from None
        finally:
            patience.took(what, time.monotonic() - began, patience.CALM if seconds <= PATIENCE else seconds)

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> None:
        """Let a coroutine run beside the caller; what it raises is dropped."""
        asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def kill(self, name: str) -> None:
        """SIGKILL a server and wait until the supervisor has it serving again."""

        async def kill_and_wait() -> None:
            self.stack.supervisor.kill(name)
            await self.stack.supervisor.wait_ready(name)

        self._asked.add(name)
        self.call(kill_and_wait())

    def pause(self, name: str) -> None:
        """Freeze a server; back when every thread of it stands still, which on a busy machine is not at once. One that
        stood still may end itself when it goes on."""

        async def pause() -> int | None:
            self.stack.supervisor.pause(name)
            return next(c.pid for c in self.stack.supervisor.status() if c.name == name)

        self._asked.add(name)
        pid = self.call(pause())
        until(f"{name} to stand still", lambda: all(map(_is_stopped, Path(f"/proc/{pid}/task").iterdir())), pause=0.01)

    def resume(self, name: str) -> None:
        """Let it go on."""
        self._loop.call_soon_threadsafe(self.stack.supervisor.resume, name)

    @contextmanager
    def frozen(self, *names: str) -> Iterator[None]:
        """Servers with all their processes stand still: a paused Postgres would answer through its children."""
        pids = {c.name: c.pid for c in self.stack.supervisor.status()}
        self._asked.update(names)
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

    def _changed(self, name: str, phase: str) -> None:
        """A process is about to be started again, or is not any more."""
        if self._harmed or phase not in ("restarting", "failed"):
            return
        if name in self._asked:
            self._asked.discard(name)
            return
        if name == milvus.NAME and (self.stack.data_dir / milvus.NAME / milvus_file.VACUUM).exists():
            return  # an erasure restarts it, so that its file is vacuumed
        [status] = [c for c in self.stack.supervisor.status() if c.name == name]
        patience.ended(name, status.last_failure, logs.tail(self.logs, name))

    def _kill_all(self) -> None:
        for status in self.stack.supervisor.status():
            with suppress(psutil.NoSuchProcess):
                if status.pid is not None:
                    process = psutil.Process(status.pid)
                    for one in (process, *process.children(recursive=True)):
                        one.kill()


def _is_stopped(task: Path) -> bool:
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


@contextmanager
def started(what: str, begin: Callable[[Path, float], AbstractContextManager[T]]) -> Iterator[T]:
    """What `begin` makes in a fresh folder within so many seconds. Three tries, each in a folder of its own; one that
    was needed is recorded as UNSTABLE. Raises AssertionError with the ends of the logs after the last."""
    began, first = time.monotonic(), ""
    for number in range(1, TRIES + 1):
        left = START - (time.monotonic() - began)
        with ExitStack() as stack:
            folder = stack.enter_context(temporary_folder())
            try:
                running = stack.enter_context(begin(folder, left if number == TRIES else left * 2 / 3))
            except Exception as exc:
                message = f"{what} did not start, try {number}: {exc}\n{patience.ends_of_logs(folder / 'logs', 15)}"
                if number == TRIES or time.monotonic() - began > START:
                    raise AssertionError(message) from exc
                first = first or patience.line_of(exc)
                sys.stderr.write(f"{message}\n")
                continue
            patience.took(f"start of {what}", time.monotonic() - began, START)
            if first:
                patience.unstable(f"start of {what}: {first}")
            yield running
            return


@pytest.fixture
def stack_folder() -> Iterator[Path]:
    """A folder for a stack of the test's own."""
    with temporary_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def running_stack(_wide_limits: None) -> Iterator[BackgroundStack]:
    """The session's stack; tests must not lean on what others left in it: use names and prefixes of your own."""
    with started("the servers", lambda folder, seconds: BackgroundStack(folder, seconds=seconds)) as stack:
        yield stack


@pytest.fixture(scope="session")
def addresses(running_stack: BackgroundStack) -> Addresses:
    """Kafka, Postgres, Redis and Milvus addresses of the session's stack."""
    return running_stack.addresses
