"""Prompts: one Markdown file a task and language, named by the hash of its text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Prompt:
    """`name` is task and language, e.g. `extraction.en`."""

    name: str
    text: str

    def filled(self, **parts: str) -> tuple[str, str]:
        """The text with `{{part}}` replaced, and its hash: 16 hex digits of SHA-256."""
        text = self.text
        for name, value in parts.items():
            text = text.replace("{{" + name + "}}", value)
        return text, hashlib.sha256(text.encode()).hexdigest()[:16]


@lru_cache(maxsize=16)
def prompt(task: Literal["extraction", "summary", "narrative", "report"], language: Literal["en", "zh"]) -> Prompt:
    name = f"{task}.{language}"
    return Prompt(name, (_FOLDER / f"{name}.md").read_text(encoding="utf-8").strip())
