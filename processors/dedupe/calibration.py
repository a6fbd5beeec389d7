"""What likeness means for one embedding model: weights, and the settings at which two texts are taken for one (D3).

The weights are a logistic regression over nine measures, fitted on sentence pairs labelled as paraphrases or not
(MRPC's development half, pairs without a conflict of numbers, negation, names or order); the threshold is the lowest
score at which 95 of 100 merges are right. Cosines of two models do not compare, so each model id has a row of its own:
`memstream eval dedup` prints the figures, `evaluate.fit_calibration` makes a row. An unknown model gets none, and then
only near-copies merge.

Chinese pairs need a far higher score: one Han character carries what an English word does, roles are told by place,
and names have no capitals, so on PAWS-X as many false pairs as true ones lie above any lower score.
"""

from dataclasses import dataclass

MEASURES = (
    "log(1.02 - cosine)",
    "longest gap / text, by weight",
    "shorter of the two longest gaps",
    "sqrt of weight after the last shared word",
    "difference in tokens",
    "unshared words of grammar",
    "unshared words of attribution",
    "unshared names",
    "slots: spans that stand in each other's place",
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """model: prefix of the embedder's model id; weights: one for each of MEASURES; threshold and han_threshold: scores
    from which a pair without Han characters, or with some, is a paraphrase; related: score from which a conflict
    means the same thing changed rather than something else."""

    model: str
    weights: tuple[float, ...]
    bias: float
    threshold: float
    han_threshold: float
    related: float = 0.5


CALIBRATIONS: tuple[Calibration, ...] = (
    Calibration(
        model="use-multilingual-v3@",
        weights=(-0.797, -4.981, -0.248, -0.397, -0.236, -0.157, 0.395, 0.332, 0.285),
        bias=2.819,
        threshold=0.85,
        han_threshold=0.995,
    ),
)


def calibration_for(model_id: str) -> Calibration | None:
    """The row of the model, whatever its package version; None for a model that nobody has calibrated."""
    return next((c for c in CALIBRATIONS if model_id.startswith(c.model)), None)
