"""How well talk is read: real people's talk, written cases and writers' turns, in memory, in one go.

    python -m evaluation.reading --people TALK --labels LABELS --cases CASES --writers TURNS --out FOLDER

TALK holds people_{en,zh}_dev.json, LABELS {en,zh}_labels.jsonl, CASES {en,zh}_dev.jsonl with score.py, TURNS a file of
labelled turns a writer. Each of the three parts may be left out. Printed as tables; FOLDER gets reading.json, what was
remembered of each part, and a blind reader's sheet a language. A language takes one core.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from evaluation import sheet, statements, talk, writers
from evaluation.faults import faults
from evaluation.in_memory import evaluation_models, extractor_behind
from evaluation.talk import Speech
from processors.ports import Models
from schemas.base import JsonObject

LANGUAGES: tuple[Speech, ...] = ("en", "zh")
CASES = {
    "plain": ("cases_right", "found_strict", "cases_violated", "clean_when_nothing", "stale", "retired", "badly_said",
              "kept_precision", "memories_a_case"),
    "frames": ("frame_leaks",),
    "both": ("cases_right",),
}  # fmt: skip
"""Figures of the scorer by variant of the cases."""
VARIANTS: dict[str, tuple[str, ...]] = {"plain": (), "frames": ("--frames", "mixed"), "both": ("--both",)}


class Paths(BaseModel):
    """Where the data lie; a part without a path is left out."""

    people: Path | None = None
    labels: Path | None = None
    cases: Path | None = None
    writers: Path | None = None
    hand: Path | None = None
    gate: Path | None = None
    out: Path
    rows: int
    seed: int


def read(paths: Paths, language: Speech) -> JsonObject:
    """All figures of one language. Raises OSError, pydantic.ValidationError, RuntimeError."""
    models = evaluation_models()
    found: JsonObject = {}
    if paths.people and paths.labels:
        found["people"] = of_people(paths, language, models)
    if paths.cases:
        found["cases"] = of_cases(paths.cases, language, models, paths.gate)
    if paths.writers:
        found["writers"] = of_writers(paths.writers, paths.out, language, models, paths.gate)
    return found


def of_people(paths: Paths, language: Speech, models: Models) -> JsonObject:
    """Real talk: tallies of all, by source and by window, faults by kind; writes the memories and the sheet."""
    if paths.people is None or paths.labels is None:
        raise ValueError("real talk needs its texts and its labels")
    windows = talk.read_windows(paths.people / f"people_{language}_dev.json")
    labels = talk.read_labels(paths.labels / f"{language}_labels.jsonl")
    made = asyncio.run(talk.memories_of(windows, models, extractor_behind(paths.gate)))
    text = {t.id: t.text for w in windows for t in w.turns}
    faulty = {n: faults(language, m.text, m.who, [text[t] for t in m.turns if t in text]) for n, m in enumerate(made)}
    by_window = {w.window: talk.compared(w, labels, made, faulty, language) for w in windows}
    by_source: dict[str, talk.Tally] = {}
    for name, tally in by_window.items():
        source = name.rpartition("-")[0]
        by_source[source] = by_source.get(source, talk.Tally()) + tally
    total = sum(by_window.values(), talk.Tally())
    rows = [{**m.model_dump(), "faults": faulty[n]} for n, m in enumerate(made)]
    _save(paths.out / f"people_{language}.json", rows)
    hand = _worded_by_hand(paths.hand, language)
    written = sheet.write(paths.out / f"sheet_{language}.csv", windows, [*made, *hand], paths.rows, paths.seed)
    counted: JsonObject = dict(Counter(kind for kinds in faulty.values() for kind in kinds).most_common())
    return {
        **total.figures(),
        "counts": total.model_dump(),
        "faults": counted,
        "sheet rows": written,
        "by source": {name: tally.figures() for name, tally in by_source.items()},
    }


def _worded_by_hand(folder: Path | None, language: Speech) -> list[talk.Made]:
    """Memories that a person worded of the same windows (`{en,zh}_hand.jsonl`), to lie between ours."""
    if folder is None:
        return []
    lines = (folder / f"{language}_hand.jsonl").read_text("utf-8").splitlines()
    return [talk.Made.model_validate_json(line).model_copy(update={"by": "hand"}) for line in lines]


def of_cases(folder: Path, language: Speech, models: Models, gate: Path | None) -> JsonObject:
    """Written cases, plain, inside frames, and two of a kind on two days."""
    found: JsonObject = {}
    for name, variant in VARIANTS.items():
        got: Any = statements.figures_of(
            folder / f"{language}_dev.jsonl", folder / "score.py", variant, models, extractor_behind(gate)
        )  # fmt: skip
        found[name] = {figure: got.get(figure) for figure in CASES[name]}
    return found


def of_writers(folder: Path, out: Path, language: Speech, models: Models, gate: Path | None) -> JsonObject:
    """Each writer's turns by themselves."""
    found: JsonObject = {}
    for path in sorted([*folder.glob(f"{language}[0-9].jsonl"), *folder.glob(f"chats_{language}[0-9].jsonl")]):
        turns = writers.read_writer(path)
        got = asyncio.run(writers.memories_of(turns, models, extractor_behind(gate)))
        _save(out / f"writer_{path.stem}.json", {name: texts for name, texts in got.items() if texts})
        found[path.stem] = writers.figures(turns, got, language)
    return found


