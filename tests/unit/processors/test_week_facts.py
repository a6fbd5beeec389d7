"""What a weekly report must not say (A6): a figure of something else, a solution of another problem, a task of somebody
else, what is only supposed, planned, quoted or asked of an assistant."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from inference.terms import terms
from processors.project.report_text import WORDS, figure
from processors.project.report_value import ReportFigure, ReportLists, ReportProblem, ReportStatement
from processors.project.rollup import Spoken
from processors.project.week_reading import Catalogue, Reading, read, with_lists_of
from schemas.profile.model import load_profile

ZONE = "Asia/Shanghai"
MONDAY = datetime(2026, 11, 16, 9, tzinfo=ZoneInfo(ZONE))


def reading(*statement: str, target: int | None = None, profile: str = "general") -> Reading:
    """`statement`: "who: text", a turn an hour; "*" is an assistant."""
    turns = []
    for n, line in enumerate(statement):
        who, _, text = line.replace("：", ": ", 1).partition(": ")
        role = "assistant" if who == "*" else "user"
        at = MONDAY + timedelta(hours=n)
        turns.append(Spoken(f"t{n}", "team", at, role, None, text, n, who))  # type: ignore[arg-type]
    catalogue = Catalogue(
        load_profile(profile), lambda key: target if key.key == "enrollment_target" else None,
        {"enrolled_count": ReportFigure(key="enrolled_count", value=31, turn_id="before")},
    )  # fmt: skip
    return read(turns, (), terms, ZONE, catalogue)


@pytest.mark.parametrize(
    "text",
    [
        "We have 33 of 60 patients enrolled.", "The plan is 45 of 60 by Christmas.",
        "40 of 60 samples are at the lab.", "If we are at 50 of 60 in March, the sponsor is happy.",
        "We are not at 41 of 60 yet.", "Last month it was 30 of 60.", "We would be at 47 of 60 with a new site.",
    ],
)  # fmt: skip
def test_a6_a_figure_is_what_is_so_now_of_what_is_counted(text: str) -> None:
    week = reading("maria: We have 33 of 60 patients enrolled.", f"tom: {text}", target=60, profile="clinical_trial")
    assert [(f.value, f.of, f.before) for f in week.figures] == [(33, 60, 31)]


@pytest.mark.parametrize("text", ["计划年底前入组45/60。", "样本已经寄了40/60份。", "要是入组50/60就好了。"])
def test_a6_a_figure_is_what_is_so_now_of_what_is_counted_zh(text: str) -> None:
    week = reading("李静：目前累计入组33例，目标60例。", f"王磊：{text}", target=60, profile="clinical_trial")
    assert [(f.value, f.of) for f in week.figures] == [(33, 60)]


@pytest.mark.parametrize(
    "text",
    [
        "Recruitment has reached 38 patients.", "We hit 38 enrolled on Friday.", "Total randomised: 38 of 60.",
        "The 38th patient was randomised yesterday.", "That makes 38 subjects randomised so far.",
        "入组到38例了，离60还差22例。", "截至周五，入组38人。", "目前已随机38例。", "第38例昨天入组了。",
        "入组38例，完成率63%。",
    ],
)  # fmt: skip
def test_a6_the_profiles_figures_are_read_in_other_words_with_their_change(text: str) -> None:
    week = reading(f"maria: {text}", target=60, profile="clinical_trial")
    assert [(f.key, f.value, f.of, f.before) for f in week.figures] == [("enrolled_count", 38, 60, 31)]


@pytest.mark.parametrize(
    "text",
    ["这周测了两次。", "一直报喜不报忧哈。", "疫苗打了两针。", "会开了两次。", "跑了三遍用例，全绿。"],
)
def test_a6_what_is_done_several_times_is_no_problem(text: str) -> None:
    assert not reading(f"a: {text}").problems


@pytest.mark.parametrize(
    "text",
    [
        "If we hit 50 enrolled we can stop.", "We want to hit 50 enrolled by May.", "Site 4 reached 12 enrolled.",
        "The 12th patient was enrolled at site 3.", "争取入组到50例。", "还没入组到50例。", "三中心累计随机12例。",
        "截至周五三中心入组12例。", "筛选失败累计4例。",
    ],
)  # fmt: skip
def test_a6_what_is_aimed_at_or_of_one_site_is_no_figure(text: str) -> None:
    assert not reading(f"maria: {text}", target=60, profile="clinical_trial").figures


def test_a6_large_figures_are_written_in_full() -> None:
    result = ReportFigure(key="budget", value=1_250_000, turn_id="t1", of=2_000_000, before=1_000_000.5)
    assert figure(result, "budget", WORDS["en"]) == "budget: 1250000 of 2000000 (last week 1000000.5, +249999.5)"


@pytest.mark.parametrize(
    ("texts", "solutions"),
    [
        (("a: The freezer in Leeds is broken.", "b: The engineer fixed the printer in Leeds."), [None]),
        (("a: The projector in room 12 is broken.", "b: The lamp in room 14 is new, it works again."), [None]),
        (("a: 三中心的离心机坏了。", "b: 五中心的离心机修好了。"), [None]),
        (("a: 二楼的混凝土裂了。", "b: 三楼的裂缝补好了，只是漆的问题。"), [None, "三楼的裂缝补好了"]),
        (("a: 刷卡机刷不了卡。", "b: 修好之前只收现金。"), [None]),
        (("a: 登录接口一直报500。", "b: 支付页面太慢了。", "a: 登录修好了，是缓存的问题。"),
         ["登录修好了，是缓存的问题", None]),
        (("a: Checkout takes 9 seconds.", "b: Checkout is down to 2 seconds, an index was missing."),
         ["Checkout is down to 2 seconds, an index was missing"]),
        (("a: The importer crashed again.", "*: The problem is solved by bounding the cache."), [None]),
        (("a: 回调收不到，单子全卡在处理中。", "b: 回调的锅是白名单，新ip没加。加了，通了。"),
         ["回调的锅是白名单，新ip没加。加了，通了"]),
        (("a: 退款重复点会退两次钱，复现了三回。", "b: 重复退款修了，加了幂等号。"), ["重复退款修了，加了幂等号"]),
        (("a: 夜里网关内存一直涨，到90%就挂，原因没头绪。",), [None]),
        (("a: 首页一直转圈。", "b: 首页的图太大，压缩了，好了。"), ["首页的图太大，压缩了，好了"]),
        (("a: 积分多扣了用户两次。",), [None]),
        (("a: The broken pump was replaced.",), ["The broken pump was replaced"]),
        (("a: The pump broke again after it was repaired.",), [None]),
    ],
)  # fmt: skip
def test_a6_a_problem_has_its_own_solution_or_none(texts: tuple[str, ...], solutions: list[str | None]) -> None:
    assert [p.solution for p in reading(*texts).problems] == solutions


@pytest.mark.parametrize(
    "text",
    [
        "Maybe we will move the meeting to Thursday.", "I don't think we'll do that.",
        "Please translate \"we decided to move to Berlin\" into German.", "也许我们推迟到下周三。",
        "我觉得就按方案二走。", "把“我们决定搬到北京”翻译成英文。",
    ],
)  # fmt: skip
def test_a6_what_is_doubted_or_quoted_is_not_decided(text: str) -> None:
    week = reading(f"a: {text}", "b: The plan of site four is on the wall.")
    assert not week.decisions
    assert not week.problems


@pytest.mark.parametrize(
    "text",
    ["Please summarise the meeting notes below.", "请帮我总结一下下面的会议纪要。", "帮我写一封邮件，催一下供应商。"],
)
def test_a6_what_an_assistant_is_asked_for_is_no_task(text: str) -> None:
    week = reading(f"u1: {text}", "*: Here it is. I will send it by Friday. The server is down.")
    assert not week.tasks
    assert not week.problems


def test_a6_who_may_be_one_of_two_is_the_one_who_says_yes_else_as_called() -> None:
    people = ("陈晨：我在三楼。", "陈刚：我在五楼。")
    [task] = reading(*people, "李雷：小陈你催一下供应商。", "陈晨：好的。").tasks
    assert task.owner == "陈晨"
    [task] = reading(*people, "李雷：小陈你催一下供应商。").tasks
    assert task.owner == "小陈"
    people = ("tom.smith: I am on site two.", "tom.jones: I am on site three.")
    [task] = reading(*people, "ann: Tom, can you call the supplier?", "tom.jones: Sure.").tasks
    assert task.owner == "tom.jones"


def test_a6_a_late_turn_ends_what_an_older_report_calls_open() -> None:
    """Texts of the week are gone; the ones that stand say what was done."""

    def task(turn: str, text: str) -> ReportStatement:
        at = "2026-11-16T01:00:00.000Z"
        return ReportStatement(type="task", text=text, occurred_at=at, source_turn_ids=(turn,))

    old = ReportLists(
        open_tasks=(task("t0", "I'll send the manual by Friday"), task("gone", "The user has to order rebar")),
        problems=(ReportProblem(text="The export fails", turn_id="t1"),),
    )
    week = with_lists_of(
        old,
        reading("tom: I'll send the manual by Friday.", "ann: The export fails.", "tom: The manual is sent.",
                "ann: The export works again."),
    )  # fmt: skip
    assert [t.text for t in week.tasks] == ["The user has to order rebar"]
    assert [(t.text, t.done_by) for t in week.done] == [("I'll send the manual by Friday", "t2")]
    assert [(p.text, p.solution) for p in week.problems] == [("The export fails", "The export works again")]


@pytest.mark.parametrize(
    "parts",
    [
        ("I will send the report {n} by Friday. ", "The report {n} broke. ", "Report {n} is sent and fixed. "),
        ("我明天发{n}号报告。", "{n}号机器坏了。", "{n}号报告已经发了，修好了。"),
    ],
    ids=["en", "zh"],
)
def test_a6_a_full_week_of_tasks_and_problems_is_read_in_seconds(parts: tuple[str, ...]) -> None:
    """Of the processor's time: it took more than a minute while each sentence was read again for each task."""
    texts = []
    for turn in range(120):
        text = "".join(parts[k % 3].format(n=turn * 40 + k) for k in range(40))
        texts.append(f"p{turn % 5}: {text[:600]}")
    begin = time.process_time()
    assert reading(*texts).problems
    assert time.process_time() - begin < 15
