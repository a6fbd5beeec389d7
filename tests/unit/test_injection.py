"""No text of a caller closes a key, a filter or a prompt's frame (C7): two callers never meet in one key, a filter's
literal is one literal, and what a turn says changes neither its tenant nor its user nor its policy."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import owner as owners
from schemas.owner import Owner
from schemas.stores import MilvusLayout, RedisLayout

NASTY = st.sampled_from(["", "}", "{", "/", "%2F", ":", "'", '"', "\\", "*", "guard:", "user", "王", "a", "%"])
KEYS = RedisLayout()
TEXT = st.lists(NASTY, min_size=1, max_size=4).map("".join).filter(bool)


@settings(max_examples=300, deadline=None)
@given(st.tuples(TEXT, TEXT, TEXT), st.tuples(TEXT, TEXT, TEXT))
def test_c7_two_callers_never_share_a_redis_key(one: tuple[str, str, str], two: tuple[str, str, str]) -> None:
    def keys(tenant: str, name: str, rest: str) -> list[str]:
        user, project = owners.user(tenant, name), owners.project(tenant, name)
        made = (KEYS.session, KEYS.history, KEYS.summary, KEYS.anchors, KEYS.revision)
        return [*(f(user, rest) for f in made), KEYS.hot_memory(project, name), KEYS.hot_guard(project, name)]

    mine = keys(*one)
    assert len(set(mine)) == len(mine)
    if one != two:
        shared = set(mine) & set(keys(*two))
        # A project's keys do not hold the third part.
        assert one[:2] == two[:2] or not shared
        assert len(shared) <= 2
    for key in mine:
        tag = key[1 : key.index("}")]
        assert Owner.parse(tag).tenant == one[0], "the hash tag is the owner, whole"


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_c7_a_filters_literal_is_one_literal(text: str) -> None:
    made = MilvusLayout.literal(text)
    assert json.loads(made) == text
    inner = made[1:-1].replace("\\\\", "").replace('\\"', "")
    assert made[0] == made[-1] == '"'
    assert '"' not in inner


def test_c7_a_filters_literal_takes_no_control_characters() -> None:
    for bad in ("a\nb", "a\x00", "\x1b"):
        with pytest.raises(ValueError, match="control"):
            MilvusLayout.literal(bad)


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT, TEXT, TEXT)
def test_c7_owners_do_not_meet(a: str, b: str, c: str, d: str) -> None:
    one, two = owners.user(a, b), owners.user(c, d)
    assert (one.key == two.key) == ((a, b) == (c, d))
    assert Owner.parse(one.key) == one
