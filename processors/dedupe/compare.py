"""The verdict on two texts of one owner (D3): the same again, the same thing with another value, its denial, or
neither.

A duplicate is a near-copy (no word of content differs, only case, punctuation, particles, a misspelling or the place of
whole phrases) or a paraphrase (score above the calibrated threshold), and either way agrees in its numbers, dates,
negation, names, mutually exclusive words and in who does what to whom. Cosine alone cannot tell these apart.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from processors.dedupe.align import Alignment, align, same_order, surplus
from processors.dedupe.calibration import Calibration
from processors.dedupe.features import HAN, MAX_TOKENS, NAME, Features, is_function, is_number, stem
from processors.dedupe.lexicon import (
    COORDINATORS,
    EN_ATTRIBUTION,
    EN_FILLER,
    EN_FUNCTION,
    ZH_FILLER,
    ZH_NEGATORS,
    exclude_each_other,
)
from processors.dedupe.measure import coverage, measures

SHORT = 20
"""Tokens up to which every word of content counts: in a longer text one word more or less may be a detail."""

Kind = Literal["duplicate", "changed", "contradiction", "different"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """kind; rule: what decided, as a metric label; score: likeness in [0, 1] regardless of what forbids a merge; adds:
    the later text has a number, date or name that the earlier one lacks, so it is the one to keep of a duplicate;
    loses: the earlier text lacks a word of content, number, name or negation of the later one, which is lost where a
    duplicate is kept in the earlier words."""

    kind: Kind
    rule: str
    score: float
    adds: bool = False
    loses: bool = False

    @property
    def merge_score(self) -> float:
        """The score by which this pair would merge; 0 where something forbids it."""
        return self.score if self.rule in MERGING else 0.0


MERGING = frozenset({"identical", "near-copy", "paraphrase"})


def compare(a: Features, b: Features, cosine: float | None, calibration: Calibration | None = None) -> Verdict:
    """Judge `b` against the earlier `a`; `cosine` of their unit embeddings, None where one has none of this model."""
    if a.digest == b.digest:
        return Verdict("duplicate", "identical", 1.0)
    if _swapped_han(a, b):
        return Verdict("duplicate", "near-copy", 1.0, loses=_loses(a, b))
    found = align(a, b)
    conflict = conflict_between(a, b, found)
    threshold = related = 0.6
    if _near_copy(a, b, found):
        rule, score, threshold = "near-copy", 1.0, 1.0
    elif cosine is None or calibration is None:
        rule, score, threshold = "words", coverage(a, b, found), 2.0
    else:
        # The penalty guards a merge; whether a forbidden pair is about the same thing is asked without it.
        penalty = calibration.han_penalty if conflict is None and (_has_han(a) or _has_han(b)) else 0.0
        rule, score = "paraphrase", likeness(a, b, found, cosine, calibration, penalty)
        threshold, related = calibration.threshold, calibration.related
    adds = bool(_counted(surplus(a, b)[1])) or any(b.flags[j] & NAME for j in found.left_b)
    if conflict is None:
        return Verdict("duplicate" if score >= threshold else "different", rule, score, adds, _loses(a, b))
    if conflict == "order" or score < related:
        return Verdict("different", conflict, score, adds)
    return Verdict("contradiction" if conflict == "negation" else "changed", conflict, score, adds)


def _loses(a: Features, b: Features) -> bool:
    """By stem, wherever the words stand. Of a text that was cut nobody knows what else it says."""
    return len(b.tokens) >= MAX_TOKENS or bool(_term_counts(b) - _term_counts(a))


def _term_counts(text: Features) -> Counter[str]:
    return Counter(stem(t) for t in text.tokens if not is_function(t))


def conflict_between(a: Features, b: Features, found: Alignment) -> str | None:
    """The first thing that forbids a merge, named for a metric label; None where nothing does."""
    if _numbers_differ(a, b):
        return "numbers"
    if a.negations != b.negations:
        return "negation"
    if _exclusive(a, b, found):
        return "exclusive"
    if _names_differ(a, b, found):
        return "names"
    if _short(a, b) and _values_differ(a, b, found):
        return "value"
    if not same_order(a, b, found.pairs) and not _recast(a, b, found):
        return "order"
    return None


def _short(a: Features, b: Features) -> bool:
    return max(len(a.tokens), len(b.tokens)) <= SHORT


def _counted(numbers: Counter[str]) -> set[str]:
    # "one", "a" and "一" come and go: a one that only one text has says nothing.
    return set(numbers) - {"#1"}


def _numbers_differ(a: Features, b: Features) -> bool:
    """Another number or date instead, or one that `b` adds: merged, it would be lost. That the earlier text has more
    is no harm. In a long text an added month or weekday is a detail, and the score weighs it."""
    lost, new = surplus(a, b)
    if lost and new:
        return bool(_counted(lost) or _counted(new))
    if _short(a, b) and (_shares(a) - _shares(b)) & _plain(b) | (_shares(b) - _shares(a)) & _plain(a):
        return True
    return any(_short(a, b) or number.startswith("#") for number in _counted(new))


def _shares(text: Features) -> set[str]:
    """Numbers that are percentages."""
    return {n for n, unit in pairwise(text.tokens) if unit == "percent" and is_number(n)}


def _plain(text: Features) -> set[str]:
    """Numbers that are none: "5%" is not "5"."""
    return {n for n, unit in pairwise((*text.tokens, "")) if unit != "percent" and is_number(n)}


def _values_differ(a: Features, b: Features, found: Alignment) -> bool:
    """A minimal pair: all that differs is one word or two of content in the same slots, so that slot was the point.

    Vectors cannot help here: "piano" for "guitar" moves a sentence's cosine less than a synonym often does.
    """
    loose_a = {i for i in found.left_a if _says_something(a.tokens[i])}
    loose_b = {j for j in found.left_b if _says_something(b.tokens[j])}
    explained = 0
    for (a0, a1), (b0, b1) in found.slots:
        here, there = loose_a & set(range(a0, a1)), loose_b & set(range(b0, b1))
        if here and there:
            if max(len(here), len(there)) > 2:
                return False
            explained += len(here) + len(there)
    return 0 < explained == len(loose_a) + len(loose_b)


def _says_something(token: str) -> bool:
    return not is_function(token) and token not in EN_ATTRIBUTION


def _recast(a: Features, b: Features, found: Alignment) -> bool:
    """Whether the grammar changed with the order, as in "A beat B", "B was beaten by A". English only: Chinese marks
    such roles by place far more than by words."""
    if _has_han(a) or _has_han(b):
        return False
    loose = [a.tokens[i] for i in found.left_a] + [b.tokens[j] for j in found.left_b]
    return any(t in EN_FUNCTION and t not in EN_FILLER for t in loose)


def _has_han(text: Features) -> bool:
    return any(t[0] >= HAN for t in text.tokens)


def _exclusive(a: Features, b: Features, found: Alignment) -> bool:
    """A word of a closed class in a slot where the other text has another member of the class."""
    left_a, left_b = set(found.left_a), set(found.left_b)
    return any(
        exclude_each_other(a.tokens[i], b.tokens[j])
        for (a0, a1), (b0, b1) in found.slots
        for i in range(a0, a1)
        for j in range(b0, b1)
        if i in left_a and j in left_b
    )


def _names_differ(a: Features, b: Features, found: Alignment) -> bool:
    """Another name at the same edge of a slot. A name that only one text has is an addition: the score weighs it."""
    left_a, left_b = set(found.left_a), set(found.left_b)
    for (a0, a1), (b0, b1) in found.slots:
        here = [i for i in range(a0, a1) if i in left_a and not is_function(a.tokens[i])]
        there = [j for j in range(b0, b1) if j in left_b and not is_function(b.tokens[j])]
        if _initials(a, here, b, there) or _initials(b, there, a, here):
            continue
        for i, j in zip(here[:1] + here[-1:], there[:1] + there[-1:], strict=False):
            if a.flags[i] & b.flags[j] & NAME and not _alias(a.tokens[i], b.tokens[j]):
                return True
    return False


def _initials(a: Features, here: list[int], b: Features, there: list[int]) -> bool:
    """Whether a name in one text is made of the first letters of the other's (AP, Associated Press)."""
    letters = "".join(b.tokens[j][0] for j in there if b.flags[j] & NAME)
    return len(letters) > 1 and any(a.flags[i] & NAME and a.tokens[i] == letters for i in here)


