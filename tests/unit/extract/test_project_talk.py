"""What people of a project settle and count in passing (D2, A4): decisions, status and preferences, and near misses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import pytest

from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import load_profile

ENGINEERING, TRIAL = load_profile("engineering"), load_profile("clinical_trial")


def read(text: str, profile: str = "engineering", project: str | None = "p1") -> list[Candidate]:
    language: Literal["en", "zh"] = "en" if text.isascii() else "zh"
    turn = TurnView(text, "user", language, datetime(2026, 11, 2, 9, tzinfo=UTC), project_id=project)
    return RuleExtractor().extract(turn, TRIAL if profile == "clinical_trial" else ENGINEERING)


def decisions(text: str) -> list[str]:
    return [c.text for c in read(text) if c.episode_type == "decision"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Oak flooring. done deal", "Oak flooring"), ("going with the smaller marquee then", "smaller marquee"),
        ("steel frame, final answer", "Steel frame"), ("so Vue it is", "Vue"),
        ("Terraform. we need the state locking. decided", "Terraform"),
        ("for the roof we go without insulation for now", "without insulation"),
        ("we do take the second caterer after all, drop the first", "second caterer"),
        ("talked it over with the head at lunch: the bell goes from 8:10 to 8:20", "8:20"),
        ("board met. fee stays at 40 euros, no change for members", "40 euros"),
        ("keep the gym doors locked after 6, somebody left them open", "doors locked"),
        ("no more deploys on fridays", "o more deploys on fridays"),
        ("地板橡木，就这么定", "橡木"), ("行，那就小的那个帐篷", "小的那个帐篷"), ("外墙用瓷砖，不改了", "瓷砖"),
        ("还是换第二家餐厅吧，第一家不要了", "第二家"), ("屋顶保温先不做，等有预算再说", "保温"),
        ("会上讨论完了，门票不动，还是40", "40"),
        ("中午跟校长碰过了，早读从7点50改到8点", "8点"),
        ("直播不搞了，改线下演示", "线下演示"),
        ("前端定Vue", "Vue"), ("以后周五不发版", "周五"),
    ],
)  # fmt: skip
def test_settled_in_passing(text: str, words: str) -> None:
    [decision] = decisions(text)
    assert words in decision


@pytest.mark.parametrize(
    "text",
    [
        "Oak or pine flooring?", "I'd go with the smaller marquee", "is the 9 am slot settled?",
        "steel frame would be nice, not decided", "over at the other school they settled on no phones",
        "if we take the second caterer after all, who tells the first", "what about Terraform? just an idea",
        "the head wondered whether the bell could go from 8:10 to 8:20", "the dust has settled",
        "the marketing team is going with Vue", "my vote is the blue tiles", "we agreed to disagree lol",
        "going with my sister to the dentist", "going without lunch today", "keep me posted",
        "地板用橡木还是松木？", "我倾向小的那个帐篷", "外墙瓷砖不错，还没定", "隔壁学校定了不带手机",
        "市场部他们就用Vue了",
        "要是换第二家餐厅，第一家谁去说", "我今天就不吃午饭了", "校长问早读能不能改到8点", "我投蓝色瓷砖一票", "那就好",
    ],
)  # fmt: skip
def test_nothing_is_settled(text: str) -> None:
    assert decisions(text) == []


def test_a_day_alone_settles_nothing() -> None:
    """Of what stands in somebody else's turn."""
    assert decisions("Good, so 29 January it is.") == []
    assert decisions("好，那就1月29号") == []


def test_what_was_talked_over_is_told_by_its_last_part() -> None:
    [decision] = decisions("Board met. They'd like two crews, so the crew stays at three for everyone, no change.")
    assert "stays at three" in decision


