"""Fits the head of changes: multinomial logistic regression, in numpy, the same seed and data to the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from processors.memory.changes.head import RELATIONS, ChangeWeights, inputs
from processors.memory.changes.pair import Floats, Measured, Statement, measured
from training.change_examples import Example


@dataclass(frozen=True, slots=True)
class Recipe:
    """`axes`: principal axes of the embeddings that are weighed; `decay`: weight decay; `drawn`: how much a drawn pair
    counts beside a labelled one."""

    axes: int = 128
    decay: float = 0.02
    steps: int = 120
    rate: float = 0.01
    drawn: float = 0.2
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """Inputs of all examples, shape (examples, features), and what they were made with."""

    centre: Floats
    axes: Floats
    rows: Floats
    found: Sequence[Measured]


def principal(vectors: Mapping[str, Floats], count: int) -> tuple[Floats, Floats]:
    """Centre and axes, float16-rounded as the file holds them. Each axis points to where its greatest part is
    positive, which a decomposition leaves open."""
    rows = np.stack([vectors[t] for t in sorted(vectors)][::2])
    centre = rows.mean(axis=0)
    spread = (rows - centre).T @ (rows - centre)
    _, found = np.linalg.eigh(spread.astype(np.float64))
    axes = found[:, ::-1][:, :count].T
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    return centre.astype(np.float32), axes.astype(np.float16).astype(np.float32)


def table_of(
    examples: Sequence[Example], statements: Mapping[str, Statement], vectors: Mapping[str, Floats], recipe: Recipe
) -> Table:
    centre, axes = principal(vectors, recipe.axes)
    found = [measured(statements[e.old], statements[e.new]) for e in examples]
    rows = [inputs(centre, axes, statements[e.old], statements[e.new], m) for e, m in zip(examples, found, strict=True)]
    return Table(centre, axes, np.stack(rows), found)


def fit(table: Table, examples: Sequence[Example], chosen: Sequence[int], recipe: Recipe) -> ChangeWeights:
    """Weights from the examples at `chosen`, by Adam on all of them at once."""
    x = table.rows[list(chosen)]
    mean, scale = x.mean(axis=0), x.std(axis=0) + np.float32(0.01)
    x = (x - mean) / scale
    gold = np.eye(len(RELATIONS), dtype=np.float32)[[RELATIONS.index(examples[i].relation) for i in chosen]]
    count = np.array([recipe.drawn if examples[i].drawn else 1.0 for i in chosen], np.float32)[:, None]
    count /= count.sum()
    params = [np.zeros((x.shape[1], len(RELATIONS)), np.float32), np.zeros(len(RELATIONS), np.float32)]
    first, second = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params]
    for step in range(1, recipe.steps + 1):
        error = (softmax(x @ params[0] + params[1]) - gold) * count
        slopes = [x.T @ error + recipe.decay * params[0], error.sum(axis=0)]
        rate = recipe.rate * (1 - step / recipe.steps)
        for n, slope in enumerate(slopes):
            first[n] = 0.9 * first[n] + 0.1 * slope
            second[n] = 0.999 * second[n] + 0.001 * slope**2
            params[n] -= rate * (first[n] / (1 - 0.9**step)) / (np.sqrt(second[n] / (1 - 0.999**step)) + 1e-8)
    return ChangeWeights(table.centre, table.axes, mean, scale, params[0], params[1])


def softmax(scores: npt.NDArray[np.floating[Any]]) -> Floats:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def predicted(table: Table, weights: ChangeWeights, chosen: Sequence[int]) -> Floats:
    """Probabilities in the order of RELATIONS."""
    x = (table.rows[list(chosen)] - weights.mean) / weights.scale
    return softmax(x @ weights.weights + weights.bias)
