"""The one tokenizer of BM25: what a writer stores and what a reader asks pass through the same `terms`.

English is lower-cased, stemmed (Snowball) and freed of stop words; Chinese is cut by jieba in search mode, so a
long word also yields the words inside it. Numbers and identifiers stay whole and yield their parts too.
jieba costs about 95 MB and 0.7 s CPU in a process, paid at the first Chinese text (measured, 0.42.1); a worker
calls `terms` once on a Chinese word when it starts.
"""

import logging
import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

import Stemmer

from inference.language import HAN
from inference.stopwords import CHINESE, ENGLISH

_WORD = r"[^\W_" + HAN + r"]"
# Han runs; else words, joined by single marks into identifiers and hyphenations ("ord-2024-001", "3.14", "a@b.c").
_TOKEN = re.compile(rf"[{HAN}]+|{_WORD}+(?:[-_.@:/+]{_WORD}+)*")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_PART = re.compile(rf"{_WORD}+")
_HAN_START = re.compile(f"[{HAN}]")
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]{2,39}(?::[0-9a-f]{1,64})?>")
# What the screen put in the place of a value: nobody said these words.
_APOSTROPHE = re.compile(r"(?<=[a-z])['’](?:s|t|re|ve|ll|d|m)\b")
_LONGEST_TERM = 64  # characters; longer runs are noise, base64 or an attack on the index
_LONGEST_RUN = 1_000  # Chinese characters cut together: the cutter's Viterbi is quadratic in what it does not know


def terms(text: str) -> list[str]:
    """Return the index terms of `text` in order, repetitions kept, each of 64 characters or fewer.

    Stop words are left out, unless nothing else is there: then the words and single characters themselves are the
    terms, so "who are you" and "是谁" still find their like.
    """
    unmasked = _PLACEHOLDER.sub(" ", text)
    folded = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", unmasked).lower())
    found: list[str] = []
    stopped: list[str] = []
    for match in _TOKEN.finditer(folded):
        token = match.group()
        if _HAN_START.match(token):
            _chinese(token, found, stopped)
        else:
            _latin(token, found, stopped)
    return found or stopped


def chinese_words(run: str) -> list[str]:
    """Return the words of a run of Chinese, without overlaps: together they are the run."""
    return [word for piece in _pieces(run) for word in _segmenter().cut(piece)]


def _pieces(run: str) -> list[str]:
    """A run without a mark for a thousand characters is nobody's sentence."""
    return [run[i : i + _LONGEST_RUN] for i in range(0, len(run), _LONGEST_RUN)]


def _chinese(run: str, found: list[str], stopped: list[str]) -> None:
    segmenter = _segmenter()
    for word in (w for piece in _pieces(run) for w in segmenter.cut_for_search(piece)):
        if word in CHINESE:
            stopped.extend(word)
            continue
        found.append(word[:_LONGEST_TERM])
        # A word outside the dictionary is a guess that depends on its neighbours; its characters do not.
        if len(word) > 1 and not segmenter.FREQ.get(word):
            found.extend(character for character in word if character not in CHINESE)


def _latin(token: str, found: list[str], stopped: list[str]) -> None:
    if _DECIMAL.fullmatch(token):
        found.append(token[:_LONGEST_TERM])
        return
    parts = _PART.findall(token)
    if len(parts) > 1 and any(character.isdigit() for character in token):
        found.append(token[:_LONGEST_TERM])
    for part in parts:
        if part in ENGLISH:
            stopped.append(part)
        else:
            found.append(_stem(part[:_LONGEST_TERM]))


class _Stemmers(threading.local):
    """One a thread: a stemmer has a buffer of its own."""

    def __init__(self) -> None:
        self.english: Any = Stemmer.Stemmer("english")


_STEMMERS = _Stemmers()


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return str(_STEMMERS.english.stemWord(word))


@lru_cache(maxsize=1)
def _segmenter() -> Any:
    """Build jieba's prefix table from its packaged dictionary.

    Not `initialize()`: that trusts and writes a cache file of a fixed name in the shared temporary folder.
    """
    import jieba  # 66 MB by itself: a process that reads no Chinese does without

    jieba.setLogLevel(logging.WARNING)
    segmenter = jieba.Tokenizer()
    segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
    segmenter.initialized = True
    return segmenter
