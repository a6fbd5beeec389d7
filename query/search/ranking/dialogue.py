"""Evidence that only dialogue offers: neighbouring turns, their session, and who speaks.

Each function is pure and works on arrays over the rows of one scope.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference.stopwords import ENGLISH
from query.search.ranking.types import Floats, Rows

NO_SESSION = -1
_FURTHEST = 3  # turns; beyond, neighbours bring nothing
_HAN = re.compile(r"[\u3400-\u9fff]")
_SHORT_NAME = 3  # letters; "Mel" for Melanie, never "Jo" for Joanna
_AUXILIARY = frozenset({"may", "might", "must", "shall", "let"})
DIALOGUE_KIND = "turn"


class Layout:
    """The rows of a scope in the order of their sessions, so that neighbours stand side by side.

    `order[i]` is the row at place i. Rows without a session stand alone. `asking` says which rows ask: a question
    lends twice to the turn after it, which answers it, and half to those before it. Cost: one sort.
    """

    def __init__(
        self, sessions: npt.NDArray[np.integer], positions: npt.NDArray[np.integer], asking: Floats | None = None
    ) -> None:
        self.order: Rows = np.lexsort((positions, sessions)).astype(np.int32)
        self.place: Rows = np.empty_like(self.order)
        self.place[self.order] = np.arange(len(self.order), dtype=np.int32)
        in_order = sessions[self.order]
        asks = np.zeros(len(self.order), np.float32) if asking is None else asking[self.order]
        self._forward: list[Floats] = []  # [k - 1][i]: the share of place i that place i + k gets, of a weight of 1
        self._backward: list[Floats] = []  # [k - 1][i]: the share of place i + k that place i gets
        for k in range(1, min(_FURTHEST, len(in_order) - 1) + 1):
            same = ((in_order[k:] == in_order[:-k]) & (in_order[k:] != NO_SESSION)).astype(np.float32)
            self._forward.append(same * (1.0 + asks[:-k]) if k == 1 else same)
            self._backward.append(same * (1.0 - 0.5 * asks[k:]))

    @property
    def has_neighbours(self) -> bool:
        """Whether any session has more than one row."""
        return bool(self._forward and self._forward[0].any())

    def spread(self, values: Floats, weights: Sequence[float]) -> Floats:
        """Add to each row a share of its neighbours': about weights[k - 1] of those k turns before and after.

        `values` is (rows,) or (n, rows), in row order, and so is the result. At most 3 weights count.
        """
        inside = values[..., self.order]
        out = inside.copy()
        for k, (weight, forward, backward) in enumerate(zip(weights, self._forward, self._backward, strict=False), 1):
            out[..., k:] += weight * forward * inside[..., :-k]
            out[..., :-k] += weight * backward * inside[..., k:]
        result: Floats = out[..., self.place]
        return result


@dataclass(frozen=True, slots=True)
class Speakers:
    """Who of the scope's speakers a query names, and the query's words that name them."""

    named: frozenset[str]
    words: frozenset[str]


def speakers_named(text: str, speakers: Iterable[str]) -> Speakers:
    """Find speakers by full name, by one word of it, or by a capitalised short form ("Mel" for Melanie).

    Chinese names are found as substrings; of a name of three characters or more also the given name.
    """
    words = re.findall(r"[^\W\d_]+", text)
    folded = {w.casefold(): w for w in words}
    named: set[str] = set()
    used: set[str] = set()
    for speaker in speakers:
        if _HAN.search(speaker):
            forms = [speaker] + ([speaker[-2:]] if len(speaker) >= 3 else [])
            hit = next((f for f in forms if f in text), None)
            if hit is not None:
                named.add(speaker)
                used.add(hit)
            continue
        for part in re.findall(r"[^\W\d_]+", speaker.casefold()):
            for word, written in folded.items():
                short = _is_short_form(written) and part.startswith(word)
                if word == part or short:
                    named.add(speaker)
                    used.add(word)
    return Speakers(frozenset(named), frozenset(used))


def _is_short_form(word: str) -> bool:
    """Say whether `word` may stand for a longer name; "Will" and "Can" at the head of a question do not."""
    return len(word) >= _SHORT_NAME and word[0].isupper() and word.casefold() not in ENGLISH | _AUXILIARY


def is_asking(text: str) -> bool:
    """Say whether a turn ends in a question: it seeks information and seldom holds any."""
    return text.rstrip().endswith(("?", "？", "吗", "呢"))


def session_statistics(
    frequencies: Floats, lengths: Floats, sessions: npt.NDArray[np.integer], count: int
) -> tuple[Floats, Floats]:
    """Sum term frequencies (terms, rows) and lengths (rows,) over sessions: (terms, count), (count,)."""
    inside = sessions != NO_SESSION
    codes = sessions[inside]
    summed = (
        np.stack([np.bincount(codes, weights=row[inside], minlength=count) for row in frequencies])
        if len(frequencies)
        else np.zeros((0, count))
    )
    return summed.astype(np.float32), np.bincount(codes, weights=lengths[inside], minlength=count).astype(np.float32)
