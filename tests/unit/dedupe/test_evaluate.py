"""The measuring itself: it must be able to fail."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from processors.dedupe.edits import make_edits
from processors.dedupe.evaluate import EditReport, PairReport, evaluate_file, evaluate_pairs, recall_at_precision
from processors.dedupe.fit import _logistic
from processors.dedupe.numerals import canonical_numbers, parse_chinese

DATA = Path(os.environ.get("MEMSTREAM_DATA", Path(__file__).parents[4] / "shared" / "data"))


def blind(texts: list[str]) -> NDArray[np.float32]:
    """An embedder that finds all texts alike: only words can tell them apart."""
    return np.ones((len(texts), 1), dtype=np.float32)


def test_recall_at_precision_counts_ties_together() -> None:
    scores = np.array([0.9, 0.8, 0.8, 0.1])
    truth = np.array([True, True, False, True])
    recall, threshold = recall_at_precision(scores, truth, 0.95)
    assert recall == pytest.approx(1 / 3)
    assert threshold == 0.9
    assert recall_at_precision(scores, ~truth, 0.95) == (0.0, float("inf"))


def test_a_pair_file_is_reported_by_label(tmp_path: Path) -> None:
    rows = [
        {"a": "I have 2 cats", "b": "i have two cats!", "label": 1},
        {"a": "I have 2 cats", "b": "I moved to Oslo", "label": 1},
        {"a": "I have 2 cats", "b": "I have 3 cats", "label": 0},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    report = evaluate_file(path, blind, None)  # type: ignore[arg-type]
    assert isinstance(report, PairReport)
    assert (report.precision, report.recall, report.merged) == (1.0, 0.5, {"0": 0.0, "1": 0.5})
    path.write_text("{}\nno json\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"pairs\.jsonl:2"):
        evaluate_file(path, blind, None)  # type: ignore[arg-type]


def test_labels_without_duplicates_have_false_merge_rates_only() -> None:
    report = evaluate_pairs([("很好", "很好"), ("好", "坏")], ["contradiction", "neutral"], blind, None)  # type: ignore[arg-type]
    assert report.recall is None
    assert report.merged == {"contradiction": 1.0, "neutral": 0.0}


def test_edits_change_what_they_say() -> None:
    edits = {e.kind: e.after for e in make_edits(["Ann has two dogs and cats. They sleep often"], ["Ann", "Bo"])}
    assert edits["number"] == "Ann has three dogs and cats. They sleep often"
    assert edits["negated"] == "Ann has not two dogs and cats. They sleep often"
    assert edits["name"] == "Bo has two dogs and cats. They sleep often"
    chinese = {e.kind: e.after for e in make_edits(["我昨天喜欢上了三只小猫"], [])}
    assert chinese["negated"] == "我昨天不喜欢上了三只小猫"
    assert chinese["number"] == "我昨天喜欢上了四只小猫"
    assert chinese["reordered"] == "昨天我喜欢上了三只小猫"


def test_the_logistic_recovers_the_weights_it_was_made_from() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4000, 12))
    true = np.linspace(-2, 2, 12)
    truth = rng.random(4000) < 1 / (1 + np.exp(-(values @ true)))
    weights, _ = _logistic(values, truth)
    assert np.abs(weights - true).max() < 0.35
    assert np.corrcoef(weights, true)[0, 1] > 0.99


@pytest.mark.parametrize(
    ("text", "value"),
    [("三十二", "32"), ("二〇二三", "2023"), ("两万五", "25000"), ("三点五", "3.5"), ("一百零八", "108")],
)
def test_chinese_numerals(text: str, value: str) -> None:
    assert str(parse_chinese(text)) == value


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("on 8 may 2023", "may 8, 2023"),
        ("at 3 pm", "15:00"),
        ("下午三点", "15:00"),
        ("2023年5月8日", "二〇二三年5月8日"),
        ("1,520.50", "1520.5"),
        ("3 million", "3000000"),
        ("百分之二十", "20%"),
        ("每周五", "每星期五"),
    ],
)
def test_one_quantity_one_spelling(one: str, two: str) -> None:
    def numbers(text: str) -> list[str]:
        return [w.strip(",") for w in canonical_numbers(text).split() if w[0] in "#@"]

    assert numbers(one)
    assert numbers(one) == numbers(two)


@pytest.mark.parametrize("text", ["我们一起去", "十分高兴", "你千万别去", "I may go in a march"])
def test_idioms_are_no_numbers(text: str) -> None:
    assert not any(w[0] in "#@" for w in canonical_numbers(text).split())


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "facts_locomo_dev.jsonl").exists(), reason="the public data sets are not here")
def test_d3_edited_facts_without_any_model() -> None:
    report = evaluate_file(DATA / "facts_locomo_dev.jsonl", blind, None)  # type: ignore[arg-type]
    assert isinstance(report, EditReport)
    assert report.same >= 0.98
    assert report.changed == 0.0
