"""A stop is heard, and bounded, also while a library waits inside for a broker that does not answer."""

from __future__ import annotations

import faulthandler
import logging
import os
import threading
import time
from collections.abc import Callable

from sinks.protocol import Stuck

log = logging.getLogger(__name__)
STOP_SECONDS = 8.0
"""From the stop to the end. What was written and not committed is read once more, and refused by the store."""

STILL_SECONDS = 90.0
"""A loop that has not come round for so long is in a call that will not end: stores and brokers that do not answer are
given up within seconds, and waited for in the loop."""
STUCK_STATUS = 70
"""EX_SOFTWARE of sysexits.h."""


def patiently(
    call: Callable[[], None], stopping: threading.Event, seconds: float = STOP_SECONDS,
    leave: Callable[[int], object] = os._exit, moved_at: Callable[[], float | None] = lambda: None,
    still: float = STILL_SECONDS,
) -> None:  # fmt: skip
    """Run `call` to its end, and raise what it raises. When it is stuck, when it has not `moved_at` (monotonic seconds)
    for as long as `still`, or `seconds` after `stopping` is set, the process leaves without it.

    Python handles a signal between two steps of the main thread only, so the call runs in another one.
    """
    done, failed = threading.Event(), list[BaseException]()

    def run() -> None:
        try:
            call()
        except BaseException as exc:  # noqa: BLE001 - raised below, in the main thread
            failed.append(exc)
        finally:
            done.set()

    threading.Thread(target=run, name="loop", daemon=True).start()
    while not done.wait(0.5):
        if stopping.is_set() and not done.wait(seconds):
            log.warning("left without the brokers' answer", extra={"seconds": seconds})
            leave(0)
            return
        moved = moved_at()
        if moved is not None and time.monotonic() - moved > still:
            faulthandler.dump_traceback(all_threads=True)  # names and lines of code, no values
            log.error("stands still: left, to be started again", extra={"seconds": still})
            leave(STUCK_STATUS)
            return
    if failed and isinstance(failed[0], Stuck):
        log.error("left, to be started again", extra={"error": str(failed[0])})
        leave(STUCK_STATUS)
    elif failed:
        raise failed[0]
