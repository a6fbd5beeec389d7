"""The learned tagger of fields: which words of a turn fill which field of a profile, by the fields' names alone.

The convolutions of the sentence encoder, tuned, under two layers of attention; each token is compared with the vector
of each field's name, so that a field needs no training of its own (docs/decisions/2026-12-01-field-tagger.md). numpy
on one thread. `python -m training.fields` makes the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import get_args

import numpy as np
from threadpoolctl import ThreadpoolController

from inference.protocols import Embedder, Vectors
from inference.reader.placed_tokens import PlacedTokens, placed_tokens
from inference.reader.protocol import AskedField, FieldKind, FieldSpan, TurnInput
from inference.reader.tagger_card import FOLDER, TaggerCard, checked_weights, read_card
from inference.reader.tagger_weights import HEADS, REACH, WIDTH, LayerWeights, TaggerHeads, TaggerWeights, loaded
from inference.reader.turn_encoder import Table, base_weights, features, layer_norm
from inference.reader.turn_text import BEGIN, END, TurnTokenizer

KINDS: tuple[FieldKind, ...] = get_args(FieldKind)
TURN_TOKENS, QUESTION_TOKENS, QUESTION_CHARS = 120, 40, 400
"""Tokens of a turn that are read, the first ones; of the turn before, the last ones of its last characters."""
MOST_PROFILES = 64
"""Lists of fields whose names are kept as vectors."""
_GOES_ON, _OF_ITS_OWN = 0.6, 0.4
"""Shares: of the threshold, down to which a span goes on; of what any field has, that the likeliest field needs."""


def gelu(x: Vectors) -> Vectors:
    """The Gaussian error linear unit, by the hyperbolic tangent."""
    inner = np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)
    return np.asarray(np.float32(0.5) * x * (1 + np.tanh(inner)), np.float32)


def attended(layer: LayerWeights, x: Vectors) -> Vectors:
    """A layer over the tokens of one text, tokens x WIDTH."""
    n = len(x)
    q, k, v = np.split(layer_norm(x, layer.g1, layer.c1) @ layer.qkv + layer.qkv_b, 3, axis=1)
    q, k, v = (np.ascontiguousarray(a.reshape(n, HEADS, WIDTH // HEADS).transpose(1, 0, 2)) for a in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / np.float32((WIDTH // HEADS) ** 0.5)
    places = np.arange(n)
    scores += layer.rel[:, np.clip(places[None] - places[:, None], -REACH, REACH) + REACH]
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    x = x + (scores @ v).transpose(1, 0, 2).reshape(n, WIDTH) @ layer.o + layer.o_b
    inner = gelu(layer_norm(x, layer.g2, layer.c2) @ layer.f1 + layer.f1_b)
    return np.asarray(x + inner @ layer.f2 + layer.f2_b, np.float32)


def names_of(heads: TaggerHeads, labels: Vectors, kinds: Sequence[int]) -> tuple[Vectors, Vectors]:
    """What tokens are compared with: fields x WIDTH for what fills, and for what only looks like it."""
    named = gelu(labels @ heads.l1 + heads.l1_b + heads.kind[list(kinds)]) @ heads.l2 + heads.l2_b
    scale = np.float32(4 / WIDTH**0.5)
    return np.asarray(named @ heads.lfill * scale, np.float32), np.asarray(named @ heads.llook * scale, np.float32)


def fills(weights: TaggerWeights, vectors: Vectors, asked: int, names: tuple[Vectors, Vectors]) -> Vectors:
    """The probability of each token of the turn that it fills each field: tokens x fields. The first `asked` of
    `vectors` are those of the question."""
    h = weights.heads
    x = features(weights.encoder, vectors) @ h.inp + h.inp_b
    x[:asked] += h.seg[1]
    x[asked:] += h.seg[0]
    for layer in weights.layers:
        x = attended(layer, x)
    x = layer_norm(x, h.g, h.c)[asked:]
    scores = np.concatenate([x @ h.none + h.none_b, x @ names[0].T + h.fb, x @ names[1].T + h.lb], axis=1)
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray((scores / scores.sum(axis=1, keepdims=True))[:, 1 : 1 + len(names[0])], np.float32)


class FieldTagger:
    """A `FieldReader`, loaded with its first turn."""

    def __init__(self, content: bytes, card: TaggerCard, embedder: Embedder) -> None:
        """`content`: the file of weights that `card` names; `embedder`: of the fields' names."""
        self.card = card
        self._content = content
        self._embedder = embedder
        self._names: dict[tuple[AskedField, ...], tuple[Vectors, Vectors]] = {}
        self._threads = ThreadpoolController()

    @classmethod
    def of(cls, embedder: Embedder, folder: Path = FOLDER) -> FieldTagger:
        """That of a folder; else the one that the package brings. Raises WeightsError where its file or card is missing
        or another one."""
        card = read_card(folder)
        return cls(checked_weights(card, folder), card, embedder)

    @property
    def reader_id(self) -> str:
        return f"field-tagger-{self.card.sha256[:12]}"

    def read(self, turn: TurnInput, fields: Sequence[AskedField]) -> list[FieldSpan]:
        """Raises WeightsError where the encoder's package is not the one that was checked."""
        if not fields or not turn.content.strip():
            return []
        with self._threads.limit(limits=1, user_api="blas"):
            weights, table, tokenizer = self._network
            placed = placed_tokens(tokenizer, turn.content).part(0, TURN_TOKENS)
            before = turn.context[-1][1] if turn.context else ""
            question = tokenizer.ids(before[-QUESTION_CHARS:])[-QUESTION_TOKENS:] if before else []
            vectors = table.vectors(np.array([*question, BEGIN, *placed.ids, END]))
            found = fills(weights, vectors, len(question), self._named(weights.heads, tuple(fields)))[1:-1]
        return spans(found, placed, fields, self.card.least)

    @cached_property
    def _network(self) -> tuple[TaggerWeights, Table, TurnTokenizer]:
        table, base = base_weights()
        return loaded(self._content, base), table, TurnTokenizer()

    def _named(self, heads: TaggerHeads, fields: tuple[AskedField, ...]) -> tuple[Vectors, Vectors]:
        known = self._names.get(fields)
        if known is None:
            labels = np.stack([self._label(f) for f in fields])
            known = names_of(heads, labels, [KINDS.index(f.kind) for f in fields])
            if len(self._names) >= MOST_PROFILES:
                self._names.clear()
            self._names[fields] = known
        return known

    def _label(self, field: AskedField) -> Vectors:
        mean = self._embedder.embed(field.labels).mean(axis=0)
        return np.asarray(mean / np.maximum(np.linalg.norm(mean), np.float32(1e-6)), np.float32)


def spans(
    probabilities: Vectors, placed: PlacedTokens, fields: Sequence[AskedField], least: float
) -> list[FieldSpan]:
    """Runs of tokens of one and the same field, the likeliest of each token. Fields of like meaning share what is sure:
    that a token fills any of them is what has to be as likely as `least`, and the field itself as likely as a share
    of that."""
    best, own, likely = probabilities.argmax(axis=1), probabilities.max(axis=1), probabilities.sum(axis=1)
    found: list[FieldSpan] = []
    at, count = 0, len(placed.ids)
    while at < count:
        first, field = at, int(best[at])
        sure = likely[at] >= least and own[at] >= _OF_ITS_OWN * likely[at]
        if not sure or placed.starts[at] == placed.ends[at]:
            at += 1
            continue
        while at + 1 < count and best[at + 1] == field and likely[at + 1] >= least * _GOES_ON:
            at += 1
        probability = float(likely[first : at + 1].max())
        found.append(FieldSpan(fields[field].name, placed.starts[first], placed.ends[at], round(probability, 4)))
        at += 1
    return found
