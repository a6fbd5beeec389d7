"""What likeness means for one embedding model: weights, and the setting at which two texts are taken for one (D3).

The weights are a logistic regression over twelve measures, fitted on English sentence pairs labelled as paraphrases or
not (the development half of MRPC, pairs without a conflict, negatives weighing double); the threshold is the lowest
score at which 95 of 100 merges there are right. Cosines of two models do not compare, so each model has a row of its
own, made by `fit.fit_calibration`. A model without a row merges near-copies only.

Chinese pairs are held to a higher score: one Han character carries what an English word does, roles are told by place,
and names have no capitals. On PAWS-X the penalty is what brings false merges below 1 %; a lower one admits false pairs
as fast as true ones.
"""

from dataclasses import dataclass

MEASURES = (
    "shared tokens / tokens of the longer text",
    "difference in tokens",
    "log(1 + tokens of the shorter text)",
    "the lesser of cosine and the better share of weight",
    "sqrt of the greater unshared weight",
    "sqrt of the greater longest gap, by weight",
    "the lesser longest gap, by weight",
    "sqrt of the weight after the last shared word",
    "slots: spans that stand in each other's place",
    "unshared names",
    "unshared words of attribution",
    "unshared words of grammar",
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """model: prefix of the embedder's model id; weights and bias: logit, one weight for each of MEASURES;
    threshold: score from which a pair is a paraphrase; han_penalty: taken off the logit where one text has Han
    characters; related: score from which a conflict means the same thing changed rather than something else."""

    model: str
    weights: tuple[float, ...]
    bias: float
    threshold: float
    han_penalty: float
    related: float


CALIBRATIONS: tuple[Calibration, ...] = (
    Calibration(
        model="use-multilingual-v3@",
        weights=(5.628, -0.175, -0.2, 1.815, 0.887, -1.704, -0.17, -0.423, 0.374, 0.307, 0.322, -0.103),
        bias=-1.668,
        threshold=0.73,
        han_penalty=4.5,
        related=0.3,
    ),
)


def calibration_for(model_id: str) -> Calibration | None:
    """The row of the model, whatever its package version; None for a model that nobody has calibrated."""
    return next((c for c in CALIBRATIONS if model_id.startswith(c.model)), None)
