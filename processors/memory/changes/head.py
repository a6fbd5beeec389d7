"""The learned head: how likely does one statement change another? One linear layer over measures and embeddings.

`python -m training.change` makes its file and card. It knows one embedding model; of another it says nothing.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inference.weights import WeightsError
from processors.memory.changes.pair import Floats, Measured, Statement

FOLDER = Path(__file__).parent
CARD, WEIGHTS = "change.json", "change.npz"
CHANGES = ("newer", "ended", "corrected", "contradicting")
"""Relations of pairs in which the newer statement leaves the older one untrue (corpus/GUIDE.md)."""
RELATIONS = ("both", "sharper", "same", *CHANGES)
Probability = Annotated[float, Field(ge=0, le=1)]


class ChangeCard(BaseModel):
    """`model`: prefix of the embedder's id. From `mark` on both statements stand and name each other, from `mark_told`
    on where words tell a change of something that both speak of. The older one ends by words alone, which a likelihood
    may deny: from `retire_named` on where the newer says of a thing in the older that it has ended, from `retire` on
    where it has another value in the same frame."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    model: Annotated[str, Field(min_length=1)]
    mark: Probability
    mark_told: Probability
    retire: Probability | None = None
    """None: nothing ends."""
    retire_named: Probability = 0.25
    pairs: int = Field(ge=1)
    seed: int

    def marks(self, score: float, found: Measured) -> bool:
        """Whether both stand and name each other, of a pair that is a change as likely as `score`."""
        if found.excludes or found.withdraws or found.resumes or found.ends or found.replaces:
            return True
        return score >= (self.mark_told if found.tells and found.meets else self.mark)

    def retires(self, score: float, found: Measured) -> bool:
        """Whether the older one ends. A name in common is not enough, and a contradiction says not which is right."""
        if self.retire is None:
            return False
        if found.withdraws or (found.ends and score >= self.retire_named):
            return True
        return found.replaces and score >= self.retire


@dataclass(frozen=True, slots=True)
class ChangeWeights:
    """`centre` (dims,) and `axes` (k, dims) lead from an embedding to k numbers; `mean` and `scale` (features,) to what
    `weights` (features, relations) and `bias` (relations,) weigh."""

    centre: Floats
    axes: Floats
    mean: Floats
    scale: Floats
    weights: Floats
    bias: Floats


def inputs(centre: Floats, axes: Floats, old: Statement, new: Statement, found: Measured) -> Floats:
    """What the head weighs of a pair, shape (features,)."""
    x, y = axes @ (old.embedding - centre), axes @ (new.embedding - centre)
    return np.concatenate([found.values, np.abs(x - y), x * y, y - x, y]).astype(np.float32)


def packed(weights: ChangeWeights) -> bytes:
    """A file of the weights; the same weights give the same bytes."""
    file = io.BytesIO()
    small = {f.name: np.asarray(getattr(weights, f.name), np.float16) for f in fields(weights) if f.name in _SMALL}
    rest = {f.name: np.asarray(getattr(weights, f.name), np.float32) for f in fields(weights) if f.name not in _SMALL}
    whole: Mapping[str, npt.NDArray[np.generic]] = {**small, **rest}
    np.savez(file, allow_pickle=False, **whole)
    return file.getvalue()


_SMALL = ("axes",)


def unpacked(content: bytes) -> ChangeWeights:
    """The reverse. Raises KeyError, ValueError for a file of something else."""
    with np.load(io.BytesIO(content), allow_pickle=False) as z:
        return ChangeWeights(**{f.name: np.asarray(z[f.name], np.float32) for f in fields(ChangeWeights)})


class ChangeHead:
    """Reads pairs of statements whose embeddings are of its model."""

    def __init__(self, weights: ChangeWeights, card: ChangeCard) -> None:
        self._weights = weights
        self.card = card

    @classmethod
    def of(cls, folder: Path = FOLDER) -> ChangeHead:
        """That of a folder; else the one that the package brings. Raises WeightsError."""
        try:
            card = ChangeCard.model_validate_json((folder / CARD).read_bytes())
            content = (folder / WEIGHTS).read_bytes()
        except (OSError, ValidationError) as exc:
            raise WeightsError(f"{CARD} or {WEIGHTS} cannot be read: install memstream anew") from exc
        if hashlib.sha256(content).hexdigest() != card.sha256:
            raise WeightsError(f"{WEIGHTS} is not the file of its card (SHA-256): install memstream anew")
        return cls(unpacked(content), card)

    def relations(self, old: Statement, new: Statement, found: Measured) -> Floats:
        """Probabilities in the order of RELATIONS."""
        w = self._weights
        x = (inputs(w.centre, w.axes, old, new, found) - w.mean) / w.scale
        scores = x @ w.weights + w.bias
        weights = np.exp(scores - scores.max())
        return np.asarray(weights / weights.sum(), np.float32)

    def changed(self, old: Statement, new: Statement, found: Measured) -> float:
        """How likely the newer statement leaves the older one untrue, in [0, 1]."""
        return float(self.relations(old, new, found)[-len(CHANGES) :].sum())


@lru_cache(maxsize=1)
def shipped() -> ChangeHead:
    return ChangeHead.of()


def head_for(model_id: str) -> ChangeHead | None:
    """The shipped head where it knows the model of the embeddings."""
    found = shipped()
    return found if model_id.startswith(found.card.model) else None