def _alias(x: str, y: str) -> bool:
    """Short and long form of one name (Tim, Timothy; Canada, Canadian)."""
    short, long = sorted((x, y), key=len)
    return long.startswith(short) or (len(short) > 3 and long.startswith(short[:-1]) and len(long) > len(short) + 1)


def _near_copy(a: Features, b: Features, found: Alignment) -> bool:
    """No content differs but for slips: misspellings, or a Han character written twice."""
    if not found.pairs or found.kin:
        return False
    rest = [(a, i) for i in found.left_a] + [(b, j) for j in found.left_b]
    loose = [(text, at) for text, at in rest if not _filler(text.tokens[at])]
    slips = found.typos + len(loose)
    return all(_stutter(text, at) for text, at in loose) and slips <= max(1, len(found.pairs) // 6)


def _filler(token: str) -> bool:
    return token in EN_FILLER or token in ZH_FILLER or token in COORDINATORS


def _stutter(text: Features, at: int) -> bool:
    token = text.tokens[at]
    return token[0] >= HAN and token in text.tokens[max(0, at - 1) : at] + text.tokens[at + 1 : at + 2]


def _swapped_han(a: Features, b: Features) -> bool:
    """Whether all that differs is two neighbouring Han characters in the other order, neither a negator like "不"."""
    x, y = "".join(a.tokens), "".join(b.tokens)
    if len(x) != len(y):
        return False
    at = next((i for i, (p, q) in enumerate(zip(x, y, strict=True)) if p != q), len(x))
    pair = x[at : at + 2]
    if len(pair) < 2 or min(pair) < HAN or any(c in ZH_NEGATORS and c != "非" for c in pair):
        return False
    return y[at : at + 2] == pair[::-1] and x[at + 2 :] == y[at + 2 :]


def likeness(
    a: Features, b: Features, found: Alignment, cosine: float, calibration: Calibration, penalty: float = 0.0
) -> float:
    """The calibrated probability that the two are paraphrases, in [0, 1], `penalty` taken off its logit."""
    values = measures(a, b, found, cosine)
    z = calibration.bias - penalty + sum(w * v for w, v in zip(calibration.weights, values, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, z))))
