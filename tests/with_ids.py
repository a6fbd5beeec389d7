"""Calls of one tenant that name ids of another: what the tests over views and over real stores share."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from schemas.events.documents import Access
from schemas.events.memory import Given

NAMED = {
    "user_id", "session_id", "turn_id", "memory_id", "record_id", "project_id", "document_id", "key", "interaction_id",
    "context_id", "erasure_id", "feedback_id", "by", "agent_id",
}  # fmt: skip
ALSO = (Access, Given)
"""Written beside a call, in its own time."""


def named(name: str, value: str, fixed: Mapping[str, Any]) -> Any:
    """The value of a field: the id in question where the field holds one."""
    if name in ("namespace", "namespace_prefix"):
        return ["memories", value]
    if name in ("ids", "memory_ids", "record_ids", "turn_ids"):
        return [value]
    return fixed.get(name, value if name in NAMED else None)


def choice(seed: int) -> Any:
    """The same choices for both calls; first nothing that is optional, then all of it."""
    if seed < 2:
        return lambda n: 0 if seed == 0 else min(1, n - 1)
    return random.Random(seed).randrange
