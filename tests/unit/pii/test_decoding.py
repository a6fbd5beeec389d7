"""Tag paths of the Chinese tagger: decoded together, as if each were alone."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from inference.pii.chinese_names import LacRecognizer, _viterbi

TAGS = 3


def best_by_trying_all(scores: np.ndarray, transitions: np.ndarray) -> list[int]:
    def value(path: tuple[int, ...]) -> float:
        steps = sum(transitions[a, b] for a, b in pairwise(path))
        return float(steps + sum(scores[i, tag] for i, tag in enumerate(path)))

    best = max(product(range(TAGS), repeat=len(scores)), key=value)
    return list(best)


def test_paths_of_several_lengths_are_the_best_there_are() -> None:
    rng = np.random.default_rng(7)
    transitions = rng.normal(size=(TAGS, TAGS)).astype(np.float32)
    parts = [
        rng.normal(size=(rows, length, TAGS)).astype(np.float32) for rows, length in ((2, 6), (3, 4), (1, 4), (4, 1))
    ]
    expected = [best_by_trying_all(row, transitions) for part in parts for row in part]
    assert _viterbi(parts, transitions) == expected


def test_nothing_has_no_path() -> None:
    assert _viterbi([], np.zeros((TAGS, TAGS), dtype=np.float32)) == []


def test_names_are_the_same_in_any_company() -> None:
    names = ("王伟", "李娜", "张敏", "刘洋")
    texts = [f"{name}住在{place}。明天{name}来吗？" for name in names for place in ("北京", "上海市浦东新区")] * 20
    recognizer = LacRecognizer()
    together = recognizer.recognize(texts, "zh")
    assert together == [recognizer.recognize([text], "zh")[0] for text in texts]
    assert all(together)
