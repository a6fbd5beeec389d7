"""C2: the estimate of how a pattern may match is above the truth, and so hostile patterns of every known kind are
refused, while the shipped ones are taken.

The kinds are those of Davis et al., The Impact of Regular Expression Denial of Service in Practice (ESEC/FSE 2018):
quantifiers within quantifiers, disjunctions that overlap, neighbours that overlap; and what `re` has beyond them.
"""

from __future__ import annotations

import random
import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from schemas.profile.ambiguity import MOST, ways
from schemas.profile.model import PROFILES_DIR, load_profile
from schemas.profile.patterns import MOST_WAYS, bounded, bounded_asked

HOSTILE = {
    "quantifier within a quantifier": ("(?:a{1,40}){1,40}b", r"(?:\w{1,30}\s?){1,30}!", "(?:(?:a{0,9}){0,9}){0,9}x"),
    "the same, lazy": ("(?:a{1,40}?){1,40}?b", "(?:(?:ab){1,20}?){1,20}c"),
    "an optional part repeated": ("(?:a?){0,30}b", "(?:a?a){0,30}b", "(?:[ab]?c?a?){1,20}d"),
    "a disjunction that overlaps": ("(?:a|a){1,30}b", "(?:a|ab|b){1,40}c", r"(?:\d\d|\w\w){1,30}!", "(?:.|a){1,30}x"),
    "one whose parts are one another's beginnings": ("(?:a|aa){1,30}b", "(?:ab|abab){1,30}c", "(?:x|xy|y){1,40}z"),
    "neighbours that overlap": (
        ".{0,99}.{0,99}.{0,99}x", r"\s{0,99}\s{0,99}\s{0,99}\s{0,99}x", "a{0,99}[ab]{0,99}a{0,99}[ab]{0,99}c",
    ),
    "neighbours across what may be absent": ("a{0,99}b?a{0,99}c?a{0,99}d?a{0,99}e", ".{0,99},?.{0,99},?.{0,99};"),
    "neighbours within a repeat": ("(?:a{0,9}a{0,9}){1,9}b", r"(?:\w{1,9}\d{1,9}){1,9}!"),
    "whatever the case": ("(?i:(?:Ax|ax){1,30})b", "(?i:(?:ab|AB|aB){1,30})x"),
    "within a look ahead": ("(?=(?:a{1,30}){1,30}b)a", "(?!.{0,99}.{0,99}.{0,99}x)y"),
    "within an atomic group": ("(?>(?:a{1,9}){1,9})b", "(?>(?:a|aa){1,30}c)"),
    "within a possessive repeat": ("(?:(?:a{1,9}){1,9}b){1,3}+",),
    "behind a reference": (r"(a{1,30})(?:\1|a){1,30}b",),
    "on a condition": ("(a)?(?(1)(?:b|b){1,30}|(?:c|c){1,30})d",),
    "in a class of other words": ("(?:[一-龥]{1,9}[的一-龥]?){1,30}！", "(?:é.|[à-ÿ]é){1,30}x"),
}  # fmt: skip
UNBOUNDED = (
    "(a+)+b", "(a|a)*b", "(.*)*x", r"(\w+\s?)+!", "a{3,}", "(?=a*)b", "(?>a+)b", "a*+b", r"(a)\1+", "(a)(?(1)b*|c)",
)  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_c2_hostile_patterns_of_a_kind_are_refused(kind: str) -> None:
    for pattern in HOSTILE[kind]:
        re.compile(pattern)
        with pytest.raises(ValueError, match="ways"):
            bounded(pattern)
        with pytest.raises(ValueError, match="ways"):
            bounded_asked(pattern)


@pytest.mark.parametrize("pattern", UNBOUNDED)
def test_c2_repeats_without_a_bound_are_refused_wherever_they_stand(pattern: str) -> None:
    with pytest.raises(ValueError, match="without an upper bound"):
        bounded(pattern)


def test_c2_shipped_patterns_are_taken() -> None:
    names = [p.stem for p in sorted(PROFILES_DIR.glob("*.toml"))]
    assert len(names) >= 5
    patterns = [p for n in names for f in load_profile(n).fields for p in (*f.patterns, *f.asked)]
    assert len(patterns) > 20
    assert max(map(ways, patterns)) <= MOST_WAYS