def _save(path: Path, rows: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")


def tables(found: Mapping[Speech, dict[str, Any]]) -> str:
    """The figures of both languages side by side, as Markdown."""
    lines: list[str] = []
    for part, title in (("people", "real people's talk"), ("faults", "faults of its memories"), ("cases", "cases")):
        sides = [_flat(found[language], part) for language in LANGUAGES]
        names = dict.fromkeys(name for side in sides for name in side)
        if names:
            lines += ["", f"| {title} | en | zh |", "|---|---|---|"]
            lines += [f"| {name} | {' | '.join(_cell(side.get(name)) for side in sides)} |" for name in names]
    for language in LANGUAGES:
        for part, title in (("by source", "source"), ("writers", "writer")):
            rows = (
                found[language].get("people", {}).get(part, {})
                if part == "by source"
                else found[language].get(part, {})
            )
            lines += _side_by_side(f"{language}, by {title}", rows)
    return "\n".join(lines).strip()


def _flat(side: dict[str, Any], part: str) -> dict[str, Any]:
    """The figures of a part, a name each."""
    if part == "cases":
        variants = side.get("cases", {})
        return {f"{k}, {v}" if v != "plain" else k: n for v, figures in variants.items() for k, n in figures.items()}
    people = side.get("people", {})
    if part == "faults":
        return dict(people.get("faults", {}))
    counts: dict[str, Any] = people.get("counts", {})
    return {k: v for k, v in people.items() if not isinstance(v, dict)} | counts


def _side_by_side(title: str, rows: dict[str, Any]) -> list[str]:
    if not rows:
        return []
    names = dict.fromkeys(n for row in rows.values() for n, v in row.items() if not isinstance(v, dict))
    return [
        "", f"| {title} | {' | '.join(rows)} |", "|---" * (len(rows) + 1) + "|",
        *(f"| {n} | {' | '.join(_cell(row.get(n)) for row in rows.values())} |" for n in names),
    ]  # fmt: skip


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def arguments() -> Paths:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=Path, help="the folder of people_{en,zh}_dev.json")
    parser.add_argument("--labels", type=Path, help="the folder of {en,zh}_labels.jsonl")
    parser.add_argument("--cases", type=Path, help="the folder of {en,zh}_dev.jsonl and score.py")
    parser.add_argument("--writers", type=Path, help="the folder of labelled turns, a file a writer")
    parser.add_argument("--hand", type=Path, help="the folder of {en,zh}_hand.jsonl: memories worded by hand")
    parser.add_argument("--gate", type=Path, help="the folder of gate.npz and gate.json: the rules are read behind it")
    parser.add_argument("--out", type=Path, required=True, help="where figures, memories and sheets are written")
    parser.add_argument("--rows", type=int, default=150, help="memories of the sheet, of each wording")
    parser.add_argument("--seed", type=int, default=1)
    return Paths(**vars(parser.parse_args()))


def main() -> None:
    paths = arguments()
    with ProcessPoolExecutor(len(LANGUAGES)) as pool:
        found = dict(zip(LANGUAGES, pool.map(partial(read, paths), LANGUAGES), strict=True))
    _save(paths.out / "reading.json", found)
    print(tables(found))


if __name__ == "__main__":
    main()
