"""A week of people who each write in a session of their own (A6): whose tasks, and who solved what."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from inference.terms import terms
from processors.project.rollup import Spoken
from processors.project.week_reading import Catalogue, Reading, read
from schemas.profile.model import load_profile

MONDAY = datetime(2026, 11, 2, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
Post = tuple[int, str, str]


def week(*posts: Post) -> Reading:
    """`posts`: day of the week, who, what; each writes in a session of their own."""
    turns = [
        Spoken(f"t{n}", f"{who}-{day}", MONDAY + timedelta(days=day, minutes=n), "user", None, text, n, who)
        for n, (day, who, text) in enumerate(posts)
    ]
    return read(turns, (), terms, "Asia/Shanghai", Catalogue(load_profile("general"), lambda _: None, {}))


@pytest.mark.parametrize(
    ("posts", "problem", "solution"),
    [
        (
            ((0, "ann", "the boiler in block C cuts out every night, thats awful"), (0, "bo", "suspect the gas valve"),
             (1, "bo", "yep it was the valve. swapped")),
            "boiler", "valve",
        ),
        (
            ((0, "ann", "the caterer never sent the invoice"),
             (2, "cy", "the caterer's invoice turned up in the portal")),
            "invoice", "portal",
        ),
        (
            ((0, "ann", "hall bookings go stale, two groups got the same slot"),
             (1, "bo", "the sync job runs hourly now, stale bookings are gone")),
            "bookings", "sync job",
        ),
        (
            ((0, "ann", "checkout takes 4 s. thats awful"), (0, "bo", "my guess is the tax lookup"),
             (1, "bo", "tax lookup cached. 4 s -> 300 ms. deployed")),
            "checkout takes 4 s", "300 ms",
        ),
        (
            ((0, "ann", "the badge printer skips names, it drops the last letter and is broken"),
             (1, "bo", "the badge thing was an old driver. fixed it, names are whole")),
            "badge printer", "old driver",
        ),
        (
            ((0, "甲", "C栋锅炉每晚都断，太离谱了"), (0, "乙", "怀疑是燃气阀"), (1, "乙", "就是燃气阀，换了")),
            "锅炉", "燃气阀",
        ),
        (((0, "甲", "4号教室投影一直在闪"), (1, "乙", "投影是线松了，插紧就不闪了")), "投影", "线松了"),
        (((0, "甲", "结账要4秒，太夸张了"), (1, "乙", "结账加了缓存，4秒降到300毫秒，发上去了")), "结账", "300毫秒"),
    ],
)  # fmt: skip
def test_who_solves_what_another_named(posts: tuple[Post, ...], problem: str, solution: str) -> None:
    [found] = week(*posts).problems
    assert problem in found.text
    assert solution in (found.solution or "")
    assert found.by == posts[0][1]
    assert found.solver == posts[-1][1]


def test_a_request_tells_of_the_problem_behind_it() -> None:
    found = week((0, "ann", "please call the inspector, the lift is stuck again"))
    assert [p.text for p in found.problems] == ["please call the inspector, the lift is stuck again"]


def test_a_day_that_somebody_fixed_mends_nothing() -> None:
    [found] = week((0, "ann", "the boiler is broken"), (0, "bo", "opening date: council fixed it, 4 May")).problems
    assert found.solution is None


@pytest.mark.parametrize(
    ("posts", "owner", "word"),
    [
        (((0, "ann", "someone needs to return the hall key before friday"), (0, "bo", "I'll do it")), "bo", "key"),
        (((0, "ann", "bo can you hang the banner by thursday?"), (0, "bo", "thursday works")), "bo", "banner"),
        (((0, "甲", "周五前得有人把钥匙还了"), (0, "乙", "我还")), "乙", "钥匙"),
        (((0, "wang", "阿玲，横幅周四之前挂好"), (0, "ling", "行，周四没问题")), "ling", "横幅"),
    ],
)  # fmt: skip
def test_who_says_yes_in_their_own_session_owns_the_task(posts: tuple[Post, ...], owner: str, word: str) -> None:
    assert [(t.owner, word in t.text) for t in week(*posts).tasks] == [(owner, True)]


@pytest.mark.parametrize(
    "posts",
    [
        (0, "ann", "ann, front desk. i do most of the bookings"), (0, "甲", "大家好我是王芳，下周一开始负责前台"),
        (0, "甲", "我14号开始休假"),
    ],
)  # fmt: skip
def test_who_introduces_themselves_takes_on_nothing(posts: Post) -> None:
    assert week(posts).tasks == ()
