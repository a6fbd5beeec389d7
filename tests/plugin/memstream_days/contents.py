"""What a file holds, for `memstream rebuild sqlite`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from schemas.events.memory import MemoryUpdate
from schemas.log.codec import Event
from sinks.contents import Bucket, Digest, Rebuildable, Token, digests, hash64, part_of
from sinks.held import Held, held
from sinks.parts import SinkParts
from sinks.protocol import Mark

from .events import DayCount
from .sink import file_of, row_key


class SqliteContents:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def buckets(self, generation: int) -> dict[Bucket, Digest]:
        return digests((bucket, token) for bucket, _, token in self._rows(generation))

    def rows(self, generation: int, bucket: Bucket) -> dict[str, Token]:
        return {key: token for b, key, token in self._rows(generation) if b == bucket}

    def part(self, key: str) -> str:
        return part_of(key)

    def progress(self, generation: int) -> dict[Mark, int]:
        rows = self._ask(generation, "SELECT stage, part, root, next FROM progress")
        return {Mark(str(stage), int(part), str(root)): int(offset) for stage, part, root, offset in rows}

    def drop(self, generation: int) -> None:
        file_of(self._folder, generation).unlink(missing_ok=True)

    def close(self) -> None:
        """Nothing to close."""

    def _rows(self, generation: int) -> Iterator[tuple[Bucket, str, Token]]:
        for view, tenant, key, number, value in self._ask(
            generation, "SELECT view, tenant, key, revision, value FROM rows"
        ):
            token = Token(int(number), hash64(bytes(value).hex()))
            yield Bucket(str(view), str(tenant), part_of(str(key))), str(key), token

    def _ask(self, generation: int, query: str) -> list[tuple[Any, ...]]:
        file = file_of(self._folder, generation)
        if not file.exists():
            return []
        with closing(sqlite3.connect(file)) as db:
            return db.execute(query).fetchall()


def in_file(event: Event) -> Held | None:
    if not isinstance(event, MemoryUpdate | DayCount):
        return None
    view, _, key = row_key(event)
    return held(view, event, key, marked=isinstance(event, MemoryUpdate) and event.op == "delete")


def rebuildable(parts: SinkParts) -> Rebuildable:
    return Rebuildable(SqliteContents(parts.data_dir), in_file)
