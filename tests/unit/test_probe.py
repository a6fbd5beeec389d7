"""The leak probe's eyes and hands, without servers (N6)."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memstream.erasure.probe import Probe, forms
from memstream.settings import Settings
from memstream.stack import milvus_file

WORDS = ("zebrawood", "琥珀巷十七号")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_n6_a_word_is_seen_in_every_form(word: str, before: str) -> None:
    text = f"{before}{word} and more"
    seen = re.compile(b"|".join(map(re.escape, forms([word]))))
    shapes = [
        text.encode(), json.dumps(text).encode(), text.encode("utf-16-le"), text.encode("utf-16-be"),
        text.encode().hex().encode(), base64.b64encode(text.encode()),
    ]  # fmt: skip
    for raw in shapes:
        assert seen.search(raw), raw
    assert not seen.search(b"zebra wood, amber lane")


def test_n6_files_are_searched_whatever_becomes_of_them(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text("x" * 70_000 + WORDS[1])
    (tmp_path / "empty").touch()
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    probe = Probe(Settings(data_dir=tmp_path), WORDS)
    found = {place for place, raw in probe.files() if probe.hits(raw)}
    assert found == {"file logs/a.log"}


def test_n6_what_was_deleted_leaves_the_embedded_milvus_file(tmp_path: Path) -> None:
    file = tmp_path / milvus_file.FILE
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [(n, f"zebrawood {n} " * 20) for n in range(500)])
        db.execute("DELETE FROM t WHERE id < 499")
    assert b"zebrawood 7 " in file.read_bytes(), "a freed page keeps its bytes"
    before = file.read_bytes()
    milvus_file.vacuumed(tmp_path)
    assert file.read_bytes() == before, "only where it was asked for"
    (tmp_path / milvus_file.VACUUM).touch()
    milvus_file.vacuumed(tmp_path)
    assert not (tmp_path / milvus_file.VACUUM).exists()
    held = file.read_bytes()
    assert b"zebrawood 7 " not in held
    assert b"zebrawood 499 " in held