class Ways:
    """In how many ways a backtracking matcher gets through a pattern over one text, all of them counted."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[tuple[int, int], Counter[int]] = {}

    def through(self, tree: Any, at: int = 0) -> Counter[int]:
        """By where it ends. A tree must outlive the counting: it is known by its identity."""
        place = id(tree), at
        if place not in self._known:
            ends = Counter({at: 1})
            for code, value in tree:
                ends = self._then(ends, lambda p, c=code, v=value: self._node(c, v, p))  # type: ignore[misc]
            self._known[place] = ends
        return self._known[place]

    @staticmethod
    def _then(ends: Counter[int], step: Callable[[int], Counter[int]]) -> Counter[int]:
        after: Counter[int] = Counter()
        for place, count in ends.items():
            for end, more in step(place).items():
                after[end] += count * more
        return after

    def _node(self, code: Any, value: Any, at: int) -> Counter[int]:
        if code is codes.SUBPATTERN:
            return self.through(value[3], at)
        if code is codes.BRANCH:
            return sum((self.through(b, at) for b in value[1]), Counter[int]())
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            low, high, inner = value
            return self._repeated(low, high, inner, at)
        if code in (codes.ASSERT, codes.ASSERT_NOT):
            found = bool(self.through(value[1], at))
            return Counter({at: 1}) if found is (code is codes.ASSERT) else Counter()
        return Counter({at + 1: 1}) if at < len(self._text) and _takes(code, value, ord(self._text[at])) else Counter()

    def _repeated(self, low: int, high: int, inner: Any, at: int) -> Counter[int]:
        ends = Counter({at: 1})
        total = Counter(ends) if low == 0 else Counter[int]()
        for times in range(1, high + 1):

            def round_of(place: int, must: bool = times <= low) -> Counter[int]:
                found = self.through(inner, place)  # `re` goes round no further where a round took nothing
                return Counter({end: n for end, n in found.items() if end > place or must})

            ends = self._then(ends, round_of)
            total += ends if times >= low else Counter()
        return total


def _takes(code: Any, value: Any, point: int) -> bool:
    if code is codes.LITERAL:
        return bool(value == point)
    assert code is codes.IN
    return any(x == point if kind is codes.LITERAL else x[0] <= point <= x[1] for kind, x in value)


def _drawn(rng: random.Random, depth: int) -> str:
    """A pattern over a, b, c."""
    kinds = ("one", "class", "repeat", "repeat", "branch", "then", "then", "look") if depth else ("one",)
    kind = rng.choice(kinds)
    match kind:
        case "class":
            return rng.choice(("[ab]", "[bc]", "[abc]", "[a-c]"))
        case "repeat":
            low = rng.randint(0, 2)
            return f"(?:{_drawn(rng, depth - 1)}){{{low},{low + rng.randint(1, 4)}}}{rng.choice(('', '', '?'))}"
        case "branch":
            return f"(?:{'|'.join(_drawn(rng, depth - 1) for _ in range(rng.randint(2, 3)))})"
        case "then":
            return "".join(_drawn(rng, depth - 1) for _ in range(rng.randint(2, 3)))
        case "look":
            return f"(?{rng.choice('=!')}{_drawn(rng, depth - 1)})"
        case _:
            return rng.choice("abc")


@pytest.mark.parametrize("seed", range(8))
def test_c2_no_text_matches_in_more_ways_than_the_estimate_says(seed: int) -> None:
    """Every way through drawn patterns is counted, over texts that are like them."""
    rng = random.Random(seed)
    most = 0
    for pattern in [_drawn(rng, 4) for _ in range(60)]:
        estimate, tree = ways(pattern), parser.parse(pattern)
        for text in ("a" * 10, "abc" * 4, "".join(rng.choices("abc", k=10)), "".join(rng.choices("ab", k=10))):
            counted = Ways(text).through(tree).total()
            assert counted <= estimate or estimate == MOST, (pattern, text, counted, estimate)
            most = max(most, counted)
    assert most > 20, "some are ambiguous"
