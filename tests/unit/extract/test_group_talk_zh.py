"""People who talk by name are told of where they tell of their own life; the rest stays in its turn."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract

STAYS = {
    "slang": "我tm一早上都没精神",
    "about the talk": "我以后不会在这里发帖吐槽了",
    "the rest of a sentence": "而是大量采用了作者的看法",
    "what is not theirs": "又不是正儿八经的比赛",
    "a head without its matter": "但我依然坚信",
    "a guess at what comes": "我们会结婚，然后会难受一辈子",
    "a mood": "我本来心情就不好",
    "what holds for all": "被人夸赞聪明善良都是值得开心的事情",
    "a poem": "褥子上，繁花已开，到底来生还有我们的花季",
    "we, of whom one is named": "我们没有任何交集",
    "a mate who is spoken to": "兄弟，自卑的人哪敢主动提出来",
    "something stands before the speaker": "用完的伞再送回来俾我",
    "from where nobody knows": "从小没在这里生活过",
    "asked of those who listen": "我家房子还没装修好，再帮我改下发货时间",
}
STATEMENTS = {
    "我在法院工作过三年": ["小雅在法院工作过三年"],
    "我女票在异地": ["小雅的女票在异地"],
    "我和男朋友吵架了，我们在一起三年了": ["小雅和男朋友吵架了", "小雅和男朋友在一起三年了"],
    "我妈睡眠不好，一直晚睡": ["小雅的妈妈睡眠不好，一直晚睡"],
    "我月底要搬到杭州，房子已经租好了": ["小雅2026年2月底要搬到杭州，房子已经租好了"],
    "俺从小在农村长大": ["小雅从小在农村长大"],
    "泪泪我在青岛的酒店住了一个月": ["小雅在青岛的酒店住了一个月"],
}


def statements_of(statement: str, speaker: str | None = "小雅") -> list[str]:
    return [c.text for c in extract(statement, speaker=speaker) if c.confidence > 0.7]


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_what_is_not_of_its_speakers_life_stays_in_its_turn(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(("text", "texts"), STATEMENTS.items())
def test_what_is_of_its_speakers_life_is_told(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


def test_to_an_assistant_we_are_told() -> None:
    assert statements_of("我们打算明年五月结婚", None) == ["用户等人打算2027年5月结婚"]


@pytest.mark.parametrize("text", ["血压高要终身服药", "宝宝精神状态，体重增加还可以"])
def test_who_speaks_for_their_work_speaks_of_whom_they_serve(text: str) -> None:
    assert statements_of(text, "医生") == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("对我奶奶真的很无语", "小雅的奶奶真的很无语"),
        ("医生，现在我就是担心没查出来", "小雅的医生，现在小雅就是担心没查出来"),
        ("天才本人也不过说这个作者还太年轻", "小雅天才本人也不过说这个作者还太年轻"),
        ("妹子会记录的", "小雅的妹妹子会记录的"),
        ("我这附近的配送站在哪", "小雅的附近的配送站在哪"),
        ("于是以后顿顿给我吃黄面窝头", "小雅要求于是以后顿顿给自己吃黄面窝头"),
    ],
)
def test_what_one_character_turned_round_is_not_told_so(text: str, wrong: str) -> None:
    assert wrong not in statements_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "二十岁也没有很大啊",
        "不只是想先人一步开拓市场",
        "最好带孩子去专科的儿童医院去看看",
        "我高中同学估计是没看出来",
        "我叫赵新民我要把你的头像换掉",
    ],
)
def test_no_value_is_read_from_what_only_looks_like_one(text: str) -> None:
    fields = {"age", "occupation", "education", "name"}
    assert not any(fields & {c.field, *c.fields} for c in extract(text, speaker="小雅"))


def test_who_opens_a_talk_speaks_of_those_they_live_with() -> None:
    assert "小雅的室友是一个特别容易焦虑的人" in statements_of("我很为难。室友是一个特别容易焦虑的人。")
    assert statements_of("你别理。室友是一个特别容易焦虑的人。") == []


def test_whoever_is_met_is_nobodys_aunt() -> None:
    assert statements_of("阿姨过来让我们照顾新来的同学") == []
    assert statements_of("我阿姨过来照顾我妈妈了") == ["小雅的阿姨过来照顾小雅的妈妈了"]
