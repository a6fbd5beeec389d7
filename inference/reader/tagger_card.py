"""The card of the field tagger's weights: the hash of the file, and the threshold that was chosen for it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inference.weights import WeightsError

FOLDER = Path(__file__).parent
"""Where the tagger lies that the package brings: CARD and WEIGHTS."""
CARD, WEIGHTS = "tagger.json", "tagger.npz"


class TaggerCard(BaseModel):
    """`least`: below this probability no token begins a span."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    least: Annotated[float, Field(gt=0, le=1)]
    corpus_turns: int = Field(ge=1)
    epochs: int = Field(ge=1)
    seed: int


def read_card(folder: Path = FOLDER) -> TaggerCard:
    """Raises WeightsError for a card that is missing or of another form."""
    path = folder / CARD
    try:
        return TaggerCard.model_validate_json(path.read_bytes())
    except OSError as exc:
        raise WeightsError(f"the tagger's card {path.name} cannot be read: install memstream anew") from exc
    except ValidationError as exc:
        raise WeightsError(f"the tagger's card {path.name} is not of the form that is expected") from exc


def checked_weights(card: TaggerCard, folder: Path = FOLDER) -> bytes:
    """The bytes of the weights that the card names. Raises WeightsError for a file that is missing or another one."""
    path = folder / WEIGHTS
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise WeightsError(f"the tagger's weights {path.name} cannot be read: install memstream anew") from exc
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise WeightsError(
            f"the tagger's weights {path.name} are not those of their card (SHA-256): install memstream anew, or "
            "train them and their card together (`make train-fields`)"
        )
    return content
