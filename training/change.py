"""python -m training.change: trains the head of changes, and prints how well it tells pairs of writers held out.

    python -m training.change --out .memstream/training/change      (half a minute of one core; nothing to install)
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from inference.embedding import UniversalSentenceEncoder
from processors.memory.changes.head import CARD, CHANGES, RELATIONS, WEIGHTS, ChangeCard, packed
from processors.memory.changes.pair import Floats, Measured
from training.change_examples import Example, drawn, embedded, labelled, statement_vectors, statements, strangers
from training.change_fit import Recipe, Table, fit, predicted, table_of

FOLDS = {"en-a": ("en1", "en2", "en3"), "zh-a": ("zh1", "zh2", "zh3"), "en-b": ("en4",), "zh-b": ("zh4", "zh5")}
"""Writers of pairs that are held out together, and the writers of turns that stay out with them."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a folder for weights and card; without it only the figures are told")
    parser.add_argument("--mark", type=float, default=0.75, help="threshold of the card: from it on both are marked")
    parser.add_argument("--mark-told", type=float, default=0.6, help="the same where words tell a change")
    parser.add_argument("--retire", type=float, default=0.6, help="the same: by another value the older ends")
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    return parser.parse_args()


def held_out(table: Table, examples: Sequence[Example], recipe: Recipe) -> Floats:
    """How likely each labelled pair is a change, by weights that have seen neither its writers nor their turns; zeros
    for drawn ones."""
    found = np.zeros(len(examples), np.float32)
    for fold, turns in FOLDS.items():
        apart = {fold, *turns}
        tested = [i for i, e in enumerate(examples) if e.writer == fold]
        learned = [i for i, e in enumerate(examples) if e.writer not in apart]
        chances = predicted(table, fit(table, examples, learned, recipe), tested)
        found[tested] = chances[:, -len(CHANGES) :].sum(axis=1)
    return found


def figures_line(name: str, examples: Sequence[Example], marked: Sequence[bool]) -> str:
    """A row: in per cent of the pairs of each relation, those that are marked."""
    cells = []
    for relation in RELATIONS:
        of_it = [m for e, m in zip(examples, marked, strict=True) if e.relation == relation]
        cells.append(f"{100 * sum(of_it) / max(1, len(of_it)):.1f}")
    return f"| {name} | {len(examples)} | {' | '.join(cells)} |"


def report(examples: Sequence[Example], chances: Floats, found: Sequence[Measured], card: ChangeCard) -> None:
    """Pairs by language and by fold; below them the strangers of each language, all of which are `both`."""
    print(f"| | pairs | {' | '.join(RELATIONS)} |\n|{'---|' * (len(RELATIONS) + 2)}")
    rows = list(zip(examples, chances.tolist(), found, strict=True))
    for name in ("en", "zh", *FOLDS):
        _rows(name, [r for r in rows if not r[0].drawn and name in (r[0].writer, r[0].language)], card)
    for name in ("en", "zh"):
        apart = [r for r in rows if r[0].drawn and r[0].writer in FOLDS and r[0].language == name]
        _rows(f"{name}, strangers", apart, card)


def _rows(name: str, rows: Sequence[tuple[Example, float, Measured]], card: ChangeCard) -> None:
    pairs = [e for e, _, _ in rows]
    marked = [card.marks(p, m) for _, p, m in rows]
    retired = [card.retires(p, m) for _, p, m in rows]
    print(figures_line(f"{name}: words alone", pairs, [m.says_so for _, _, m in rows]))
    print(figures_line(f"{name}: head alone", pairs, [p >= card.mark for _, p, _ in rows]))
    print(figures_line(f"{name}: marked or retired", pairs, [m or r for m, r in zip(marked, retired, strict=True)]))
    print(figures_line(f"{name}: retired", pairs, retired))


def main() -> None:
    a = arguments()
    recipe = Recipe(**{name: getattr(a, name) for name in asdict(Recipe())})
    encoder = UniversalSentenceEncoder()
    pairs = list(labelled())
    with ThreadpoolController().limit(limits=1, user_api="blas"):
        vectors = embedded([*statements(), *(t for e in pairs for t in (e.old, e.new))], encoder.embed)
        examples = [*pairs, *strangers(pairs, vectors, recipe.seed), *drawn(vectors)]
        table = table_of(examples, statement_vectors(vectors), vectors, recipe)
        print(f"{len(pairs)} labelled pairs, {len(examples) - len(pairs)} drawn", flush=True)
        content = packed(fit(table, examples, range(len(examples)), recipe))
        card = ChangeCard(
            sha256=hashlib.sha256(content).hexdigest(), model=encoder.model_id.split("@")[0] + "@", mark=a.mark,
            mark_told=a.mark_told, retire=a.retire, pairs=len(examples), seed=recipe.seed,
        )  # fmt: skip
        report(examples, held_out(table, examples, recipe), table.found, card)
    if a.out is None:
        return
    a.out.mkdir(parents=True, exist_ok=True)
    (a.out / WEIGHTS).write_bytes(content)
    (a.out / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    print(f"head {card.sha256[:12]}, {len(content)} bytes")


if __name__ == "__main__":
    main()
