"""python -m training.judge: trains the judge of statements, and prints what it does to writers held out.

    python -m training.judge --out .memstream/training/judge      (half a minute of one core; nothing to install)
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from evaluation.corpus.read import ROOT, contexts, verdicts
from inference.embedding import UniversalSentenceEncoder
from processors.ports import vectors
from processors.reader.judge.head import CARD, WEIGHTS, JudgeCard, JudgeWeights, packed
from processors.reader.judge.measures import Floats, measures

Doubles = npt.NDArray[np.float64]
THRESHOLDS = (0.05, 0.1, 0.12, 0.15, 0.2)


@dataclass(frozen=True, slots=True)
class Recipe:
    """`decay`: weight of the squared weights; `loud`: by how much an embedding counts more than its length of 1."""

    decay: float = 50.0
    loud: float = 5.0
    rounds: int = 40


@dataclass(frozen=True, slots=True)
class Table:
    """Embeddings of statement and turn side by side (verdicts, 2 dims), what is measured (verdicts, measures), whether
    good (verdicts,), and the writer of each turn."""

    embeddings: Floats
    measured: Floats
    good: Doubles
    writers: Sequence[str]


def table_of(encoder: UniversalSentenceEncoder, folder: Path = ROOT) -> Table:
    said = {c.place: c.turn.text for c in contexts(folder, "en")}
    found = [v for v in verdicts("en", folder) if v.place in said]
    of_memories, of_turns = [v.memory for v in found], [said[v.place] for v in found]
    return Table(
        np.concatenate([embedded(encoder, texts) for texts in (of_memories, of_turns)], axis=1),
        np.stack([measures(v.memory, said[v.place], v.kind) for v in found]),
        np.asarray([v.good for v in found], np.float64),
        [v.place.partition("-")[0] for v in found],
    )


def embedded(encoder: UniversalSentenceEncoder, texts: Sequence[str]) -> Floats:
    """As the engine keeps them, shape (texts, dims)."""
    return np.stack([np.frombuffer(r, "<f2").astype(np.float32) for r in vectors(encoder, texts)])


def fit(table: Table, chosen: Sequence[int], recipe: Recipe) -> JudgeWeights:
    """Logistic regression by Newton's method on the verdicts at `chosen`; its line is straight."""
    rows = list(chosen)
    measured = table.measured[rows].astype(np.float64)
    mean, scale = measured.mean(axis=0), measured.std(axis=0) + 0.01
    x = np.concatenate(
        [table.embeddings[rows] * recipe.loud, (measured - mean) / scale, np.ones((len(rows), 1))], axis=1
    ).astype(np.float64)
    decay = np.r_[np.full(x.shape[1] - 1, recipe.decay), 1e-6]
    w = np.zeros(x.shape[1])
    for _ in range(recipe.rounds):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (p - table.good[rows]) + decay * w
        step = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + np.diag(decay), slope)
        w -= step
        if np.abs(step).max() < 1e-7:
            break
    dims = table.embeddings.shape[1]
    weights = np.r_[w[:dims] * recipe.loud, w[dims:-1]]
    return JudgeWeights(*(np.asarray(a, np.float32) for a in (mean, scale, weights, w[-1:], (1, 0))))


def scores(table: Table, weights: JudgeWeights, chosen: Sequence[int]) -> Doubles:
    return np.asarray([weights.score(table.embeddings[i], table.measured[i]) for i in chosen], np.float64)


def held_out(table: Table, recipe: Recipe) -> Doubles:
    """The score of each verdict by weights that have seen no turn of its writer."""
    found = np.zeros(len(table.good))
    for writer in sorted(set(table.writers)):
        tested = [i for i, w in enumerate(table.writers) if w == writer]
        learned = [i for i, w in enumerate(table.writers) if w != writer]
        found[tested] = scores(table, fit(table, learned, recipe), tested)
    return found


def line_of(found: Doubles, good: Doubles) -> Floats:
    """Slope and offset that make probabilities of scores, by logistic regression on one number."""
    x, w = np.stack([found, np.ones(len(found))], axis=1), np.array([1.0, 0.0])
    for _ in range(40):
        p = 1 / (1 + np.exp(-x @ w))
        w -= np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + 1e-9 * np.eye(2), x.T @ (p - good))
    return np.asarray(w, np.float32)


def area(found: Doubles, good: Doubles) -> float:
    """Area under the curve: how often a good one scores above a bad one."""
    above = found[good > 0][:, None] - found[good < 1][None, :]
    return float((above > 0).mean() + (above == 0).mean() / 2)


def told(table: Table, chances: Doubles) -> str:
    """Rows by writer and threshold: what stays above it of the good and of the bad, in per cent."""
    rows = []
    for name in ("all", *sorted(set(table.writers))):
        own = np.asarray([name in ("all", w) for w in table.writers])
        good, chance = table.good[own], chances[own]
        cells = [
            f"{100 * (chance[good > 0] >= t).mean():.0f} / {100 * (chance[good < 1] >= t).mean():.0f}"
            for t in THRESHOLDS
        ]
        size = f"{own.sum()} | {100 * good.mean():.0f} | {area(chance, good):.3f}"
        rows.append(f"| {name} | {size} | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a folder for weights and card; without it only the figures are told")
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    given = vars(parser.parse_args())
    recipe = Recipe(**{name: given[name] for name in asdict(Recipe())})
    encoder = UniversalSentenceEncoder()
    with ThreadpoolController().limit(limits=1):
        table = table_of(encoder)
        found = held_out(table, recipe)
        line = line_of(found, table.good)
        weights = fit(table, range(len(table.good)), recipe)
    weights = JudgeWeights(weights.mean, weights.scale, weights.weights, weights.bias, line)
    print("| writer | verdicts | good % | area | " + " | ".join(f"from {t}: good / bad %" for t in THRESHOLDS) + " |")
    print(told(table, 1 / (1 + np.exp(-(line[0] * found + line[1])))))
    if given["out"] is None:
        return
    content = packed(weights)
    model = encoder.model_id.partition("@")[0] + "@"
    card = JudgeCard(
        sha256=hashlib.sha256(content).hexdigest(), model=model, verdicts=len(table.good)
    )
    given["out"].mkdir(parents=True, exist_ok=True)
    (given["out"] / WEIGHTS).write_bytes(content)
    (given["out"] / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    print(f"judge {card.sha256[:12]}, {len(content)} bytes")


if __name__ == "__main__":
    main()
