"""Fields of English talk that are read by their values, wherever these stand: hurried, elliptic, in lists (B1, B2)."""

from __future__ import annotations

import pytest

from schemas.profile.model import FieldSpec, Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, extract, values

TEAM, TRIAL, HEALTH = (load_profile(name) for name in ("engineering", "clinical_trial", "health"))


@pytest.mark.parametrize(
    ("profile", "text", "said"),
    [
        (IMMIGRATION, "me, 47, widowed, restless", {"age": 47, "maritalStatus": "丧偶"}),
        (IMMIGRATION, "peruvian one. based in Antwerp for now",
         {"nationality": "Peruvian", "currentLocation": "Antwerp"}),
        (IMMIGRATION, "I'm on a latvian passport btw", {"nationality": "Latvian"}),
        (IMMIGRATION, "dual citizen, irish and canadian", {"nationality": "Irish and Canadian"}),
        (
            IMMIGRATION, "finance director at Harrow Mills, 17 yrs in textiles",
            {"currentJobTitle": "finance director", "currentCompany": "Harrow Mills", "totalYearsOfExperience": 17,
             "currentIndustry": "textiles"},
        ),
        (IMMIGRATION, "so I'm only consultant to the owners now, still with Harrow Mills",
         {"currentJobTitle": "consultant to the owners", "currentCompany": "Harrow Mills"}),
        (IMMIGRATION, "read law? no, studied economics, at Maastricht, did my masters there",
         {"major": "economics", "university": "Maastricht", "education": "硕士"}),
        (IMMIGRATION, "BSc in geology, Durham, ages ago",
         {"education": "学士", "major": "geology", "university": "Durham"}),
        (IMMIGRATION, "works out at 140k a year from now on", {"annualIncome": 140000}),
        (IMMIGRATION, "my sums say 19 years of experience, not 18", {"totalYearsOfExperience": 19}),
        (IMMIGRATION, "would put in 31 million hkd if that's what it takes", {"investmentAmount": 31000000}),
        (IMMIGRATION, "forget GEP. TTPS for me, settled", {"targetCategory": "TTPS"}),
        (IMMIGRATION, "winter's too early, lets say spring 2029", {"immigrationTimeline": "spring 2029"}),
        (IMMIGRATION, "we'd love to be over there by the end of 2027", {"immigrationTimeline": "the end of 2027"}),
        (IMMIGRATION, "divorced, two boys", {"maritalStatus": "离异", "hasChildren": True}),
        (IMMIGRATION, "dad's dead against it sadly", {"familySupport": "against it"}),
        (GENERAL, "me? dull. welder, 58, three daughters", {"occupation": "welder", "age": 58, "hasChildren": True}),
        (GENERAL, "been a midwife for 21 years", {"occupation": "midwife", "yearsOfExperience": 21}),
        (GENERAL, "unmarried, childless, fine with both", {"maritalStatus": "single", "hasChildren": False}),
        (GENERAL, "gave up the house, living in Turku now", {"residence": "Turku"}),
        (GENERAL, "got my phd from Lund", {"education": "doctorate", "university": "Lund"}),
        (TEAM, "Joris. sre, eight yrs of pagers. contracting thru Oakline atm",
         {"name": "Joris", "occupation": "sre", "yearsOfExperience": 8, "employer": "Oakline"}),
        (TEAM, "Marit, android dev. sitting in Tromso, snowing",
         {"name": "Marit", "occupation": "android dev", "residence": "Tromso"}),
        (TEAM, "Riga time for me please", {"timezone": "Europe/Riga"}),
        (TEAM, "UTC+3 for me", {"timezone": "UTC+3"}),
        (TEAM, "no need to beat around the bush when you write me", {"communication_tone": "direct"}),
        (TEAM, "moved house last night. still Tromso, bigger kitchen", {"residence": "Tromso"}),
        (TRIAL, "Nadia, study coordinator at Leeds General",
         {"name": "Nadia", "role": "study coordinator", "site": "Leeds General"}),
        (HEALTH, "61, retired, 171 and 83 kilos", {"age": 61, "height": 171, "weight": 83}),
    ],
)  # fmt: skip
def test_a_value_is_read_wherever_it_stands(profile: Profile, text: str, said: dict[str, object]) -> None:
    found = values(text, profile)
    assert {name: found.get(name) for name in said} == said


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Do you have a job offer there?", "no offer, don't know anybody", {"hasHongKongEmployer": False}),
        ("Do you have a technical background?", "not at all, I sell shoes", {"hasTechBackground": False}),
        ("Which scheme do you prefer?", "the talent pass, TTPS", {"targetCategory": "TTPS"}),
        ("Is your mother still against it?", "ha no, mum's all for it now", {"familySupport": "supportive"}),
        ("Your yearly income, roughly?", "175k euros gross, give or take", {"annualIncome": 175000}),
        ("Any kids?", "three, 8, 9 and 11", {"hasChildren": True}),
    ],
)
def test_an_answer_in_a_word_is_of_its_questions_field(question: str, text: str, said: dict[str, object]) -> None:
    found = values(text, IMMIGRATION, question=question)
    assert {name: found.get(name) for name in said} == said


