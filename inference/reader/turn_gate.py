"""The learned gate: is there anything to keep in a turn? One network for both languages, numpy on one thread.

The convolutions of the sentence encoder, tuned on the labelled turns of corpus/, under pooled heads
(docs/decisions/2026-11-29-learned-gate.md). `python -m training` makes the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from inference.protocols import Vectors
from inference.reader.gate_weights import FILE, GateWeights, load
from inference.reader.protocol import TurnInput, TurnReading
from inference.reader.turn_encoder import Table, base_weights, features
from inference.reader.turn_text import TurnTokenizer, Window

MOST_WINDOWS = 6
"""Windows of a long turn that are read; the likeliest of them to hold something decides."""


def scores(weights: GateWeights, table: Table, window: Window) -> Vectors:
    """Scores of a window: nothing, keep, then the reasons; not yet probabilities."""
    h, asked = weights.heads, len(window.question)
    feats = features(weights.encoder, table.vectors(np.array([*window.question, *window.turn])))
    pooled = np.maximum(feats @ h.pool + h.pool_b, 0)
    turn = pooled[asked:]
    look = feats[asked:] @ h.look
    look = np.exp(look - look.max(axis=0))
    look /= look.sum(axis=0)
    before = pooled[:asked].mean(axis=0) if asked else np.zeros(pooled.shape[1], np.float32)
    x = np.concatenate([(look.T @ turn).ravel(), turn.max(axis=0), before])
    hidden = np.maximum(x @ h.hidden + h.hidden_b, 0)
    return np.asarray(hidden @ h.out + h.out_b, np.float32)


class LearnedGate:
    """A `TurnGate`. Each window is read by itself, so company changes no bit; 66 MB with the table of token vectors.

    Raises WeightsError where the encoder's package is not the one that was checked, OSError for a missing file.
    """

    def __init__(self, path: Path = FILE) -> None:
        self._table, base = base_weights()
        self._weights, digest = load(path, base)
        self._tokenizer = TurnTokenizer()
        self._gate_id = f"turn-gate-{digest}"
        self._threads = ThreadpoolController()

    @property
    def gate_id(self) -> str:
        return self._gate_id

    def read(self, turns: Sequence[TurnInput]) -> list[TurnReading]:
        with self._threads.limit(limits=1, user_api="blas"):
            return [self._read(turn) for turn in turns]

    def _read(self, turn: TurnInput) -> TurnReading:
        before = turn.context[-1][1] if turn.context else ""
        windows = self._tokenizer.windows(turn.content, before, MOST_WINDOWS)
        best = max((scores(self._weights, self._table, w) for w in windows), key=lambda s: float(s[1] - s[0]))
        keep = 1 / (1 + np.exp(np.float64(best[0]) - np.float64(best[1])))
        return TurnReading(float(keep), self._weights.reasons[int(best[2:].argmax())])
