"""Pairs of statements of one person, and what the gate makes of the older one when the newer comes a year later."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from processors.ports import Models
from tests.unit.gate.bench import DAY, GateBench, candidate

FOLDER = Path(__file__).parents[2] / "data" / "changes"
Outcome = Literal["retired", "marked", "untouched"]


class Pair(BaseModel):
    """`ended`: the words of `new` say that `old` holds no more. `both`: both hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    old: str
    new: str
    relation: Literal["ended", "both"]


def pairs_of(name: str) -> list[Pair]:
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair.model_validate_json(line) for line in lines]


async def outcomes(models: Models, pairs: list[Pair]) -> list[Outcome]:
    """Each pair is said by a user of its own."""
    gate = GateBench(models)
    for texts in ([p.old for p in pairs], [p.new for p in pairs]):
        for n, text in enumerate(texts):
            gate.pipe(gate.extraction(candidate(text), user=f"user-{n}"))
        await gate.run()
        gate.later(365 * DAY)
    found: list[Outcome] = []
    for n, pair in enumerate(pairs):
        mine = [u for u in gate.view.values() if u.owner_id == f"user-{n}" and u.sealed.text == pair.old]
        active = [u for u in mine if u.state == "active"]
        found.append("retired" if not active else "marked" if active[0].conflicts_with else "untouched")
    return found
