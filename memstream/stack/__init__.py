"""The embedded stack: the servers and workers of `memstream up` as children of one supervisor."""

from memstream.stack.embedded import DEFAULT_PORTS, Addresses, EmbeddedStack
from memstream.stack.errors import AlreadyRunningError, StackError, StartError
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
    "StackError",
    "StartError",
    "Supervisor",
]
