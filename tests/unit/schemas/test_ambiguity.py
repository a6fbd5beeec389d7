"""In how many ways a pattern may match: what explodes is told from what is only long."""

from __future__ import annotations

import pytest

from schemas.profile.ambiguity import MOST, ways
from schemas.profile.model import PROFILES_DIR, load_profile
from schemas.profile.patterns import MOST_WAYS, MOST_WAYS_ASKED, bounded, bounded_asked

EXPLODES = (
    "(?:a{1,40}){1,40}b", "(?:a|a){1,30}b", "(?:a?){0,30}b", "(?:a|aa){0,30}b", "(?:[ab]{1,3}[bc]){1,30}d",
    ".{0,200}.{0,200}.{0,200}x", "(?=.{0,200}.{0,200}.{0,200}x)y", "(?>(?:a{1,9}){1,9})b", "(?i:(?:Ax|ax){1,30})b",
    "(?:a{1,3}b?){0,12}c", "(a)(?(1)(?:b|b){1,30}|c)", "(?:(?:a{1,3}){1,3}){1,9}b", "(?:a{1,9}(?:,|a){0,2}){1,9}b",
)  # fmt: skip


@pytest.mark.parametrize("pattern", EXPLODES)
def test_a_pattern_that_explodes_is_refused(pattern: str) -> None:
    """The first takes 18 seconds over 28 letters, sixteen times as long over four more: for all tenants."""
    assert ways(pattern) > MOST_WAYS
    with pytest.raises(ValueError, match="a text may match it in more than 250000 ways"):
        bounded(pattern)


@pytest.mark.parametrize(("pattern", "least", "most"), [
    ("a", 1, 1), ("a{0,9}", 10, 10), ("(?:a|b|ab)", 2, 2), ("(?:a|b){1,30}c", 1, 30),
    (r"(?:\w{1,20} ){0,5}x", 6, 6),
    (r"\w{1,20}(?:, \w{1,20}){0,5}!", 6, 120), ("(?:ab|a){1,30}c", 30, 60), (".{0,9}.{0,9}", 100, 100),
    (r"(?:(?![,;])\D){1,9}[,;]x{0,3}", 4, 4), (r"(?P<n>\d{1,6}) (?P=n)", 1, 6),
])  # fmt: skip
def test_what_tells_the_rounds_of_a_repeat_apart_is_seen(pattern: str, least: int, most: int) -> None:
    assert least <= ways(pattern) <= most


def test_patterns_within_patterns_cost_no_time_themselves() -> None:
    assert ways("(?:" * 60 + "a" + "|b){1,2}" * 60) == MOST
    with pytest.raises(ValueError, match="must have at most 5000 characters"):
        bounded("a" * 5_001)


def test_patterns_of_questions_have_a_closer_bound() -> None:
    assert bounded(".{0,99}.{0,99}x")
    with pytest.raises(ValueError, match="more than 5000 ways"):
        bounded_asked(".{0,99}.{0,99}x")


@pytest.mark.parametrize("name", [p.stem for p in sorted(PROFILES_DIR.glob("*.toml"))])
def test_shipped_patterns_are_far_from_the_bound_of_questions(name: str) -> None:
    found = [ways(p) for i in load_profile(name).intents for p in i.patterns]
    assert max(found, default=0) <= MOST_WAYS_ASKED // 10
