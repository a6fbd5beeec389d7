"""Fields of English talk that are read by their values, wherever these stand: hurried, elliptic, in lists (B1, B2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from schemas.profile.model import FieldSpec, Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, extract, values

TEAM, TRIAL, HEALTH = (load_profile(name) for name in ("engineering", "clinical_trial", "health"))


@pytest.mark.parametrize(
    ("profile", "text", "spoken"),
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
        (HEALTH, "put down 147/91 for tonight", {"bp_systolic": 147, "bp_diastolic": 91}),
        (HEALTH, "chemist did my fasting sugar, 6.4", {"fasting_glucose": 6.4}),
        (HEALTH, "sugar was 7.3 on waking, bp 128 over 82",
         {"fasting_glucose": 7.3, "bp_systolic": 128, "bp_diastolic": 82}),
        (HEALTH, "138/84 today, pulse 66", {"bp_systolic": 138, "heart_rate": 66}),
        (HEALTH, "cholesterol came back, LDL 3.1, total 5.2", {"ldl_cholesterol": 3.1, "total_cholesterol": 5.2}),
        (HEALTH, "oxygen thing on my finger says 95", {"oxygen_saturation": 95}),
        (HEALTH, "blood group is O negative", {"blood_type": "O negative"}),
        (HEALTH, "weight 77.4 this morning, want to get down to 70 by easter",
         {"weight": 77.4, "health_goals": "get down to 70"}),
        (HEALTH, "hello im tess, 34, f. asthma + gout, on losartan 50",
         {"name": "tess", "age": 34, "gender": "female", "medications": "losartan"}),
        (HEALTH, "hiya, name's olga, im 52", {"name": "Olga", "age": 52}),
        (HEALTH, "so dr Moss has put me on bisoprolol as well", {"medications": "bisoprolol"}),
        (HEALTH, "dad had a stroke at 61", {"family_history": "stroke"}),
        (HEALTH, "can you answer in bullet points from now on", {"response_style": "bullet points"}),
        (TEAM, "Hi all, I'm Vera, test manager", {"name": "Vera", "occupation": "test manager"}),
        (TEAM, "hi it's Bo, 41, from the platform group", {"name": "Bo"}),
        (IMMIGRATION, "they even made me lead engineer last week. im on 91,000 now",
         {"currentJobTitle": "lead engineer", "annualIncome": 91000}),
        (IMMIGRATION, "portuguese is my mother tongue", {"languageSkills": "Portuguese"}),
        (IMMIGRATION, "soooo. i have an offer!!", {"hasHongKongEmployer": True}),
        (IMMIGRATION, "the offer arrived, I signed it on monday", {"hasHongKongEmployer": True}),
        (IMMIGRATION, "sadly the offer fell through", {"hasHongKongEmployer": False}),
        (IMMIGRATION, "so I've found an employer in Hong Kong", {"hasHongKongEmployer": True}),
        (IMMIGRATION, "the salary rose with the new post, 83k now", {"annualIncome": 83000}),
        (IMMIGRATION, "the salary was bumped to 95k", {"annualIncome": 95000}),
        (IMMIGRATION, "got a rise. 88k now", {"annualIncome": 88000}),
        (IMMIGRATION, "used to earn 50k, it's 64k now", {"annualIncome": 64000}),
        (HEALTH, "surgery had me at 160 over 100, the machine here says 139 over 85",
         {"bp_systolic": 139, "bp_diastolic": 85}),
        (HEALTH, "I have been weighed again: 68.5 kilos", {"weight": 68.5}),
        (HEALTH, "candesartan replaced the ramipril", {"medications": "candesartan"}),
        (HEALTH, "the consultant has put me on edoxaban instead of warfarin", {"medications": "edoxaban"}),
    ],
)  # fmt: skip
def test_a_value_is_read_wherever_it_stands(profile: Profile, text: str, spoken: dict[str, object]) -> None:
    found = values(text, profile)
    assert {name: found.get(name) for name in spoken} == spoken


@pytest.mark.parametrize(
    ("question", "text", "spoken"),
    [
        ("Do you have a job offer there?", "no offer, don't know anybody", {"hasHongKongEmployer": False}),
        ("Do you have a technical background?", "not at all, I sell shoes", {"hasTechBackground": False}),
        ("Which scheme do you prefer?", "the talent pass, TTPS", {"targetCategory": "TTPS"}),
        ("Is your mother still against it?", "ha no, mum's all for it now", {"familySupport": "supportive"}),
        ("Your yearly income, roughly?", "175k euros gross, give or take", {"annualIncome": 175000}),
        ("Any kids?", "three, 8, 9 and 11", {"hasChildren": True}),
        ("Which brings me to your age, if I may?", "43 on paper, 30 at heart", {"age": 43}),
        ("How many years have you worked in total?", "must be 16 by now", {"totalYearsOfExperience": 16}),
        ("When would you like to move?", "easter 2028 would suit us", {"immigrationTimeline": "easter 2028"}),
        ("Any job offer from Hong Kong so far?", "not so far. sent some cvs", {"hasHongKongEmployer": False}),
        ("What do your parents think?", "they're supportive, mum most of all", {"familySupport": "supportive"}),
    ],
)
def test_an_answer_in_a_word_is_of_its_questions_field(question: str, text: str, spoken: dict[str, object]) -> None:
    found = values(text, IMMIGRATION, question=question)
    assert {name: found.get(name) for name in spoken} == spoken


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
        (HEALTH, "my neighbour is on warfarin, is that ok?"),
        (HEALTH, "hubby's was 118 over 70, how is that fair"),
        (HEALTH, "bloke before me was 11.9!!"),
        (HEALTH, "if my bp goes over 160/100 should I call someone?"),
        (HEALTH, "used to take lisinopril years ago"),
        (HEALTH, "they wanted me to have my tonsils out but I said no"),
        (HEALTH, "booked in for a hip replacement in june"),
        (HEALTH, "my aunt swears by turmeric for arthritis"),
        (HEALTH, "gp is thinking about putting me on amlodipine, not sure yet"),
        (HEALTH, "the monitor said 150/90 for my wife"),
        (HEALTH, "my husband used it: the cuff gave 170 over 99"),
        (HEALTH, "the nausea wore off"),
        (IMMIGRATION, "the salary went to 30k for juniors"),
        (IMMIGRATION, "my brother's salary went up, 90k now"),
        (IMMIGRATION, "the offer on the house came yesterday"),
        (IMMIGRATION, "my parents aren't against it any more"),
        (TEAM, "we hired an SRE, 12 yrs of experience, starts monday"),
        (TRIAL, "subject 12 is allergic to penicillin, 54, type 2 diabetic"),
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
    spoken = {c.text for c in extract("finance director at Harrow Mills, divorced", IMMIGRATION) if c.field}
    assert spoken == {"User works as a finance director", "User works for Harrow Mills", "User is divorced"}


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


@pytest.mark.parametrize(
    ("question", "text", "field", "spoken"),
    [
        ("Any allergies?", "penicillin and strawberries. my brother is allergic to the rest", "allergies",
         {"penicillin", "strawberries"}),
        ("Which tablets are you on?", "Apixaban twice a day, bisoprolol in the morning", "medications",
         {"apixaban", "bisoprolol"}),
        ("Have you had any operations?", "just my wisdom teeth, last year. oh and tonsils when i was 6", "surgeries",
         {"wisdom teeth", "tonsils"}),
        ("", "anxiety + pcos, im 26", "medical_history", {"anxiety", "pcos"}),
    ],
)  # fmt: skip
def test_several_values_of_a_field_are_each_read(question: str, text: str, field: str, spoken: set[str]) -> None:
    found = extract(text, HEALTH, question=question or None)
    assert {str(dict(values_of(c)).get(field)).lower() for c in found if field in dict(values_of(c))} == spoken


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("headache's gone, forgot to tell you", "symptoms", "headache"),
        ("no more tingling", "symptoms", "tingling"),
        ("ankles are back to normal btw", "symptoms", "swollen ankles"),
        ("doctor stopped the omeprazole", "medications", "omeprazole"),
        ("the clopidogrel has been discontinued", "medications", "clopidogrel"),
        ("they took me off naproxen because of my stomach", "medications", "naproxen"),
        ("the headaches have gone", "symptoms", "headache"),
        ("dizziness has passed", "symptoms", "dizziness"),
        ("the ankles are no longer swollen", "symptoms", "swollen ankles"),
    ],
)
def test_what_is_over_ends_the_value(text: str, field: str, value: str) -> None:
    assert [(c.value, c.negated) for c in extract(text, HEALTH) if c.field == field] == [(value, True)]


@pytest.mark.parametrize(
    ("text", "field", "spoken"),
    [
        ("they swapped the metformin for gliclazide last week", "medications",
         {("metformin", True), ("gliclazide", False)}),
        ("ramipril has been replaced with candesartan", "medications",
         {("ramipril", True), ("candesartan", False)}),
        ("The warfarin is finished with. I now take apixaban", "medications",
         {("warfarin", True), ("apixaban", False)}),
        ("still dizzy. The ankles have gone down", "symptoms", {("swollen ankles", True), ("dizziness", False)}),
    ],
)  # fmt: skip
def test_one_of_several_values_ends_beside_another(text: str, field: str, spoken: set[tuple[str, bool]]) -> None:
    assert {(c.value, c.negated) for c in extract(text, HEALTH) if c.field == field} == spoken


@pytest.mark.parametrize(
    "text",
    [
        "the aspirin has gone up in price",
        "my mother's warfarin was stopped",
        "they might stop the amlodipine",
        "the headaches went on all night",
        "my daughter's cough has gone",
        "the headache has gone from bad to worse",
    ],
)
def test_what_goes_on_or_ended_for_another_ends_nothing(text: str) -> None:
    assert not [c for c in extract(text, HEALTH) if c.negated]


def test_what_a_turn_takes_back_is_no_value_of_it() -> None:
    found = extract("allergic to aspirin.. no hang on, aspirin's fine, it's ibuprofen im allergic to", HEALTH)
    kept = [dict(values_of(c))["drug_allergies"] for c in found if not c.negated]
    assert kept == ["ibuprofen"]


@pytest.mark.parametrize(
    ("text", "industry"),
    [("IT, for my sins", "IT"), ("i work in it, nine years", "it"), ("Carpets, it pays the rent", None)],
)
def test_it_is_an_industry_in_capitals_or_where_somebody_works_in_it(text: str, industry: str | None) -> None:
    found = values(text, question="What industry are you in?")
    assert found.get("industry") == industry


def test_a_name_with_who_it_is_behind_it_answers_no_question_for_a_school() -> None:
    text = "Electronics, Pune University. Amit, my brother, did his master's in Leeds"
    assert values(text, question="What did you study, and where?").get("university") != "Amit"
