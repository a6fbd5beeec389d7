"""python -m tests.unit.training.on_jax FOLDER: trains on a few invented turns, whole, stopped and resumed.

A process of its own: JAX starts threads, and tests that fork come after it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from inference.reader.gate_weights import loaded, save
from inference.reader.turn_encoder import BaseWeights, base_weights
from inference.reader.turn_gate import scores
from inference.reader.turn_text import TurnTokenizer
from training import fit, model
from training.examples import Example

KEPT = ("I moved to Leeds in May.", "My sister is a nurse.", "我对花生过敏", "我女儿七岁了")
NOTHING = ("What time is it there?", "haha ok", "你好呀", "今天几号？")


class StoppedError(Exception):
    """In place of a kill."""


def main(folder: Path) -> None:
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
    resumed = _stopped_and_resumed(examples, words, base, recipe, folder / "checkpoint")
    for name, params in (("whole.npz", whole), ("resumed.npz", resumed)):
        save(folder / name, model.weights_of(params), base)
    weights = loaded((folder / "whole.npz").read_bytes(), base)
    by_jax = fit.predict(model.params_of(weights), examples, words)
    by_numpy = np.stack([scores(weights, table, e.window)[:2] for e in examples])
    chances = np.exp(by_numpy) / np.exp(by_numpy).sum(axis=1, keepdims=True)
    sys.stdout.write(f"{float(np.abs(chances - by_jax[:, :2]).max())}\n")


def _stopped_and_resumed(
    examples: list[Example], words: fit.Vocabulary, base: BaseWeights, recipe: fit.Recipe, kept: Path
) -> model.Params:
    real = fit.step
    calls = 0

    def stop_at_the_second(*arrays: Any, **rest: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise StoppedError
        return real(*arrays, **rest)

    fit.step = stop_at_the_second
    try:
        fit.train(examples, words, base, recipe, kept)
    except StoppedError:
        fit.step = real
        return fit.train(examples, words, base, recipe, kept)
    raise AssertionError("the training was not stopped")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
