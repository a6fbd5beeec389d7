"""Files of turns: what `memstream ingest` reads, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memstream.cli.formats import FileError, read_turns

TURN = {"user_id": "u", "session_id": "s", "role": "user", "content": "a", "occurred_at": "2026-11-21T09:00:00Z"}


def _line(**changed: object) -> bytes:
    return json.dumps({k: v for k, v in {**TURN, **changed}.items() if v is not None}, ensure_ascii=False).encode()


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085"])
def test_a_line_ends_at_a_newline_only(tmp_path: Path, mark: str) -> None:
    """JSON has these raw inside strings."""
    file = tmp_path / "turns.jsonl"
    file.write_bytes(_line(content=f"a{mark}b") + b"\r\n\n" + _line(content="c"))
    assert [t["content"] for t in read_turns(file)] == [f"a{mark}b", "c"]


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + _line() + b"\n")
    assert [t["content"] for t in read_turns(file)] == ["a"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (_line() + b'\n{"content":\n', "line 2: not JSON"),
        (_line() + b"\n\n" + _line(role="robot"), "line 3: role: Input should be 'user', 'assistant', 'system' or"),
        (_line(content=" "), "line 1: content: must not be blank"),
        (_line(occurred_at=None), "line 1: occurred_at: this field is required"),
        (_line(said_by="x"), "line 1: said_by: no field of this name"),
        (b"[1, 2]", "not LoCoMo-shaped"),
        (b'["a"]', "not LoCoMo-shaped"),
        (b'[{"id": "c", "sessions": [{"date_time": "1:56 pm on 8 May, 2023", "turns": ["hello"]}]}]', "not LoCoMo"),
        (b"[null]", "not LoCoMo-shaped"),
        (b"7\n", "line 1: expected a turn"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_refusal_names_the_place_and_what_was_expected(tmp_path: Path, content: bytes, expected: str) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_bytes(content)
    with pytest.raises(FileError, match=expected):
        list(read_turns(file))


def test_what_cannot_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        list(read_turns(tmp_path))
    with pytest.raises(FileError, match="no such file"):
        list(read_turns(tmp_path / "absent.jsonl"))


def test_a_locomo_date_of_another_form_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    file.write_text('[{"id": "c", "sessions": [{"date_time": "8.5.2023", "turns": []}]}]', encoding="utf-8")
    with pytest.raises(FileError, match=r"locomo\.json: date_time: expected the form"):
        list(read_turns(file))


@pytest.mark.parametrize("content", ['{"id": "c", "sessions": []}', "5", "null", '"c"'])
def test_locomo_shaped_with_format_named_but_no_array(tmp_path: Path, content: str) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(FileError, match="not LoCoMo-shaped"):
        list(read_turns(file, "locomo"))
