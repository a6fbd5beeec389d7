"""The learned gate: is there anything to keep in a turn? One network for both languages, numpy on one thread.

The convolutions of the sentence encoder, tuned on the labelled turns of corpus/, under pooled heads
(docs/decisions/2026-11-29-learned-gate.md). `python -m training` makes the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from inference.protocols import Vectors
from inference.reader.gate_card import FOLDER, GateCard, checked_weights, read_card
from inference.reader.gate_weights import GateWeights, loaded
from inference.reader.protocol import TurnInput, TurnReading
from inference.reader.turn_encoder import Table, base_weights, features
from inference.reader.turn_text import TurnTokenizer, Window

MOST_WINDOWS = 6
"""Windows of a long turn that are read; the likeliest of them to hold something decides."""


def scores(weights: GateWeights, table: Table, window: Window) -> Vectors:
    """Scores of a window: nothing, keep, then the reasons; not yet probabilities."""
    h, question_length = weights.heads, len(window.question)
    feats = features(weights.encoder, table.vectors(np.array([*window.question, *window.turn])))
    pooled = np.maximum(feats @ h.pool + h.pool_b, 0)
    turn = pooled[question_length:]
    look = feats[question_length:] @ h.look
    look = np.exp(look - look.max(axis=0))
    look /= look.sum(axis=0)
    before = pooled[:question_length].mean(axis=0) if question_length else np.zeros(pooled.shape[1], np.float32)
    x = np.concatenate([(look.T @ turn).ravel(), turn.max(axis=0), before])
    hidden = np.maximum(x @ h.hidden + h.hidden_b, 0)
    return np.asarray(hidden @ h.out + h.out_b, np.float32)


class LearnedGate:
    """A `TurnGate`, loaded with its first turn (66 MB with the table of token vectors). Each window is read by itself,
    so company changes no bit."""

    def __init__(self, content: bytes, card: GateCard) -> None:
        """`content`: the file of weights that `card` names."""
        self.card = card
        self._content = content
        self._threads = ThreadpoolController()

    @classmethod
    def of(cls, folder: Path = FOLDER) -> LearnedGate:
        """That of a folder; else the one that the package brings. Raises WeightsError where its file or card is missing
        or another one."""
        card = read_card(folder)
        return cls(checked_weights(card, folder), card)

    @property
    def gate_id(self) -> str:
        return f"turn-gate-{self.card.sha256[:12]}"

    def read(self, turns: Sequence[TurnInput]) -> list[TurnReading]:
        """Raises WeightsError where the encoder's package is not the one that was checked."""
        if not turns:
            return []
        with self._threads.limit(limits=1, user_api="blas"):
            return [self._read(turn) for turn in turns]

    @cached_property
    def _network(self) -> tuple[GateWeights, Table, TurnTokenizer]:
        table, base = base_weights()
        return loaded(self._content, base), table, TurnTokenizer()

    def _read(self, turn: TurnInput) -> TurnReading:
        weights, table, tokenizer = self._network
        before = turn.context[-1][1] if turn.context else ""
        windows = tokenizer.windows(turn.content, before, MOST_WINDOWS)
        best = max((scores(weights, table, w) for w in windows), key=lambda s: float(s[1] - s[0]))
        keep = 1 / (1 + np.exp(np.float64(best[0]) - np.float64(best[1])))
        return TurnReading(float(keep), weights.reasons[int(best[2:].argmax())])
