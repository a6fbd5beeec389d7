"""The card of the gate's weights: the hash of the file, and the thresholds that were chosen for it."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from inference.reader.protocol import Verdict
from inference.weights import WeightsError

FOLDER = Path(__file__).parent
"""Where the gate lies that the package brings: CARD and WEIGHTS."""
CARD, WEIGHTS = "gate.json", "gate.npz"
Probability = Annotated[float, Field(ge=0, le=1)]


class GateCard(BaseModel):
    """`drop`: below this probability a turn holds nothing to keep; `keep`: from this one on it holds something. What
    lies between is decided elsewhere."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    drop: Probability
    keep: Probability
    corpus_turns: int = Field(ge=1)
    epochs: int = Field(ge=1)
    seed: int
    calibration: tuple[tuple[Probability, Probability], ...] = ((0.0, 0.0), (1.0, 1.0))
    """(probability of the gate, share of held-out turns that hold something to keep): lines between them."""

    @model_validator(mode="after")
    def _in_order(self) -> GateCard:
        if self.drop > self.keep:
            raise ValueError("the threshold to drop lies above the one to keep")
        scores, held = [s for s, _ in self.calibration], [h for _, h in self.calibration]
        if scores != sorted(set(scores)) or held != sorted(held) or scores[:1] != [0.0] or scores[-1:] != [1.0]:
            raise ValueError("the calibration does not rise from 0 to 1")
        return self

    def calibrated(self, keep: float) -> float:
        """The share of turns with this probability that hold something to keep."""
        for (low, least), (high, most) in pairwise(self.calibration):
            if keep <= high:
                return least + (most - least) * (keep - low) / (high - low)
        return self.calibration[-1][1]

    def verdict(self, keep: float) -> Verdict:
        """What a turn's probability in [0, 1] means."""
        if keep < self.drop:
            return "drop"
        return "keep" if keep >= self.keep else "elsewhere"


def read_card(folder: Path = FOLDER) -> GateCard:
    """Raises WeightsError for a card that is missing or of another form."""
    path = folder / CARD
    try:
        return GateCard.model_validate_json(path.read_bytes())
    except OSError as exc:
        raise WeightsError(f"the gate's card {path.name} cannot be read: install memstream anew") from exc
    except ValidationError as exc:
        raise WeightsError(f"the gate's card {path.name} is not of the form that is expected") from exc


def checked_weights(card: GateCard, folder: Path = FOLDER) -> bytes:
    """The bytes of the weights that the card names. Raises WeightsError for a file that is missing or another one."""
    path = folder / WEIGHTS
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise WeightsError(f"the gate's weights {path.name} cannot be read: install memstream anew") from exc
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise WeightsError(
            f"the gate's weights {path.name} are not those of their card (SHA-256): install memstream anew, or "
            "train them and their card together (`make train`)"
        )
    return content
