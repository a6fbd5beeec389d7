"""A Chinese memory of who speaks by name is a whole sentence of theirs, or it is not made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from processors.reader.rules.found import Found
from processors.reader.rules.protocol import Role, TurnView
from processors.reader.rules.rules import RuleExtractor
from processors.reader.rules.whole_sentences_zh import whole_sentences
from schemas.profile.model import load_profile

GENERAL = load_profile("general")
MONDAY = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)

REFUSED = {
    "a head without its verb": ("小雅在控制预算方面", "我们在控制预算方面"),
    "joined to the clause before": ("小雅或者半夜醒两三次", "或者半夜醒两三次"),
    "one of what the clause before names": ("小雅其中两门没有及格", "其中两门没有及格"),
    "it hurts, and not where": ("小雅偶尔疼一会儿", "偶尔疼一会儿"),
    "a verb by itself": ("小雅的孩子没有", "孩子没有"),
    "somebody not named does it": ("小雅想说说心事的时候，总是敷衍小雅", "我想说说心事的时候，总是敷衍我"),
    "of love in general": ("小雅喜欢不等于合适", "喜欢不等于合适"),
    "of people in general": ("小雅一般女生不会主动加微信", "一般女生不会主动加微信"),
    "it does not hold of one": ("小雅怕黑，这事没人能帮", "我怕黑，这事没人能帮"),
    "an offer to another": ("小雅的表哥人不错，可以认识，可以介绍一下", "我表哥人不错，可以认识，可以介绍一下"),
    "advice": ("小雅刚入职肯定要多听少说", "刚入职肯定要多听少说"),
    "a guess": ("小雅适合文科", "适合文科吧"),
    "a mask": ("小雅是在[地址x]买的", "我是在[地址x]买的"),
    "half an emoticon": ("小雅想回家(", "我想回家("),
    "an exclamation": ("小雅的妈呀涨价了", "我的妈呀涨价了"),
    "of the firm": ("小雅司仓库会在两天内发出", "我司仓库会在两天内发出"),
    "an errand": ("小雅骑车回来了", "我骑车回来了"),
    "put back": ("小雅把蛋糕放回去了", "我把蛋糕放回去了"),
    "the meal of a day": ("小雅加班到九点，晚饭也没吃", "我加班到九点，晚饭也没吃"),
    "what is being read": ("小雅看网上说容易坏", "我看网上说容易坏"),
    "a question that was cut": ("小雅的室友笑着问小雅", "室友笑着问我"),
    "it holds of everybody": ("小雅不是人人都要结婚", "不是人人都要结婚"),
    "a verb without its object": ("小雅也想，不过没时间", "我也想，不过没时间"),
    "how many, and not of what": ("小雅上个月又换了一台", "我上个月又换了一台"),
    "the office, and not of what": ("小雅现在是组长", "我现在是组长"),
    "a guess at another": ("小雅想他肯定是忘了", "我想他肯定是忘了"),
    "where it was, and not what": ("小雅在那几年的备考过程中", "我在那几年的备考过程中"),
    "no more than that one went": ("后来小雅回去", "后来我回去"),
    "what is chosen in a form": ("小雅请求：请选择服务类型，在吗", "请选择服务类型，在吗"),
    "it goes on with the clause before": ("小雅都答应了", "我都答应了"),
    "a speaker named again within a clause": ("小雅是上海来的小雅受不了潮", "我是上海来的我受不了潮"),
    "what is sent, and not to whom": ("小雅买零食寄过去", "我买零食寄过去"),
    "what is seen of others": ("小雅看到好多人在排队", "我看到好多人在排队"),
    "the next day, and not which": ("小雅第二天退烧了", "我第二天退烧了"),
    "a clause that runs on": (
        "小雅昨天下班路上经过那家新开的店门口就进去看了看没想买结果还是买了一大堆东西拎回来",
        "我昨天下班路上经过那家新开的店",
    ),
    "a cause of something": ("小雅老毛病导致走路不稳", "老毛病导致走路不稳"),
    "what is done right now": ("小雅现在就听着，挺舒服", "我现在就听着，挺舒服"),
    "a guess without its speaker": ("小雅没发烧，可能前两天有点", "没发烧，可能前两天有点"),
    "a wish without its object": ("小雅试图学会", "我试图学会"),
    "what a thing is for": ("小雅读书的目的不是赚钱", "读书的目的不是赚钱"),
    "one of two things": ("小雅打针或者输液", "打针或者输液"),
    "a thing before who likes it": ("新出的那款蓝色小雅喜欢，价格太贵", "新出的那款蓝色我喜欢，价格太贵"),
    "an oath": ("小雅的妈妈蛋又停电", "我妈蛋又停电"),
    "two, each called by a pronoun": ("小雅的表姐说他不想帮她", "我表姐说他不想帮她"),
}
KEPT = [
    ("小雅在杭州上班", "我在杭州上班"),
    ("小雅并购部门干了六年", "我并购部门干了六年"),
    ("小雅左腿有时候疼", "左腿有时候疼"),
    ("小雅喜欢爬山，但不喜欢跑步", "我喜欢爬山，但不喜欢跑步"),
    ("小雅去年从国外回来了", "我去年从国外回来了"),
    ("小雅的妈妈说不能吃海鲜", "我妈妈说不能吃海鲜"),
    ("小雅家里没有电梯", "我家里没有电梯"),
    ("小雅当过兵", "我当过兵"),
    ("小雅司机当了十年", "我司机当了十年"),
]


def sentences_of(text: str, turn: str) -> tuple[list[str], list[str]]:
    found = Found(0, len(turn), "episode", text, episode_type="fact")
    kept, left = whole_sentences([found], turn, "小雅")
    return [f.text for f in kept], [f.text for f in left]


@pytest.mark.parametrize(("text", "turn"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_whole_sentence_stays_in_its_turn(text: str, turn: str) -> None:
    assert sentences_of(text, turn) == ([], [text])


@pytest.mark.parametrize(("text", "turn"), KEPT, ids=[text for text, _ in KEPT])
def test_a_whole_sentence_is_told(text: str, turn: str) -> None:
    assert sentences_of(text, turn) == ([text], [])


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("小雅一直在打针，说半年后再看", "小雅一直在打针"),
        ("小雅的爸爸住院了，说下周手术", "小雅的爸爸住院了，说下周手术"),
        ("小雅现在吃的是降压药，高血压是三年", "小雅现在吃的是降压药"),
        ("小雅最近就是失眠，还掉头发", "小雅最近失眠，还掉头发"),
        ("小雅想搬出去住，害", "小雅想搬出去住"),
        ("小雅喜欢下雨天+1 还有雪", "小雅喜欢下雨天"),
    ],
)
def test_an_end_that_says_nothing_by_itself_is_cut(text: str, whole: str) -> None:
    assert sentences_of(text, text.replace("小雅", "我")) == ([whole], [])


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("小雅外语学院，大二开始学法语", "小雅是外语学院的，大二开始学法语"),
        ("小雅工科生，周末都在实验室", "小雅是工科生，周末都在实验室"),
        ("小雅研二，还没找到导师", "小雅在读研二，还没找到导师"),
        ("小雅是前年搬到苏州了", "小雅前年搬到苏州了"),
        ("小雅是去年买的", "小雅是去年买的"),
        ("小雅觉得这份工作不适合小雅", "小雅觉得这份工作不适合自己"),
        ("小雅觉得她很照顾小雅", "小雅觉得她很照顾小雅"),
        ("小雅爬楼时也会跳到130", "小雅的心跳爬楼时也会跳到130"),
        ("小雅阿司匹林肠溶片一天一次", "小雅吃阿司匹林肠溶片一天一次"),
        ("小雅喜欢看雪呀", "小雅喜欢看雪"),
        ("小雅是担心复发", "小雅担心复发"),
        ("小雅很省，已经一年没下馆子了，每次想花钱", "小雅很省，已经一年没下馆子了"),
        ("小雅的老师一直不批小雅的假，想回家很难", "小雅的老师一直不批小雅的假"),
        ("小雅的弟弟也不挑食", "小雅的弟弟不挑食"),
        ("小雅当时孩子就是高烧不退", "小雅的孩子当时高烧不退"),
        ("小雅感冒后孩子也咳嗽", "小雅的孩子感冒后，也咳嗽"),
        ("小雅谢谢大家，但睡不着", "小雅睡不着"),
        ("希望小雅的猫快点好", "小雅希望小雅的猫快点好"),
        ("小雅县医院开了七服中药", "县医院给小雅开了七服中药"),
        ("小雅加了班，就是觉得累得值", "小雅加了班，觉得累得值"),
    ],
)
def test_what_a_sentence_lacks_or_has_too_much_is_mended(text: str, whole: str) -> None:
    assert sentences_of(text, text.replace("小雅", "我")) == ([whole], [])


def test_only_its_speaker_hopes() -> None:
    before: list[tuple[Role, str]] = [("assistant", "食堂又涨价了")]
    assert read("真心希望食堂早点开夜宵窗口", before) == ["小雅真心希望食堂早点开夜宵窗口"]
    assert read("真心希望大家都开开心心毕业", before) == []


def test_what_is_written_for_another_is_not_the_writers() -> None:
    assert read("帮室友征友：女，24岁，未婚，在银行上班") == []
    assert any("24岁" in each for each in read("我24岁，在银行上班"))


def test_who_is_named_late_is_not_whom_a_sentence_is_about() -> None:
    turn = "回到办公室的时候发现有人正坐在我的位子上吃午饭"
    assert sentences_of(turn.replace("我", "小雅"), turn)[0] == []


def test_a_request_asks_somebody() -> None:
    found = Found(0, 14, "intent", "小雅请求：周末找一个能唱歌的地方")
    assert whole_sentences([found], "周末找一个能唱歌的地方", "小雅")[0] == []
    assert whole_sentences([found], "周末找一个能唱歌的地方，求推荐", "小雅")[0] == [found]


def test_where_one_belongs_is_no_part_of_ones_name() -> None:
    assert read("我市中心医院说我奶奶不用手术") == ["小雅所在的市中心医院说小雅的奶奶不用手术"]


def test_a_long_turn_of_a_thread_tells_of_a_life_though_it_has_a_number() -> None:
    turn = "#812345 补充。我舍友每次考试前都很焦虑，压力很大，老师也劝过她。我担任班长，这学期特别忙。"
    assert any("焦虑" in each for each in read(turn))


def test_what_its_speaker_only_offers_is_not_told() -> None:
    turn = "好的。那我退货吧。"
    found = Found(3, 8, "episode", "小雅退货", episode_type="fact")
    assert whole_sentences([found], turn, "小雅")[0] == []


def test_oneself_behind_another_is_the_other() -> None:
    turn = "他很优秀，自己要求也很高"
    found = Found(5, len(turn), "episode", "小雅要求也很高", episode_type="fact")
    assert whole_sentences([found], turn, "小雅")[0] == []


def read(text: str, before: Sequence[tuple[Role, str]] = ()) -> list[str]:
    turn = TurnView(text, "user", "zh", MONDAY, speaker="小雅", previous=tuple(before))
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


@pytest.mark.parametrize(
    "text",
    ["我高中拼命刷题才考上的", "我们学校本科平均年龄很小", "我以前本科舍友总打呼", "我大专期间一直打工"],
)
def test_a_school_that_one_was_at_is_no_degree(text: str) -> None:
    assert not any("学历" in each for each in read(text))


@pytest.mark.parametrize("text", ["我本科，在银行上班", "我是高中学历", "我读了大专就工作了", "我大专毕业"])
def test_a_degree_that_is_held_is_told(text: str) -> None:
    assert any("本科" in each or "高中" in each or "大专" in each for each in read(text))


def test_a_rate_is_no_age() -> None:
    asked: list[tuple[Role, str]] = [("assistant", "平时心率多少？")]
    assert not any("岁" in each for text in ("70多点", "80多下，不快") for each in read(text, asked))
    assert any("60多岁" in each for each in read("我60多了"))


def test_an_emoticon_is_left_out() -> None:
    assert read("我想学会游泳，今年报了班(｡•́︿•̀｡)") == ["小雅想学会游泳，今年报了班"]
