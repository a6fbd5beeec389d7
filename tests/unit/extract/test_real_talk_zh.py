"""Chinese as people write it: no subject, no comma, themselves by a name, a pronoun for who was named a turn ago."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from processors.reader.rules.protocol import Role, TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import load_profile

GENERAL = load_profile("general")
MONDAY = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def statements_of(statement: str, speaker: str | None, before: Sequence[tuple[Role, str]] = ()) -> list[str]:
    turn = TurnView(statement, "user", "zh", MONDAY, speaker=speaker, previous=tuple(before))
    return [c.text for c in RuleExtractor().extract(turn, GENERAL) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("statement", "speaker", "text"),
    [
        ("dz理科生，家里条件一般，想早点上班，大家觉得该怎么选？", "洞主", "洞主是理科生，家里条件一般，想早点上班"),
        ("洞主父母不让洞主养猫，怎么办", "洞主", "洞主的父母不让洞主养猫"),
        ("楼主不是一个爱社交的人", "楼主", "楼主不是一个爱社交的人"),
        ("Nora的男朋友也有花粉症", "Nora", "Nora的男朋友有花粉症"),
    ],
)
def test_who_names_themselves_is_the_speaker(statement: str, speaker: str, text: str) -> None:
    assert text in statements_of(statement, speaker)


def test_who_opened_a_thread_is_nobody_else() -> None:
    assert statements_of("看到dz和小哥哥了", "Alice") == []


@pytest.mark.parametrize(
    ("statement", "before", "text"),
    [
        (
            "她在我生病的时候照顾过我很多。",
            [("user", "我前天和女朋友分手了。")],
            "小川的女朋友在小川生病的时候照顾过小川很多",
        ),
        ("上个月和男朋友吵架了。很担心他，但是他不想同我讲", [], "小川很担心男朋友，但是他不想同小川讲"),
        ("我弟弟最近老胸口疼。没其他病史，不过他经常坐电脑前不动", [], "小川的弟弟没其他病史，不过他经常坐电脑前不动"),
        ("老婆比较强势。她一定要我跟她搭话", [], "小川的老婆一定要小川跟她搭话"),
        ("跟我npy在一起三年了。他觉得没必要双方父母见面", [], "小川的npy觉得没必要双方父母见面"),
    ],
)
def test_a_pronoun_is_who_was_named_before(statement: str, before: list[tuple[Role, str]], text: str) -> None:
    assert any(text in each for each in statements_of(statement, "小川", before))


@pytest.mark.parametrize(
    "text",
    [
        "男朋友认识了社团一个男生。他唱歌很好听",
        "我喜欢像我的导师一样的人。她总能提醒我",
        "我弟和我爸都来了。他带了三箱苹果",
    ],
)
def test_a_pronoun_of_one_of_two_or_of_a_likeness_is_told_of_none(text: str) -> None:
    assert not any(word in each for each in statements_of(text, "小川") for word in ("唱歌", "提醒", "苹果"))


DOCTOR: list[tuple[Role, str]] = [("user", "你好"), ("assistant", "您好，请问您有什么不舒服？")]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("觉得胸闷气短，爬两层楼就喘不上气", "患者爬两层楼就喘不上气"),
        ("检查心电图说窦性心律不齐", "患者检查心电图说窦性心律不齐"),
        ("平时无慢性病", "患者平时无慢性病"),
        ("胸片和血常规都正常，4月刚做过体检", "患者胸片和血常规都正常，4月刚做过体检"),
    ],
)
def test_a_patient_without_a_subject_speaks_of_themselves(statement: str, text: str) -> None:
    assert any(text in each for each in statements_of(statement, "患者", DOCTOR))


@pytest.mark.parametrize("text", ["头晕一般是血压高引起的", "可能会胸闷", "这种情况注意避免咳嗽"])
def test_what_symptoms_are_in_general_is_nobodys(text: str) -> None:
    assert statements_of(text, "患者", DOCTOR) == []


def test_a_symptom_is_of_whom_the_talk_is() -> None:
    before: list[tuple[Role, str]] = [("user", "我弟胸口疼了一周"), ("assistant", "做过检查吗？您发过来看看")]
    assert statements_of("去查了，心电图显示早搏", "患者", before) == ["患者的弟弟去查了，心电图显示早搏"]


SHOP: list[tuple[Role, str]] = [("user", "在吗"), ("assistant", "亲，请问有什么可以帮您？")]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("订单一直没收到货，怎么回事", "顾客的订单一直没收到货"),
        ("卖家联系不上，没有人回复", "顾客遇到卖家联系不上，没有人回复"),
        ("是工人不给安装空调", "顾客遇到工人不给安装空调"),
    ],
)
def test_what_befell_an_order_is_its_buyers(statement: str, text: str) -> None:
    assert any(text in each for each in statements_of(statement, "顾客", SHOP))


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("为什么我总是对自己做的事不满意，很后悔？", "用户总是对自己做的事不满意，很后悔"),
        ("我有高血压能吃柚子吗", "用户有高血压"),
        ("我孩子对花生过敏要不要打疫苗", "用户的孩子对花生过敏"),
    ],
)
def test_what_a_question_takes_for_granted_is_said(statement: str, text: str) -> None:
    assert text in statements_of(statement, None)


@pytest.mark.parametrize("text", ["为什么我总是失眠还是焦虑呢？", "我想问高血压能吃柚子吗", "我不知道能不能去香港"])
def test_what_is_only_asked_is_not(text: str) -> None:
    assert statements_of(text, None) == []


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("孩子从小就爱打人，一发脾气就摔东西。请问该怎么教？", "来信人的孩子从小就爱打人，一发脾气就摔东西"),
        ("感觉自己很胆小，遇到事就哭，不敢一个人出门，总是靠父母。", "来信人感觉自己很胆小"),
        ("比如我以前想开店，但是爸妈反对，后来就没开。我该怎么办？", "来信人以前想开店，但是爸妈反对"),
        ("一直有社交困难，尤其怕与人起冲突。怎么才能改？", "来信人一直有社交困难，尤其怕与人起冲突"),
    ],
)
def test_a_letter_tells_of_its_writers_life(statement: str, text: str) -> None:
    assert any(text in each for each in statements_of(statement, "来信人"))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("想读硕，毕业当培训机构老师", "从事"),
        ("最近没法做电话销售", "从事"),
        ("理工类基本都博士", "博士"),
        ("硕士完全够用", "硕士"),
        ("以前患过焦虑症，现在已经治愈了", "有焦虑症"),
        ("读硕士可以当老师吗？还是博士啊", "博士学历"),
        ("应该单身", "单身"),
    ],
)
def test_what_is_planned_healed_or_of_all_is_no_value(text: str, wrong: str) -> None:
    assert not any(wrong in each for each in statements_of(text, "小川"))


@pytest.mark.parametrize("text", ["我也是崩溃", "摸摸，好好生活", "最近几天较突出", "我解释了没用", "想太多，没冷风"])
def test_what_says_nothing_in_a_month_stays_in_its_turn(text: str) -> None:
    assert statements_of(text, "小川") == []


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("瑜伽馆的卡我退了", "用户退了瑜伽馆的卡"),
        ("爱优腾会员我取消了", "用户取消了爱优腾会员"),
        ("我们家狗走丢了", "用户家的狗走丢了"),
        ("豆豆丢了，贴了一周告示没找到", "用户的豆豆丢了，贴了一周告示没找到"),
        ("每年寒假都去打工，爸妈总说我不回家", "用户每年寒假都去打工，爸妈总说用户不回家"),
    ],
)
def test_what_stands_before_its_speaker_is_told_in_order(statement: str, text: str) -> None:
    found = statements_of(statement, None)
    assert any(text in each for each in found)
    assert not any("我" in each for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "高中和大学的上课方式不一样",
        "真不喜欢这个人，说话没礼貌，还喜欢到处挑刺",
        "门卫每天一副冷脸",
        "又要崩溃了",
        "这个套餐带不带耳机",
        "考不上啥意思",
    ],
)
def test_what_is_of_all_of_another_or_of_the_moment_is_not_the_speakers(text: str) -> None:
    wrong = ("高中", "挑刺", "冷脸", "崩溃", "耳机", "啥")
    assert not any(word in each for each in statements_of(text, "小川") for word in wrong)


def test_a_customer_is_asked_what_they_need_without_the_greeting() -> None:
    before: list[tuple[Role, str]] = [("user", "能开票吗"), ("assistant", "是的哟 您需要开专用发票吗?")]
    assert statements_of("是的", "顾客", before) == ["顾客需要开专用发票"]


@pytest.mark.parametrize(
    ("statement", "texts"),
    [
        ("我都问过了房东说没有车位可是我还是想租", ["小雅都问过了，房东说没有车位"]),
        ("我从来不炒股我这人胆小", ["小雅从来不炒股"]),
        ("我搬到城东了但是上班更远", ["小雅搬到城东了，但是上班更远"]),
    ],
)
def test_clauses_without_a_comma_are_told_as_clauses(statement: str, texts: list[str]) -> None:
    assert statements_of(statement, "小雅") == texts


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("我动手能力和耐心都挺差的", "小雅动手能力和耐心都挺差的"),
        ("我还挺怕打雷的", "小雅挺怕打雷的"),
        ("我挺内向的，熟人也不多", "小雅挺内向的，熟人也不多"),
        ("我感觉我越来越不想出门了", "小雅感觉自己越来越不想出门了"),
        ("我觉得我不能一个人带团队", "小雅觉得自己不能一个人带团队"),
        ("我就是不想复合", "小雅不想复合"),
        ("然而我从小就怕水", "小雅从小就怕水"),
        ("可我是女生", "小雅是女性"),
    ],
)
def test_what_one_is_like_is_told(statement: str, text: str) -> None:
    assert statements_of(statement, "小雅") == [text]


def test_a_trait_with_de_behind_a_noun_is_no_sentence() -> None:
    assert statements_of("我有个挺好的", "小雅") == []


def test_then_every_day_is_no_day_after_tomorrow() -> None:
    assert statements_of("我报了游泳课，然后天天去练", "小雅") == ["小雅报了游泳课，然后天天去练"]


@pytest.mark.parametrize("text", ["面试我的是一位博士学姐", "那架琴卖给一个高中生了", "毕业照嘛，本科时光都在里面"])
def test_a_degree_of_somebody_else_is_not_the_speakers(text: str) -> None:
    assert not any("学历" in each or "本科" in each for each in statements_of(text, "小雅"))


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("我失业了", "小雅失业了"),
        ("我保研了", "小雅保研了"),
        ("我被裁了，房贷还没还完", "小雅被裁了，房贷还没还完"),
        ("我外婆去世了", "小雅的外婆去世了"),
        ("我表姐刚离婚了", "小雅的表姐刚离婚了"),
    ],
)
def test_what_befalls_one_once_in_years_is_told_in_a_word(statement: str, text: str) -> None:
    assert statements_of(statement, "小雅", [("assistant", "最近怎么样")]) == [text]


@pytest.mark.parametrize("statement", ["我离职了吗", "要是我失业了怎么办", "我考上了", "我吃了"])
def test_a_word_that_asks_or_lacks_its_object_is_not_told(statement: str) -> None:
    assert statements_of(statement, "小雅", [("assistant", "最近怎么样")]) == []


def test_who_a_pronoun_means_is_named_behind_clauses_that_name_nobody() -> None:
    before: list[tuple[Role, str]] = [("user", "我爸爸有痛风"), ("assistant", "现在怎么样")]
    assert statements_of("刚才好一点了，现在睡着了，他还有贫血", "小雅", before) == ["小雅的爸爸还有贫血"]
