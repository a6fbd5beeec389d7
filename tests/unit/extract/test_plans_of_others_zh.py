"""What a person of the speaker's is going to do, or had, is not the speaker's (Chinese)."""

from __future__ import annotations

import pytest

from schemas.profile.model import load_profile
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
    ("text", "family"), [("我爷是胃癌走的", "胃癌"), ("我奶有糖尿病", "糖尿病"), ("我姥姥有高血压", "高血压")]
)
def test_what_a_grandparent_had_is_of_the_family(text: str, family: str) -> None:
    assert values(text, load_profile("health")) == {"family_history": family}
