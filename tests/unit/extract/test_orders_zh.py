"""Chinese orders to the assistant that hold from now on, and what it is to remember (D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from tests.unit.extract.support import extract


def _kept(text: str, question: str | None = None) -> list[str]:
    return [c.text for c in extract(text, question=question) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("以后标题一律居中", ["用户要求以后标题一律居中"]),
        ("以后表头一律写中文", ["用户要求以后表头一律写中文"]),
        ("往后邮件落款都别写职务", ["用户要求往后邮件落款都不要写职务"]),
        ("凡是要发到外面的稿子你先给我看一遍再发", ["用户要求凡是要发到外面的稿子助手先给用户看一遍再发"]),
        ("我发照片的时候你先说地点再说别的", ["用户要求在自己发照片的时候助手先说地点再说别的"]),
        ("每次排行程留一个下午空着就行", ["用户要求每次排行程留一个下午空着"]),
        ("千万别给我推荐相亲软件", ["用户要求千万不要给自己推荐相亲软件"]),
        ("别叫我亲，我听着别扭", ["用户要求不要叫自己亲"]),
        ("以后价格都写成人民币，别用美元，我算不过来", ["用户要求以后价格都写成人民币，不要用美元"]),
        ("往后别叫我老顾了，还是用您吧", ["用户要求往后不要叫自己老顾了，还是用您"]),
        ("以后我发语音你就用文字答我", ["用户要求以后自己发语音助手就用文字答用户"]),
        ("文件名统一用小写", ["用户要求文件名统一用小写"]),
        ("以后用你的口气写就行", ["用户要求以后用助手的口气写"]),
        ("Excel只会求和，所以能口算就口算，你以后给我讲别用公式", ["用户要求助手以后给用户讲不要用公式"]),
    ],
)
def test_d2_an_order_that_holds_from_now_on_is_kept_as_the_users(statement: str, kept: list[str]) -> None:
    assert [text for text in _kept(statement) if "要求" in text] == kept


@pytest.mark.parametrize(
    "statement",
    [
        "以后我早点睡",
        "以后不用再挤地铁了",
        "以后不要再这么折腾了",
        "以后有空再聊",
        "她以后一律不接电话",
        "教练让我以后别喝汽水",
        "班主任说以后一律穿校服",
        "公司以后一律走线上审批",
        "每次快递都给我送错楼",
        "我们以后统一在群里报数",
        "以后每月给我妈寄一千",
        "你以前每次都先问我",
        "故事里往后你叫我将军就行",
        "别跟我开这种玩笑",
        "别给我瞎出主意",
        "以后别给我推荐相亲软件行吗？",
    ],
)
def test_d2_what_is_no_order_to_the_assistant_is_none(statement: str) -> None:
    assert [text for text in _kept(statement) if "要求" in text] == []


def test_d2_an_order_stands_beside_the_fact_that_it_is_given_for() -> None:
    kept = _kept("以后别给我推荐坚果零食，我对核桃过敏")
    assert kept == ["用户对核桃过敏", "用户要求以后不要给自己推荐坚果零食"]


def test_d2_among_people_an_order_is_for_somebody_else() -> None:
    from datetime import UTC, datetime

    from processors.reader.rules.protocol import TurnView
    from processors.reader.rules.rules import RuleExtractor
    from tests.unit.extract.support import GENERAL

    text = "以后别给我带零食了，你留着吃"
    turn = TurnView(text, "user", "zh", datetime(2026, 2, 5, tzinfo=UTC), previous=(("user", "给你带了凤梨酥"),))
    assert [c.text for c in RuleExtractor().extract(turn, GENERAL) if "要求" in c.text] == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("帮我记一下，门禁密码箱在二楼拐角", ["用户门禁密码箱在二楼拐角"]),
        ("表格用横排，日期用短横线，记住", ["用户要求表格用横排", "用户要求日期用短横线"]),
        ("记住，他明天要来", []),
        ("记住，这个不能丢", []),
        ("要记住多少单词才够", []),
    ],
)
def test_d2_what_the_user_asks_to_remember_is_kept_where_it_stands_alone(text: str, kept: list[str]) -> None:
    assert _kept(text) == kept


def test_d2_a_wish_for_the_language_of_answers_stays_a_value() -> None:
    (wish,) = extract("以后用中文回答我")
    assert values_of(wish) == {"response_language": "Chinese"}
