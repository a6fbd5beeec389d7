"""The file of the embedded Milvus, a SQLite database. Touched before its server starts and never beside it: it tells
its clients that rows are stored which it could not write."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Set
from contextlib import closing
from pathlib import Path

from schemas.storage.layouts import MilvusLayout

FILE = "memstream.db"
VACUUM = "vacuum"
"""A file of this name beside the server's asks for its file to be vacuumed before the next start."""
AHEAD = 3
"""Generations beyond the newest whose tables are laid out: a rebuild makes its collections while the server runs."""
_META = "collection_meta"
_KNOWN = "SELECT DISTINCT collection_name FROM collection_meta"
_OURS = re.compile(r"memstream_(?:turns|memories)_g([0-9]+)")
# As the server itself creates it, unless it is there (milvus-lite 2.5.1, src/storage/collection_data.cpp).
_TABLE = 'CREATE TABLE IF NOT EXISTS "{0}" (id INTEGER PRIMARY KEY, milvus_id VARCHAR(1024), data BLOB)'
_INDEX = 'CREATE INDEX IF NOT EXISTS "{0}_pk" ON "{0}" (milvus_id)'


def prepare(home: Path) -> None:
    """Vacuum where that is asked for, and lay out the tables."""
    vacuumed(home)
    indexed(home)


def vacuumed(home: Path) -> None:
    """Deleted rows stay readable in SQLite until then."""
    if (home / VACUUM).exists():
        with closing(sqlite3.connect(home / FILE, isolation_level=None)) as db:
            db.execute("PRAGMA secure_delete = ON")
            db.execute("VACUUM")
        (home / VACUUM).unlink()


def indexed(home: Path) -> None:
    """The server finds a row that it deletes or replaces by its key and has no index for it: each such call reads the
    whole table (200 ms of CPU at 100,000 rows, be it for one row or for twenty)."""
    with closing(sqlite3.connect(home / FILE)) as db, db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        newest = _newest(db, tables)
        ahead = map(MilvusLayout, range(newest + 1, newest + AHEAD + 1))
        coming = {name for layout in ahead for name in (layout.turns, layout.memories)}
        for name in sorted(coming | {name for name in tables if _OURS.fullmatch(name)}):
            db.execute(_TABLE.format(name))
            db.execute(_INDEX.format(name))


def _newest(db: sqlite3.Connection, tables: Set[str]) -> int:
    """Of the generations that the server knows, 0 where it knows none."""
    if _META not in tables:
        return 0
    return max((int(m[1]) for (name,) in db.execute(_KNOWN) if (m := _OURS.fullmatch(name))), default=0)
