"""What an erasure takes of records of the log, as the eraser finds it."""

from __future__ import annotations

from collections.abc import Iterable

from memstream.erasure.log import ErasureScope, Place, Taken
from memstream.erasure.ports import Stored
from schemas.events.erasure import Erasure


def current_rows(records: Iterable[Stored], e: Erasure) -> dict[Place, Taken]:
    found = ErasureScope(e)
    for record in records:
        found.take(record)
    return found.found
