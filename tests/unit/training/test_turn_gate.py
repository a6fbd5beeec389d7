"""The gate in numpy: it is the package's own network where nothing was tuned, and no company changes a reading."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inference.embedding import UniversalSentenceEncoder
from inference.protocols import Vectors
from inference.reader.gate_card import CARD, FOLDER, WEIGHTS, GateCard, read_card
from inference.reader.gate_weights import GateWeights, HeadWeights, packed, save, unpacked
from inference.reader.protocol import TurnInput
from inference.reader.turn_encoder import BaseWeights, Table, base_weights, features
from inference.reader.turn_gate import MOST_WINDOWS, LearnedGate
from inference.reader.turn_text import TURN_TOKENS, TurnTokenizer, plain
from inference.weights import WeightsError
from memstream.workers.models import default_embedder
from schemas.profile.model import ReadingSpec

REASONS = ("question", "request", "fiction")


@pytest.fixture(scope="module")
def base() -> tuple[Table, BaseWeights]:
    return base_weights()


@pytest.fixture(scope="module")
def tokenizer() -> TurnTokenizer:
    return TurnTokenizer()


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
    return LearnedGate(path.read_bytes(), card_of(path.read_bytes()))


def card_of(content: bytes) -> GateCard:
    digest = hashlib.sha256(content).hexdigest()
    return GateCard(sha256=digest, drop=0.1, keep=0.5, corpus_turns=1, epochs=1, seed=1)


def turns_of(*texts: str, before: str = "") -> list[TurnInput]:
    context = (("assistant", before),) if before else ()
    return [TurnInput(text, context, "zh" if text > "一" else "en") for text in texts]


@pytest.mark.parametrize("text", ["I moved to Leeds in May.", "我五月搬到了成都"])
def test_untuned_features_give_the_sentence_vector_of_the_package(
    base: tuple[Table, BaseWeights], tokenizer: TurnTokenizer, text: str
) -> None:
    encoder = default_embedder()
    assert isinstance(encoder, UniversalSentenceEncoder)
    want = encoder._encoder.encode(text)
    m = encoder._encoder._model
    ids = np.array([1, *tokenizer.ids(text), 2])
    mean = (features(base[1], base[0].vectors(ids)).sum(0) @ m.cnn_W + len(ids) * m.cnn_b) / len(ids) ** 0.5
    first = np.maximum(mean @ m.p1 + np.maximum(mean @ m.d0, 0) @ m.d1, 0)
    vector = np.tanh(first @ m.p3 + np.maximum(first @ m.d2, 0) @ m.d3)
    assert np.abs(vector / np.linalg.norm(vector) - want).max() < 1e-5


def test_the_same_bytes_alone_and_in_any_company(gate: LearnedGate) -> None:
    turns = turns_of("I moved to Leeds in May.", "我五月搬到了成都", "is it late " * 200, "", "ok")
    together = gate.read(turns)
    assert together == [gate.read([turn])[0] for turn in turns]
    assert together[::-1] == gate.read(turns[::-1])
    assert all(0 <= r.keep <= 1 and r.reason in REASONS for r in together)
    assert len({r.keep for r in together}) == len(together)


def test_a_question_counts_before_a_short_answer_only(gate: LearnedGate) -> None:
    short, long = "Seven.", "He is seven and goes to the school at the end of our road since last autumn, I think."
    request, other = "How old is he?", "It rains."
    assert gate.read(turns_of(short, before=request)) != gate.read(turns_of(short))
    assert gate.read(turns_of(short, before=other)) == gate.read(turns_of(short))
    assert gate.read(turns_of(long, before=request)) == gate.read(turns_of(long))


def test_a_long_turn_is_read_in_windows_with_its_end(tokenizer: TurnTokenizer) -> None:
    text = "one two three " * 2_000 + "the very end"
    windows = tokenizer.windows(text, "", MOST_WINDOWS)
    assert len(windows) == MOST_WINDOWS
    assert all(len(w.turn) <= TURN_TOKENS + 2 for w in windows)
    assert windows[-1].turn[1:-1] == tuple(tokenizer.ids(text)[-TURN_TOKENS:])


def test_quotation_marks_are_read_alike_and_bad_text_is_no_error(gate: LearnedGate) -> None:
    assert plain("“好”…") == plain('"好".')
    assert gate.read(turns_of("他说“好”")) == gate.read(turns_of('他说"好"'))
    assert gate.read([TurnInput("\ud800 \u202e\0", (), "en")])[0].reason in REASONS


def test_the_file_holds_what_was_tuned(base: tuple[Table, BaseWeights], tuned: GateWeights, tmp_path: Path) -> None:
    found = unpacked(packed(tuned, base[1]), base[1])
    assert np.abs(found.encoder.proj - tuned.encoder.proj).max() < 0.0005
    assert np.abs(found.heads.hidden - tuned.heads.hidden).max() < 0.001
    assert found.reasons == REASONS
    for name in ("one.npz", "two.npz"):
        save(tmp_path / name, tuned, base[1])
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_the_weights_that_ship_are_those_of_their_card_and_read_turns() -> None:
    gate = LearnedGate.of()
    content = (FOLDER / WEIGHTS).read_bytes()
    assert gate.card.sha256 == hashlib.sha256(content).hexdigest()
    assert len(content) < 3_000_000
    kept, nothing = turns_of("I moved to Leeds with my two daughters in May.", "haha ok, what time is it there?")
    moved, request = gate.read([kept, nothing])
    assert gate.card.verdict(moved.keep) == "keep"
    assert gate.card.verdict(request.keep) == "drop"
    zh_moved, zh_asked = gate.read(turns_of("我五月带着两个女儿搬到了成都。", "哈哈好的，你们那边几点了？"))
    assert gate.card.verdict(zh_moved.keep) == "keep"
    assert gate.card.verdict(zh_asked.keep) == "drop"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with the gate that ships."""
    for name in (CARD, WEIGHTS):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    return tmp_path


