"""A text without its function words, for a second look by a sentence encoder.

Memories are telegraphic and chat is not: the mean of the vectors of a query and of its content words finds memories
of chat better than the query's vector alone, and questions no worse (bench/ranking_lab.py).
"""

import re
import unicodedata

from inference.language import HAN
from inference.stopwords import CHINESE, ENGLISH
from inference.terms import chinese_words

_PIECE = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+(?:[-'’.][^\W_{HAN}]+)*")
_CONTRACTED = re.compile(r"['’](?:s|re|ve|ll|d|m)$")  # "don't" stays: it is what is said
_HAN_START = re.compile(f"[{HAN}]")


def condense(text: str) -> str:
    """Return the content words of `text` in their order and case; `text` itself where it has none."""
    kept: list[str] = []
    spaced = False
    for match in _PIECE.finditer(unicodedata.normalize("NFKC", text)):
        piece = match.group()
        if _HAN_START.match(piece):
            words = [w for w in chinese_words(piece) if w not in CHINESE]
            if words and spaced:
                kept.append(" ")
            kept.extend(words)
            spaced = False
        elif _CONTRACTED.sub("", piece.casefold()) not in ENGLISH:
            kept.append(f" {piece}" if kept else piece)
            spaced = True
    return "".join(kept) or text
