"""Python imports this at its start where this folder is on PYTHONPATH: for tests/calendar_days.py, and for the programs
that its tests start.

Debian's libfaketime (0.9.10) fails every `time.sleep` of Python 3.11 with EINVAL while it leaves the monotonic clock as
it is (https://github.com/wolfcw/libfaketime/issues/426). `select` sleeps as long and passes through unchanged.
"""

from __future__ import annotations

import select
import time
from typing import SupportsIndex


def sleep(seconds: float | SupportsIndex) -> None:
    """Raises ValueError for less than no time, as `time.sleep` does."""
    select.select((), (), (), seconds if isinstance(seconds, float) else seconds.__index__())


time.sleep = sleep
