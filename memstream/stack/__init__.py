"""The embedded stack: the servers and workers of `memstream up` as children of one supervisor.

What is named here is imported when it is asked for: every process looks for the addresses of a running stack, and only
the one that starts servers needs their clients.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memstream.stack.errors import AlreadyRunningError, NoStackError, StackError, StartError

if TYPE_CHECKING:
    from memstream.stack.embedded import DEFAULT_PORTS, Addresses, EmbeddedStack
    from memstream.stack.spec import Backoff, ChildSpec
    from memstream.stack.supervisor import ChildStatus, Supervisor

__all__ = [
    "DEFAULT_PORTS",
    "Addresses",
    "AlreadyRunningError",
    "Backoff",
    "ChildSpec",
    "ChildStatus",
    "EmbeddedStack",
    "NoStackError",
    "StackError",
    "StartError",
    "Supervisor",
]
_HOMES = {
    "embedded": ("DEFAULT_PORTS", "Addresses", "EmbeddedStack"),
    "spec": ("Backoff", "ChildSpec"),
    "supervisor": ("ChildStatus", "Supervisor"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
