"""B8 on the extractor's level: the memory manager's scenarios, in Chinese, with their values."""

from __future__ import annotations

from datetime import UTC, datetime

from processors.extract.protocol import TurnView, values_of
from processors.extract.rules import RuleExtractor
from schemas.memory import Candidate
from schemas.profile import load_profile

PROFILE = load_profile("immigration")


def read(text: str) -> list[Candidate]:
    turn = TurnView(text, "user", "zh", datetime(2026, 2, 5, 3, 0, tzinfo=UTC), "Asia/Shanghai")
    return RuleExtractor().extract(turn, PROFILE)


def test_b8_scenario_1_eight_fields_in_five_memories() -> None:
    said = "我今年32岁，浙大计算机硕士毕业的现在在杭州做前端开发工作8年了年薪大概80万"
    found = read(said)
    assert [(c.kind, c.text) for c in found] == [
        ("fact", "用户32岁"),
        ("fact", "浙江大学计算机硕士毕业"),
        ("fact", "从事前端开发工作8年"),
        ("fact", "年薪约80万"),
        ("fact", "目前在杭州工作"),
    ]
    values = {name: value for c in found for name, value in values_of(c).items()}
    assert values == {
        "age": 32,
        "education": "硕士",
        "university": "浙江大学",
        "major": "计算机",
        "currentJobTitle": "前端开发",
        "totalYearsOfExperience": 8,
        "annualIncome": 800_000,
        "currentLocation": "杭州",
    }
    assert [c.approximate for c in found] == [False, False, False, True, False]
    assert ["+".join(c.fields) or c.field for c in found] == [
        "age", "education+university+major", "currentJobTitle+totalYearsOfExperience", "annualIncome",
        "currentLocation",
    ]  # fmt: skip
    assert {c.importance for c in found} == {0.7}


def test_b2_vagueness_is_kept() -> None:
    (age,) = read("我三十多岁")
    assert (age.value, age.text) == ("30+", "用户30+岁")


def test_b1_questions_and_suppositions_state_nothing() -> None:
    assert read("如果我32岁，能申请吗？") == []
    assert [c.value for c in read("我32岁，能申请吗？")] == [32]
    assert read("他32岁，在上海工作") == []
