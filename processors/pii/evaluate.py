"""Precision, recall and F1 of recognised entities against gold spans (N7): pure, per entity.

Two ways to count. *Overlap*: a gold span is found when a predicted span of its entity shares a character with it,
and a prediction is right when it shares one with a gold span of its entity. *Exact*: both ends agree.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from inference.protocols import EntitySpan, Language

# Data sets name the same thing differently; recognisers name finer kinds. Both sides are mapped to these names.
CANONICAL: Mapping[str, str] = {
    "EMAIL": "EMAIL_ADDRESS",
    "PHONE": "PHONE_NUMBER",
    "STREET_ADDRESS": "ADDRESS",
    "GPE": "LOCATION",
    "DOMAIN_NAME": "URL",
    "CN_RESIDENT_ID": "ID_NUMBER",
    "CN_BANK_CARD": "CREDIT_CARD",
}
# Beside each other, not against each other: a town inside a gold street address is no false alarm, nor a street
# address that takes the gold town along, but neither finds the other.
_COMPATIBLE = frozenset({frozenset({"ADDRESS", "LOCATION"}), frozenset({"ADDRESS", "ZIP_CODE"})})

Way: TypeAlias = Literal["overlap", "exact"]


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """An annotated entity: `text[start:end]` in code points, under a canonical name."""

    entity: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Example:
    """An annotated text of a data set."""

    text: str
    language: Language
    gold: tuple[GoldSpan, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one entity; ratios are None where their denominator is zero."""

    gold: int
    predicted: int
    gold_found: int
    predicted_right: int

    @property
    def precision(self) -> float | None:
        return self.predicted_right / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        return self.gold_found / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        precision, recall = self.precision, self.recall
        if recall is None:
            return None
        if not precision or not recall:
            return 0.0
        return 2 * precision * recall / (precision + recall)


@dataclass(slots=True)
class _Tally:
    gold: int = 0
    predicted: int = 0
    gold_found: dict[Way, int] = field(default_factory=lambda: {"overlap": 0, "exact": 0})
    predicted_right: dict[Way, int] = field(default_factory=lambda: {"overlap": 0, "exact": 0})


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores per entity of the gold, both ways of counting."""

    overlap: Mapping[str, Score]
    exact: Mapping[str, Score]


def rows(ours: Evaluation, stock: Evaluation | None = None) -> list[dict[str, str | int | float | None]]:
    """Return one flat row an entity for a table or JSON: ours, and the stock engine's numbers where given."""
    table: list[dict[str, str | int | float | None]] = []
    for entity, score in ours.overlap.items():
        exact = ours.exact[entity]
        row: dict[str, str | int | float | None] = {
            "entity": entity,
            "gold": score.gold,
            "predicted": score.predicted,
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "exact_f1": exact.f1,
        }
        if stock is not None:
            row |= {"stock_precision": stock.overlap[entity].precision, "stock_recall": stock.overlap[entity].recall}
            row |= {"stock_f1": stock.overlap[entity].f1, "stock_exact_f1": stock.exact[entity].f1}
        table.append(row)
    return table


def canonical(entity: str) -> str:
    """Return the name under which `entity` is scored."""
    return CANONICAL.get(entity, entity)


def load_examples(lines: Iterable[str]) -> list[Example]:
    """Parse JSONL rows {"text", "lang": "en"|"zh", "spans": [{"start", "end", "type"}]} into examples.

    Raises ValueError for a row that is not so, or whose span lies outside its text, with the line number.
    """
    examples: list[Example] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            text, language, spans = str(row["text"]), row["lang"], row["spans"]
            gold = tuple(GoldSpan(canonical(str(s["type"])), int(s["start"]), int(s["end"])) for s in spans)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"line {number} is not an annotated text: {type(error).__name__}") from None
        if language not in ("en", "zh") or any(not 0 <= g.start < g.end <= len(text) for g in gold):
            raise ValueError(f"line {number} has an unknown language or a span outside its text")
        examples.append(Example(text, language, gold))
    return examples


def evaluate(examples: Sequence[Example], predicted: Sequence[Sequence[EntitySpan]]) -> Evaluation:
    """Score `predicted[i]` against `examples[i].gold`, for each entity that the gold has anywhere.

    Predictions of an entity that no example annotates are not judged: their truth is unknown.
    Raises ValueError when the lengths differ.
    """
    tallies: dict[str, _Tally] = {gold.entity: _Tally() for example in examples for gold in example.gold}
    for example, spans in zip(examples, predicted, strict=True):
        _tally_text(example.gold, spans, tallies)
    return Evaluation(overlap=_scores(tallies, "overlap"), exact=_scores(tallies, "exact"))


def _tally_text(gold: Sequence[GoldSpan], spans: Sequence[EntitySpan], tallies: Mapping[str, _Tally]) -> None:
    named = [(canonical(span.entity), span.start, span.end) for span in spans]
    for g in gold:
        tally = tallies[g.entity]
        tally.gold += 1
        same = [(start, end) for entity, start, end in named if entity == g.entity]
        tally.gold_found["overlap"] += any(start < g.end and g.start < end for start, end in same)
        tally.gold_found["exact"] += (g.start, g.end) in same
    for entity, start, end in named:
        if entity not in tallies:
            continue
        tally = tallies[entity]
        touched = [g for g in gold if start < g.end and g.start < end]
        right = any(g.entity == entity for g in touched)
        if not right and any(frozenset({g.entity, entity}) in _COMPATIBLE for g in touched):
            continue
        tally.predicted += 1
        tally.predicted_right["overlap"] += right
        tally.predicted_right["exact"] += any((g.entity, g.start, g.end) == (entity, start, end) for g in touched)


def _scores(tallies: Mapping[str, _Tally], way: Way) -> dict[str, Score]:
    return {
        entity: Score(t.gold, t.predicted, t.gold_found[way], t.predicted_right[way])
        for entity, t in sorted(tallies.items())
    }
