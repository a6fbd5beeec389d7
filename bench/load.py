"""Turns for the benchmarks: real dialogues in both languages where the data is there, else the shipped sample."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from memstream.cli.sample import sample_turns

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
FILES = ("sgd/load_en.jsonl", "load_zh.jsonl")


def turns(count: int, data: Path = DATA, prefix: str = "bench") -> tuple[list[dict[str, Any]], str]:
    """`count` turns, the languages alternating dialogue by dialogue, one user for every 10 dialogues; and what they
    are. Each dialogue is a session of its own."""
    files = [data / f for f in FILES]
    if all(f.is_file() for f in files):
        dialogues, source = _interleaved([_dialogues(f) for f in files]), "SGD (English) and CrossWOZ/KdConv (Chinese)"
    else:
        dialogues, source = _repeated(), "the shipped sample, repeated"
    out: list[dict[str, Any]] = []
    now = datetime.now(UTC).isoformat()
    for n, dialogue in enumerate(dialogues):
        for i, (role, text) in enumerate(dialogue):
            out.append(
                {
                    "turn_id": f"{prefix}-{n}-{i}", "user_id": f"{prefix}-user-{n // 10}",
                    "session_id": f"{prefix}-{n}", "role": role, "content": text, "occurred_at": now,
                }
            )  # fmt: skip
            if len(out) == count:
                return out, source
    raise ValueError(f"the data holds only {len(out)} turns")


def _dialogues(path: Path) -> Iterator[list[tuple[str, str]]]:
    with path.open("rb") as f:
        rows = (orjson.loads(line) for line in f)
        for _, group in itertools.groupby(rows, key=lambda r: r["conv"]):
            yield [("user" if r["role"] == "user" else "assistant", r["text"]) for r in group]


def _interleaved(sources: list[Iterator[list[tuple[str, str]]]]) -> Iterator[list[tuple[str, str]]]:
    for group in zip(*sources, strict=False):
        yield from group


def _repeated() -> Iterator[list[tuple[str, str]]]:
    sample = sample_turns()
    sessions = [list(g) for _, g in itertools.groupby(sample, key=lambda t: t["session_id"])]
    while True:
        for session in sessions:
            yield [(t["role"], t["content"]) for t in session]
