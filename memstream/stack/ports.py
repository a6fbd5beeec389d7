"""Choosing TCP ports on the loopback."""

import random
import socket
from collections.abc import Collection, Iterable

from memstream.stack.errors import StackError

HOST = "127.0.0.1"
#: Below the kernel's range for outgoing connections, which could take the port between choice and use.
_SPARE = range(20_000, 32_000)


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen(1)
        except OSError:
            return False
        return True


def pick(wanted: Iterable[int | None], taken: Collection[int] = ()) -> int:
    """The first wanted port that is free and not in `taken`, else a free one.

    Raises StackError when nothing is free.
    """
    for port in wanted:
        if port and port not in taken and is_free(port):
            return port
    # Not for secrecy: two stacks that start together should not choose the same.
    for port in random.SystemRandom().sample(_SPARE, 200):
        if port not in taken and is_free(port):
            return port
    raise StackError(f"no free port found on {HOST}")
