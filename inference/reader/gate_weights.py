"""The gate's weights in one file: what training changed of the sentence encoder, in 8 bits, and heads in 16.

A matrix of the encoder is the package's own plus `scale` x `delta`, a scale a column; small vectors stand in 16 bits.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from inference.protocols import Vectors
from inference.reader.turn_encoder import BaseWeights

Arrays = dict[str, npt.NDArray[np.generic]]


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


def _small(array: Vectors) -> npt.NDArray[np.float16]:
    return np.asarray(array, np.float16)


def packed(tuned: GateWeights, base: BaseWeights) -> Arrays:
    """The arrays of the file, by name."""
    found: Arrays = {"reasons": np.array(tuned.reasons)}
    for name in HeadWeights.__dataclass_fields__:
        found[f"head.{name}"] = _small(getattr(tuned.heads, name))
    matrices = {"proj": (tuned.encoder.proj, base.proj)}
    for i, (ours, theirs) in enumerate(zip(tuned.encoder.branches, base.branches, strict=True)):
        matrices |= {f"w1.{i}": (ours[0], theirs[0]), f"w2.{i}": (ours[2], theirs[2])}
        found[f"b1.{i}"], found[f"b2.{i}"] = _small(ours[1]), _small(ours[3])
    for name in ("proj_b", "in_g", "in_b", "out_g", "out_b"):
        found[name] = _small(getattr(tuned.encoder, name))
    for name, (ours_now, theirs_now) in matrices.items():
        delta = np.asarray(ours_now, np.float32) - theirs_now
        scale = np.maximum(np.abs(delta).max(axis=0), 1e-8).astype(np.float32) / np.float32(127)
        found[f"{name}.delta"] = np.rint(delta / scale).astype(np.int8)
        found[f"{name}.scale"] = scale
    return found


def unpacked(arrays: Arrays, base: BaseWeights) -> GateWeights:
    """The reverse of `packed`. Raises KeyError, ValueError for arrays of another gate."""

    def full(name: str) -> Vectors:
        return np.asarray(arrays[name], np.float32)

    def matrix(name: str, theirs: Vectors) -> Vectors:
        return np.asarray(theirs + full(f"{name}.delta") * full(f"{name}.scale"), np.float32)

    branches = tuple(
        (matrix(f"w1.{i}", w1), full(f"b1.{i}"), matrix(f"w2.{i}", w2), full(f"b2.{i}"))
        for i, (w1, _, w2, _) in enumerate(base.branches)
    )
    encoder = BaseWeights(
        matrix("proj", base.proj), full("proj_b"), full("in_g"), full("in_b"), branches, full("out_g"), full("out_b")
    )  # fmt: skip
    heads = HeadWeights(*(full(f"head.{name}") for name in HeadWeights.__dataclass_fields__))
    return GateWeights(encoder, heads, tuple(str(name) for name in arrays["reasons"]))


def save(path: Path, tuned: GateWeights, base: BaseWeights) -> None:
    """The same weights give the same bytes."""
    np.savez(path, allow_pickle=False, **packed(tuned, base))


def loaded(content: bytes, base: BaseWeights) -> GateWeights:
    """The weights in the bytes of a file. Raises KeyError, ValueError for those of another gate."""
    with np.load(io.BytesIO(content), allow_pickle=False) as z:
        return unpacked({key: z[key] for key in z.files}, base)
