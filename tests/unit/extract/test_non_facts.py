"""What is wished, feared, believed, denied or taken back is no fact; what was meant instead is one (B1, B4)."""

from __future__ import annotations

from typing import Any

import pytest

from processors.reader.rules.protocol import values_of
from schemas.profile.model import load_profile
from tests.unit.extract.support import extract, values

HEALTH = load_profile("health")


@pytest.mark.parametrize(
    "text",
    [
        "我打算明年搬到上海。",
        "等我搬到上海再说。",
        "我想读博士。",
        "我想体重70公斤。",
        "我的目标体重70公斤。",
        "我怕有糖尿病。",
        "我担心自己得了糖尿病。",
        "我怀疑自己对海鲜过敏。",
        "我好像对虾过敏。",
        "我以为我是医生。",
        "我梦见我是医生。",
        "我没说我是医生。",
        "我住在上海就好了。",
        "我差点成了硕士。",
        "我害怕自己有高血压。",
        "我计划到2030年住在成都。",
        "I want to weigh 70 kg.",
        "I'm worried I have diabetes.",
        "I have diabetes in the family.",
        "I thought I was allergic to penicillin but the test was negative.",
        "I used to take lisinopril.",
        "I was prescribed lisinopril but never took it.",
        "I'm allergic to nothing.",
        "I think I have asthma.",
        "I was afraid I had asthma.",
        "我以前吃二甲双胍，现在停了。",
        "我从小就对花生过敏，现在好了。",
        "我2019年搬到上海，2021年离开了。",
        "My blood pressure isn't 150/95.",
        "我血压没有150/95。",
    ],
)
def test_b1_what_is_not_meant_as_so_fills_no_field(text: str) -> None:
    assert values(text, HEALTH) == {}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("My blood pressure is not 150/95, it's 130/85.", {"bp_systolic": 130, "bp_diastolic": 85}),
        ("我今天血压不是150/95，是130/85。", {"bp_systolic": 130, "bp_diastolic": 85}),
        ("我体重是80公斤，不对，是78公斤。", {"weight": 78}),
        ("我体重75公斤，不对，78。", {"weight": 78}),
        ("I'm 33, no wait, 34.", {"age": 34}),
        ("I'm 33, no wait, I'm 34.", {"age": 34}),
        ("I weigh 82 kg, sorry, 80.", {"weight": 80}),
        ("I live in Leeds, sorry, York.", {"residence": "York"}),
        ("My name's not Bob, it's Rob.", {"name": "Rob"}),
        ("我住在上海，不对，苏州。", {"residence": "苏州"}),
        ("我不是住在上海，是苏州。", {"residence": "苏州"}),
        ("我今年32岁，说错了，33岁。", {"age": 33}),
        ("我身高175，哦不，178。", {"height": 178}),
        ("I'm from Kenya, I mean, Uganda.", {"origin": "Uganda"}),
        ("I live in Leeds. Sorry, I meant York.", {"residence": "York"}),
        ("I live in Leeds with my cat. Sorry, I meant Manchester. And you?", {"residence": "Manchester"}),
        ("I live in Leeds... no wait, York.", {"residence": "York"}),
        ("I live in Leeds. Sorry, in York.", {"residence": "York"}),
        ("I work as a nurse. Sorry, I meant a midwife.", {"occupation": "midwife"}),
        ("I'm a nurse. Sorry, an accountant.", {"occupation": "accountant"}),
        ("I work as an actor in Leeds. No wait, dancer.", {"occupation": "dancer", "residence": "Leeds"}),
        ("I'm 33. No wait, 34.", {"age": 34}),
        ("I weigh 82 kg. Sorry, 80.", {"weight": 80}),
        ("My blood pressure is 150/95. No, 130/85.", {"bp_systolic": 130, "bp_diastolic": 85}),
        ("我住在杭州。不对，是苏州。", {"residence": "苏州"}),
        ("我住在杭州三年了。说错了，我住在苏州。", {"residence": "苏州"}),
        ("我体重75公斤。不对，是78公斤。", {"weight": 78}),
        ("我今年32岁。抱歉，说错了，33岁。", {"age": 33}),
    ],
)
def test_b4_what_was_meant_stands(text: str, fields: dict[str, Any]) -> None:
    assert values(text, HEALTH) == fields


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("I live in Leeds. Sorry, Anna!", {"residence": "Leeds"}),
        ("I work as a nurse. Sorry, a minute.", {"occupation": "nurse"}),
        ("I work as a nurse and met a lawyer. Sorry, a judge.", {"occupation": "nurse"}),
        ("I'm a nurse. No, a doctor?", {"occupation": "nurse"}),
        ("我是护士。不对，医生很忙。", {"occupation": "护士"}),
        ("I moved to Leeds. Wait, I meant Monday.", {"residence": "Leeds"}),
        ("I live in Leeds. I mean, Wow.", {"residence": "Leeds"}),
        ("I'm 33. Sorry, 5 minutes.", {"age": 33}),
        ("I'm 33. My blood pressure is 150/95. No, 40.", {"age": 33, "bp_systolic": 150, "bp_diastolic": 95}),
        ("我住在杭州，老家是苏州。不对，是南京。", {"residence": "杭州"}),
        ("我住在杭州。不对吧？", {"residence": "杭州"}),
    ],
)
def test_b4_what_may_mean_something_else_corrects_nothing(text: str, fields: dict[str, Any]) -> None:
    assert values(text, HEALTH).items() >= fields.items()


