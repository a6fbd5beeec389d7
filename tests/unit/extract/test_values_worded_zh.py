"""Chinese fields by their values: lists, answers of a word or two, and persons who are no speaker."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from schemas.profile.model import Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, extract

HEALTH = load_profile("health")
TRIAL = load_profile("clinical_trial")
ENGINEERING = load_profile("engineering")


def held(text: str, profile: Profile, question: str | None = None) -> list[str]:
    """The values of a turn as "field=value", those that hold no more as "not field=value"."""
    found = extract(text, profile, question=question)
    return [f"{'not ' * c.negated}{name}={value}" for c in found for name, value in values_of(c).items()]


@pytest.mark.parametrize(
    ("text", "values", "profile"),
    [
        ("二甲双胍和格列齐特都停了", ["not medications=二甲双胍", "not medications=格列齐特"], HEALTH),
        ("花生、芒果我都过敏", ["allergies=花生", "allergies=芒果"], HEALTH),
        ("高血压糖尿病都有", ["medical_history=高血压", "medical_history=糖尿病"], HEALTH),
        ("普通话和粤语都没问题", ["languageSkills=普通话", "languageSkills=粤语"], IMMIGRATION),
        ("我没有高血压和糖尿病", [], HEALTH),
    ],
)
def test_what_is_said_of_one_of_a_list_is_said_of_each(text: str, values: list[str], profile: Profile) -> None:
    assert sorted(held(text, profile)) == sorted(values)


@pytest.mark.parametrize(
    ("question", "text", "value", "profile"),
    [
        ("有孩子吗？", "没有呢", "hasChildren=False", IMMIGRATION),
        ("婚姻状况？", "离了，前年的事", "maritalStatus=离异", IMMIGRATION),
        ("家里人支持吗？", "都支持", "familySupport=支持", IMMIGRATION),
        ("哪国国籍？", "加拿大", "nationality=加拿大", IMMIGRATION),
        ("在哪家公司？", "宁德时代", "currentCompany=宁德时代", IMMIGRATION),
        ("您从事什么行业？", "餐饮", "currentIndustry=餐饮", IMMIGRATION),
        ("身高呢？", "一七二", "height=172", HEALTH),
        ("平时吃什么药？", "厄贝沙坦，阿托伐他汀", "medications=阿托伐他汀", HEALTH),
    ],
)
def test_an_answer_of_a_word_or_two(question: str, text: str, value: str, profile: Profile) -> None:
    assert value in held(text, profile, question)


@pytest.mark.parametrize(
    ("question", "text", "field", "profile"),
    [
        ("您的驾照拿了多少年？", "十四年，没扣过分", "totalYearsOfExperience", IMMIGRATION),
        ("您孩子多大了？", "十二岁", "age", IMMIGRATION),
        ("在哪家公司？", "宁德时代", "currentLocation", IMMIGRATION),
        ("你们店在哪儿？", "在徐州", "currentLocation", IMMIGRATION),
        ("您之前在哪里生活？", "兰州", "currentLocation", IMMIGRATION),
    ],
)
def test_an_answer_to_another_question(question: str, text: str, field: str, profile: Profile) -> None:
    assert not [v for v in held(text, profile, question) if v.startswith(f"{field}=")]


@pytest.mark.parametrize(
    ("text", "value", "profile"),
    [
        ("今早称了一下，七十三公斤半，瘦了不少", "weight=73.5", HEALTH),
        ("空腹血糖七点二 饭后十一点三", "postprandial_glucose=11.3", HEALTH),
        ("心慌，一分钟跳了一百零八下", "heart_rate=108", HEALTH),
        ("我对磺胺过敏 海鲜也不行", "allergies=海鲜", HEALTH),
        ("脚脖子肿了两天", "symptoms=脚脖子肿", HEALTH),
        ("上周离职了，跳到平安做理财顾问", "currentCompany=平安", IMMIGRATION),
        ("做食品的，公司自己开的，叫润禾食品", "currentIndustry=食品", IMMIGRATION),
        ("翻社保看工作经验是16年", "totalYearsOfExperience=16", IMMIGRATION),
        ("来不及，改成2028年3月过去", "immigrationTimeline=2028年3月", IMMIGRATION),
        ("我爸妈见了女婿就松口了", "familySupport=支持", IMMIGRATION),
        ("我有三千万存款可以拿来投资", "investmentAmount=30000000", IMMIGRATION),
        ("我在聯發科當工程師", "currentCompany=聯發科", IMMIGRATION),
        ("孩子两个 大的十岁 小的四岁", "hasChildren=True", IMMIGRATION),
        ("今天起我是青鸟的项目负责人", "project_role=项目负责人", ENGINEERING),
        ("我是301医院的CRC，叫陆瑶", "site=301医院", TRIAL),
        ("没结过婚，一个人过", "maritalStatus=single", GENERAL),
        ("本来打算今年递交，现在往后推到明年三月", "immigrationTimeline=明年三月", IMMIGRATION),
        ("我妈一开始反对，现在想通了", "familySupport=支持", IMMIGRATION),
        ("我念的是华南理工的土木", "major=土木", IMMIGRATION),
        ("公司名字是华星光电，不是华兴", "currentCompany=华星光电", IMMIGRATION),
        ("我这情况给您说下哈：女，36，现在在上海，单身", "age=36", IMMIGRATION),
        ("国籍当然中国啊", "nationality=中国", IMMIGRATION),
        ("我们领证啦", "maritalStatus=已婚", IMMIGRATION),
        ("之前说的年薪不对，应该是75万", "annualIncome=750000", IMMIGRATION),
        ("从今天起测试这块我接手", "project_role=测试负责人", ENGINEERING),
        ("省肿瘤的研究协调员周小洁，报到", "name=周小洁", TRIAL),
        ("上次说的缬沙坦换了，现在吃沙库巴曲缬沙坦", "medications=沙库巴曲缬沙坦", HEALTH),
    ],
)
def test_values_in_other_words(text: str, value: str, profile: Profile) -> None:
    assert value in held(text, profile)


@pytest.mark.parametrize(
    ("text", "field", "profile"),
    [
        ("3号受试者对青霉素过敏", "allergy", GENERAL),
        ("有个患者对青霉素过敏", "allergy", GENERAL),
        ("吃了一片布洛芬，头不疼了", "medications", HEALTH),
        ("降压药改成晚上吃了", "medications", HEALTH),
        ("阿司匹林先停了两天", "medications", HEALTH),
        ("我们部门有三个人生了孩子", "hasChildren", GENERAL),
        ("我在医院做护士", "currentCompany", IMMIGRATION),
        ("我在一家小公司当会计", "employer", GENERAL),
        ("你好 我姓周", "name", GENERAL),
        ("时间按都柏林的来", "timezone", ENGINEERING),
        ("我是学护理的", "occupation", GENERAL),
        ("我加入了读书会", "employer", GENERAL),
        ("我退休前是小学老师", "occupation", GENERAL),
        ("这个高血压啊，得有十五六年了", "years", HEALTH),
        ("工作年限写错了，不是6年", "yearsOfExperience", GENERAL),
    ],
)
def test_what_only_looks_like_a_value(text: str, field: str, profile: Profile) -> None:
    assert not [v for v in held(text, profile) if v.removeprefix("not ").startswith(f"{field}=")]