@pytest.mark.parametrize(
    ("profile", "text", "key", "value"),
    [
        ("engineering", "call it 55%", "progress", 55),
        ("engineering", "60% if we count login as half", "progress", 60),
        ("engineering", "ship date moved to 3 march", "release", "3 march"),
        ("engineering", "going live on the 21st of May, confirmed", "release", "21st of May"),
        ("engineering", "发布推到6月7号", "release", "6月7号"), ("engineering", "现在完成80%", "progress", 80),
        ("clinical_trial", "52 in as of this morning", "enrolled_count", 52),
        ("clinical_trial", "33 in, 60 to get", "enrolled_count", 33),
        ("clinical_trial", "到今早入了52个", "enrolled_count", 52),
        ("clinical_trial", "71例了！", "enrolled_count", 71),
        ("clinical_trial", "4.0 is approved, we work to 4.0 now", "protocol_version", "4.0"),
        ("clinical_trial", "4.0批了，现在按4.0走", "protocol_version", "4.0"),
        ("clinical_trial", "lock date: the sponsor fixed it, 30 June", "database_lock", "30 June"),
        ("clinical_trial", "锁库时间申办方定了，6月30号", "database_lock", "6月30号"),
        ("clinical_trial", "PI is Prof Elena Brandt, and we want 60 patients overall", "enrollment_target", 60),
        ("clinical_trial", "总共要入60例", "enrollment_target", 60),
        ("clinical_trial", "14号视力不好，要带老花镜来", "special_patients", "14号视力不好，要带老花镜来"),
    ],
)  # fmt: skip
def test_status_in_passing(profile: str, text: str, key: str, value: str | int) -> None:
    hot = {c.hot.key.split(":")[0]: c.hot.value for c in read(text, profile) if c.hot}
    assert hot[key] == value


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("engineering", "we could be at 70% by then"), ("engineering", "battery's at 12%"),
        ("engineering", "team orion ships on 3 march"), ("engineering", "my flight's on 12 May"),
        ("engineering", "猎户组3月3号上线"), ("engineering", "我5月12号的飞机"), ("engineering", "手机电量就剩12%"),
        ("clinical_trial", "Leeds has 12 in"), ("clinical_trial", "33 in line at the canteen"),
        ("clinical_trial", "5 more today"), ("clinical_trial", "4.0 is still with ethics"),
        ("clinical_trial", "they'd like the lock in march, nothing fixed"), ("clinical_trial", "temperature is 37 now"),
        ("clinical_trial", "二中心入了12例"), ("clinical_trial", "今天筛了27例"), ("clinical_trial", "体温37度了"),
        ("clinical_trial", "锁库听说可能6月30号，还没准信"),
    ],
)  # fmt: skip
def test_no_status(profile: str, text: str) -> None:
    assert [c.hot for c in read(text, profile) if c.hot and c.hot.type in ("status", "meta")] == []


def test_what_reports_look_like_is_a_preference() -> None:
    for text in ("Can we have the weekly report as tables from now on?", "以后周报用表格吧"):
        [hot] = [c.hot for c in read(text, "clinical_trial") if c.kind == "preference"]
        assert hot is not None
        assert hot.key == "report_format"


def test_a_thought_is_no_task() -> None:
    for text in ("could we repaint the hall in blue? just dreaming", "大厅能不能刷成蓝色，随便想想"):
        assert [c for c in read(text) if c.kind == "intent"] == []


@pytest.mark.parametrize(
    ("profile", "text", "texts"),
    [
        (
            "engineering",
            "Support needs a week more so the 3rd is off, we ship on 9 May",
            ["Support needs a week more so the 3rd is off", "User and others ship on 9 May"],
        ),
        (
            "clinical_trial",
            "As of this morning 31 in, 4 in screening, 2 screen fails since Monday",
            ["As of this morning 31 in, 4 in screening, 2 screen fails since Monday"],
        ),
    ],
)
def test_what_stands_beside_a_status_is_told_whole(profile: str, text: str, texts: list[str]) -> None:
    assert sorted(c.text for c in read(text, profile, project=None)) == sorted(texts)
