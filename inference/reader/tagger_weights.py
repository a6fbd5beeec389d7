"""The field tagger's weights in one file: what training changed of the sentence encoder, layers of attention, heads."""

from __future__ import annotations

import io
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from inference.protocols import Vectors
from inference.reader.tuned_encoder import (
    Arrays,
    full,
    packed_encoder,
    packed_matrix,
    small,
    unpacked_encoder,
    unpacked_matrix,
)
from inference.reader.turn_encoder import BaseWeights

WIDTH, HEADS, REACH = 256, 4, 24
"""Width of a token; heads of attention; tokens apart up to which a distance has a weight of its own."""


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """A layer of attention and two of width; weights are in x out."""

    qkv: Vectors
    qkv_b: Vectors
    o: Vectors
    o_b: Vectors
    rel: Vectors
    """Of a head and a distance: HEADS x (2 REACH + 1)."""
    g1: Vectors
    c1: Vectors
    g2: Vectors
    c2: Vectors
    f1: Vectors
    f1_b: Vectors
    f2: Vectors
    f2_b: Vectors


@dataclass(frozen=True, slots=True)
class TaggerHeads:
    """From the features of tokens to their scores; `l1` to `llook` are of the names of fields."""

    inp: Vectors
    inp_b: Vectors
    seg: Vectors
    g: Vectors
    c: Vectors
    l1: Vectors
    l1_b: Vectors
    kind: Vectors
    l2: Vectors
    l2_b: Vectors
    lfill: Vectors
    llook: Vectors
    none: Vectors
    none_b: Vectors
    fb: Vectors
    lb: Vectors


@dataclass(frozen=True, slots=True)
class TaggerWeights:
    encoder: BaseWeights
    layers: tuple[LayerWeights, ...]
    heads: TaggerHeads


_MATRICES = frozenset({"qkv", "o", "f1", "f2", "inp", "l1", "l2", "lfill", "llook"})


def _packed(prefix: str, weights: LayerWeights | TaggerHeads) -> Arrays:
    found: Arrays = {}
    for each in fields(weights):
        name, value = f"{prefix}.{each.name}", getattr(weights, each.name)
        found |= packed_matrix(name, value) if each.name in _MATRICES else {name: small(value)}
    return found


def _read(arrays: Arrays, prefix: str, name: str) -> Vectors:
    place = f"{prefix}.{name}"
    return unpacked_matrix(arrays, place) if name in _MATRICES else full(arrays, place)


def packed(tuned: TaggerWeights, base: BaseWeights) -> Arrays:
    """The arrays of the file, by name."""
    found = packed_encoder(tuned.encoder, base) | _packed("head", tuned.heads)
    for n, layer in enumerate(tuned.layers):
        found |= _packed(f"layer{n}", layer)
    return found


def unpacked(arrays: Arrays, base: BaseWeights) -> TaggerWeights:
    """The reverse of `packed`. Raises KeyError, ValueError for arrays of another tagger."""
    count = len({name.partition(".")[0] for name in arrays if name.startswith("layer")})
    layers = tuple(
        LayerWeights(*(_read(arrays, f"layer{n}", each.name) for each in fields(LayerWeights))) for n in range(count)
    )
    heads = TaggerHeads(*(_read(arrays, "head", each.name) for each in fields(TaggerHeads)))
    return TaggerWeights(unpacked_encoder(arrays, base), layers, heads)


def save(path: Path, tuned: TaggerWeights, base: BaseWeights) -> None:
    """The same weights give the same bytes."""
    np.savez(path, allow_pickle=False, **packed(tuned, base))


def loaded(content: bytes, base: BaseWeights) -> TaggerWeights:
    """The weights in the bytes of a file. Raises KeyError, ValueError for those of another tagger."""
    with np.load(io.BytesIO(content), allow_pickle=False) as z:
        return unpacked({key: z[key] for key in z.files}, base)
