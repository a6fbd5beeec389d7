"""How well duplicates are told apart, measured on labelled pairs and on edited facts (D3).

Input files are JSON lines: pairs {"id", "lang", "a", "b", "label"} with label 1/0 or entailment/neutral/contradiction,
or facts {"id", "speaker", "fact"}, from which edits are made.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from processors.dedupe.calibration import Calibration
from processors.dedupe.compare import Verdict, compare
from processors.dedupe.edits import Edit, make_edits
from processors.dedupe.features import extract_features

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to unit rows, shape (len(texts), dims)."""

PRECISION = 0.95
_BATCH = 64


@dataclass(frozen=True, slots=True)
class PairReport:
    """One file of pairs. precision and recall at the calibration's threshold; best_recall: the most recall at a
    precision of 0.95, and best_threshold, the score it takes; merged: share of each label that merges at the
    threshold (for a label that is no duplicate this is the false-merge rate). None where no label is 1."""

    pairs: int
    precision: float | None
    recall: float | None
    best_recall: float | None
    best_threshold: float | None
    merged: dict[str, float]
    rules: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EditReport:
    """One file of facts, edited: how many edits of each kind, and the share of them that merged; `same` should be 1,
    `changed` 0."""

    edits: dict[str, int]
    merged: dict[str, float]
    same: float
    changed: float


def read_rows(path: Path) -> list[dict[str, object]]:
    """The JSON lines of `path`; ValueError names the line that is none."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path.name}:{number}: not JSON") from error
    return rows


def evaluate_file(path: Path, embed: Embed, calibration: Calibration | None) -> PairReport | EditReport:
    """The report that fits the file: pairs or facts."""
    rows = read_rows(path)
    if rows and "fact" in rows[0]:
        facts = list(dict.fromkeys(str(row["fact"]) for row in rows))
        names = sorted({str(row["speaker"]) for row in rows if row.get("speaker")})
        return evaluate_edits(make_edits(facts, names), embed, calibration)
    pairs = [(str(row["a"]), str(row["b"])) for row in rows]
    return evaluate_pairs(pairs, [str(row["label"]) for row in rows], embed, calibration)


def evaluate_pairs(
    pairs: Sequence[tuple[str, str]], labels: Sequence[str], embed: Embed, calibration: Calibration | None
) -> PairReport:
    """Judge every pair; labels "1" are duplicates, all others are not."""
    verdicts = judge(pairs, embed, calibration)
    merged = np.array([v.kind == "duplicate" for v in verdicts], dtype=bool)
    truth = np.array([label == "1" for label in labels], dtype=bool)
    rates = {}
    for label in sorted(set(labels)):
        here = np.array([x == label for x in labels])
        rates[label] = float(merged[here].mean())
    rules = dict(Counter(v.rule for v in verdicts))
    if not truth.any():
        return PairReport(len(pairs), None, None, None, None, rates, rules)
    scores = np.array([v.merge_score for v in verdicts])
    best, threshold = recall_at_precision(scores, truth)
    precision = float(truth[merged].mean()) if merged.any() else 1.0
    return PairReport(len(pairs), precision, float(merged[truth].mean()), best, threshold, rates, rules)


def recall_at_precision(
    scores: NDArray[np.float64], truth: NDArray[np.bool_], precision: float = PRECISION
) -> tuple[float, float]:
    """The highest recall of a setting with that precision, and the setting: merge all with at least that score.

    Pairs of equal score merge together. (0, inf) where no setting is that precise.
    """
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(truth[order])
    last_of_tie = np.append(np.diff(scores[order]) != 0, True)
    good = np.flatnonzero(last_of_tie & (right / np.arange(1, len(order) + 1) >= precision))
    if not len(good):
        return 0.0, float("inf")
    return float(right[good[-1]] / truth.sum()), float(scores[order][good[-1]])


def evaluate_edits(edits: Iterable[Edit], embed: Embed, calibration: Calibration | None) -> EditReport:
    """Judge every edit against what it was made from."""
    made = list(edits)
    verdicts = judge([(e.before, e.after) for e in made], embed, calibration)
    count: Counter[str] = Counter()
    merged: Counter[str] = Counter()
    for edit, verdict in zip(made, verdicts, strict=True):
        for key in (edit.kind, "same" if edit.same else "changed"):
            count[key] += 1
            merged[key] += verdict.kind == "duplicate"
    rates = {kind: merged[kind] / count[kind] for kind in count}
    same, changed = rates.pop("same", 1.0), rates.pop("changed", 0.0)
    return EditReport({kind: count[kind] for kind in rates}, rates, same, changed)


def judge(pairs: Sequence[tuple[str, str]], embed: Embed, calibration: Calibration | None) -> list[Verdict]:
    """The verdict on each pair, the first text taken as the earlier one."""
    vectors = embed_texts([text for pair in pairs for text in pair], embed)
    features = {text: extract_features(text) for text in vectors}
    return [compare(features[a], features[b], float(vectors[a] @ vectors[b]), calibration) for a, b in pairs]


def embed_texts(texts: Iterable[str], embed: Embed) -> dict[str, NDArray[np.float32]]:
    """Each text once, with its vector; in batches of alike length, which pad least."""
    order = sorted(dict.fromkeys(texts), key=len)
    vectors: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        vectors.update(zip(batch, embed(batch), strict=True))
    return vectors
