"""The gate's weights in one file: what training changed of the sentence encoder, and heads in 16 bits."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inference.protocols import Vectors
from inference.reader.tuned_encoder import Arrays, full, packed_encoder, small, unpacked_encoder
from inference.reader.turn_encoder import BaseWeights


@dataclass(frozen=True, slots=True)
class HeadWeights:
    """From the features of tokens to the scores of a turn; weights are in x out."""

    pool: Vectors
    pool_b: Vectors
    look: Vectors
    hidden: Vectors
    hidden_b: Vectors
    out: Vectors
    out_b: Vectors


@dataclass(frozen=True, slots=True)
class GateWeights:
    """A gate as it is used. `reasons` name the scores after the first two (nothing, keep)."""

    encoder: BaseWeights
    heads: HeadWeights
    reasons: tuple[str, ...]


def packed(tuned: GateWeights, base: BaseWeights) -> Arrays:
    """The arrays of the file, by name."""
    found: Arrays = {"reasons": np.array(tuned.reasons)}
    for name in HeadWeights.__dataclass_fields__:
        found[f"head.{name}"] = small(getattr(tuned.heads, name))
    return found | packed_encoder(tuned.encoder, base)


def unpacked(arrays: Arrays, base: BaseWeights) -> GateWeights:
    """The reverse of `packed`. Raises KeyError, ValueError for arrays of another gate."""
    encoder = unpacked_encoder(arrays, base)
    heads = HeadWeights(*(full(arrays, f"head.{name}") for name in HeadWeights.__dataclass_fields__))
    return GateWeights(encoder, heads, tuple(str(name) for name in arrays["reasons"]))


def save(path: Path, tuned: GateWeights, base: BaseWeights) -> None:
    """The same weights give the same bytes."""
    np.savez(path, allow_pickle=False, **packed(tuned, base))


def loaded(content: bytes, base: BaseWeights) -> GateWeights:
    """The weights in the bytes of a file. Raises KeyError, ValueError for those of another gate."""
    with np.load(io.BytesIO(content), allow_pickle=False) as z:
        return unpacked({key: z[key] for key in z.files}, base)
