"""What a process holds, and what its container may."""

from __future__ import annotations

from pathlib import Path

import pytest

from streams.resident import allowed_bytes, resident_bytes


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1073741824\n"], 1024**3), (["max\n"], None), ([None], None), ([None, "536870912\n"], 512 * 1024**2),
        ([None, "9223372036854771712\n"], None), (["0\n"], None),
    ],
)  # fmt: skip
def test_what_a_container_may_hold(tmp_path: Path, texts: list[str | None], expected: int | None) -> None:
    files = tuple(tmp_path / f"limit-{n}" for n in range(len(texts)))
    for file, text in zip(files, texts, strict=True):
        if text is not None:
            file.write_text(text)
    assert allowed_bytes(files) == expected


def test_what_this_process_holds() -> None:
    before = resident_bytes()
    held = bytearray(b"x" * (64 * 1024**2))
    assert resident_bytes() - before > len(held) // 2 > 0
    assert before > 1024**2
