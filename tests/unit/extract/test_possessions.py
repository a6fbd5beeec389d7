"""What one has or has not is kept though no verb says so; what is no thing of one's own is not (B1)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract


def statements_of(statement: str) -> list[str]:
    return [c.text for c in extract(statement, speaker="Ann") if c.source == "explicit"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("No pets, no car, and I like it that way", ["Ann has no pets", "Ann has no car"]),
        ("Three hens, Dot and Sal, and they rule the garden", ["Ann has three hens called Dot and Sal"]),
        ("two cats, Sooty and Ink", ["Ann has two cats called Sooty and Ink"]),
        ("Wife and three boys, nine to fourteen.", ["Ann has a wife and three boys"]),
        ("no siblings", ["Ann has no siblings"]),
    ],
)
def test_what_one_has_is_kept_without_a_verb(text: str, texts: list[str]) -> None:
    assert statements_of(text)[: len(texts)] == texts


@pytest.mark.parametrize(
    "text",
    [
        "No worries, no rush",
        "No kids on the bus today",
        "Two dogs on the wall",
        "Three sisters went to the ball",
        "no pets?",
        "Two cats! On my bed! Again!",
        "No dogs allowed in here",
    ],
)
def test_what_is_no_thing_of_ones_own_is_none(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("my allergies: latex, wasps and kiwi",
         ["User's allergies include latex", "User's allergies include wasps", "User's allergies include kiwi"]),
        ("I play: chess, darts (a little)", ["User plays chess", "User plays darts"]),
        ("Pick from these towns: Oban, Cork and Bath", []),
        ("Jonas: hi, how are you", []),
        ("Yes: tent, rope", []),
        ("current meds: latanoprost, biotin",
         ["User's current meds include latanoprost", "User's current meds include biotin"]),
        ("Ingredients: flour, eggs, milk", []),
        ("Window seat always, and never the front row",
         ["User always wants window seat", "User never wants the front row"]),
        ("Spy novels, yes. Westerns, no.", ["User likes spy novels", "User does not like Westerns"]),
        ("Spy novels, yes.", []),
        ("Engaged, yes. Twins, no.", ["User is engaged"]),
        ("Sore wrists every time.", []),
        ("tea while I read, silence when I drive",
         ["User likes tea while they read", "User likes silence when they drive"]),
        ("soup when I get home", []),
        ("members only", []),
    ],
)  # fmt: skip
def test_what_a_single_user_lists_or_likes_needs_no_verb(text: str, texts: list[str]) -> None:
    assert [c.text for c in extract(text) if c.source == "explicit"] == texts


def test_a_field_is_filled_by_it() -> None:
    assert [(c.field, c.value) for c in extract("No kids.") if c.field] == [("hasChildren", False)]
    assert [(c.field, c.value) for c in extract("two cats, Sooty and Ink") if c.field] == [("pet", "cats")]
    assert [(c.field, c.value) for c in extract("Max heart rate is 190") if c.field] == []
    assert [(c.field, c.value) for c in extract("I have kids at home.") if c.field] == [("hasChildren", True)]
    for request, names in (("What should I call you?", ["Wren"]), ("Which language should I use?", [])):
        assert [c.value for c in extract("Just Wren is fine.", question=request) if c.field == "name"] == names


def test_each_thing_that_somebody_owns_is_one_value() -> None:
    assert [c.value for c in extract("I own a canoe, a caravan and a loom.") if c.field] == [
        "a canoe", "a caravan", "a loom",
    ]  # fmt: skip
    assert [c.text for c in extract("I own a canoe and an old loom.") if c.field] == [
        "User owns a canoe", "User owns an old loom",
    ]  # fmt: skip
