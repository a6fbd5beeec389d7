"""Run a file of statement cases through screen, extract and gate in memory, and score what became of them.

A case is a line of JSON: `id`, `profile`, `turns` (role, content, `days_ago`, `speaker`). Its turns go in as one
session of a user of its own, under its profile, 20 seconds apart; its memories, active and superseded, are written as
{case id: [memory, ...]}, which the scorer beside the cases reads.

    python -m evaluation.statements DATA/en_dev.jsonl --extractor rules
    python -m evaluation.statements DATA/zh_dev.jsonl --frames mixed
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from evaluation.in_memory import START, evaluation_models, remembered, rules
from processors.ports import Models
from processors.reader.rules.protocol import Extractor
from schemas.base import JsonObject
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent


class Turn(BaseModel):
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    speaker: str | None = None
    days_ago: float = 0


class Case(BaseModel):
    id: str
    profile: str = "general"
    turns: list[Turn]


EXTRACTORS: dict[str, Callable[[], Extractor]] = {"rules": rules}
"""Extractors by name."""
HEADLINES = (
    "cases_right", "found_strict", "cases_violated", "clean_when_nothing", "stale", "stale_unmarked", "retired",
    "frame_leaks",
    "badly_said", "repeated", "kept_precision", "memories_a_case", "field_recall", "field_false",
)  # fmt: skip
"""Figures of the scorer that are shown, in per cent but for memories a case."""


def turns_of(case: Case, start: datetime = START) -> list[TurnEvent]:
    """The case's turns in the order of their times."""
    found = []
    for n, turn in enumerate(case.turns):
        at = start - timedelta(days=turn.days_ago) + timedelta(seconds=20 * n)
        found.append(
            TurnEvent(
                tenant="evaluation", user_id=case.id, session_id=f"{case.id}-s", turn_id=f"{case.id}-{n}",
                role=turn.role, occurred_at=at, accepted_at=at,
                sealed=TurnBody(content=turn.content, speaker=turn.speaker),
            )
        )  # fmt: skip
    return sorted(found, key=lambda t: t.occurred_at)


def memory_of(update: MemoryUpdate) -> JsonObject:
    """A memory as the scorer takes it: the names of the HTTP answer."""
    return {
        "memory_id": update.record_id, "version": update.version, "kind": update.kind, "state": update.state,
        "text": update.sealed.text, "value": update.sealed.value, "field": update.field,
        "fields": list(update.fields), "negated": update.negated, "approximate": update.approximate,
        "confidence": float(update.confidence), "episode_type": update.episode_type, "category": update.category,
        "source": update.source, "rule": update.reason.rule,
        "conflicts_with": list(update.conflicts_with),
        "valid_from": update.valid_from.isoformat() if update.valid_from else None,
        "valid_to": update.valid_to.isoformat() if update.valid_to else None,
        "source_turn_ids": [s.turn_id for s in update.sources],
    }  # fmt: skip


async def memories_of(cases: Sequence[Case], models: Models, extractor: Extractor) -> dict[str, list[JsonObject]]:
    """What stands, or stood, of each case. Raises RuntimeError for a turn that a step refused."""
    got: dict[str, list[JsonObject]] = {case.id: [] for case in cases}
    by_profile = sorted(cases, key=lambda c: c.profile)
    for profile, mine in groupby(by_profile, key=lambda c: c.profile):
        turns = [turn for case in mine for turn in turns_of(case)]
        for update in await remembered(turns, models, extractor, profile):
            got[update.owner_id].append(memory_of(update))
    return got


