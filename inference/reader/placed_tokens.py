"""Tokens of a text with the characters that they stand for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from inference.reader.turn_text import TurnTokenizer, plain

_BLANK, _UNKNOWN = "▁", "<unk>"
_NEAR = 24
"""Characters that unknown tokens may stand for."""


@dataclass(frozen=True, slots=True)
class PlacedTokens:
    """Token ids of a text; token n stands for its characters from `starts[n]` up to `ends[n]`."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def part(self, begin: int, end: int) -> PlacedTokens:
        return PlacedTokens(self.ids[begin:end], self.starts[begin:end], self.ends[begin:end])


def placed_tokens(tokenizer: TurnTokenizer, text: str) -> PlacedTokens:
    """The tokens of a text, in order; what the tokenizer normalises away belongs to the token before it."""
    ids, pieces = tokenizer.ids(text), tokenizer.pieces(text)
    normal = _normal(text)
    starts: list[int] = []
    at = 0
    ends: list[int] = []
    unknown = False
    for piece in pieces:
        wanted = piece.lstrip(_BLANK)
        while at < len(normal) and normal[at][0] == " ":
            at += 1
        if piece == _UNKNOWN:
            starts.append(at)
            ends.append(at)
            unknown = True
            continue
        begin = _next(normal, wanted, at)
        if unknown:
            ends[-1] = begin
        unknown = False
        at = min(begin + len(wanted), len(normal))
        starts.append(begin)
        ends.append(at)
    if unknown:
        ends[-1] = len(normal)
    places = [place for _, place in normal] + [len(text)]
    firsts = tuple(places[n] for n in starts)
    lasts = tuple(places[max(n - 1, 0)] + 1 if n > s else places[s] for s, n in zip(starts, ends, strict=True))
    return PlacedTokens(tuple(ids), firsts, lasts)


def _normal(text: str) -> list[tuple[str, int]]:
    """The characters as the tokenizer sees them, each with its place in the text."""
    found: list[tuple[str, int]] = []
    for n, c in enumerate(text):
        found += [(k, n) for k in (unicodedata.normalize("NFKC", plain(c)) or " ")]
    return found


def _next(normal: Sequence[tuple[str, int]], wanted: str, at: int) -> int:
    """Where the characters of a piece stand next; `at` if they do not stand near."""
    text = "".join(c for c, _ in normal[at : at + len(wanted) + _NEAR])
    found = text.find(wanted)
    return at + found if found > 0 else at
