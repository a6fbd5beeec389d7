#!/usr/bin/env python3
"""What each idea of query/search/ranking brings: baselines, ablation, a leave-one-dialogue-out check, cost.

usage: python -m bench.ranking_lab [--data ../shared/data] [--part PART]   (baselines, ablation, held-out, categories,
floor, cost; all without)

Recall@k = gold found in the first k / gold, MRR over the first 20; both averaged over questions, in percent.
The data (LoCoMo, MADial-Bench) is read where it lies and is not part of the project.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

from bench.ranking_data import Encoder, Scope, chat_memories, dialogue_facts, dialogue_turns
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import Mode
from query.search.ranking.weights import Weights

Sets = dict[str, list[Scope]]
WEIGHED = ("lexical", "dense", "session", "speaker", "length", "asking", "date", "feedback")


def load(folder: Path) -> Sets:
    encode = Encoder()
    sets = {
        "turns": dialogue_turns(folder / "locomo_dev.json", encode),
        "facts": dialogue_facts(folder / "facts_locomo_dev.jsonl", folder / "locomo_dev.json", encode),
    }
    for language in ("zh", "en"):
        sets[f"chat {language}"] = chat_memories(folder, language, encode, context=False)
        sets[f"chat {language} in context"] = chat_memories(folder, language, encode, context=True)
    return sets


def figures(scopes: Sequence[Scope], weights: Weights, mode: Mode = "adaptive") -> npt.NDArray[np.float64]:
    """Return R@5, R@10, R@20 and MRR in percent, a row a question."""
    rows = []
    for scope in scopes:
        index = ScopeIndex(512, weights=weights)
        index.add(scope.documents)
        for case in scope.cases:
            top = [hit.id for hit in index.search(replace(case.query, mode=mode), 20)]
            recall = [len(case.gold & set(top[:k])) / len(case.gold) for k in (5, 10, 20)]
            rows.append([*recall, next((1 / i for i, name in enumerate(top, 1) if name in case.gold), 0.0)])
    return 100 * np.array(rows)


def line(name: str, sets: Sets, weights: Weights, mode: Mode = "adaptive") -> None:
    cells = ["/".join(f"{x:.1f}" for x in figures(scopes, weights, mode).mean(axis=0)) for scopes in sets.values()]
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def header(title: str, sets: Sets) -> None:
    print(f"\n{title} (R@5/R@10/R@20/MRR)\n\n| | " + " | ".join(sets) + " |\n|" + "---|" * (len(sets) + 1))


def baselines(sets: Sets) -> None:
    header("Baselines", sets)
    modes: tuple[Mode, ...] = ("bm25", "dense", "rrf", "sum", "adaptive")
    for mode in modes:
        line(mode, sets, Weights(), mode)


def ablation(sets: Sets) -> None:
    whole = Weights()
    header("Without one kind of evidence", sets)
    line("all", sets, whole)
    for name in WEIGHED:
        line(f"no {name}", sets, replace(whole, **{name: 0.0}))  # type: ignore[arg-type]
    line("no neighbours' words", sets, replace(whole, term_window=()))
    line("no neighbours' vectors", sets, replace(whole, dense_window=()))
    line("query not centred", sets, replace(whole, centring=0.0))
    line("one round of feedback, all alike", sets, replace(whole, feedback_rounds=1, feedback_odds=0.0))
    line("neither", sets, replace(whole, centring=0.0, feedback_rounds=1, feedback_odds=0.0))
    header("One weight halved or doubled", sets)
    for name in WEIGHED:
        for factor in (0.5, 2.0):
            line(f"{name} x{factor}", sets, replace(whole, **{name: factor * getattr(whole, name)}))


def held_out(sets: Sets) -> None:
    """Choose the weights on all dialogues but one, from equal weights by coordinate steps, and test on that one."""
    scopes, rows = sets["turns"], []
    for left in range(len(scopes)):
        rest = [s for i, s in enumerate(scopes) if i != left]
        chosen = replace(Weights(), **dict.fromkeys(WEIGHED, 0.5))  # type: ignore[arg-type]
        best = float(figures(rest, chosen).mean())
        for _ in range(2):
            for name in WEIGHED:
                for factor in (0.5, 2.0):
                    tried = replace(chosen, **{name: factor * getattr(chosen, name)})
                    got = float(figures(rest, tried).mean())
                    if got > best:
                        chosen, best = tried, got
        rows.append(figures([scopes[left]], chosen))
        print(f"without dialogue {left}: {[(n, getattr(chosen, n)) for n in WEIGHED]}", flush=True)
        shipped = figures([scopes[left]], Weights()).mean(axis=0)
        print(f"  on it {rows[-1].mean(axis=0).round(1)}, with the shipped weights {shipped.round(1)}", flush=True)
    print("held out, all:", np.concatenate(rows).mean(axis=0).round(1))


def categories(sets: Sets) -> None:
    got = figures(sets["turns"], Weights())
    kind = np.array([c.category for s in sets["turns"] for c in s.cases])
    names = {1: "several turns", 2: "when", 3: "inference", 4: "one turn"}
    print("\nTurns by category of question\n\n| | questions | R@5 | R@10 | R@20 | MRR |\n|---|---|---|---|---|---|")
    for number, name in names.items():
        cells = " | ".join(f"{x:.1f}" for x in got[kind == number].mean(axis=0))
        print(f"| {number} {name} | {(kind == number).sum()} | {cells} |")


def floor(sets: Sets) -> None:
    """What `min_relevance` leaves out: questions asked of the next scope, which does not answer them, and their own."""
    bounds = (0.0, 0.2, 0.3, 0.35, 0.4, 0.5)
    print("\nR@10; the share of the questions of another scope that find nothing\n")
    print(f"| | {' | '.join(map(str, bounds))} |\n|{'---|' * (len(bounds) + 1)}")
    for name, scopes in sets.items():
        indexes = [ScopeIndex(512) for _ in scopes]
        for index, scope in zip(indexes, scopes, strict=True):
            index.add(scope.documents)
        asked = [(i, case) for i, scope in enumerate(scopes) for case in scope.cases]
        cells = []
        for bound in bounds:
            recall, empty = [], []
            for i, case in asked:
                query = replace(case.query, min_relevance=bound)
                recall.append(len(case.gold & {h.id for h in indexes[i].search(query, 10)}) / len(case.gold))
                empty.append(not indexes[(i + 1) % len(indexes)].search(query, 1))
            cells.append(f"{100 * np.mean(recall):.1f}; {100 * np.mean(empty):.0f} %")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def cost(sets: Sets) -> None:
    """CPU time, one thread: building, searching, and the first search after a change."""
    documents = [
        replace(d, id=f"{i}:{d.id}", session_id=f"{i}:{d.session_id}")
        for i, scope in enumerate(sets["turns"])
        for d in scope.documents
    ]
    queries = [c.query for s in sets["turns"] for c in s.cases][:300]
    print(
        "\nCPU milliseconds\n\n| documents | build | search p50 | p99 | first after a change |\n|---|---|---|---|---|"
    )
    for count in (100, 600, len(documents)):
        index = ScopeIndex(512)
        begin = time.process_time()
        index.add(documents[:count])
        built = time.process_time() - begin
        taken = []
        for query in queries:
            begin = time.process_time()
            index.search(query, 10, explain=True)
            taken.append(time.process_time() - begin)
        index.add([replace(documents[0], id="new")])
        begin = time.process_time()
        index.search(queries[0])
        changed = time.process_time() - begin
        p50, p99 = np.percentile(taken[1:], [50, 99]) * 1e3
        print(f"| {count} | {built * 1e3:.1f} | {p50:.2f} | {p99:.2f} | {changed * 1e3:.2f} |")


PARTS = {
    "baselines": baselines, "ablation": ablation, "held-out": held_out, "categories": categories, "floor": floor,
    "cost": cost,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    given = parser.parse_args()
    if not (given.data / "locomo_dev.json").exists():
        print(f"skipped: no data at {given.data}; give its folder with --data", file=sys.stderr)
        return 2
    sets = load(given.data)
    for name, part in PARTS.items():
        if given.part in (name, "all"):
            part(sets)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
