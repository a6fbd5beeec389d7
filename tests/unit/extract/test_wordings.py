"""Wordings of a profile: what people of a domain say, from data alone (D2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from processors.reader.rules.protocol import holds_many, values_of
from schemas.profile.model import Profile, ProfileError, load_profile, parse_profile
from tests.pages import blocks
from tests.unit.extract.support import extract

# A domain that no shipped profile knows: cyclists.
CYCLING = """
name = "cycling"
version = 1

[[wordings]]
language = "en"
pattern = 'am training for (?P<race>[a-z ]{3,30}?){end}'
many = true

[[wordings]]
language = "en"
of = ["I", "my"]
pattern = 'saddle height is (?P<said>(?:(?P<inch>[0-9]{1,3}) ?in|(?P<cm>[0-9]{1,3}) ?cm)\\b)'
says = "{owner}'s saddle is at {said}"
numbers = { saddle = { inch = 2.54, cm = 1 } }
digits = 1

[[wordings]]
language = "en"
of = ["I"]
pattern = 'ride an? (?P<bike>{lexicon.bike})'
says = "{owner} rides a {bike}"
says_not = "{owner} rides no {bike}"

[[wordings]]
language = "en"
of = ["I", "my"]
pattern = 'gears are (?P<front>[0-9]{2}) ?/ ?(?P<rear>[0-9]{2}|compact)'
says = "{owner} has gears {gears}"
words = { gears = ["front", "rear"] }
canonical = { compact = "34" }

[[wordings]]
language = "zh"
pattern = '参加(?P<race>[\\u4e00-\\u9fff]{2,8}赛)'
says = "{owner}要参加{race}"

[[wordings]]
language = "zh"
of = ["I", "we", "my"]
pattern = '座高(?P<saddle>[0-9]{2,3})'
says = "{of}座高{saddle}"
numbers = { saddle = {} }

[lexicon.bike]
"fixie" = "fixed gear"
"""
BIKES = parse_profile(CYCLING, "cycling.toml")


def statements_of(text: str, profile: Profile = BIKES) -> list[tuple[str, Any, Any, bool]]:
    return [(c.text, c.field, c.value, c.negated) for c in extract(text, profile) if c.field]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm training for the alps and work a lot", ("User is training for the alps", "race", "the alps", False)),
        ("I'm not training for the alps", ("User is not training for the alps", "race", "the alps", True)),
        ("My saddle height is 30 in.", ("User's saddle is at 30 in", "saddle", 76.2, False)),
        ("my saddle height is 76 cm", ("User's saddle is at 76 cm", "saddle", 76, False)),
        ("I ride a fixie", ("User rides a fixie", "bike", "fixed gear", False)),
        ("I don't ride a fixie", ("User rides no fixie", "bike", "fixed gear", True)),
        ("My gears are 50/Compact", ("User has gears 5034", "gears", "5034", False)),
        ("我参加环湖赛", ("用户要参加环湖赛", "race", "环湖赛", False)),
        ("我的座高76", ("座高76", "saddle", 76, False)),
    ],
)
def test_d2_a_profile_says_in_data_what_its_people_say(text: str, kept: tuple[str, str, Any, bool]) -> None:
    assert statements_of(text) == [kept]


@pytest.mark.parametrize(
    "text",
    [
        "我没参加环湖赛",
        "我猜你参加环湖赛",
        "我妈妈座高76",
        "If I ride a fixie",
        "She rides a fixie",
        "Do I ride a fixie?",
    ],
)
def test_d2_what_is_denied_without_a_word_for_it_or_of_others_fills_nothing(text: str) -> None:
    assert statements_of(text) == []


def test_d2_other_profiles_know_nothing_of_it() -> None:
    assert statements_of("I ride a fixie", load_profile("general")) == []


def test_d2_a_correction_says_so() -> None:
    (kept,) = [c for c in extract("Sorry, I ride a fixie", BIKES) if c.field]
    assert kept.attributes == {"correction": True}


def test_b4_a_slot_of_a_wording_holds_several_values_where_it_says_so() -> None:
    assert holds_many(BIKES, "race")
    assert not holds_many(BIKES, "saddle")


def test_c11_a_denied_illness_or_allergy_is_not_one() -> None:
    health = load_profile("health")
    for text in ("我不患有哮喘", "我没有患有哮喘", "我没得哮喘"):
        assert not [c for c in extract(text, health) if c.field and not c.negated], text
    (kept,) = [c for c in extract("I don't take metformin", health) if c.field]
    assert (kept.text, kept.negated) == ("User does not take metformin", True)
    (kept,) = [c for c in extract("我没有对花粉过敏", health) if c.field]
    assert (kept.field, kept.value, kept.negated) == ("allergies", "花粉", True)


@pytest.mark.parametrize("name", ["general", "immigration", "clinical_trial", "engineering"])
def test_what_a_profile_takes_from_another_is_in_it_when_loaded(name: str) -> None:
    """A tenant's profile travels as JSON: nothing is looked up again."""
    profile = load_profile(name)
    taken = load_profile("health").wordings
    assert profile.wordings[-len(taken) :] == taken
    assert Profile.model_validate(profile.model_dump(mode="json", exclude_defaults=True)) == profile


