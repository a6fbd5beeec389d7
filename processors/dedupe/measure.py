"""What the likeness of two aligned texts is judged by (D3): how much is unshared, where, and the cosine."""

import math
from functools import lru_cache

from processors.dedupe.align import Alignment
from processors.dedupe.features import HAN, NAME, Features, is_function, is_number
from processors.dedupe.lexicon import EN_ATTRIBUTION


@lru_cache(maxsize=65536)
def _weight(token: str, flags: int) -> float:
    """How much a word says: grammar little, attribution some, longer words more, names and numbers most."""
    if is_function(token):
        return 0.15
    if token in EN_ATTRIBUTION:
        return 0.4
    if token[0] >= HAN:
        return 0.5 * len(token)
    return 1.3 if flags & NAME or is_number(token) else min(len(token), 9) / 6


def _share(text: Features, left: tuple[int, ...]) -> float:
    return 1.0 - _loose(text, left) / (_total(text) or 1.0)


def coverage(a: Features, b: Features, found: Alignment) -> float:
    """The smaller share, by weight, of a text that the other one also has, in [0, 1]."""
    return min(_share(a, found.left_a), _share(b, found.left_b))


def measures(a: Features, b: Features, found: Alignment, cosine: float) -> tuple[float, ...]:
    """What the likeness weighs, in the order of `calibration.MEASURES`."""
    left_a, left_b = found.left_a, found.left_b
    loose_a, loose_b = _loose(a, left_a), _loose(b, left_b)
    gap_a, gap_b = _gap(a, left_a), _gap(b, left_b)
    longer, shorter = max(len(a.tokens), len(b.tokens)), min(len(a.tokens), len(b.tokens))
    best_share = 1.0 - min(loose_a / (_total(a) or 1.0), loose_b / (_total(b) or 1.0))
    names = max(sum(bool(a.flags[i] & NAME) for i in left_a), sum(bool(b.flags[j] & NAME) for j in left_b))
    loose = [a.tokens[i] for i in left_a] + [b.tokens[j] for j in left_b]
    return (
        len(found.pairs) / (longer or 1),
        float(longer - shorter),
        math.log(1.0 + shorter),
        min(cosine, best_share),
        math.sqrt(max(loose_a, loose_b)),
        math.sqrt(max(gap_a, gap_b)),
        min(gap_a, gap_b),
        math.sqrt(max(_tail(a, left_a), _tail(b, left_b))),
        float(len(found.slots)),
        float(names),
        float(sum(t in EN_ATTRIBUTION for t in loose)),
        float(sum(is_function(t) for t in loose)),
    )


def _loose(text: Features, left: tuple[int, ...]) -> float:
    return sum(_weight(text.tokens[i], text.flags[i]) for i in left)


def _total(text: Features) -> float:
    return sum(map(_weight, text.tokens, text.flags))


def _gap(text: Features, left: tuple[int, ...]) -> float:
    """Weight of the longest run that the other text lacks; words of grammar do not end a run."""
    loose, best, run = set(left), 0.0, 0.0
    for i, token in enumerate(text.tokens):
        if i in loose:
            run += _weight(token, text.flags[i])
            best = max(best, run)
        elif not is_function(token):
            run = 0.0
    return best


def _tail(text: Features, left: tuple[int, ...]) -> float:
    """Weight of what follows the last shared word."""
    loose, weight = set(left), 0.0
    for i in range(len(text.tokens) - 1, -1, -1):
        if i not in loose:
            break
        weight += _weight(text.tokens[i], text.flags[i])
    return weight
