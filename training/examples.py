"""The labelled turns of the corpus as examples: token ids and what is to be said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt

from evaluation.corpus.entries import Nothing
from evaluation.corpus.read import ROOT, contexts
from inference.reader.turn_text import TURN_TOKENS, TurnTokenizer, Window

REASONS: tuple[str, ...] = tuple(name for name in get_args(Nothing) if name)
LENGTHS = (24, 40, 160)
"""Padded lengths: a batch holds examples of one of them."""
UNREAD = frozenset({"assistant", "tool"})
"""Speakers whose turns the reader never sees; their words alone look like those of a user."""
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled turn; a longer one is represented by its first window."""

    place: str
    writer: str
    language: str
    text: str
    window: Window
    keep: bool
    reason: int
    """Index in REASONS; -1 where something is kept."""

    @property
    def length(self) -> int:
        return len(self.window.question) + len(self.window.turn)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one padded length. `rows` is 0 for what only fills up."""

    ids: Ints
    turn: Floats
    question: Floats
    keep: Ints
    reason: Ints
    rows: Floats


def read_examples(tokenizer: TurnTokenizer, folder: Path = ROOT) -> list[Example]:
    """All labelled turns of people, in the order of files and lines."""
    found = []
    for context in contexts(folder):
        turn = context.turn
        if turn.speaker in UNREAD:
            continue
        before = context.before[-1].text if context.before else ""
        found.append(
            Example(
                place=context.place, writer=context.place.rpartition("-")[0], language=context.language, text=turn.text,
                window=tokenizer.windows(turn.text, before, 1)[0], keep=not turn.nothing,
                reason=REASONS.index(turn.nothing) if turn.nothing else -1,
            )
        )  # fmt: skip
    return found


def mixed(examples: Sequence[Example], tokenizer: TurnTokenizer, share: float, seed: int) -> list[Example]:
    """Further examples: two turns of one language as one, of which one or none holds something to keep.

    People put a question, a joke or a courtesy beside what they say of themselves; writers of labelled turns seldom do.
    `share` of the kept turns gets a turn with nothing before or after it; half as many join two turns with nothing, so
    that length alone says nothing.
    """
    rng = np.random.default_rng((seed, 0))
    found: list[Example] = []
    for language in sorted({e.language for e in examples}):
        kept = [e for e in examples if e.language == language and e.keep and not e.window.question]
        nothing = [e for e in examples if e.language == language and not e.keep and not e.window.question]
        if not nothing:
            continue
        size = int(len(kept) * share)
        firsts = [kept[i] for i in rng.permutation(len(kept))[:size]]
        firsts += [nothing[i] for i in rng.permutation(len(nothing))[: size // 2]]
        for first in firsts:
            other = nothing[int(rng.integers(len(nothing)))]
            ordered = (first, other) if rng.random() < 0.5 else (other, first)
            text = " ".join(e.text for e in ordered)
            window = tokenizer.windows(text, "", 1)[0]
            found.append(replace(first, place=f"{first.place}+{other.place}", text=text, window=window))
    return [e for e in found if len(e.window.turn) <= TURN_TOKENS + 1]


def batches(examples: Iterable[Example], size: int, shuffle: np.random.Generator | None) -> list[list[Example]]:
    """Lists of `size` examples of like length; what does not fill a batch goes up to the next length."""
    left = list(examples)
    if shuffle is not None:
        left = [left[i] for i in shuffle.permutation(len(left))]
    ready: list[list[Example]] = []
    rest: list[Example] = []
    for shorter, length in zip((0, *LENGTHS), LENGTHS, strict=False):
        rest += [e for e in left if shorter < e.length <= length]
        while len(rest) >= size or (rest and length == LENGTHS[-1]):
            ready.append(rest[:size])
            rest = rest[size:]
    return [ready[i] for i in shuffle.permutation(len(ready))] if shuffle is not None else ready


def batch_of(group: Sequence[Example], size: int, rows: npt.NDArray[np.int32]) -> Batch:
    """The group padded to one of LENGTHS and to `size` rows; `rows` gives a token's row in the small table."""
    length = next(n for n in LENGTHS if n >= max(e.length for e in group))
    ids = np.zeros((size, length), np.int32)
    turn, question = np.zeros((size, length), np.float32), np.zeros((size, length), np.float32)
    keep, reason, real = np.zeros(size, np.int32), np.full(size, -1, np.int32), np.zeros(size, np.float32)
    for r, example in enumerate(group):
        asked, n = len(example.window.question), example.length
        ids[r, :n] = rows[np.array([*example.window.question, *example.window.turn])]
        question[r, :asked], turn[r, asked:n] = 1, 1
        keep[r], reason[r], real[r] = example.keep, example.reason, 1
    return Batch(ids, turn, question, keep, reason, real)
