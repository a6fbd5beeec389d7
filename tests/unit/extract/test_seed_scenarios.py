"""B8 on the extractor's level: the memory manager's scenarios, in Chinese, with their values."""

from __future__ import annotations

from processors.reader.rules.protocol import values_of
from tests.unit.extract.support import IMMIGRATION, extract

FIRST = "我今年32岁，浙大计算机硕士毕业的现在在杭州做前端开发工作8年了年薪大概80万"
SECOND = "我对高才通B类非常感兴趣，希望尽快办理，时间越短越好"


def test_b8_scenario_1_eight_fields_in_five_memories() -> None:
    found = extract(FIRST, IMMIGRATION)
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
    assert {(c.importance, float(c.confidence), c.source) for c in found} == {(0.7, 1.0, "explicit")}
    assert "人民币" not in "".join(c.text for c in found)


def test_b8_scenario_1_with_its_punctuation_restored() -> None:
    text = "我今年32岁，浙大计算机硕士毕业的，现在在杭州做前端开发，工作8年了，年薪大概80万"
    values = {name: value for c in extract(text, IMMIGRATION) for name, value in values_of(c).items()}
    assert values == {
        "age": 32, "education": "硕士", "university": "浙江大学", "major": "计算机", "currentJobTitle": "前端开发",
        "totalYearsOfExperience": 8, "annualIncome": 800_000, "currentLocation": "杭州",
    }  # fmt: skip


def test_b8_scenario_2_intent_with_its_category_and_preference() -> None:
    found = extract(SECOND, IMMIGRATION)
    assert [(c.kind, c.text, c.category, c.importance) for c in found] == [
        ("intent", "对高才通B类非常感兴趣", "TTPS", 0.8),
        ("preference", "希望尽快办理，时间越短越好", None, 0.6),
    ]
    assert [dict(values_of(c)) for c in found] == [{"targetCategory": "TTPS"}, {"immigrationTimeline": "尽快"}]


def test_b8_scenario_2_memories_to_load() -> None:
    """The first scenario's four of interest and the second's two: six, and the one of the place."""
    texts = [c.text for c in (*extract(FIRST, IMMIGRATION), *extract(SECOND, IMMIGRATION))]
    assert len(texts) == 7
    assert len([t for t in texts if "杭州" not in t]) == 6


def test_b8_scenario_3_what_was_never_said_stays_unset() -> None:
    """industry, hasHKEmployer, 工程师: said by nobody, so no field holds them (B2)."""
    found = (*extract(FIRST, IMMIGRATION), *extract(SECOND, IMMIGRATION))
    fields = {name for c in found for name in values_of(c)}
    assert fields.isdisjoint({"currentIndustry", "hasHongKongEmployer", "hasTechBackground", "maritalStatus"})
    filled = {
        "age", "education", "university", "major", "currentLocation", "currentJobTitle", "totalYearsOfExperience",
        "annualIncome", "targetCategory", "immigrationTimeline",
    }  # fmt: skip
    assert fields == filled


def test_b1_categories_and_own_fields_come_from_the_profile() -> None:
    (both,) = extract("我打算明年申请优才", IMMIGRATION)
    assert (both.kind, both.category, both.value) == (
        "intent", "QMAS", {"targetCategory": "QMAS", "immigrationTimeline": "明年"},
    )  # fmt: skip
    (employer,) = extract("目前没有香港雇主", IMMIGRATION)
    assert (employer.field, employer.value) == ("hasHongKongEmployer", False)
    (money,) = [c for c in extract("我投资500万没问题", IMMIGRATION) if c.field]
    assert (money.field, money.value) == ("investmentAmount", 5_000_000)
    assert [c.category for c in extract("I want to apply for the Top Talent Pass", IMMIGRATION)] == ["TTPS"]
