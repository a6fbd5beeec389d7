"""The gate's network in JAX: the convolutions of the sentence encoder, tuned, with pooled heads.

Tokens' vectors stay as the package has them. `inference/reader/turn_gate.py` is the same in numpy.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from inference.reader.gate_weights import GateWeights, HeadWeights
from inference.reader.turn_encoder import ORDERS, WIDTH, BaseWeights
from training.examples import REASONS

POOLED = 192


class Branch(NamedTuple):
    """Two convolutions over windows of n tokens."""

    w1: Array
    b1: Array
    w2: Array
    b2: Array


class Encoder(NamedTuple):
    """What is tuned of the sentence encoder, up to its features of a token."""

    proj: Array
    proj_b: Array
    in_g: Array
    in_b: Array
    branches: tuple[Branch, ...]
    out_g: Array
    out_b: Array


class Heads(NamedTuple):
    """From the features of tokens to keep or nothing, and the reason for nothing."""

    pool: Array
    pool_b: Array
    look: Array
    hidden: Array
    hidden_b: Array
    out: Array
    out_b: Array


class Params(NamedTuple):
    encoder: Encoder
    heads: Heads


def start(base: BaseWeights, seed: int) -> Params:
    """The package's weights under new heads."""
    rng = np.random.default_rng(seed)

    def new(*shape: int) -> Array:
        return jnp.asarray(rng.normal(0, (2 / shape[0]) ** 0.5, shape), jnp.float32)

    encoder = Encoder(
        jnp.asarray(base.proj), jnp.asarray(base.proj_b), jnp.asarray(base.in_g), jnp.asarray(base.in_b),
        tuple(Branch(*(jnp.asarray(a) for a in branch)) for branch in base.branches),
        jnp.asarray(base.out_g), jnp.asarray(base.out_b),
    )  # fmt: skip
    features = WIDTH * 2 + len(ORDERS) * WIDTH
    heads = Heads(
        pool=new(features, POOLED), pool_b=jnp.zeros(POOLED), look=new(features, 4) * 0.1,
        hidden=new(4 * POOLED + POOLED + POOLED, 96), hidden_b=jnp.zeros(96),
        out=new(96, 2 + len(REASONS)) * 0.1, out_b=jnp.zeros(2 + len(REASONS)),
    )  # fmt: skip
    return Params(encoder, heads)


def normal(x: Array, g: Array, b: Array) -> Array:
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(spread + 1e-12) * g + b


def dropped(x: Array, key: Array | None, rate: float) -> Array:
    return x if key is None else jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)


def windows(x: Array, n: int, left: int) -> Array:
    """Each token with those `left` before it and n - 1 - left after it, side by side; zeros beyond the ends."""
    padded = jnp.pad(x, ((0, 0), (left, n - 1 - left), (0, 0)))
    return jnp.concatenate([padded[:, k : k + x.shape[1]] for k in range(n)], -1)


def features(encoder: Encoder, vectors: Array, real: Array, keys: tuple[Array, ...] | None, rate: float) -> Array:
    """Features of tokens, batch x length x 1280; `real` is batch x length."""
    mask = real[..., None]
    vectors = dropped(vectors * mask, keys[0] if keys else None, rate)
    x = normal(vectors @ encoder.proj + encoder.proj_b, encoder.in_g, encoder.in_b) * mask
    parts = [vectors]
    for i, (n, left) in enumerate(ORDERS):
        branch, xs = encoder.branches[i], x[..., i * WIDTH : (i + 1) * WIDTH]
        h = (jax.nn.relu(windows(xs, n, left) @ branch.w1 + branch.b1) + xs) * mask
        h = dropped(h, keys[i + 1] if keys else None, rate)
        parts.append(jax.nn.relu(windows(h, n, left) @ branch.w2 + branch.b2) + h)
    return normal(jnp.concatenate(parts, -1), encoder.out_g, encoder.out_b)


def scores(params: Params, vectors: Array, turn: Array, question: Array, key: Array | None, rate: float) -> Array:
    """Batch x (2 + reasons): nothing and keep, then the reasons; not yet probabilities."""
    keys = tuple(jax.random.split(key, 6)) if key is not None else None
    feats = features(params.encoder, vectors, turn + question, keys, rate)
    h = params.heads
    pooled = jax.nn.relu(feats @ h.pool + h.pool_b)
    look = jax.nn.softmax(jnp.where(turn[..., None] > 0, feats @ h.look, -1e9), axis=1)
    seen = jnp.einsum("blk,blw->bkw", look, pooled).reshape(feats.shape[0], -1)
    most = (pooled * turn[..., None]).max(1)
    asked = jnp.einsum("bl,blw->bw", question, pooled) / jnp.maximum(question.sum(1, keepdims=True), 1)
    x = dropped(jnp.concatenate([seen, most, asked], -1), keys[4] if keys else None, 0.3)
    hidden = dropped(jax.nn.relu(x @ h.hidden + h.hidden_b), keys[5] if keys else None, 0.2)
    return hidden @ h.out + h.out_b


def weights_of(params: Params) -> GateWeights:
    """The parameters as the gate takes them."""
    e = params.encoder
    branches = tuple((np.asarray(b.w1), np.asarray(b.b1), np.asarray(b.w2), np.asarray(b.b2)) for b in e.branches)
    base = BaseWeights(
        np.asarray(e.proj), np.asarray(e.proj_b), np.asarray(e.in_g), np.asarray(e.in_b), branches,
        np.asarray(e.out_g), np.asarray(e.out_b),
    )  # fmt: skip
    return GateWeights(base, HeadWeights(*(np.asarray(a) for a in params.heads)), REASONS)


def params_of(weights: GateWeights) -> Params:
    """The reverse of `weights_of`."""
    e = weights.encoder
    encoder = Encoder(
        jnp.asarray(e.proj), jnp.asarray(e.proj_b), jnp.asarray(e.in_g), jnp.asarray(e.in_b),
        tuple(Branch(*(jnp.asarray(a) for a in branch)) for branch in e.branches),
        jnp.asarray(e.out_g), jnp.asarray(e.out_b),
    )  # fmt: skip
    h = weights.heads
    return Params(encoder, Heads(*(jnp.asarray(a) for a in (
        h.pool, h.pool_b, h.look, h.hidden, h.hidden_b, h.out, h.out_b
    ))))  # fmt: skip
