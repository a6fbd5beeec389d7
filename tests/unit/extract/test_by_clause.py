"""Values, errands and a project's status, read by what stands in a clause; what looks like them is none (B1, A4)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from schemas.profile.model import Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, extract, values

TEAM, HEALTH = load_profile("engineering"), load_profile("health")


@pytest.mark.parametrize(
    ("profile", "question", "text", "spoken"),
    [
        (IMMIGRATION, "What did you study, and where?", "Geology, in the Technical University of Lodz",
         {"major": "Geology", "university": "the Technical University of Lodz"}),
        (IMMIGRATION, "Up to which degree?", "Bachelor. Then I worked", {"education": "学士", "university": None}),
        (IMMIGRATION, "How old are you?", "I have 41 years", {"age": 41}),
        (IMMIGRATION, "", "I work at Nordwind, it's logistics", {"currentIndustry": "logistics"}),
        (IMMIGRATION, "", "got promoted in 2025, 72k now", {"annualIncome": 72000}),
        (HEALTH, "Could I have your name, age, height and weight?", "kezia. 26. 165cm. 61 kg w/o the bag",
         {"name": "Kezia", "age": 26, "height": 165, "weight": 61}),
        (HEALTH, "", "wait said 26 didnt i. turned 27 sunday lol", {"age": 27}),
        (HEALTH, "", "weight 82.5 without the shoes, no change", {"weight": 82.5}),
        (HEALTH, "Anything in the family?", "mums got type 2 diabetes", {"family_history": "type 2 diabetes"}),
        (HEALTH, "", "gp saw me. put me on a brown inhaler as well, beclometasone",
         {"medications": "beclometasone"}),
        (HEALTH, "", "keep it short w me pls im on my break, no essays", {"response_style": "concise"}),
        (TEAM, "", "Hello everyone, Sanjay Kulkarni this side. I am a backend engineer", {"name": "Sanjay Kulkarni"}),
        (TEAM, "", "Could you answer me in Spanish from now on?", {"language_preference": "Spanish"}),
        (GENERAL, "", "I am a driver and a student", {"occupation": "driver and a student"}),
        (GENERAL, "", "I'm a chef and father of two", {"occupation": "chef"}),
    ],
)  # fmt: skip
def test_a_value_is_read_in_its_clause(
    profile: Profile, question: str, text: str, spoken: dict[str, object]
) -> None:
    found = values(text, profile, question=question or None)
    assert {name: found.get(name) for name in spoken} == spoken


@pytest.mark.parametrize(
    ("profile", "question", "text", "field"),
    [
        (IMMIGRATION, "", "with the new contract I can move only in march 2027", "annualIncome"),
        (IMMIGRATION, "", "with my new salary I can move in 2028", "annualIncome"),
        (IMMIGRATION, "What did you study, and where?", "Chemistry, at a small college nobody knows", "university"),
        (IMMIGRATION, "", "haha sure, put down 50 million", "investmentAmount"),
        (IMMIGRATION, "", "maybe moving in 2030 or never", "immigrationTimeline"),
        (IMMIGRATION, "", "lol sure sign me up for CIES", "targetCategory"),
        (IMMIGRATION, "", "had lunch at Nandos, it's fashion week", "currentIndustry"),
        (HEALTH, "May I know your name?", "rather not", "name"),
        (HEALTH, "Can I have your name please?", "sure", "name"),
        (HEALTH, "", "the clinic turned 30 on monday", "age"),
        (HEALTH, "", "my gp might swap salbutamol for symbicort", "medications"),
        (HEALTH, "", "my sister's gp told her to stop aspirin", "medications"),
        (HEALTH, "", "the metformin was finished so I got a new box", "medications"),
        (TEAM, "", "write the readme in German", "language_preference"),
        (TEAM, "", "my boss writes to me in Danish", "language_preference"),
        (TEAM, "", "I speak German to my kids", "language_preference"),
    ],
)  # fmt: skip
def test_what_looks_like_a_value_is_none(profile: Profile, question: str, text: str, field: str) -> None:
    assert field not in {n for c in extract(text, profile, question=question or None) for n in dict(values_of(c))}


@pytest.mark.parametrize(
    ("profile", "text", "field", "spoken"),
    [
        (IMMIGRATION, "GEP it is, forget QMAS", "targetCategory", {("GEP", False), ("QMAS", True)}),
        (HEALTH, "gp says swap salbutamol for symbicort", "medications", {("salbutamol", True), ("symbicort", False)}),
        (HEALTH, "nurse said to switch from ramipril to losartan", "medications",
         {("ramipril", True), ("losartan", False)}),
        (HEALTH, "sleepin fine no wheeze at all this wk", "symptoms", {("wheezing", True)}),
    ],
)  # fmt: skip
def test_one_value_ends_where_another_is_said(
    profile: Profile, text: str, field: str, spoken: set[tuple[str, bool]]
) -> None:
    found = [(dict(values_of(c)).get(field), c.negated) for c in extract(text, profile)]
    assert {one for one in found if one[0] is not None} == spoken


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("ye need to book the spirometry, havent rung them yet", "User has to book the spirometry"),
        ("gotta ring the vet about the dog", "User has to ring the vet about the dog"),
        ("The diploma is in portuguese so I will send the translation to you until wednesday",
         "User has to send the translation until 11 February 2026"),
        ("And I need to ask the police certificate in Brazil, I must not forget it",
         "User has to ask the police certificate in Brazil"),
        ("will pick up the prescription after work", "User has to pick up the prescription after work"),
    ],
)  # fmt: skip
def test_an_errand_is_a_task(text: str, task: str) -> None:
    assert task in [c.text for c in extract(text, IMMIGRATION) if c.kind == "intent"]


@pytest.mark.parametrize(
    "text",
    [
        "he needs to book the tickets", "do I need to sign the form?", "if it rains I have to cancel the picnic",
        "you have to submit the form", "I have to go", "i had to cancel the trip", "haha sure, put down 50 million",
    ],
)  # fmt: skip
def test_what_is_of_others_asked_or_supposed_is_no_errand(text: str) -> None:
    assert not [c for c in extract(text, GENERAL) if c.kind == "intent"]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("For the record, the owner is fine with it, and the launch is on 24 July.", "release", "24 July"),
        ("The launch is moved to 14 August.", "release", "14 August"),
        ("launch slipped from 3 March to 17 March", "release", "17 March"),
        ("we go live on 3 March", "release", "3 March"),
        ("9 October is the new launch date", "release", "9 October"),
        ("We stand at 58% this week.", "progress", 58),
        ("last week was 52%, and today progress is 66%.", "progress", 66),
        ("The new owner of the project is Dr. Amara Osei.", "owner", "Dr. Amara Osei"),
        ("Priya is the new owner, be nice", "owner", "Priya"),
        ("ownership moves to Tom Keller from monday", "owner", "Tom Keller"),
    ],
)
def test_a_projects_status_is_read_in_its_sentence(text: str, key: str, value: object) -> None:
    hot = [c.hot for c in extract(text, TEAM, project="p", speaker="sam") if c.hot is not None]
    assert [(h.key, h.value) for h in hot] == [(key, value)]


@pytest.mark.parametrize(
    "text",
    [
        "the release notes from 3 March are wrong", "launch was on 3 March last year", "we might launch on 5 May",
        "45% of the tests fail", "we have reached 80% coverage", "progress last week was 40%", "cpu is at 95%",
        "progress on the importer is 30%", "owner is on holiday", "the owner of the bucket is root",
    ],
)  # fmt: skip
def test_what_is_of_something_else_is_no_status(text: str) -> None:
    assert not [c.hot for c in extract(text, TEAM, project="p", speaker="sam") if c.hot is not None]


@pytest.mark.parametrize(
    "text",
    [
        "Decision from today's huddle: we use Valkey for the cache, with ten minutes of expiry.",
        "Outcome of the sync: Kafka for events, no RabbitMQ", "our choice fell on Terraform",
        "we've gone with Vite", "after the meeting: we'll use Sentry for the errors",
    ],
)  # fmt: skip
def test_what_a_team_settles_is_a_decision(text: str) -> None:
    assert [c for c in extract(text, TEAM, project="p", speaker="sam") if c.episode_type == "decision"]


@pytest.mark.parametrize(
    "text",
    ["Decision pending", "they decided to use Kafka at my old job", "maybe go with SQLite?", "he said go with god"],
)
def test_what_is_open_or_of_others_is_no_decision(text: str) -> None:
    assert not [c for c in extract(text, TEAM, project="p", speaker="sam") if c.episode_type == "decision"]