def test_own_wordings_go_before_those_taken_and_a_folder_before_the_shipped(tmp_path: Path) -> None:
    (tmp_path / "cycling.toml").write_text(CYCLING, encoding="utf-8")
    (tmp_path / "health.toml").write_text(
        'name = "health"\nversion = 1\n' + CYCLING.split("1\n", 1)[1], encoding="utf-8"
    )
    own = CYCLING.replace("version = 1", 'version = 1\nwordings_from = ["health"]', 1)
    (tmp_path / "cycling.toml").write_text(own, encoding="utf-8")
    assert load_profile("cycling", tmp_path).wordings == BIKES.wordings * 2


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[a-z ]{3,30}?", "(?:[a-z ]{1,9}){3,30}?", ["wordings.0.pattern: a text may match it in more than 250000"]),
        ("{3,30}?", "+", ["wordings.0.pattern: repeats without an upper bound", "{1,40}"]),
        ("{3,30}?", "{3,}?", ["wordings.0.pattern: repeats without an upper bound"]),
        ("{3,30}?)", "{3,30}?", ["wordings.0.pattern: not a regular expression"]),
        ("{end}", "{ends}", ["wordings.0: pattern: no such place {ends}; allowed: {lexicon.SLOT}"]),
        ("(?P<race>[a-z ]{3,30}?)", "[a-z ]{3,30}?", ["wordings.0: pattern: captures nothing"]),
        ("inch = 2.54", "inches = 2.54", ["wordings.1: numbers.saddle: no group 'inches'", "cm, inch, said"]),
        ('["front", "rear"]', '["front", "back"]', ["wordings.3: words.gears: no group 'back'", "front, rear"]),
        ('["front", "rear"]', "[]", ["wordings.3: words.gears: name the groups"]),
        ("rides a {bike}", "rides a {bicycle}", ["wordings.2: says: nothing is called 'bicycle'", "bike, of, owner"]),
        ("rides no {bike}", "rides no {bikes}", ["wordings.2: says_not: nothing is called 'bikes'"]),
        ("digits = 1", "plus = { saddles = 1 }", ["wordings.1: plus.saddles: expected a slot of numbers: saddle"]),
        ('says = "{of}座高{saddle}"\n', "", ["wordings.5: says: is required"]),
        ('says = "{owner} has gears {gears}"\n', "", ["wordings.3: says: is required"]),
        (
            "many = true",
            "more = true",
            ["wordings.0.more: no such key; allowed: behind, canonical, digits, ends, language"],
        ),
        ('of = ["I"]', 'of = ["you"]', ["wordings.2.of.0: must be one of 'I', 'we', 'my' or 'none'"]),
        ("[lexicon.bike]", "[lexicon.bikes]", ["lexicon.bikes: no such slot; allowed: age, avoids, bike"]),
        (
            "version = 1",
            'version = 1\nwordings_from = ["heath"]',
            ["wordings_from: must be a list", "health"],
        ),
        (
            "version = 1",
            'version = 1\n[wording_parts]\na = "x{part.b}"\nb = "y"',
            ["wording_parts.a: no such part 'b'; before it there are: none"],
        ),
        (
            "version = 1",
            "version = 1\n[wording_parts]\na0 = 'xx'\n"
            + "".join(f"a{n} = '{{part.a{n - 1}}}{{part.a{n - 1}}}'\n" for n in range(1, 60)),
            ["wording_parts.a12: must have at most 5000 characters with its parts"],
        ),
        ("version = 1", "version = 1\ncolour = 2", ["colour: no such key", "wording_parts, wordings, wordings_from"]),
    ],
)
def test_a_wording_that_cannot_be_read_is_refused(old: str, new: str, expected: list[str]) -> None:
    assert old in CYCLING
    with pytest.raises(ProfileError) as error:
        parse_profile(CYCLING.replace(old, new, 1), "mine.toml")
    message = str(error.value)
    assert message.startswith("mine.toml: ")
    assert all(part in message for part in expected), message


def test_the_example_of_the_documentation_is_a_profile() -> None:
    example = "\n".join(each for each in blocks("docs/extending.md", "toml") if "entry-points" not in each)
    profile = parse_profile(f'name = "docs"\nversion = 1\n{example}[lexicon.condition]\n"asthma" = "asthma"\n', "docs")
    assert statements_of("I weigh 160 lbs", profile) == [("User weighs 160 lbs", "weight", 72.6, False)]
    assert statements_of("I don't have asthma", profile) == [("User does not have asthma", "condition", "asthma", True)]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (
            "My wife holds a Chilean passport, mine is Irish",
            ["User is married", "User's passport is Irish", "User's wife holds a Chilean passport"],
        ),
        ("We are four: me, my husband and our boys", ["User is married"]),
        ("My wife has a Chilean passport", ["User is married", "User's wife has a Chilean passport"]),
        ("My ex wife has a Chilean passport", ["User's ex wife has a Chilean passport"]),
    ],
)
def test_a_value_that_follows_from_a_mention_has_a_sentence_of_its_own(text: str, texts: list[str]) -> None:
    assert sorted(c.text for c in extract(text, load_profile("immigration"))) == texts


@pytest.mark.parametrize(
    ("text", "statement", "surgery"),
    [
        ("I had both ovaries removed in 2019", "User had both ovaries removed in 2019", "ovary removal"),
        ("I had my left hip replaced in 2019", "User had their left hip replaced in 2019", "left hip replacement"),
        ("I had my tonsils out in 1998", "User had their tonsils out in 1998", "tonsillectomy"),
    ],
)
def test_an_operation_is_told_with_its_time(text: str, statement: str, surgery: str) -> None:
    [kept] = extract(text, load_profile("health"))
    assert (kept.text, kept.value) == (statement, surgery)


@pytest.mark.parametrize("text", ["penicillin brings me out in hives", "allergic to penicillin, as is my brother"])
def test_one_value_of_two_fields_is_one_whole_statement(text: str) -> None:
    [kept] = [c for c in extract(text, load_profile("health")) if values_of(c).get("drug_allergies")]
    assert kept.text.startswith("User is allergic to penicillin")
