"""One training of the tagger: first on the labelled turns, then on the talks with marks among some of those."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from inference.reader.turn_encoder import BaseWeights, Table
from training.examples import Floats
from training.fields import model
from training.fields.batches import Batch, Names, batch_of, grouped
from training.fields.examples import Example
from training.fields.model import Inputs, Params
from training.fit import Vocabulary, optimiser


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a training goes; the same recipe and seed give the same bytes on one machine."""

    first: int = 2
    """Epochs over all examples."""
    epochs: int = 12
    """Epochs over the talks."""
    turns: float = 0.3
    """Labelled turns in an epoch over the talks, as a share of those."""
    batch: int = 32
    rate: float = 4e-4
    head_rate: float = 1.5e-3
    dropout: float = 0.15
    seed: int = 1


def vocabulary(examples: Sequence[Example], table: Table) -> Vocabulary:
    used = np.array(sorted({0, *(i for e in examples for i in (*e.question, *e.ids))}))
    rows = np.zeros(len(table.values), np.int32)
    rows[used] = np.arange(len(used))
    return Vocabulary(np.asarray(table.vectors(used), np.float32), rows)


def loss_of(
    params: Params, vectors: Array, batch: Inputs, target: Array, rows: Array, key: Array, rate: float
) -> Array:
    """Surprise at what each token is of; tokens of values count twice."""
    likely = jax.nn.log_softmax(model.scores(params, vectors, batch, key, rate), -1)
    hit = jax.nn.logsumexp(jnp.where(target > 0, likely, -1e9), -1)
    weight = batch.turn * rows[:, None] * (2 - target[..., 0])
    return jnp.asarray(-(hit * weight).sum() / jnp.maximum(weight.sum(), 1))


@functools.partial(jax.jit, static_argnames=("rate",), donate_argnums=(0, 1))
def step(
    params: Params, moments: Any, vectors: Array, batch: Inputs, target: Array, rows: Array, key: Array,
    rates: tuple[float, float], *, rate: float,
) -> tuple[Params, Any, Array]:  # fmt: skip
    """One step; `rates` are those of the encoder and of all else now."""
    loss, slope = jax.value_and_grad(loss_of)(params, vectors, batch, target, rows, key, rate)
    change, moments = optimiser().update(slope, moments, params)
    scaled = Params(
        jax.tree.map(lambda c: c * rates[0], change.encoder), jax.tree.map(lambda c: c * rates[1], change.layers),
        jax.tree.map(lambda c: c * rates[1], change.heads),
    )  # fmt: skip
    return optax.apply_updates(params, scaled), moments, loss


def inputs_of(batch: Batch) -> Inputs:
    found = (batch.ids, batch.turn, batch.question, batch.labels, batch.kinds, batch.real)
    return Inputs(*(jnp.asarray(a) for a in found))


def train(
    talks: Sequence[Example], turns: Sequence[Example], names: Names, words: Vocabulary, base: BaseWeights,
    recipe: Recipe,
) -> Params:  # fmt: skip
    params = model.start(base, recipe.seed)
    moments = optimiser().init(params)
    vectors = jnp.asarray(words.vectors)
    rng = np.random.default_rng(recipe.seed)
    plans = [grouped([*turns, *talks], recipe.batch, rng) for _ in range(recipe.first)]
    for _ in range(recipe.epochs):
        some = [turns[n] for n in rng.permutation(len(turns))[: int(recipe.turns * len(talks))]]
        plans.append(grouped([*talks, *some], recipe.batch, rng))
    total, done = sum(map(len, plans)), 0
    for epoch, plan in enumerate(plans):
        began, losses = time.monotonic(), []
        for group in plan:
            at = (done + 0.5) / total
            scale = min(at / 0.06, (1 - at) / 0.94)
            batch = batch_of(group, recipe.batch, words.rows, names, rng)
            key = jax.random.fold_in(jax.random.key(recipe.seed, impl="rbg"), done)
            params, moments, loss = step(
                params, moments, vectors, inputs_of(batch), jnp.asarray(batch.target), jnp.asarray(batch.rows), key,
                (recipe.rate * scale, recipe.head_rate * scale), rate=recipe.dropout,
            )  # fmt: skip
            losses.append(loss)
            done += 1
        mean, took = float(np.mean([float(x) for x in losses])), time.monotonic() - began
        print(f"epoch {epoch + 1} of {len(plans)}: loss {mean:.3f}, {took:.0f} s", flush=True)
    return params


@jax.jit
def _likely(params: Params, vectors: Array, batch: Inputs) -> Array:
    return jax.nn.softmax(model.scores(params, vectors, batch, None, 0.0), -1)


def predict(
    params: Params, examples: Sequence[Example], names: Names, words: Vocabulary, size: int = 32
) -> list[Floats]:
    """For each example, tokens x fields: the probability that a token fills a field."""
    found: list[Floats] = []
    for n in range(0, len(examples), size):
        group = examples[n : n + size]
        most = max(len(e.fields) for e in examples)
        batch = batch_of(group, size, words.rows, names, None, most)
        likely = np.asarray(_likely(params, jnp.asarray(words.vectors), inputs_of(batch)))
        for r, e in enumerate(group):
            asked = len(e.question)
            found.append(likely[r, asked : asked + len(e.ids), 1 : 1 + len(e.fields)])
    return found