def score(scorer: Path, *arguments: str) -> str:
    """What the scorer prints. Raises CalledProcessError."""
    command = [sys.executable, str(scorer), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--scorer", type=Path, help="score.py; default: beside the cases")
    parser.add_argument("--extractor", choices=sorted(EXTRACTORS), default="rules")
    parser.add_argument("--save", type=Path, help="where the memories are written")
    parser.add_argument("--out", type=Path, help="where the scorer's report is written")
    parser.add_argument("--limit", type=int, default=0, help="only the first cases")
    parser.add_argument("--frames", help="every statement inside a frame that makes it nobody's: a kind, or mixed")
    parser.add_argument("--disturb", type=int, help="the turns typed carelessly, by a seed")
    parser.add_argument("--both", action="store_true", help="two statements of one kind on two days")
    return parser.parse_args()


def variant_of(a: argparse.Namespace) -> list[str]:
    """The scorer's own words for a variant of the cases."""
    words = ["--frames", a.frames] if a.frames else []
    words += ["--disturb", str(a.disturb)] if a.disturb is not None else []
    return [*words, *(["--both"] if a.both else []), *(["--limit", str(a.limit)] if a.limit else [])]


def figures_of(
    file: Path, scorer: Path, variant: Sequence[str], models: Models, extractor: Extractor,
    save: Path | None = None, out: Path | None = None,
) -> JsonObject:  # fmt: skip
    """Run the file's cases, changed by the scorer's own words for a variant, and return what it counts. `save` takes
    the memories, `out` the scorer's report. Raises CalledProcessError, RuntimeError."""
    with tempfile.TemporaryDirectory() as folder:
        cases_file, memories_file = Path(folder) / "cases.jsonl", save or Path(folder) / "memories.json"
        score(scorer, str(file), *variant, "--write", str(cases_file))
        cases = [Case.model_validate_json(line) for line in cases_file.read_text("utf-8").splitlines()]
        got = asyncio.run(memories_of(cases, models, extractor))
        memories_file.write_text(json.dumps(got, ensure_ascii=False), "utf-8")
        report = out or Path(folder) / "report.json"
        # `--profiles`: each case ran under its own, so fields are judged.
        command = [*variant, "--profiles", "-", "--memories", str(memories_file), "--out", str(report)]
        figures: JsonObject = json.loads(score(scorer, str(file), *command))
        stale = {case["id"]: case["stale"] for case in json.loads(report.read_text("utf-8")) if case["stale"]}
    whole = figures.get("stale")
    if isinstance(whole, int | float) and not isinstance(whole, bool):
        unmarked = [case for case, texts in stale.items() if not all_marked(texts, got[case])]
        figures["stale_unmarked"] = round(whole * len(unmarked) / max(1, len(stale)), 1)
    return figures


def all_marked(texts: Sequence[str], memories: Sequence[JsonObject]) -> bool:
    """Whether each standing memory of these texts and one that stands beside it name each other. The scorer counts the
    old that still stands; that it is marked, search and prompts show (docs/retrieval.md)."""
    active = {str(m["memory_id"]): m for m in memories if m["state"] == "active"}

    def is_marked(name: str) -> bool:
        others = (active.get(str(other)) for other in _names(active[name]))
        return any(other is not None and name in _names(other) for other in others)

    return all(is_marked(name) for name, m in active.items() if m["text"] in texts)


def _names(memory: JsonObject) -> list[str]:
    named = memory["conflicts_with"]
    return [str(n) for n in named] if isinstance(named, list) else []


def main() -> None:
    a = arguments()
    scorer = a.scorer or a.file.parent / "score.py"
    variant = variant_of(a)
    figures: Any = figures_of(
        a.file, scorer, variant, evaluation_models(), EXTRACTORS[a.extractor](), a.save, a.out
    )  # fmt: skip
    print(f"{a.file.stem} {' '.join(variant)} {a.extractor}: {figures['cases']} cases")
    for name in HEADLINES:
        print(f"{name:20} {figures.get(name)}")
    print(json.dumps({"meaning": figures["meaning"], "wording": figures["wording"]}))
    for kind, (right, count) in sorted(figures["right_by_kind"].items()):
        print(f"  {kind:18} {right:5} of {count}")


if __name__ == "__main__":
    main()
