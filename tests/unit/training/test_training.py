"""The training program: its figures; same seed, same bytes, also after a stop; the gate in numpy agrees with it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from inference.reader.turn_text import TurnTokenizer
from tests.patience import PATIENCE
from training.examples import Example, mixed
from training.figures import auc, figures

ROOT = Path(__file__).resolve().parents[3]


def test_figures_of_a_gate() -> None:
    found = figures([True, True, False, False], [0.9, 0.4, 0.4, 0.1], (0.3,))
    assert (found.accuracy, found.balanced, found.auc) == (0.75, 0.75, 0.875)
    assert found.at == ((0.3, 0.5, 1.0),)
    assert np.isnan(auc(np.array([True]), np.array([0.5], np.float32)))


def test_mixed_turns_keep_the_label_of_the_turn_with_something_to_keep() -> None:
    tokenizer = TurnTokenizer()
    kept, nothing = ("I moved to Leeds in May.", "我女儿七岁了"), ("What time is it there?", "今天几号？")
    examples = [
        Example(text, "w", language, text, tokenizer.windows(text, "", 1)[0], keep, -1 if keep else 0)
        for keep, texts in ((True, kept), (False, nothing))
        for language, text in zip(("en", "zh"), texts, strict=True)
    ]
    found = mixed(examples, tokenizer, share=1.0, seed=1)
    assert found == mixed(examples, tokenizer, share=1.0, seed=1)
    assert sorted((e.language, e.keep) for e in found) == [("en", True), ("zh", True)]
    for example in found:
        pair = {e.text for e in examples if e.language == example.language}
        assert example.text in {" ".join(p) for p in permutations(pair)}
        assert example.window == tokenizer.windows(example.text, "", 1)[0]
        assert example.reason == -1
    assert mixed(examples, tokenizer, share=0.0, seed=1) == []
    assert mixed([e for e in examples if e.keep], tokenizer, share=1.0, seed=1) == []


@pytest.mark.slow
@pytest.mark.skipif(find_spec("jax") is None, reason="the extra `training` is not installed")
def test_same_seed_same_bytes_also_after_a_stop(tmp_path: Path) -> None:
    one_thread = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.training.on_jax", os.fspath(tmp_path)],
        env={**os.environ, "XLA_FLAGS": one_thread}, cwd=ROOT, check=True, capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip
    assert (tmp_path / "whole.npz").read_bytes() == (tmp_path / "resumed.npz").read_bytes()
    assert float(done.stdout.split()[-1]) < 1e-4
