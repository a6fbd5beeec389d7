"""The tagger's network in JAX. `inference/reader/field_tagger.py` is the same in numpy."""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from inference.reader.field_tagger import KINDS
from inference.reader.tagger_weights import HEADS, REACH, WIDTH, LayerWeights, TaggerHeads, TaggerWeights
from inference.reader.turn_encoder import ORDERS, BaseWeights
from inference.reader.turn_encoder import WIDTH as ORDER_WIDTH
from training.model import Branch, Encoder, dropped, features, normal

LAYERS, LABEL = 2, 512
FEATURES = 2 * ORDER_WIDTH + len(ORDERS) * ORDER_WIDTH
Named = dict[str, Array]
"""The arrays of LayerWeights or TaggerHeads, by name."""


class Params(NamedTuple):
    encoder: Encoder
    layers: tuple[Named, ...]
    heads: Named


def start(base: BaseWeights, seed: int) -> Params:
    """The package's weights under new layers and heads."""
    rng = np.random.default_rng(seed)

    def new(*shape: int, scale: float | None = None) -> Array:
        return jnp.asarray(rng.normal(0, scale or (1 / shape[0]) ** 0.5, shape), jnp.float32)

    encoder = Encoder(
        jnp.asarray(base.proj), jnp.asarray(base.proj_b), jnp.asarray(base.in_g), jnp.asarray(base.in_b),
        tuple(Branch(*(jnp.asarray(a) for a in branch)) for branch in base.branches),
        jnp.asarray(base.out_g), jnp.asarray(base.out_b),
    )  # fmt: skip
    w = WIDTH
    layers = tuple(
        {
            "qkv": new(w, 3 * w), "qkv_b": jnp.zeros(3 * w), "o": new(w, w, scale=0.02), "o_b": jnp.zeros(w),
            "rel": jnp.zeros((HEADS, 2 * REACH + 1)), "g1": jnp.ones(w), "c1": jnp.zeros(w), "g2": jnp.ones(w),
            "c2": jnp.zeros(w), "f1": new(w, 2 * w), "f1_b": jnp.zeros(2 * w), "f2": new(2 * w, w, scale=0.02),
            "f2_b": jnp.zeros(w),
        }
        for _ in range(LAYERS)
    )  # fmt: skip
    heads = {
        "inp": new(FEATURES, w), "inp_b": jnp.zeros(w), "seg": new(2, w, scale=0.02), "g": jnp.ones(w),
        "c": jnp.zeros(w), "l1": new(LABEL, w) * 4, "l1_b": jnp.zeros(w), "kind": new(len(KINDS), w, scale=0.3),
        "l2": new(w, w), "l2_b": jnp.zeros(w), "lfill": new(w, w), "llook": new(w, w), "none": new(w, 1, scale=0.02),
        "none_b": jnp.zeros(1) + 2.0, "fb": jnp.zeros(1), "lb": jnp.zeros(1),
    }  # fmt: skip
    return Params(encoder, layers, heads)


def attended(layer: Named, x: Array, real: Array, key: Array | None, rate: float) -> Array:
    """A layer over batch x length x WIDTH; `real` is batch x length."""
    size, length, width = x.shape
    q, k, v = jnp.split(normal(x, layer["g1"], layer["c1"]) @ layer["qkv"] + layer["qkv_b"], 3, -1)
    by_head = (size, length, HEADS, width // HEADS)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q.reshape(by_head), k.reshape(by_head)) / (width // HEADS) ** 0.5
    places = jnp.arange(length)
    scores = scores + layer["rel"][:, jnp.clip(places[None] - places[:, None], -REACH, REACH) + REACH][None]
    weights = jax.nn.softmax(jnp.where(real[:, None, None, :] > 0, scores, -1e9), -1)
    keys = jax.random.split(key) if key is not None else (None, None)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", weights, v.reshape(by_head)).reshape(x.shape) @ layer["o"] + layer["o_b"]
    x = x + dropped(mixed, keys[0], rate)
    inner = jax.nn.gelu(normal(x, layer["g2"], layer["c2"]) @ layer["f1"] + layer["f1_b"])
    return x + dropped(inner @ layer["f2"] + layer["f2_b"], keys[1], rate)


class Inputs(NamedTuple):
    """A batch: token rows, what is turn and what question, names of fields, their kinds, and which are real."""

    ids: Array
    turn: Array
    question: Array
    labels: Array
    kinds: Array
    real: Array


def scores(params: Params, vectors: Array, batch: Inputs, key: Array | None, rate: float) -> Array:
    """Batch x length x (1 + 2 fields): nothing, what fills each field, what looks like it; not yet probabilities."""
    keys = tuple(jax.random.split(key, 8)) if key is not None else None
    real, h = batch.turn + batch.question, params.heads
    x = features(params.encoder, vectors[batch.ids], real, keys, rate) @ h["inp"] + h["inp_b"]
    x = x + batch.turn[..., None] * h["seg"][0] + batch.question[..., None] * h["seg"][1]
    x = dropped(x, keys[6] if keys else None, rate)
    for n, layer in enumerate(params.layers):
        x = attended(layer, x, real, keys[4 + n] if keys else None, rate)
    x = dropped(normal(x, h["g"], h["c"]), keys[7] if keys else None, rate)
    named = jax.nn.gelu(batch.labels @ h["l1"] + h["l1_b"] + h["kind"][batch.kinds]) @ h["l2"] + h["l2_b"]
    scale = 4 / WIDTH**0.5
    no_field = jnp.where(batch.real > 0, 0.0, -1e9)[:, None]
    fill = jnp.einsum("bld,bfd->blf", x, named @ h["lfill"]) * scale + h["fb"] + no_field
    look = jnp.einsum("bld,bfd->blf", x, named @ h["llook"]) * scale + h["lb"] + no_field
    return jnp.concatenate([x @ h["none"] + h["none_b"], fill, look], -1)


def weights_of(params: Params) -> TaggerWeights:
    """The parameters as the tagger takes them."""
    e = params.encoder
    branches = tuple((np.asarray(b.w1), np.asarray(b.b1), np.asarray(b.w2), np.asarray(b.b2)) for b in e.branches)
    encoder = BaseWeights(
        np.asarray(e.proj), np.asarray(e.proj_b), np.asarray(e.in_g), np.asarray(e.in_b), branches,
        np.asarray(e.out_g), np.asarray(e.out_b),
    )  # fmt: skip
    layers = tuple(
        LayerWeights(*(np.asarray(layer[f.name]) for f in fields(LayerWeights))) for layer in params.layers
    )
    return TaggerWeights(encoder, layers, TaggerHeads(*(np.asarray(params.heads[f.name]) for f in fields(TaggerHeads))))
