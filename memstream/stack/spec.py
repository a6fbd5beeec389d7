"""What a supervised child is: data only, no behaviour."""

import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

#: Takes the child's pid; True once it serves. It may raise OSError or return False while it does not.
Probe = Callable[[int], Awaitable[bool]]
#: Runs before every spawn, the first and each restart.
Prepare = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds to wait before the n-th restart in a row: initial * factor**(n-1), never above maximum.

    A child that stayed up for `reset_after` seconds starts the count anew.
    """

    initial: float = 0.2
    factor: float = 2.0
    maximum: float = 10.0
    reset_after: float = 30.0

    def delay(self, failures: int) -> float:
        """Seconds to wait after `failures` (1 or more) deaths in a row."""
        exponent = min(max(failures - 1, 0), 32)
        return min(self.initial * self.factor**exponent, self.maximum)


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """One child process of the supervisor.

    `env` is laid over the supervisor's own environment. `user` and `group` are numeric ids, used only when the
    supervisor runs as root. `start_tries` bounds how often a child may die before it was ever ready; once it has been
    ready it is restarted for as long as the supervisor lives. `death_signal` is what the kernel sends the child when
    the supervisor itself dies (Linux). `nice`: how far it stands behind the others where cores are short, 0 to 19.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    user: int | None = None
    group: int | None = None
    ready: Probe | None = None
    prepare: Prepare | None = None
    start_timeout: float = 60.0
    start_tries: int = 3
    stop_signal: signal.Signals = signal.SIGTERM
    stop_timeout: float = 10.0
    death_signal: signal.Signals = signal.SIGKILL
    nice: int = 0
    restart: bool = True
    backoff: Backoff = Backoff()
    depends_on: tuple[str, ...] = ()
