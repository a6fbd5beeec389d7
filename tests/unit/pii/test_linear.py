"""Every pattern is linear by construction: bounded repeats, and a bounded number of steps at one start.

Checked on the parse tree of each pattern, so that no clock is involved; bench/pii_linear.py measures the same on
hostile strings.
"""

import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from typing import Any

import pytest

from inference.pii import (
    chinese_names,
    common,
    english_context,
    english_lexicon,
    english_places,
    english_refine,
    english_relabel,
)
from inference.pii.analyzer import RULES

MODULES = (
    chinese_names,
    common,
    english_context,
    english_lexicon,
    english_places,
    english_refine,
    english_relabel,
)
PATTERNS = {f"rule {rule.name}": rule.pattern for rule in RULES}
PATTERNS |= {f"context {rule.name}": rule.context for rule in RULES if rule.context is not None}
PATTERNS |= {
    f"{module.__name__} {name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}
# These run on one word, number or line end, which is bounded already.
ON_BOUNDED_TEXT = {"inference.pii.common _GROUP", "inference.pii.english_lexicon _FAMILY_ENDING"}

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def unbounded(tree: Any) -> list[str]:
    """Return the repeats without an upper bound in a parsed pattern."""
    found = []
    for code, value in tree:
        if code in _REPEATS:
            low, high, inner = value
            if high == codes.MAXREPEAT:
                found.append(f"{{{low},}} over {list(inner)[:2]}")
            found += unbounded(inner)
        elif code is codes.BRANCH:
            found += [problem for branch in value[1] for problem in unbounded(branch)]
        elif code is codes.SUBPATTERN:
            found += unbounded(value[3])
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            found += unbounded(value[1])
    return found


@pytest.mark.parametrize("name", sorted(set(PATTERNS) - ON_BOUNDED_TEXT))
def test_every_repeat_has_an_upper_bound(name: str) -> None:
    pattern = PATTERNS[name]
    assert unbounded(parser.parse(pattern.pattern, pattern.flags)) == []


def test_the_check_sees_an_unbounded_repeat() -> None:
    assert unbounded(parser.parse(r"a(?:b|c+){2,3}"))
    assert unbounded(parser.parse(r"(?<=x)(?=.*y)"))
    assert not unbounded(parser.parse(r"a{1,3}b?"))


@pytest.mark.parametrize("seed", ["a", "1 ", "a.", "1-", "Aa ", "中路1号", "eyJ", "a@a.", "password: "])
def test_hostile_texts_are_answered(seed: str) -> None:
    """A quadratic pattern would need minutes for this; the suite's time limit is the judge."""
    text = (seed * 200_000)[:100_000]
    for rule in RULES:
        for span in rule.find(text):
            assert 0 <= span.start < span.end <= len(text)
