"""What a process computes on, in a file that outlives it: some code stops every thread of Python's (a match of `re`
never lets go of the interpreter), and its process is ended from outside, so that nothing could be written down then."""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import struct
import threading
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from streams.batch import Message
from streams.suspects import Suspect

log = logging.getLogger(__name__)
SLOTS, SLOT_BYTES = 16, 64 * 1024
_HEAD = struct.Struct(">II")
"""Length and CRC-32 of what follows. A length of 0: nothing is in hand."""
_EMPTY = _HEAD.pack(0, 0)
_TRACE_BYTES = 16 * 1024
_MOST_NAMES = 256
_BY_HAND = b"a step computed for too long, and that could not be stored\n"
_ABORTED, _BUS = b"Aborted", b"Bus error"
"""Crashes that a lack of memory or a failing disk may bring about, whatever is computed. But where a record had a bound
of its own, libraries abort when it is refused more."""


class Hand(NamedTuple):
    """Of one slot. `alone`: nothing else computed meanwhile. `bounded`: it was refused memory beyond a bound."""

    alone: bool
    suspects: list[Suspect]
    bounded: bool = False


class Left(NamedTuple):
    """By the process before. `hung`: it is known that what it computed on is to blame (it hung, or crashed in C).
    Otherwise it was ended from outside: killed, out of memory, a power cut, an end of its own that was not orderly."""

    hung: bool
    hands: list[Hand]


class InHand:
    """A file of slots and one for marks, in `folder`. A mark says that the process hung or crashed with its slots as
    they are. Thread-safe; two processes never share a file."""

    def __init__(self, folder: Path, name: str) -> None:
        """Raises OSError, also where the disk has no room for the slots."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.marks, found = _claimed(folder, name)
        try:
            file = os.open(found.with_suffix(".slots"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                os.posix_fallocate(file, 0, SLOTS * SLOT_BYTES)  # a hole without room behind it would end the process
                self._map = mmap.mmap(file, SLOTS * SLOT_BYTES)
            finally:
                os.close(file)
        except OSError:
            os.close(self.marks)
            raise
        self._free = list(range(SLOTS))
        self._lock = threading.Lock()
        self._closed = False

    @property
    def marked(self) -> bool:
        return os.fstat(self.marks).st_size > 0

    def mark(self, slots: Collection[int | None]) -> None:
        """For the next life: what is in these slots hung, and the rest did not."""
        for slot in set(range(SLOTS)) - set(slots):
            self._write(slot, _EMPTY)
        os.write(self.marks, _BY_HAND)

    def unmark(self) -> None:
        os.ftruncate(self.marks, 0)

    def left(self) -> Left:
        """What the process before had in hand when it ended. It stays until `wipe`."""
        trace = os.pread(self.marks, _TRACE_BYTES, 0)
        if trace:
            log.critical("the process before hung or crashed: %s", trace.decode("ascii", "replace"))
        hands = [hand for slot in range(SLOTS) if (hand := self._read(slot)) is not None]
        of_the_machine = _BUS in trace or (_ABORTED in trace and not any(hand.bounded for hand in hands))
        return Left(bool(trace) and not of_the_machine, hands)

    def wipe(self) -> None:
        for slot in range(SLOTS):
            self._write(slot, _EMPTY)
        self.unmark()

    def put(self, step: str, messages: Sequence[Message], alone: bool, bounded: bool = False) -> int | None:
        """The slot that is used; None where all are, or where it does not fit. Raises nothing."""
        raw = orjson.dumps([step, alone, bounded, [(m.topic, m.partition, m.offset, m.timestamp_ms) for m in messages]])
        if len(raw) > SLOT_BYTES - _HEAD.size:
            return None
        with self._lock:
            if self._closed or not self._free:
                return None
            slot = self._free.pop()
            at = slot * SLOT_BYTES + _HEAD.size
            self._map[at : at + len(raw)] = raw
            self._write(slot, _HEAD.pack(len(raw), zlib.crc32(raw)))  # last: it makes the rest valid
        return slot

    def clear(self, slot: int | None) -> None:
        if slot is None:
            return
        with self._lock:
            if not self._closed:
                self._write(slot, _EMPTY)
                self._free.append(slot)

    def close(self) -> None:
        """In an orderly end; what may still be in hand then is no suspect."""
        with self._lock:
            self.wipe()
            self._closed = True
            self._map.close()
            os.close(self.marks)

    def _write(self, slot: int, head: bytes) -> None:
        self._map[slot * SLOT_BYTES : slot * SLOT_BYTES + _HEAD.size] = head

    def _read(self, slot: int) -> Hand | None:
        """None where nothing is in it, or nothing whole: another version wrote it, or only part reached the disk."""
        at = slot * SLOT_BYTES
        length, crc = _HEAD.unpack(self._map[at : at + _HEAD.size])
        if not length:
            return None
        raw = self._map[at + _HEAD.size : at + _HEAD.size + min(length, SLOT_BYTES - _HEAD.size)]
        try:
            if zlib.crc32(raw) != crc:
                raise ValueError("not what was written")
            step, alone, bounded, records = orjson.loads(raw)
            found = [Suspect(str(step), str(t), int(p), int(o), int(at)) for t, p, o, at in records]
            return Hand(bool(alone), found, bool(bounded))
        except (ValueError, TypeError) as exc:
            log.error("a slot of what was in hand is not whole", extra={"slot": slot, "error": type(exc).__name__})
            return None


def _claimed(folder: Path, name: str) -> tuple[int, Path]:
    """The first file of marks of that name that no living process holds, and its path."""
    for number in range(_MOST_NAMES):
        path = folder / f"{name}-{number}.marks"
        marks = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(marks, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            os.close(marks)
            if not isinstance(exc, BlockingIOError):
                raise
            continue
        return marks, path
    raise OSError(f"{_MOST_NAMES} processes hold the marks of {name}")
