"""The judge's weights: one linear layer over the embeddings of a statement and its turn, and what is measured of it.

`python -m training.judge` makes its file and card. It knows one embedding model and English; of others it says nothing
(docs/decisions/2026-11-29-judge-of-statements.md).
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inference.weights import WeightsError
from processors.reader.judge.measures import Floats

FOLDER = Path(__file__).parent
CARD, WEIGHTS = "judge.json", "judge.npz"


class JudgeCard(BaseModel):
    """`model`: prefix of the embedder's id; `verdicts`: how many it has learned from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    model: Annotated[str, Field(min_length=1)]
    verdicts: int = Field(ge=1)


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """`mean` and `scale` (measures,) of what is measured; `weights` (2 dims + measures,) and `bias` (1,) of the score;
    `line` (2,): slope and offset that make a probability of it."""

    mean: Floats
    scale: Floats
    weights: Floats
    bias: Floats
    line: Floats

    def score(self, embeddings: Floats, measured: Floats) -> float:
        """`embeddings` (2 dims,): of the statement, then of its turn, each of the length 1."""
        inputs = np.concatenate([embeddings, (measured - self.mean) / self.scale])
        return float(inputs @ self.weights + self.bias[0])

    def probability(self, score: float) -> float:
        return float(1 / (1 + np.exp(-np.float64(self.line[0] * score + self.line[1]))))


def packed(weights: JudgeWeights) -> bytes:
    """A file of the weights; the same weights give the same bytes."""
    file = io.BytesIO()
    arrays = {f.name: np.asarray(getattr(weights, f.name), np.float32) for f in fields(weights)}
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def unpacked(content: bytes) -> JudgeWeights:
    """The reverse. Raises KeyError, ValueError for a file of something else."""
    with np.load(io.BytesIO(content), allow_pickle=False) as z:
        return JudgeWeights(**{f.name: np.asarray(z[f.name], np.float32) for f in fields(JudgeWeights)})


@dataclass(frozen=True, slots=True)
class Judge:
    """How likely a reader calls a statement good: supported, of the right person, well said, worth keeping."""

    weights: JudgeWeights
    card: JudgeCard

    @classmethod
    def of(cls, folder: Path = FOLDER) -> Judge:
        """That of a folder; else the one that the package brings. Raises WeightsError."""
        try:
            card = JudgeCard.model_validate_json((folder / CARD).read_bytes())
            content = (folder / WEIGHTS).read_bytes()
        except (OSError, ValidationError) as exc:
            raise WeightsError(f"{CARD} or {WEIGHTS} cannot be read: install memstream anew") from exc
        if hashlib.sha256(content).hexdigest() != card.sha256:
            raise WeightsError(f"{WEIGHTS} is not the file of its card (SHA-256): install memstream anew")
        return cls(unpacked(content), card)

    def good(self, statement: Floats, turn: Floats, measured: Floats) -> float:
        """The probability, in [0, 1], by the embeddings of a statement and of its turn."""
        return self.weights.probability(self.weights.score(np.concatenate([statement, turn]), measured))


@lru_cache(maxsize=1)
def shipped() -> Judge:
    return Judge.of()


def judge_for(model_id: str) -> Judge | None:
    """The shipped judge where it knows the model of the embeddings."""
    found = shipped()
    return found if model_id.startswith(found.card.model) else None
