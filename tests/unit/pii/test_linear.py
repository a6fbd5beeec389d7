"""Every pattern is linear by construction: bounded repeats, and a bounded number of steps at one start.

Checked on the parse tree of each pattern, so that no clock is involved; bench/pii_linear.py measures the same on
hostile strings.
"""

import re
import re._parser as parser  # type: ignore[import-not-found]

import pytest

from inference.pii import (
    accounts,
    cards,
    chinese_known,
    chinese_names,
    command_lines,
    common,
    credentials,
    distant_secrets,
    english_context,
    english_gazetteer,
    english_lexicon,
    english_places,
    english_refine,
    english_relabel,
    english_relations,
    english_sense,
    everyday_secrets,
    everyday_secrets_zh,
    handed_secrets,
    handed_secrets_zh,
    ip_addresses,
    number_labels,
    opening_codes,
    phones,
    prose_secrets,
    provider_keys,
    secret_values,
    thing_secrets,
    thing_secrets_zh,
    verb_secrets,
    verb_secrets_zh,
)
from inference.pii.analyzer import RULES
from processors.screen import answers, asked_numbers, questions
from schemas.profile.patterns import unbounded
from tests.linear import assert_linear

MODULES = (
    accounts,
    answers,
    asked_numbers,
    cards,
    chinese_known,
    chinese_names,
    command_lines,
    common,
    credentials,
    distant_secrets,
    english_context,
    english_gazetteer,
    english_lexicon,
    english_places,
    english_refine,
    english_relabel,
    english_relations,
    english_sense,
    verb_secrets,
    verb_secrets_zh,
    handed_secrets,
    handed_secrets_zh,
    ip_addresses,
    number_labels,
    opening_codes,
    phones,
    provider_keys,
    questions,
    everyday_secrets,
    everyday_secrets_zh,
    secret_values,
    thing_secrets,
    thing_secrets_zh,
    prose_secrets,
)
PATTERNS = {f"rule {rule.name}": rule.pattern for rule in RULES}
PATTERNS |= {f"context {rule.name}": rule.context for rule in RULES if rule.context is not None}
PATTERNS |= {
    f"{module.__name__} {name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}
PATTERNS |= {f"english lead {name}": pattern for name, pattern in english_relations.leads().items()}
PATTERNS |= {f"chinese form {name}": pattern for name, pattern in chinese_known.forms().items()}
PATTERNS |= {
    f"no name {word}: {side}": pattern
    for word, entry in chinese_known.ordinary().items()
    for side, pattern in (("behind", entry.behind), ("before", entry.before))
    if pattern is not None
}
PATTERNS |= {f"asked {n} {a.entity}": a.noun for n, a in enumerate(asked_numbers.ASKED)}
PATTERNS |= {f"answer {n} {a.entity}": a.shape for n, a in enumerate(asked_numbers.ASKED)}
# These run on one word, number or line end, which is bounded already.
ON_BOUNDED_TEXT = {"inference.pii.phones _GROUP", "inference.pii.english_lexicon _FAMILY_ENDING"}

@pytest.mark.parametrize("name", sorted(set(PATTERNS) - ON_BOUNDED_TEXT))
def test_every_repeat_has_an_upper_bound(name: str) -> None:
    pattern = PATTERNS[name]
    assert unbounded(parser.parse(pattern.pattern, pattern.flags)) == []


def test_the_check_sees_an_unbounded_repeat() -> None:
    assert unbounded(parser.parse(r"a(?:b|c+){2,3}"))
    assert unbounded(parser.parse(r"(?<=x)(?=.*y)"))
    assert unbounded(parser.parse(r"(?>a+)b"))
    assert unbounded(parser.parse(r"(a)?(?(1)b+|c)"))
    assert not unbounded(parser.parse(r"a{1,3}b?"))


@pytest.mark.parametrize("seed", [
        "a", "1 ", "a.", "1-", "Aa ", "中路1号", "eyJ", "a@a.", "password: ", "4111·", "1.2.3.4 ", "mysql -p",
        "sshpass ", "token ", "--token ", "key a1", "密钥", "账号1", "a1B2c3D4 ", "login -p", "echo '", "key is ",
        "A_", "passport A", "1 1 ", "log in with ",
        "the gate code to ", "pin? it's ", "one two ", "what was the safe ", "left to 1, ", "密码是左1",
        "密码从1", "1 - 1", "the wifi is ", "gate: 1111, ", "login is a / ", "passphrase is aa ", "wifi是a",
        "用a1B2", "锁,1111",
    ],
)  # fmt: skip
def test_hostile_texts_are_answered_in_linear_time(seed: str) -> None:
    """Code around the patterns is seen by this alone, as are patterns that are tried from many starts."""
    _find(seed * 10)  # what is loaded once
    assert_linear(_find, lambda size: (seed * size)[:size], 20_000)


def _find(text: str) -> None:
    for rule in RULES:
        for span in rule.find(text):
            assert 0 <= span.start < span.end <= len(text)


def test_a_quadratic_pattern_is_seen() -> None:
    """As one would be that reads from each start to the end."""
    starts = re.compile(r"(?=(?s:.{0,20000})\Z.)")
    with pytest.raises(AssertionError, match="for a quarter"):
        assert_linear(starts.search, lambda size: ("a." * size)[:size], 12_000)
