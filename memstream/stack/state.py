"""The data folder: one supervisor at a time, and a state file that the next one can clean up from."""

import fcntl
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memstream.stack.errors import AlreadyRunningError, StackError
from memstream.stack.process import Identity, end_leftover, identify

STATE_FILE = "stack.json"
LOCK_FILE = "stack.lock"


@dataclass(slots=True)
class State:
    """Content of stack.json.

    `addresses` stand only while the stack runs; `ports` are remembered for the next start; `children` maps a name to
    the process and the signal that stops it.
    """

    supervisor: Identity | None = None
    addresses: dict[str, str] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    children: dict[str, tuple[Identity, int]] = field(default_factory=dict)

    def dump(self) -> str:
        """As JSON text."""
        return json.dumps(
            {
                "supervisor": _identity_out(self.supervisor),
                "addresses": self.addresses,
                "ports": self.ports,
                "children": {
                    name: {"pid": who.pid, "started": who.started, "stop_signal": number}
                    for name, (who, number) in self.children.items()
                },
            },
            indent=2,
        )

    @classmethod
    def parse(cls, text: str) -> "State":
        """From JSON text; KeyError, TypeError or ValueError when it is not a state file's."""
        raw: dict[str, Any] = json.loads(text)
        supervisor = raw.get("supervisor")
        return cls(
            supervisor=Identity(int(supervisor["pid"]), str(supervisor["started"])) if supervisor else None,
            addresses={str(k): str(v) for k, v in raw.get("addresses", {}).items()},
            ports={str(k): int(v) for k, v in raw.get("ports", {}).items()},
            children={
                str(name): (Identity(int(item["pid"]), str(item["started"])), int(item["stop_signal"]))
                for name, item in raw.get("children", {}).items()
            },
        )


def _identity_out(identity: Identity | None) -> dict[str, str | int] | None:
    return None if identity is None else {"pid": identity.pid, "started": identity.started}


def read_state(data_dir: Path) -> State:
    """The folder's state; an empty one when there is none or it is damaged (a crash of the machine)."""
    try:
        return State.parse((data_dir / STATE_FILE).read_text())
    except (FileNotFoundError, KeyError, TypeError, ValueError, AttributeError):
        return State()


def running_addresses(data_dir: Path) -> dict[str, str] | None:
    """Addresses of the stack that runs on this folder now; None when none does."""
    state = read_state(data_dir)
    if state.supervisor is None or identify(state.supervisor.pid) != state.supervisor:
        return None
    return state.addresses


class DataFolder:
    """The locked data folder; `open` refuses a second supervisor and ends what an earlier one left running."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.state = State()
        self._lock: int | None = None

    def open(self, patience: float = 10.0) -> list[str]:
        """Lock the folder and clean up; the names of the leftovers that were ended.

        Raises AlreadyRunningError when another supervisor holds it, StackError when it cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StackError(f"cannot use the data folder {self.path}: {error.strerror}; choose another") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise AlreadyRunningError(self._refusal()) from None
        self.state = read_state(self.path)
        ended = [n for n, (who, number) in self.state.children.items() if end_leftover(who, number, patience)]
        self.state.children = {}
        self.state.addresses = {}
        self.state.supervisor = identify(os.getpid())
        self.save()
        return ended

    def save(self) -> None:
        """Write stack.json whole, by rename; for us alone to read: the addresses hold passwords."""
        temporary = self.path / f"{STATE_FILE}.new"
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(self.state.dump())
        temporary.replace(self.path / STATE_FILE)

    def close(self) -> None:
        """Give the folder back; children must be stopped before."""
        if self._lock is None:
            return
        if self.state.supervisor is not None:
            self.state.supervisor = None
            self.state.addresses = {}
            self.save()
        os.close(self._lock)
        self._lock = None

    def _refusal(self) -> str:
        holder = read_state(self.path).supervisor
        who = f" (process {holder.pid})" if holder else ""
        return (
            f"another memstream{who} already runs on the data folder {self.path}; "
            "stop it first, or give this one a folder of its own"
        )
