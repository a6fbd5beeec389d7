"""Values in bare words: answers to one question or several, introductions, news, corrections, wishes (B1, B4)."""

from __future__ import annotations

import pytest

from schemas.profile.model import Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, values

HEALTH, TEAM, TRIAL = (load_profile(name) for name in ("health", "engineering", "clinical_trial"))


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (
            "How old are you, and what did you study?",
            "41, bachelors in geology from Leiden",
            {"age": 41, "education": "bachelor", "major": "geology", "university": "Leiden"},
        ),
        (
            "Where do you live and work at the moment?",
            "Tampere. structural engineer at Norbo, near the harbour",
            {"residence": "Tampere", "occupation": "structural engineer", "employer": "Norbo"},
        ),
        ("What's your name and where are you based?", "Tomasz, Gdynia", {"name": "Tomasz", "residence": "Gdynia"}),
        ("And what do you earn per year?", "roughly 68k gbp gross", {"income": 68000}),
        ("Any kids?", "two girls, 4 and 9", {"hasChildren": True}),
        ("How long have you worked in this field?", "nine years or so", {"yearsOfExperience": 9}),
        ("May I ask your age?", "52 last week!", {"age": 52}),
        ("Could I have your age and nationality?", "29, Portuguese", {"age": 29, "nationality": "Portuguese"}),
        ("Which languages do you speak?", "english and hindi. no french", {"language": "Hindi"}),
    ],
)
def test_a_bare_answer_is_read_with_its_questions(question: str, text: str, expected: dict[str, object]) -> None:
    found = values(text, question=question)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How old is your daughter?", "12, turning 13 soon"),
        ("Where would you like to live?", "Lisbon maybe"),
        ("Where were you born?", "Bergen. dad was a welder"),
        ("How old are you, if I may ask?", "rather not say"),
        ("What did you study?", "long story, tell you later"),
        ("What do you do for a living?", "depends on the week"),
        ("How old is the house?", "90 years"),
        ("Which languages does your wife speak?", "Korean and English"),
        ("What is your dog's name?", "Tomasz"),
        ("Who do you want to work for?", "Siemens"),
    ],
)
def test_what_is_asked_of_others_or_not_answered_is_no_value(question: str, text: str) -> None:
    assert values(text, question=question) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hi there, bram, 46, new to this", {"name": "bram", "age": 46}),
        ("Lucia, 33, vet, based in Turin", {"name": "Lucia", "age": 33, "occupation": "vet", "residence": "Turin"}),
        ("priit here btw, not Peter", {"name": "priit"}),
        ("it's Aoife with an e at the end", {"name": "Aoife"}),
        ("hana here, designer, remote from Split", {"name": "hana", "occupation": "designer", "residence": "Split"}),
        ("Leo from platform team, I do the pipelines", {"name": "Leo"}),
        ("Piotr, QA. mostly the mobile builds", {"name": "Piotr", "occupation": "QA"}),
        ("27f, living in Malmo", {"age": 27, "residence": "Malmo"}),
    ],
)
def test_who_introduces_themselves_in_a_word_is_known(text: str, expected: dict[str, object]) -> None:
    found = values(text)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        "snow here, third day running", "hello, question, 2 actually", "Monday, 46 emails, kill me",
        "hi team, 12 people signed up", "my sister Lucia, 33, vet, is visiting", "Redis, not Kafka. decided",
        "Postgres here, mysql there, what a mess", "Piotr, can you take the build", "it's Tuesday with a vengeance",
        "Marco from platform team broke it", "Thanks, Leo. works now",
    ],
)  # fmt: skip
def test_what_only_looks_like_an_introduction_names_nobody(text: str) -> None:
    assert not {"name", "age", "occupation"} & set(values(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pay's 82k now", {"annualIncome": 82000}),
        ("we moved last month! Oulu now", {"currentLocation": "Oulu"}),
        ("got promoted! senior buyer now", {"currentJobTitle": "senior buyer"}),
        ("new job: analyst at Fortum", {"currentJobTitle": "analyst", "currentCompany": "Fortum"}),
        ("changed jobs, I'm with Kesko now", {"currentCompany": "Kesko"}),
        ("I said 8 years of experience, it's actually 10", {"totalYearsOfExperience": 10}),
        ("I wrote 34 for my age, should be 35", {"age": 35}),
    ],
)
def test_the_value_that_news_or_a_correction_names_is_taken(text: str, expected: dict[str, object]) -> None:
    found = values(text, IMMIGRATION)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        "my brother moved! Oulu now", "we moved the meeting! Thursday now", "got promoted? in this economy",
        "he said 8 years, it's 10", "they offered me 120k but I said no", "pay's due on the 5th", "rent's 900 now",
    ],
)  # fmt: skip
def test_news_of_others_and_of_other_things_change_nothing(text: str) -> None:
    assert values(text, IMMIGRATION) == {}


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("log 139/84", "bp_systolic", 139),
        ("bp 128/79 note it pls", "bp_systolic", 128),
        ("record bp 163/93. oops, typo, 136/93", "bp_systolic", 136),
        ("my fasting sugar on the new meter was 5.4", "fasting_glucose", 5.4),
        ("127/80, hr 64", "heart_rate", 64),
        ("weighed myself: 82.4", "weight", 82.4),
        ("I'm 171 and 64 kilos", "height", 171),
        ("ibuprofen gives me a rash, always did", "allergies", "ibuprofen"),
        ("had my appendix out in 1998, does that matter?", "surgeries", "appendectomy"),
        ("GP switched me from ramipril to candesartan", "medications", "candesartan"),
    ],
)
def test_readings_and_medicines_in_passing_are_read(text: str, name: str, value: object) -> None:
    assert values(text, HEALTH).get(name) == value


@pytest.mark.parametrize(
    "text",
    [
        "log 3/4 of a mile", "score was 128/79 in the end", "neighbour's sugar was 6.1 fasting",
        "weighed the parcel, 4.2", "the news brings me out in hives", "had my wallet out in the shop",
        "my dad switched from ramipril to candesartan", "should I switch from ramipril to candesartan?",
        "switched from tea to coffee",
    ],
)  # fmt: skip
def test_what_is_no_measure_and_no_medicine_of_the_speakers_is_none(text: str) -> None:
    assert values(text, HEALTH) == {}


@pytest.mark.parametrize(
    ("profile", "text", "name", "value"),
    [
        (TRIAL, "brief answers please, I'm on rounds", "response_style", "concise"),
        (TRIAL, "can I get the reports as charts from now on?", "report_format", "charts"),
        (TRIAL, "petra here, I run the Cedar study from St Luke's Hospital", "site", "St Luke's Hospital"),
        (TEAM, "times in Tokyo please", "timezone", "Asia/Tokyo"),
        (TEAM, "don't sugar-coat it, be direct with me", "communication_tone", "direct"),
        (GENERAL, "short meeting today", "response_style", None),
        (TRIAL, "did the report have tables?", "report_format", None),
        (TRIAL, "I'm in Hull to see my sister", "site", None),
        (TEAM, "all my friends in Tokyo are asleep", "timezone", None),
        (TEAM, "don't be blunt with the customer", "communication_tone", None),
        (TEAM, "he was blunt with me", "communication_tone", None),
        (TRIAL, "upper age limit is 65 now", "age", None),
    ],
)
def test_wishes_in_passing_are_taken_and_their_like_are_not(
    profile: Profile, text: str, name: str, value: object
) -> None:
    assert values(text, profile).get(name) == value
