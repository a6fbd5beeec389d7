"""What a person of the speaker's is going to do is no plan of the speaker's; and IT is written in capitals."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract, values


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("我们站长下星期要去做胃镜", "站长"),
        ("我女儿下礼拜要去北京出差", "女儿"),
        ("我老公打算年底辞职", "老公"),
        ("我表弟准备明年三月考驾照", "表弟"),
    ],
)
def test_what_another_is_going_to_do_is_kept_and_is_no_plan_of_the_speakers(text: str, kept: str) -> None:
    [found] = extract(text)
    assert (found.kind, found.text.startswith(f"用户的{kept}")) == ("episode", True)


@pytest.mark.parametrize("text", ["我下礼拜要去北京出差", "我的计划是明年三月入职新公司"])
def test_what_the_speaker_is_going_to_do_is_a_plan(text: str) -> None:
    [found] = extract(text)
    assert found.kind == "intent"


@pytest.mark.parametrize(
    ("text", "industry"),
    [("IT, for my sins", "IT"), ("i work in it, nine years", "it"), ("Carpets, it pays the rent", None)],
)
def test_it_is_an_industry_in_capitals_or_where_somebody_works_in_it(text: str, industry: str | None) -> None:
    found = values(text, question="What industry are you in?")
    assert found.get("industry") == industry
