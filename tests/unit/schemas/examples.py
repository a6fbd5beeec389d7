"""The example payloads of the schema package, for tests of whoever reads a topic."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import schemas

ROOT = Path(schemas.__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """`value`: the bytes on the topic. `reason`: the word that an invalid one is refused with."""

    topic: str
    name: str
    value: bytes
    reason: str | None = None

    def __str__(self) -> str:
        return f"{self.topic}-{self.name}"


def valid(topic: str | None = None) -> list[Example]:
    """In a fixed order; of one topic or of all."""
    paths = sorted(ROOT.glob(f"{topic or '*'}/valid/*.json"))
    return [Example(p.parts[-3], p.stem, _compact(json.loads(p.read_text(encoding="utf-8")))) for p in paths]


def invalid() -> list[Example]:
    out = []
    for path in sorted(ROOT.glob("*/invalid/*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        value = data["raw"].encode() if "raw" in data else _compact(data["value"])
        out.append(Example(path.parts[-3], path.stem, value, data["reason"]))
    return out


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
