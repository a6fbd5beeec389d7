"""The training program on a few invented turns: same seed, same bytes; stopped and resumed, the same; numpy agrees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from training.figures import auc, figures

KEPT = ("I moved to Leeds in May.", "My sister is a nurse.", "我对花生过敏", "我女儿七岁了")
NOTHING = ("What time is it there?", "haha ok", "你好呀", "今天几号？")


def test_figures_of_a_gate() -> None:
    found = figures([True, True, False, False], [0.9, 0.4, 0.4, 0.1], (0.3,))
    assert (found.accuracy, found.balanced, found.auc) == (0.75, 0.75, 0.875)
    assert found.at == ((0.3, 0.5, 1.0),)
    assert np.isnan(auc(np.array([True]), np.array([0.5], np.float32)))


def test_same_seed_same_bytes_also_after_a_stop(tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="the extra `training` is not installed")
    from inference.reader.gate_weights import load, save
    from inference.reader.turn_encoder import base_weights
    from inference.reader.turn_gate import scores
    from inference.reader.turn_text import TurnTokenizer
    from training import fit, model
    from training.examples import Example

    table, base = base_weights()
    tokenizer = TurnTokenizer()
    examples = [
        Example(text, "w", "en", text, tokenizer.windows(text, "", 1)[0], keep, -1 if keep else 0)
        for keep, texts in ((True, KEPT), (False, NOTHING))
        for text in texts
    ]
    words = fit.vocabulary(examples, table)
    recipe = fit.Recipe(epochs=3, batch=8)
    whole = fit.train(examples, words, base, recipe, None)

    class StoppedError(Exception):
        pass

    kept, calls = tmp_path / "checkpoint", 0

    def stop_at_the_second(*arrays: object, **rest: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise StoppedError
        return step(*arrays, **rest)

    step = fit.step
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit, "step", stop_at_the_second)
        with pytest.raises(StoppedError):
            fit.train(examples, words, base, recipe, kept)
    resumed = fit.train(examples, words, base, recipe, kept)
    for name, params in (("one.npz", whole), ("two.npz", resumed)):
        save(tmp_path / name, model.weights_of(params), base)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()

    weights, _ = load(tmp_path / "one.npz", base)
    by_jax = fit.predict(model.params_of(weights), examples, words)
    for example, row in zip(examples, by_jax, strict=True):
        plain = scores(weights, table, example.window)
        chance = np.exp(plain[:2]) / np.exp(plain[:2]).sum()
        assert np.abs(chance - row[:2]).max() < 1e-4
