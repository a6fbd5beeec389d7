"""One training: AdamW over the examples, a checkpoint an epoch, so that a stopped run goes on where it was."""

from __future__ import annotations

import functools
import os
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from inference.reader.turn_encoder import BaseWeights, Table
from training import model
from training.examples import Batch, Example, Floats, Ints, batch_of, batches
from training.model import Params


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a training goes; the same recipe and seed give the same bytes on one machine."""

    epochs: int = 6
    batch: int = 32
    rate: float = 3e-4
    head_rate: float = 1e-3
    dropout: float = 0.1
    reasons: float = 0.5
    mixed: float = 0.3
    """Share of the kept turns that are also learned beside a turn with nothing to keep."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The vectors of the tokens in use: `rows` says where a token id stands in `vectors`."""

    vectors: Floats
    rows: Ints


def vocabulary(examples: Sequence[Example], table: Table) -> Vocabulary:
    used = np.array(sorted({0, *(i for e in examples for i in (*e.window.question, *e.window.turn))}))
    rows = np.zeros(len(table.values), np.int32)
    rows[used] = np.arange(len(used))
    return Vocabulary(np.asarray(table.vectors(used), np.float32), rows)


def optimiser() -> optax.GradientTransformation:
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1.0, weight_decay=0.01))


def loss_of(
    params: Params, vectors: Array, arrays: tuple[Array, ...], key: Array, rate: float, reasons: float
) -> Array:
    """Surprise at keep or nothing, and `reasons` times that at the reason where nothing is kept."""
    ids, turn, question, keep, reason, rows = arrays
    scores = model.scores(params, vectors[ids], turn, question, key, rate)
    each = optax.softmax_cross_entropy_with_integer_labels(scores[:, :2], keep)
    why = optax.softmax_cross_entropy_with_integer_labels(scores[:, 2:], jnp.maximum(reason, 0))
    nothing = rows * (reason >= 0)
    total = (each * rows).sum() / rows.sum() + reasons * (why * nothing).sum() / jnp.maximum(nothing.sum(), 1)
    return jnp.asarray(total)


@functools.partial(jax.jit, static_argnames=("rate", "reasons"), donate_argnums=(0, 1))
def step(
    params: Params, moments: Any, vectors: Array, arrays: tuple[Array, ...], key: Array, rates: tuple[float, float],
    *, rate: float, reasons: float,
) -> tuple[Params, Any, Array]:  # fmt: skip
    """One step; `rates` are those of the encoder and of the heads now."""
    loss, slope = jax.value_and_grad(loss_of)(params, vectors, arrays, key, rate, reasons)
    change, moments = optimiser().update(slope, moments, params)
    encoder = jax.tree.map(lambda c: c * rates[0], change.encoder)
    heads = jax.tree.map(lambda c: c * rates[1], change.heads)
    return optax.apply_updates(params, Params(encoder, heads)), moments, loss


def arrays_of(batch: Batch) -> tuple[Array, ...]:
    found = (batch.ids, batch.turn, batch.question, batch.keep, batch.reason, batch.rows)
    return tuple(jnp.asarray(a) for a in found)


def train(
    examples: Sequence[Example], words: Vocabulary, base: BaseWeights, recipe: Recipe, kept: Path | None
) -> Params:
    """Trained parameters. `kept` is where the state is written after each epoch, and read from if it is there."""
    params = model.start(base, recipe.seed)
    moments = optimiser().init(params)
    vectors = jnp.asarray(words.vectors)
    plans = [batches(examples, recipe.batch, np.random.default_rng((recipe.seed, n))) for n in range(recipe.epochs)]
    total, done, first = sum(map(len, plans)), 0, 0
    if kept and kept.exists():
        first, done, params, moments = pickle.loads(kept.read_bytes())  # noqa: S301 (written by this program)
    for epoch in range(first, recipe.epochs):
        began, losses = time.monotonic(), []
        for group in plans[epoch]:
            at = (done + 0.5) / total
            scale = min(at / 0.1, (1 - at) / 0.9)
            key = jax.random.fold_in(jax.random.key(recipe.seed, impl="rbg"), done)
            params, moments, loss = step(
                params, moments, vectors, arrays_of(batch_of(group, recipe.batch, words.rows)), key,
                (recipe.rate * scale, recipe.head_rate * scale), rate=recipe.dropout, reasons=recipe.reasons,
            )  # fmt: skip
            losses.append(loss)
            done += 1
        mean, took = float(np.mean([float(x) for x in losses])), time.monotonic() - began
        print(f"epoch {epoch + 1} of {recipe.epochs}: loss {mean:.3f}, {len(examples) / took:.0f} turns/s", flush=True)
        if kept:
            state = jax.tree.map(np.asarray, (params, moments))
            kept.with_suffix(".new").write_bytes(pickle.dumps((epoch + 1, done, *state)))
            os.replace(kept.with_suffix(".new"), kept)
    return params


@jax.jit
def _scores(params: Params, vectors: Array, arrays: tuple[Array, ...]) -> Array:
    scores = model.scores(params, vectors[arrays[0]], arrays[1], arrays[2], None, 0.0)
    return jnp.concatenate([jax.nn.softmax(scores[:, :2]), jax.nn.softmax(scores[:, 2:])], -1)


def predict(params: Params, examples: Sequence[Example], words: Vocabulary, size: int = 32) -> Floats:
    """Probabilities, examples x (2 + reasons), in the order of `examples`."""
    place = {id(e): n for n, e in enumerate(examples)}
    found: Floats | None = None
    for group in batches(examples, size, None):
        scores = np.asarray(_scores(params, jnp.asarray(words.vectors), arrays_of(batch_of(group, size, words.rows))))
        found = np.zeros((len(examples), scores.shape[1]), np.float32) if found is None else found
        for r, example in enumerate(group):
            found[place[id(example)]] = scores[r]
    if found is None:
        raise ValueError("no examples")
    return found
