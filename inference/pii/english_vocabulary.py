"""Is a word ordinary English? Stems of a dictionary, and their regular inflections."""

import re
from functools import lru_cache
from importlib.resources import files

from inference.stopwords import ENGLISH

_ENDINGS = (
    *(("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")),
    *(("er", ""), ("er", "e"), ("est", ""), ("est", "e"), ("ly", "")),
)
_CONTRACTED = re.compile(r"['’](?:ve|ll|re|d|m|t)$")
_PREFIXES = ("re", "de", "in", "un", "dis", "con", "pro")  # those that the dictionary's affix rules put before a stem
_LEAST_STEM = 4  # letters behind a prefix
_DOUBLING = ("ed", "ing", "er", "est")


@lru_cache(maxsize=32_768)
def is_english(low: str) -> bool:
    """Return True for an ordinary English word in small letters, inflected, contracted or not."""
    low = _CONTRACTED.sub("", low)
    if _inflected(low):
        return True
    bare = next((low[len(prefix) :] for prefix in _PREFIXES if low.startswith(prefix)), "")
    return len(bare) >= _LEAST_STEM and _inflected(bare)


def _inflected(low: str) -> bool:
    stems = _stems()
    if low in stems or low in ENGLISH:
        return True
    for ending, instead in _ENDINGS:
        if low.endswith(ending) and low[: -len(ending)] + instead in stems:
            return True
    bare = next((low[: -len(ending)] for ending in _DOUBLING if low.endswith(ending)), "")
    return len(bare) > 2 and bare[-1] == bare[-2] and bare[:-1] in stems  # "planned"


@lru_cache(maxsize=1)
def _stems() -> frozenset[str]:
    lines = files("inference.pii").joinpath("data/words.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))
