"""Store namespaces (C1): `(type, user_id, ...)`, as the long-term store's callers organise them."""

from __future__ import annotations

from collections.abc import Sequence


def owner_of(namespace: Sequence[str]) -> str:
    """The user whose item it is: the second part, or the only one."""
    return namespace[1] if len(namespace) > 1 else namespace[0]
