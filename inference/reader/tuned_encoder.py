"""What training changed of the sentence encoder, as arrays of a file: 8 bits for matrices, 16 for small vectors.

A matrix of the encoder is the package's own plus `scale` x `delta`, a scale a column.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from inference.protocols import Vectors
from inference.reader.turn_encoder import BaseWeights

Arrays = dict[str, npt.NDArray[np.generic]]


def small(array: Vectors) -> npt.NDArray[np.float16]:
    return np.asarray(array, np.float16)


def full(arrays: Mapping[str, npt.NDArray[np.generic]], name: str) -> Vectors:
    return np.asarray(arrays[name], np.float32)


def packed_matrix(name: str, matrix: Vectors) -> Arrays:
    """A matrix as `name.delta` and `name.scale`."""
    matrix = np.asarray(matrix, np.float32)
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-8).astype(np.float32) / np.float32(127)
    return {f"{name}.delta": np.rint(matrix / scale).astype(np.int8), f"{name}.scale": scale}


def unpacked_matrix(arrays: Mapping[str, npt.NDArray[np.generic]], name: str) -> Vectors:
    return np.asarray(full(arrays, f"{name}.delta") * full(arrays, f"{name}.scale"), np.float32)


def packed_encoder(tuned: BaseWeights, base: BaseWeights) -> Arrays:
    """The arrays of the tuned encoder, by name."""
    found: Arrays = {}
    matrices = {"proj": (tuned.proj, base.proj)}
    for i, (ours, theirs) in enumerate(zip(tuned.branches, base.branches, strict=True)):
        matrices |= {f"w1.{i}": (ours[0], theirs[0]), f"w2.{i}": (ours[2], theirs[2])}
        found[f"b1.{i}"], found[f"b2.{i}"] = small(ours[1]), small(ours[3])
    for name in ("proj_b", "in_g", "in_b", "out_g", "out_b"):
        found[name] = small(getattr(tuned, name))
    for name, (ours_now, theirs_now) in matrices.items():
        found |= packed_matrix(name, np.asarray(ours_now, np.float32) - theirs_now)
    return found


def unpacked_encoder(arrays: Mapping[str, npt.NDArray[np.generic]], base: BaseWeights) -> BaseWeights:
    """The reverse of `packed_encoder`. Raises KeyError, ValueError for arrays of another encoder."""

    def matrix(name: str, theirs: Vectors) -> Vectors:
        return np.asarray(theirs + unpacked_matrix(arrays, name), np.float32)

    branches = tuple(
        (matrix(f"w1.{i}", w1), full(arrays, f"b1.{i}"), matrix(f"w2.{i}", w2), full(arrays, f"b2.{i}"))
        for i, (w1, _, w2, _) in enumerate(base.branches)
    )
    return BaseWeights(
        matrix("proj", base.proj), full(arrays, "proj_b"), full(arrays, "in_g"), full(arrays, "in_b"), branches,
        full(arrays, "out_g"), full(arrays, "out_b"),
    )  # fmt: skip
