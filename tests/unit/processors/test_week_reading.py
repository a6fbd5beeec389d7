"""A project's week as a lead reads it (A6, U24): plain talk goes in, the report comes out, English and Chinese."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from inference.terms import terms
from processors.ports import Models
from processors.project.rollup import MOST_UNITS, Spoken, units
from processors.project.week_due import due
from processors.project.week_reading import Catalogue, read
from schemas.events.memory import MemoryUpdate
from schemas.profile.model import load_profile
from tests.unit.processors.talk import Talk

MONDAY = datetime(2026, 11, 16, tzinfo=ZoneInfo("Asia/Shanghai"))
DAY = timedelta(days=1)


class Week(NamedTuple):
    """`said`: day of the week, who, what. `open_tasks`: owner, day, a word. `problems`: words of both."""

    last_week: str
    said: tuple[tuple[int, str, str], ...]
    decisions: tuple[str, ...]
    open_tasks: tuple[tuple[str | None, str | None, str], ...]
    done: tuple[str, ...]
    problems: tuple[tuple[str, str | None], ...]
    figure: str
    chat: tuple[str, ...]


EN = Week(
    last_week="Enrolled so far: 36 patients, the target is 60.",
    said=(
        (0, "maria", "Morning all! Hope everybody had a good weekend, mine was all about cake."),
        (0, "maria", "Enrolled so far: 38 of 60 patients."),
        (0, "tom", "The scale at the York site broke, they cannot weigh anybody."),
        (0, "priya", "I'll call the supplier about a spare one today."),
        (1, "maria", "On the screening period: Dr Patel and I went through it. We've agreed to extend it to 21 days."),
        (1, "tom", "OK, then the manual has to be changed, I'll do that by Thursday."),
        (1, "priya", "Three ECG printouts of P-031 are missing for visit 2."),
        (2, "priya", "The spare scale is in York and working again."),
        (2, "maria", "Tom, can you submit the amendment by the 24th?"),
        (2, "tom", "Sure, will do."),
        (3, "tom", "The manual is changed and sent to all sites."),
        (3, "priya", "Anyone up for lunch?"),
        (3, "maria", "The export of the diary data takes two hours and then fails."),
        (4, "priya", "The missing printouts of P-031 were found in the archive and filed."),
        (4, "maria", "Decision from the steering call: no extra visits in December."),
        (4, "priya", "Two more signed today, so we are at 40 of 60."),
        (4, "tom", "I'm going to look into the export on Monday."),
        (4, "tom", "Have a nice weekend everyone!"),
    ),
    decisions=("extend it to 21 days", "no extra visits in December"),
    open_tasks=(("tom", "2026-11-24", "amendment"), ("tom", "2026-11-23", "export")),
    done=("supplier", "manual"),
    problems=(("scale at the York", "spare scale is in York"), ("printouts of P-031", "found in the archive"),
              ("export of the diary", None)),
    figure="40 of 60 (last week 36, +4)",
    chat=("weekend", "cake", "lunch"),
)  # fmt: skip
ZH = Week(
    last_week="目前累计入组36例，目标60例。",
    said=(
        (0, "王磊", "大家早上好，周末过得怎么样？"),
        (0, "李静", "目前累计入组38例，目标60例。"),
        (0, "王磊", "二中心的体重秤坏了，没法给受试者称重。"),
        (0, "陈芳", "我马上联系供应商借一台。"),
        (1, "李静", "关于筛选期，昨天和张教授讨论过了，决定从14天延长到21天。"),
        (1, "王磊", "好的，那我来改手册，周四之前弄好。"),
        (1, "陈芳", "031号受试者缺了三份心电图。"),
        (2, "陈芳", "供应商借的体重秤到二中心了，现在可以用了。"),
        (2, "李静", "修订申请要交伦理，王磊负责，24号之前交。"),
        (2, "王磊", "没问题。"),
        (3, "王磊", "手册改好了，已经发给各中心。"),
        (3, "陈芳", "中午吃什么？楼下新开了一家面馆。"),
        (3, "李静", "日记数据导出要跑两个小时，最后还报错。"),
        (4, "陈芳", "031号缺的心电图在档案室找到了，已经归档。"),
        (4, "李静", "指导委员会定了，12月不加做访视。"),
        (4, "陈芳", "今天又签了两例，现在总共40例。"),
        (4, "王磊", "导出的事我周一查一下。"),
        (4, "王磊", "周末愉快！"),
    ),
    decisions=("从14天延长到21天", "12月不加做访视"),
    open_tasks=(("王磊", "2026-11-24", "修订申请"), ("王磊", "2026-11-23", "导出")),
    done=("供应商", "手册"),
    problems=(("体重秤坏了", "可以用了"), ("缺了三份心电图", "档案室找到了"), ("还报错", None)),
    figure="40/60（上周36，+4）",
    chat=("周末", "面馆", "早上好"),
)
WEEKS = pytest.mark.parametrize("week", [EN, ZH], ids=["en", "zh"])


async def reports_of(models: Models, week: Week) -> list[MemoryUpdate]:
    talk = Talk(models, load_profile("clinical_trial"), MONDAY - 5 * DAY, "proj_week")
    await talk.say(week.last_week, user="maria", session="team")
    await talk.until(MONDAY + timedelta(hours=2))
    for n, (day, who, text) in enumerate(week.said):
        at = MONDAY + day * DAY + timedelta(hours=9, minutes=n)
        talk.driver.advance(at - talk.driver.now)
        await talk.say(text, user=who, session="team")
    await talk.until(MONDAY + timedelta(days=7, hours=2))
    return talk.updates("report")


@WEEKS
async def test_a6_u24_a_week_of_plain_talk_is_a_report_and_no_transcript(models: Models, week: Week) -> None:
    report = (await reports_of(models, week))[-1]
    value: Any = report.sealed.value
    text = report.sealed.text
    assert len(value["decisions"]) == len(week.decisions)
    assert all(text in entry["text"] for text, entry in zip(week.decisions, value["decisions"], strict=True))
    tasks = [(t["owner"], t["due"]) for t in value["open_tasks"]]
    assert tasks == [(owner, day) for owner, day, _ in week.open_tasks]
    assert all(w in t["text"] for (_, _, w), t in zip(week.open_tasks, value["open_tasks"], strict=True))
    done = [e["text"] for e in value["key_events"] if e["type"] == "task" and e["done_by"]]
    assert len(done) == len(week.done)
    assert all(any(w in t for t in done) for w in week.done)
    assert len(value["problems"]) == len(week.problems)
    for (named, solved), entry in zip(week.problems, value["problems"], strict=True):
        assert named in entry["text"]
        assert (entry["solution"] is None) == (solved is None)
        assert solved is None or (solved in entry["solution"] and entry["solved_by"] != entry["turn_id"])
    assert week.figure in text
    assert not [word for word in week.chat if word in text]
    assert units(text) <= MOST_UNITS
    summary = text.split("\n\n")[1]
    assert units(summary) < sum(units(text) for _, _, text in week.said) / 2, "no transcript"
    assert "User" not in text.replace("Users", "")
    assert "用户：" not in text


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I'll do that by Thursday", date(2026, 11, 19)),
        ("until next Tuesday", date(2026, 11, 24)),
        ("on Monday", date(2026, 11, 23)),
        ("by tomorrow noon", date(2026, 11, 18)),
        ("before they meet on 27 November, by the 24th", date(2026, 11, 24)),
        ("by 5 January", date(2027, 1, 5)),
        ("due 2026-12-01", date(2026, 12, 1)),
        ("within two weeks", date(2026, 12, 1)),
        ("by the 10th", date(2026, 12, 10)),
        ("sometime next month", None),
        ("it broke yesterday", None),
        ("it has been down since Saturday", None),
        ("从周六开始就这样", None),
        ("周四之前弄好", date(2026, 11, 19)),
        ("下周二之前给我", date(2026, 11, 24)),
        ("周一查一下", date(2026, 11, 23)),
        ("明天下班前给我答复", date(2026, 11, 18)),
        ("11月27日开会前提交，24号之前交", date(2026, 11, 24)),
        ("三天内回复", date(2026, 11, 20)),
        ("月底交报告", date(2026, 11, 30)),
        ("12号受试者的结果", None),
        ("上周就坏了", None),
    ],
)
def test_a6_u24_a_day_that_a_task_is_due_lies_ahead(text: str, day: date | None) -> None:
    """Said on Tuesday 17 November 2026."""
    assert due(text, date(2026, 11, 17)) == day


CAFE = (
    "The coffee machine is broken again.", "I'll call the technician for the coffee machine tomorrow.",
    "Good morning all!", "We agreed to raise the price of coffee from 2.80 to 3.10.",
    "The cake supplier did not deliver on Tuesday.", "The technician fixed the coffee machine.",
)  # fmt: skip
KENNEL = (
    "3号狗舍的狗又发烧了。", "我明天打电话催猫粮的供应商。", "谢谢大家。", "决定从周一起所有猫都做检测。",
    "7号笼的猫伤口裂了。",
    "狗的烧退了，恢复正常。",
)  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "counts"),
    [(CAFE, (1, 1, 1)), (KENNEL, (1, 1, 2)), (("Coffee?", "The coffee machine broke.", "Lunch at one."), (0, 0, 0))],
    ids=["cafe", "kennel", "office"],
)
def test_a6_what_a_week_is_about_is_no_small_talk(texts: tuple[str, ...], counts: tuple[int, int, int]) -> None:
    """(decisions, tasks, problems)"""
    turns = [Spoken(f"t{i}", "s", MONDAY + i * DAY / 4, "user", f"p{i % 2}", t, i) for i, t in enumerate(texts)]
    week = read(turns, (), terms, "Asia/Shanghai", Catalogue(load_profile("general"), lambda _: None, {}))
    assert (len(week.decisions), len(week.tasks) + len(week.done), len(week.problems)) == counts
    assert not [line for line in week.rest if line.text in ("Good morning all", "谢谢大家")]
