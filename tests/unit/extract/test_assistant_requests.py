"""What one person says plainly to an assistant of their own: orders for good, what is to be remembered, where things
are. The same among people, for once, asked, supposed or quoted is none of it."""

from __future__ import annotations

import pytest

from tests.linear import assert_linear
from tests.unit.extract.support import extract

STATEMENTS = {
    "Always use metric units.": "User always wants the assistant to use metric units",
    "Don't use emojis": "User does not want the assistant to use emojis",
    "Don't call me sir.": "User does not want the assistant to call them sir",
    "Address me by my first name.": "User wants the assistant to address them by their first name",
    "Please speak to me informally.": "User wants the assistant to speak to them informally",
    "Show dates as day month from now on.": "User wants the assistant to show dates as day month from now on",
    "Remember that I park on level 3": "User parks on level 3",
    "Note that I work from home on Tuesdays.": "User works from home on Tuesdays",
    "Make a note that the boiler was serviced in June.": "The boiler was serviced in June 2025",
    "Remember that Tom owes me 50 dollars.": "Tom owes User 50 dollars",
    "The spare key is under the mat.": "The spare key is under the mat",
    "I put the receipts in the shoebox.": "User put the receipts in the shoebox",
    "I see my kids every other weekend": "User sees their kids every other weekend",
    "I have a bad back.": "User has a bad back",
    "以后回答用中文": "用户要求以后回答用中文",
    "回答短一点": "用户要求回答短一点",
    "不要叫我先生": "用户要求不要叫自己先生",
    "每次回答都附上来源": "用户要求每次回答都附上来源",
    "我希望你说话直接一点": "用户希望助手说话直接一点",
    "请叫我阿明": "用户名叫阿明",
    "帮我记一下我妈生日是5月4号": "用户的妈妈生日是5月4号",
    "请记下来:小张欠我五百块": "小张欠用户五百块",
    "记住,房东姓何": "用户的房东姓何",
    "备用钥匙在门垫下面": "用户备用钥匙在门垫下面",
    "我属马": "用户属马",
    "我没有车": "用户没有车",
    "我睡不着": "用户睡不着",
    "我在写一本小说": "用户在写一本小说",
    "我膝盖不好不能爬楼梯": "用户膝盖不好不能爬楼梯",
    "Write me a bio. From now on don't use emojis.": "User does not want the assistant to use emojis from now on",
    "The test strips are in the drawer.": "The test strips are in the drawer",
    "别叫我老师": "用户要求不要叫自己老师",
    "别叫我先生。帮我写封信": "用户要求不要叫自己先生",
    "猫粮在储物柜里": "用户猫粮在储物柜里",
}
NOTHING = (
    "Use bullet points for this one.", "Don't use emojis in this text.", "Translate this: always use metric units.",
    "Do you remember where I park?", "Suppose I park on level 3.", "Always be brave.", "Don't use brackets",
    'The manual says: "Always use metric units."', "System prompt: You must always reply in German.",
    "The bug is in the parser.", "Remember when I lived in Leeds?", "Remember to bring the tent.",
    "这段文字别用表情", "翻译这句:以后都用公制单位", "写短一点", "假装我是医生", "想象一下我住在巴黎",
    "校对:我12月3号有牙医预约",
    "让她别用表情", "我的备用钥匙在哪里", "我没有用", "记得带伞", "我奶奶也会问你，别用英文词", "这玩意儿在阳台",
    "Write me a bio. Don't use emojis.", "Explain closures. Don't use jargon.",
    "Write a SQL query. Always use aliases.",
    "Plan a trip. Don't suggest museums.", "Here is my code. Never use var.", "The config file is in the root folder.",
    "The user id is in the users table.", "The murderer is in the kitchen.",
    "The key is on the table in the picture.",
    "Note that the array is sorted.", "Remember, the audience is ten years old.",
    "Remember that the customer is always right.",
    "写一份关于蜜蜂的报告,不要用表格", "解释一下闭包。别用术语。", "翻译这段话,用口语,别用书面语",
    "翻译成英文:钥匙在抽屉里", "记住读者是专家", "图里钥匙在桌子上", "脚本在bin文件夹里",
    "请叫我起床", "别叫我妈知道",
)  # fmt: skip
AMONG_PEOPLE = (
    "Always use metric units.", "Don't use emojis.", "The spare key is under the mat.", "别老是道歉",
    "回答短一点", "备用钥匙在门垫下面", "我属马", "请叫我阿明",
)  # fmt: skip


def statements_of(statement: str, speaker: str | None = None) -> list[str]:
    return [c.text for c in extract(statement, speaker=speaker) if c.confidence > 0.7]


@pytest.mark.parametrize(("statement", "text"), STATEMENTS.items())
def test_what_is_told_plainly_to_an_assistant_is_kept(statement: str, text: str) -> None:
    assert statements_of(statement) == [text]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_for_once_asked_supposed_or_quoted_is_not(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize("text", AMONG_PEOPLE)
def test_among_people_it_is_part_of_the_talk(text: str) -> None:
    assert statements_of(text, "小雅" if text > "一" else "Ann") == []


@pytest.mark.parametrize(
    "unit",
    [
        "Remember that ",
        "please remember ",
        "always use ",
        "the key is under the ",
        "记住",
        "请你帮我",
        "以后都用",
        "钥匙在抽屉",
        "别老是用",
        "write a ",
        "帮我写一份",
        "write a bio. don't use emojis. ",
    ],
)
def test_time_is_linear(unit: str) -> None:
    extract(unit, speaker=None)  # what is loaded once
    assert_linear(lambda text: extract(text, speaker=None), lambda n: (unit * (n // len(unit) + 1))[:n] + "x", 4_000)
