"""Chinese values without verbs: lists, answers of a word, changes and corrections, and what only looks like a value."""

from __future__ import annotations

import pytest

from inference.language import language_of
from processors.reader.rules.protocol import Role, TurnView, values_of
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, THURSDAY, extract, values

HEALTH = load_profile("health")
TRIAL = load_profile("clinical_trial")
ENGINEERING = load_profile("engineering")


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("您好，请问今年多大？", "41啦", {"age": 41}),
        ("你在哪儿？", "在无锡", {"residence": "无锡"}),
        ("目前在哪里生活？", "珠海，来了三年", {"residence": "珠海"}),
        ("年薪方便透露吗？", "52万上下", {"income": 520_000}),
        ("结婚了吗？", "还没", {"maritalStatus": "single"}),
        ("您成家了吗？有孩子吗？", "一个女儿，4岁", {"hasChildren": True}),
        ("现在在用什么药？", "二甲双胍，一天两次", {"medication": "二甲双胍"}),
        # Of somebody or something else, or of another time.
        ("孩子多大了？", "12了", {}),
        ("您母亲在哪儿生活？", "在镇江", {}),
        ("你们店在哪儿？", "在徐州", {}),
        ("考了多少分？", "61了", {}),
        ("下周您打算去哪儿？", "青岛", {}),
        ("您以前在哪里生活？", "兰州，后来走了", {}),
        ("房子买成多少钱？", "税前45万左右", {}),
    ],
)
def test_an_answer_of_a_word_has_the_words_of_its_question(question: str, text: str, value: dict[str, object]) -> None:
    assert values(text, GENERAL, question=question) == value


def test_a_list_of_values_is_of_its_speaker() -> None:
    assert values("29，本科，武汉大学土木工程", IMMIGRATION) == {
        "age": 29, "education": "学士", "university": "武汉大学", "major": "土木工程",
    }  # fmt: skip
    assert values("大家好我是陈默，27，做前端的，坐标青岛") == {
        "name": "陈默", "age": 27, "occupation": "前端", "residence": "青岛",
    }  # fmt: skip
    assert values("我小郑，测试，以后多关照") == {"name": "小郑", "occupation": "测试"}
    assert values("我一米七二，68公斤", HEALTH) == {"height": 172, "weight": 68}


@pytest.mark.parametrize(
    "text",
    [
        "我同意，测试先上，别等了", "我先走了，开会，回头聊", "我买了29，30，31三个号", "我先生，律师，在杭州",
        "我知道，医生说的，没事", "要求29岁以下，本科，土木工程优先", "我同学硕士，同济的，现在38",
        "房子68平，一米六五的床放得下",
    ],
)  # fmt: skip
def test_a_list_of_anything_else_is_none(text: str) -> None:
    assert not values(text, HEALTH)
    assert not values(text, IMMIGRATION)


@pytest.mark.parametrize(
    ("text", "profile", "value"),
    [
        ("工资涨到一年72万了", "general", {"income": 720_000}),
        ("我们搬家了，现在在扬州", "general", {"residence": "扬州"}),
        ("上个月跳槽了，现在在远航集团", "general", {"employer": "远航集团"}),
        ("英语法语都行，德语听不懂", "general", {"language": "法语"}),
        ("硝苯地平不吃了，现在吃的缬沙坦", "health", {"medications": "缬沙坦"}),
        ("二甲双胍停了，换成达格列净", "health", {"medications": "达格列净"}),
        ("阿司匹林我吃了就起疹子", "health", {"drug_allergies": "阿司匹林", "symptoms": "皮疹"}),
        ("我爸五十多就脑梗过", "health", {"family_history": "脑梗"}),
        ("以后月报用图表吧", "clinical_trial", {"report_format": "图表"}),
        ("时间都按伦敦的来", "engineering", {"timezone": "Europe/London"}),
        ("我弟搬家了，现在在扬州", "general", {}),
        ("我们出差呢，现在在扬州", "general", {}),
        ("房租涨到一年72万了", "general", {}),
        ("邻居二甲双胍停了，换成胰岛素", "health", {}),
        ("青霉素我打了没事", "health", {}),
        ("我同事60岁上脑梗过", "health", {}),
        ("称了下行李23.5，没超", "health", {}),
        ("这份报告用表格画的，真清楚", "clinical_trial", {}),
        ("医生跟我讲得很通俗", "health", {}),
    ],
)
def test_what_changed_or_is_said_in_passing(text: str, profile: str, value: dict[str, object]) -> None:
    assert values(text, load_profile(profile)) == value


@pytest.mark.parametrize(
    "text",
    [
        "年龄下限从18岁调到16岁", "满18岁才能考", "静息心率60多", "体重80多了", "血糖降到六十几了",
        "高中的时候我就喜欢画画", "我高中同桌现在在深圳", "从高中开始我就近视", "以前高中成绩还行",
        "以前得过哮喘，现在控制住了", "以前查出脂肪肝，减肥以后没了", "以前有过一次痛风，后来再没犯",
    ],
)  # fmt: skip
def test_a_limit_a_school_or_a_past_illness_is_no_value(text: str) -> None:
    found = values(text, HEALTH) | values(text, GENERAL)
    assert not {"age", "education", "major", "medical_history", "condition"} & set(found)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("都70多了，还自己买菜", {"age": "70+"}),
        ("我五十出头，不算老", {"age": "50+"}),
        ("我读到高中就没读了", {"education": "secondary"}),
        ("我高中毕业就出来打工了", {"education": "secondary"}),
        ("我有高血压，现在控制住了", {"condition": "高血压"}),
    ],
)
def test_an_age_a_degree_and_an_illness_are(text: str, value: dict[str, object]) -> None:
    assert values(text) == value


@pytest.mark.parametrize(
    ("before", "text", "value"),
    [
        ("我今年40", "不是40，是41", {"age": 41}),
        ("我在银行工作6年了", "刚才说6年说错了，是7年", {"yearsOfExperience": 7}),
        ("我住在常州", "说错了，是无锡", {"residence": "无锡"}),
        ("我在佛山住", "不对，我现在在惠州", {"residence": "惠州"}),
        ("我今年40", "不是说你，是说系统", {}),
        ("我住在常州，我爸住在南京", "说错了，是无锡", {}),
        ("我今年40", "不是30，是31", {}),
    ],
)
def test_a_correction_that_names_the_value_alone(before: str, text: str, value: dict[str, object]) -> None:
    previous: tuple[tuple[Role, str], ...] = (("user", before), ("assistant", "好的"))
    turn = TurnView(text, "user", language_of(text), THURSDAY, GENERAL.time_zone, previous=previous)
    found = RuleExtractor().extract(turn, GENERAL)
    assert {n: v for c in found if not c.negated for n, v in values_of(c).items()} == value


def test_members_of_a_team_introduce_themselves() -> None:
    found = extract("早，我是林晓，CRC，在省人民医院这边", TRIAL, speaker="林晓", project="p1")
    values = {n: v for c in found for n, v in values_of(c).items()}
    assert values["name"] == "林晓"
    assert values["role"] == "CRC"
    assert values["site"] == "省人民医院"
    found = extract("大家好我鲁平，运维，在成都远程", ENGINEERING, speaker="鲁平", project="p1")
    values = {n: v for c in found for n, v in values_of(c).items()}
    assert (values["name"], values["occupation"], values["residence"]) == ("鲁平", "运维", "成都")