@pytest.mark.parametrize(
    ("text", "job"),
    [
        ("I'm a nurse. Sorry, I meant an accountant.", "accountant"),
        ("我是护士。不对，是医生。", "医生"),
        ("我是一名小学老师。说错了，是中学老师。", "中学老师"),
    ],
)
def test_b4_a_job_that_was_not_meant_is_no_memory(text: str, job: str) -> None:
    assert [c.value for c in extract(text) if c.field == "occupation"] == [job]


def test_n8_the_time_that_was_meant_is_resolved() -> None:
    (kept,) = extract("We fly to Rome on Monday. No, I mean on Tuesday.")
    assert kept.occurred_from is not None
    assert (kept.occurred_from.isoweekday(), "10 February 2026" in kept.text) == (2, True)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("I live in York but never liked it.", {"residence": "York"}),
        ("I'm 33 but feel 50.", {"age": 33}),
        ("我搬到上海了。", {"residence": "上海"}),
        ("我确诊糖尿病三年了。", {"medical_history": "糖尿病"}),
        ("I have asthma.", {"medical_history": "asthma"}),
        ("I'm allergic to peanuts and carry an epipen.", {"allergies": "peanuts"}),
        ("My doctor said my blood pressure is 150/90.", {"bp_systolic": 150, "bp_diastolic": 90}),
        ("我主要在北京工作，想换城市。", {"residence": "北京"}),
        ("我对虾也过敏。", {"allergies": "虾"}),
    ],
)
def test_b1_what_is_so_is_still_heard(text: str, fields: dict[str, Any]) -> None:
    assert values(text, HEALTH) == fields


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("I'm allergic to peanuts and shellfish.", {("allergies", "peanuts"), ("allergies", "shellfish")}),
        ("我对花粉、尘螨和虾过敏。", {("allergies", "花粉"), ("allergies", "尘螨"), ("allergies", "虾")}),
        (
            "I'm allergic to penicillin and aspirin.",
            {(f, v) for f in ("allergies", "drug_allergies") for v in ("penicillin", "aspirin")},
        ),
    ],
)
def test_b3_of_several_things_each_stands_by_itself(text: str, held: set[tuple[str, str]]) -> None:
    assert {item for c in extract(text, HEALTH) for item in values_of(c).items()} == held


@pytest.mark.parametrize(
    ("text", "drug"), [("I'm not allergic to penicillin.", "penicillin"), ("我对青霉素不过敏。", "青霉素")]
)
def test_b4_a_denied_allergy_ends_in_every_field_that_holds_it(text: str, drug: str) -> None:
    found = [c for c in extract(text, HEALTH) if c.field or c.fields]
    assert all(c.negated for c in found)
    assert {item for c in found for item in values_of(c).items()} == {("allergies", drug), ("drug_allergies", drug)}


@pytest.mark.parametrize(
    ("text", "degree"),
    [
        ("我没有硕士学位，只有本科。", "bachelor"),
        ("我只有本科学历，没有硕士学位。", "bachelor"),
        ("我没读过博士。", None),
        ("我硕士没读完。", None),
        ("我没考上研究生。", None),
        ("我没考上北大的研究生。", None),
        ("我北大硕士没毕业。", None),
        ("我不是本科生。", None),
        ("我在美国读的博士，专业是材料。", "doctorate"),
        ("美国读的博士。", "doctorate"),
        ("我没有孩子，硕士毕业。", "master"),
        ("我硕士未婚。", "master"),
        ("我未婚本科毕业。", "bachelor"),
        ("我是硕士没有孩子。", "master"),
    ],
)
def test_b2_a_degree_that_is_denied_or_was_not_finished_is_none(text: str, degree: str | None) -> None:
    found = values(text)
    assert found.get("education") == degree
    assert found.get("major") in {None, "材料"}


@pytest.mark.parametrize("text", ["我没读过博士后。", "我没有双学位。", "我没读过MBA。", "我不是北大的硕士。"])
def test_b4_without_more_than_a_degree_the_degree_stands(text: str) -> None:
    assert not [c for c in extract(text) if values_of(c)]


@pytest.mark.parametrize("text", ["我北大硕士没毕业。", "我北大没毕业。", "我没考上北大的研究生。"])
def test_b2_a_school_that_was_left_or_not_entered_is_no_school_of_theirs(text: str) -> None:
    assert "university" not in values(text)
