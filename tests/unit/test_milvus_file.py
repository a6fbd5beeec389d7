"""The embedded Milvus finds rows by their key without reading all of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from memstream.stack import milvus_file
from schemas.storage.layouts import MilvusLayout

DELETE = "DELETE FROM 'memstream_memories_g1' WHERE milvus_id IN ('k1', 'k2')"
"""As the server deletes."""


def _indexed(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / milvus_file.FILE)) as db:
        found = db.execute("SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%(milvus_id)'")
        return {name for (name,) in found}


def _names(*generations: int) -> set[str]:
    return {name for g in map(MilvusLayout, generations) for name in (g.turns, g.memories)}


def _known(home: Path, *collections: str) -> None:
    """As the server writes what it knows."""
    with closing(sqlite3.connect(home / milvus_file.FILE)) as db, db:
        db.execute("CREATE TABLE collection_meta (id INTEGER PRIMARY KEY, collection_name VARCHAR(1024))")
        db.executemany("INSERT INTO collection_meta (collection_name) VALUES (?)", [(c,) for c in collections])


def test_tables_of_the_first_start_are_there_before_their_collections(tmp_path: Path) -> None:
    milvus_file.prepare(tmp_path)
    assert _indexed(tmp_path) == _names(1, 2, 3)


def test_a_table_of_before_gets_its_index_and_keeps_its_rows(tmp_path: Path) -> None:
    name = MilvusLayout(1).memories
    with closing(sqlite3.connect(tmp_path / milvus_file.FILE)) as db, db:
        db.execute("CREATE TABLE memstream_memories_g1 (id INTEGER PRIMARY KEY, milvus_id VARCHAR(1024), data BLOB)")
        db.execute("CREATE TABLE others (id INTEGER PRIMARY KEY, milvus_id VARCHAR(1024))")
        db.execute("INSERT INTO memstream_memories_g1 VALUES (NULL, 'k1', 'row')")
    milvus_file.prepare(tmp_path)
    assert name in _indexed(tmp_path)
    assert "others" not in _indexed(tmp_path)
    with closing(sqlite3.connect(tmp_path / milvus_file.FILE)) as db:
        plan = db.execute(f"EXPLAIN QUERY PLAN {DELETE}").fetchall()
        assert f"USING INDEX {name}_pk" in str(plan)
        assert db.execute("SELECT * FROM memstream_memories_g1").fetchall() == [(1, "k1", "row")]


def test_tables_are_laid_out_ahead_of_the_newest_generation_and_no_further_by_starting_again(tmp_path: Path) -> None:
    _known(tmp_path, MilvusLayout(7).turns, MilvusLayout(7).memories, "memstream_progress_g7", "somebody_else_g99")
    for _ in range(3):
        milvus_file.prepare(tmp_path)
    assert _indexed(tmp_path) == _names(8, 9, 10)
