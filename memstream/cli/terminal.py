"""Where commands print."""

from __future__ import annotations

import os
import sys

from rich.console import Console

WIDE = 200


def output() -> Console:
    """Standard output. In a file or a pipe the rows of a table are lines: they are not folded to a terminal's width,
    so that `grep` finds whole ones; COLUMNS says otherwise."""
    folded = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if folded else WIDE)