def test_languages_are_each_a_value_and_those_denied_are_none() -> None:
    found = extract("danish, polish and english all fluent. thai of any sort, zero", IMMIGRATION)
    assert {c.value for c in found if c.field == "languageSkills"} == {"Danish", "Polish", "English"}
    assert not [c for c in found if c.field == "nationality"]


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        (IMMIGRATION, "my ex put 9 million sgd into it in Singapore, total mess"),
        (IMMIGRATION, "my sister's divorced, 44, lives in Perth"),
        (IMMIGRATION, "rent here is 26k a year, madness"),
        (IMMIGRATION, "the house cost us 2 million euros"),
        (IMMIGRATION, "my budget for the flat is 3 million"),
        (IMMIGRATION, "the minimum for CIES is 30 million, somebody said"),
        (IMMIGRATION, "what's the difference between TTPS and QMAS?"),
        (IMMIGRATION, "a friend got in on the TTPS"),
        (IMMIGRATION, "everyone here is a banker, help"),
        (IMMIGRATION, "love italian food and french wine"),
        (IMMIGRATION, "translate this into dutch please"),
        (IMMIGRATION, "I'm flying to Rome in May 2027"),
        (IMMIGRATION, "studying for an MBA would be fun someday"),
        (IMMIGRATION, "my son graduated from Bocconi, economics"),
        (IMMIGRATION, "his parents are against it"),
        (IMMIGRATION, "was a teacher once, before all that"),
        (IMMIGRATION, "do I have to know anything about computers? I can't even unjam the printer"),
        (GENERAL, "if I were 30 and single I'd go"),
        (GENERAL, "living in a small flat"),
        (GENERAL, "stuck in a meeting in Paris"),
        (GENERAL, "is it true that nurses earn 60k a year?"),
        (GENERAL, "we need a plumber, any good one"),
        (GENERAL, "the film is 24 years old"),
        (GENERAL, "thanks, doctor. 40 is fine"),
        (GENERAL, "I'd love to live in Kyoto someday"),
        (GENERAL, "the single room at 45 please"),
        (TEAM, "deploy at 9 Berlin time"),
        (TEAM, "the build takes a long time"),
        (TEAM, "no emojis in log lines"),
        (TEAM, "server's in Frankfurt, 12 nodes"),
        (TEAM, "Anna, designer needed on the map screen"),
        (TEAM, "he's a data engineer at Oakline"),
        (HEALTH, "lost 3 kilos already"),
        (HEALTH, "dog weighs 30 kg, vet's thrilled"),
    ],
)
def test_what_is_anothers_asked_past_or_something_else_is_no_value(profile: Profile, text: str) -> None:
    read = values(text, profile)
    assert not {n: v for n, v in read.items() if profile.field(n) is not None}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does your husband do?", "chef at Nobu, 45"),
        ("Do you have a job offer there?", "maybe, still talking to one"),
        ("Did they quote you a price?", "90k euros"),
    ],
)
def test_an_answer_about_another_thing_or_one_not_sure_is_no_value(question: str, text: str) -> None:
    assert not values(text, IMMIGRATION, question=question)


def test_what_a_value_says_is_a_whole_sentence() -> None:
    said = {c.text for c in extract("finance director at Harrow Mills, divorced", IMMIGRATION) if c.field}
    assert said == {"User works as a finance director", "User works for Harrow Mills", "User is divorced"}


def test_a_field_that_a_profile_adds_is_read_by_its_names_and_label() -> None:
    seat = FieldSpec(
        name="seat", kind="preference", label={"en": "seat"},
        aliases={"aisle": ("aisle seat",), "window": ("window seat",)},
    )  # fmt: skip
    member = FieldSpec(name="isMember", type="boolean", label={"en": "club membership"})
    profile = GENERAL.model_copy(update={"fields": (*GENERAL.fields, seat, member)})
    assert values("aisle for me, always", profile)["seat"] == "aisle"
    assert values("none at all", profile, question="Do you hold a club membership?")["isMember"] is False
    assert "seat" not in values("the window is broken", profile)
