"""Examples as arrays: with some of the fields that they do not fill, and names of fields in several forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference.protocols import Embedder, Vectors
from inference.reader.field_tagger import KINDS
from inference.reader.protocol import AskedField
from training.examples import Floats, Ints
from training.fields.examples import Example

LENGTHS = (48, 64, 96, 164)
"""Padded lengths: a batch holds examples of one of them."""
FIELDS = 24
"""Fields of an example in training."""
_ALIKE = 0.5
"""Names of fields more alike than this may mean the same."""


@dataclass(frozen=True, slots=True)
class Batch:
    """`target` is batch x length x (1 + 2 fields), several of which may be 1; `rows` is 0 for what only fills up."""

    ids: Ints
    turn: Floats
    question: Floats
    labels: Floats
    kinds: Ints
    real: Floats
    target: Floats
    rows: Floats


class Names:
    """The vectors of the names of all fields, and a pool of attributes that turns without a profile are asked for."""

    def __init__(self, examples: Sequence[Example], embedder: Embedder) -> None:
        labels = sorted({label for e in examples for f in e.fields for label in f.labels})
        vectors = [embedder.embed(labels[n : n + 64]) for n in range(0, len(labels), 64)]
        self._of: Mapping[str, Vectors] = dict(zip(labels, np.concatenate(vectors), strict=True))
        pool = {f.labels[0]: f for e in examples if not e.of_talk for f in e.fields}
        self._pool = [pool[name] for name in sorted(pool)]

    def vector(self, field: AskedField, rng: np.random.Generator | None) -> Vectors:
        """The mean of the field's names; of some of them, drawn, in training."""
        labels = field.labels
        if rng is not None and len(labels) > 1:
            count = int(rng.integers(1, len(labels) + 1))
            labels = tuple(labels[n] for n in rng.choice(len(labels), count, replace=False))
        mean = np.mean([self._of[label] for label in labels], axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def others(self, than: Sequence[Vectors], most: int, rng: np.random.Generator) -> list[AskedField]:
        """Up to `most` attributes of other turns, none of which is like one of `than`."""
        if most < 2:
            return []
        drawn = [self._pool[int(n)] for n in rng.integers(0, len(self._pool), int(rng.integers(2, most + 1)))]
        return [f for f in drawn if all(float(self._of[f.labels[0]] @ v) <= _ALIKE for v in than)]


def padded(example: Example) -> int:
    return next(n for n in LENGTHS if n >= example.length)


def grouped(examples: Sequence[Example], size: int, rng: np.random.Generator) -> list[list[Example]]:
    """Lists of at most `size` examples of like length, in an order of chance."""
    by_length: dict[int, list[Example]] = {}
    for n in rng.permutation(len(examples)):
        by_length.setdefault(padded(examples[n]), []).append(examples[n])
    found = [each[n : n + size] for each in by_length.values() for n in range(0, len(each), size)]
    return [found[n] for n in rng.permutation(len(found))]


def batch_of(
    group: Sequence[Example], size: int, rows: npt.NDArray[np.int32], names: Names,
    rng: np.random.Generator | None, most: int = FIELDS,
) -> Batch:  # fmt: skip
    """The group padded to `size` rows of `most` fields. With `rng` the fields, their names and the question are drawn;
    without it all stand in their order."""
    length = max(map(padded, group))
    ids = np.zeros((size, length), np.int32)
    turn, question = np.zeros((size, length), np.float32), np.zeros((size, length), np.float32)
    labels, kinds = np.zeros((size, most, 512), np.float32), np.zeros((size, most), np.int32)
    real, target = np.zeros((size, most), np.float32), np.zeros((size, length, 1 + 2 * most), np.float32)
    full = np.zeros(size, np.float32)
    for r, example in enumerate(group):
        asked = () if rng is not None and rng.random() < 0.1 else example.question
        a, b = len(asked), len(asked) + len(example.ids)
        ids[r, :b] = rows[np.array([*asked, *example.ids])]
        question[r, :a], turn[r, a:b], full[r] = 1, 1, 1
        chosen = _chosen(example, most, rng) if rng is not None else list(range(len(example.fields)))
        vectors = [names.vector(example.fields[n], rng) for n in chosen]
        of_kind = [KINDS.index(example.fields[n].kind) for n in chosen]
        if rng is not None and not example.of_talk:
            more = names.others(vectors, most - len(chosen), rng)
            vectors += [names.vector(f, None) for f in more]
            of_kind += [KINDS.index(f.kind) for f in more]
        for n, (vector, kind) in enumerate(zip(vectors[:most], of_kind, strict=False)):
            labels[r, n], real[r, n] = vector, 1
            kinds[r, n] = 0 if rng is not None and rng.random() < 0.15 else kind
        _mark(target[r], example, {n: place for place, n in enumerate(chosen[:most])}, a, most)
    return Batch(ids, turn, question, labels, kinds, real, target, full)


def _chosen(example: Example, most: int, rng: np.random.Generator) -> list[int]:
    """The fields that a turn marks, and some of the others, in an order of chance."""
    marked = sorted({span.field for span in example.spans})[:most]
    others = [n for n in range(len(example.fields)) if n not in marked]
    room = most - len(marked)
    count = room if rng.random() < 0.7 else int(rng.integers(0, room + 1))
    kept = [*marked, *(others[n] for n in rng.permutation(len(others))[:count])]
    return [kept[n] for n in rng.permutation(len(kept))]


def _mark(target: Floats, example: Example, place: Mapping[int, int], asked: int, most: int) -> None:
    for span in example.spans:
        if span.field not in place:
            continue
        column = 1 + place[span.field] + (0 if span.fills else most)
        for t, (start, end) in enumerate(zip(example.starts, example.ends, strict=True)):
            if start < span.end and span.start < end and start < end:
                target[asked + t, column] = 1
    target[:, 0] = target.sum(axis=-1) == 0