def test_weights_that_are_missing_or_altered_are_refused_by_name(copied: Path) -> None:
    assert LearnedGate.of(copied).gate_id == LearnedGate.of().gate_id
    content = bytearray((copied / WEIGHTS).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / WEIGHTS).write_bytes(content)
    with pytest.raises(WeightsError, match=r"gate\.npz are not those of their card"):
        LearnedGate.of(copied)
    (copied / WEIGHTS).unlink()
    with pytest.raises(WeightsError, match=r"gate\.npz cannot be read"):
        LearnedGate.of(copied)
    (copied / CARD).unlink()
    with pytest.raises(WeightsError, match=r"gate\.json cannot be read"):
        LearnedGate.of(copied)


@pytest.mark.parametrize(
    "change",
    [
        '"drop": 1.5', '"drop": 0.9, "keep": 0.2', '"sha256": "12"', '"more": 1', '"calibration": []',
        '"calibration": [[0, 0.5], [1, 0.2]]', '"calibration": [[0.1, 0], [1, 1]]', '"calibration": [[0, 0], [0.9, 1]]',
        '"calibration": [[0, 0], [0.5, 0.2], [0.5, 0.3], [1, 1]]',
    ],
)  # fmt: skip
def test_a_card_of_another_form_is_refused(copied: Path, change: str) -> None:
    card = (copied / CARD).read_text("utf-8").rstrip().removesuffix("}")
    (copied / CARD).write_text(f"{card}, {change}}}", "utf-8")
    with pytest.raises(WeightsError, match="not of the form"):
        read_card(copied)


def test_thresholds_part_probabilities_in_three() -> None:
    card = card_of(b"weights")
    assert [card.verdict(p) for p in (0, 0.0999, 0.1, 0.4999, 0.5, 1)] == [
        "drop", "drop", "elsewhere", "elsewhere", "keep", "keep"
    ]  # fmt: skip


def test_a_probability_is_calibrated_on_lines_between_points() -> None:
    plain_card = card_of(b"weights")
    assert [plain_card.calibrated(p) for p in (0, 0.3, 1)] == [0, 0.3, 1]
    card = plain_card.model_copy(update={"calibration": ((0.0, 0.1), (0.5, 0.3), (1.0, 0.9))})
    assert [card.calibrated(p) for p in (0, 0.25, 0.5, 0.75, 1)] == pytest.approx([0.1, 0.2, 0.3, 0.6, 0.9])


def test_the_shipped_thresholds_and_the_profiles_say_the_same() -> None:
    """What the card drops has a low reading, and nothing else."""
    card, kept = read_card(), ReadingSpec().kept
    assert card.drop == card.keep
    for thousandth in range(1001):
        p = thousandth / 1000
        assert (card.calibrated(p) < kept) == (card.verdict(p) == "drop")


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "😀😀😀", "🇨🇦" * 500, "שלום, אני גר בחיפה", "مرحبا أنا أعيش في القاهرة", "\u202eabc\u202c",
        "a" * 100_000, "吃" * 100_000,
    ],
    ids=["empty", "blank", "emoji", "flags", "hebrew", "arabic", "bidi", "long en", "long zh"],
)  # fmt: skip
def test_any_text_is_read_in_bounded_windows(gate: LearnedGate, tokenizer: TurnTokenizer, text: str) -> None:
    (reading,) = gate.read(turns_of(text))
    assert 0 <= reading.keep <= 1
    windows = tokenizer.windows(text, "", MOST_WINDOWS)
    assert 1 <= len(windows) <= MOST_WINDOWS
    assert all(len(w.turn) <= TURN_TOKENS + 2 for w in windows)
