"""What a process computes on, in a file that outlives it: some code ends only with the process, and stops every thread
of Python's meanwhile (a match of `re` never lets go of the interpreter), so that nothing could be written down then."""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import orjson

from streams.batch import Message
from streams.suspects import Suspect

log = logging.getLogger(__name__)
SLOTS, SLOT_BYTES = 16, 64 * 1024
_LENGTH_BYTES = 4
_TRACE_BYTES = 16 * 1024
_MOST_NAMES = 256
_MOST_SUSPECTS = 10_000


class InHand:
    """One file of slots and one for the trace that faulthandler leaves, in `folder`. A trace that is not empty says
    that the process before was ended with its slots as they are. Thread-safe; two processes never share a file."""

    def __init__(self, folder: Path, name: str) -> None:
        """Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.trace, found = _claimed(folder, name)
        self._file = os.open(found.with_suffix(".slots"), os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self._file, SLOTS * SLOT_BYTES)
        self._map = mmap.mmap(self._file, SLOTS * SLOT_BYTES)
        self._free = list(range(SLOTS))
        self._lock = threading.Lock()

    def left(self) -> list[Suspect]:
        """What the process before had in hand when it was ended for it; told once."""
        found: list[Suspect] = []
        if trace := os.pread(self.trace, _TRACE_BYTES, 0):
            log.critical("the process before was ended where it hung: %s", trace.decode("ascii", "replace"))
            found = self._read()
        for slot in range(SLOTS):
            self.clear(slot)
        self._free = list(range(SLOTS))
        os.ftruncate(self.trace, 0)
        return found[:_MOST_SUSPECTS]

    def put(self, step: str, messages: Sequence[Message]) -> int | None:
        """The slot that is used; None where all are, or where it does not fit."""
        spans: dict[tuple[str, int], tuple[int, int]] = {}
        for m in messages:
            first, last = spans.get((m.topic, m.partition), (m.offset, m.offset))
            spans[m.topic, m.partition] = min(first, m.offset), max(last, m.offset)
        raw = orjson.dumps([step, [[t, p, first, last] for (t, p), (first, last) in spans.items()]])
        with self._lock:
            if not self._free or len(raw) > SLOT_BYTES - _LENGTH_BYTES:
                return None
            slot = self._free.pop()
        at = slot * SLOT_BYTES
        self._map[at + _LENGTH_BYTES : at + _LENGTH_BYTES + len(raw)] = raw
        self._map[at : at + _LENGTH_BYTES] = len(raw).to_bytes(_LENGTH_BYTES, "big")  # last: it makes the rest valid
        return slot

    def clear(self, slot: int | None) -> None:
        if slot is None:
            return
        at = slot * SLOT_BYTES
        self._map[at : at + _LENGTH_BYTES] = bytes(_LENGTH_BYTES)
        with self._lock:
            self._free.append(slot)

    def close(self) -> None:
        self._map.close()
        os.close(self._file)
        os.close(self.trace)

    def _read(self) -> list[Suspect]:
        out: list[Suspect] = []
        for at in range(0, SLOTS * SLOT_BYTES, SLOT_BYTES):
            length = int.from_bytes(self._map[at : at + _LENGTH_BYTES], "big")
            if not 0 < length <= SLOT_BYTES - _LENGTH_BYTES:
                continue
            step, spans = orjson.loads(self._map[at + _LENGTH_BYTES : at + _LENGTH_BYTES + length])
            for topic, partition, first, last in spans:
                out += [Suspect(step, topic, partition, n) for n in range(first, min(last, first + _MOST_SUSPECTS) + 1)]
        return out


def _claimed(folder: Path, name: str) -> tuple[int, Path]:
    """The first trace of that name that no living process holds, and its path."""
    for number in range(_MOST_NAMES):
        path = folder / f"{name}-{number}.trace"
        trace = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(trace, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(trace)
            continue
        return trace, path
    raise OSError(f"{_MOST_NAMES} processes hold the traces of {name}")
