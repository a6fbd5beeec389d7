"""A process that crashes must not leave its memory in a file: opened rows and data keys are in it (C7)."""

from __future__ import annotations

import contextlib
import resource


def forbid_core_dumps() -> None:
    """For this process and those that it starts, the embedded servers among them."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    with contextlib.suppress(ValueError, OSError):  # a machine that forbids even this
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))
