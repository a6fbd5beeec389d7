"""Chinese fields filled from the value's side: a value in words that no pattern foresees, and what only looks so."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import Role, TurnView, values_of
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import FieldSpec, Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, THURSDAY, extract

HEALTH = load_profile("health")
TRIAL = load_profile("clinical_trial")
ENGINEERING = load_profile("engineering")


def held(text: str, profile: Profile, *, question: str | None = None, project: str | None = None) -> list[str]:
    """The values of a Chinese turn as "field=value", those that hold no more as "not field=value"."""
    previous: tuple[tuple[Role, str], ...] = (("assistant", question),) if question else ()
    turn = TurnView(text, "user", "zh", THURSDAY, profile.time_zone, project_id=project, previous=previous)
    found = RuleExtractor().extract(turn, profile)
    return [f"{'not ' * c.negated}{name}={value}" for c in found for name, value in values_of(c).items()]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("血压登记 158/97，刚爬完楼", "bp_systolic=158"),
        ("早起体重嘛，72.5", "weight=72.5"),
        ("过秤一百三十二斤", "weight=66"),
        ("个头一米六三", "height=163"),
        ("夜饭后两小时11.2", "postprandial_glucose=11.2"),
        ("格列齐特每天早上一片", "medications=格列齐特"),
        ("诺和锐我打着呢", "medications=诺和锐"),
        ("大夫给开了替米沙坦", "medications=替米沙坦"),
        ("链霉素我碰不得", "drug_allergies=链霉素"),
        ("一吃菠萝嘴就肿", "allergies=菠萝"),
        ("甲亢，五六年了", "medical_history=甲亢"),
        ("我叔是胃癌走的", "family_history=胃癌"),
        ("琢磨着过年前瘦到65", "health_goals=瘦到65"),
        ("你说话别那么啰嗦", "response_style=简短"),
        ("讲人话，那些词我不懂", "response_style=通俗"),
        ("B型血", "blood_type=B"),
        ("于淑珍，68，老家延安", "name=于淑珍"),
        ("于淑珍，68，老家延安", "age=68"),
    ],
)
def test_what_a_patient_says(text: str, value: str) -> None:
    assert value in held(text, HEALTH)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("隔壁王婶也吃二甲双胍", "medications"),
        ("老伴高血压二十年了", "family_history"),
        ("我爸血压180/110", "bp_systolic"),
        ("二甲双胍能不能跟酒一起", "medications"),
        ("听说布洛芬伤胃", "medications"),
        ("格列美脲不让吃了", "drug_allergies"),
        ("头孢吃了没过敏", "drug_allergies"),
        ("菠萝真好吃", "allergies"),
        ("外孙对花生过敏", "allergies"),
        ("我怕得糖尿病", "medical_history"),
        ("对门老李有冠心病", "medical_history"),
        ("正常血压应该在120/80", "bp_systolic"),
        ("我年轻时候体重才100斤", "weight"),
        ("行李一称23公斤", "weight"),
        ("医生说话很简短", "response_style"),
        ("硝苯地平吃了脚肿", "drug_allergies"),
        ("高血压，吃药呢", "name"),
    ],
)
def test_what_is_nothing_of_the_patient(text: str, field: str) -> None:
    assert not [v for v in held(text, HEALTH) if v.removeprefix("not ").startswith(f"{field}=")]


def test_a_medicine_in_the_place_of_another() -> None:
    """What is put in its place replaces it, as it does in a clause of its own."""
    assert held("格列美脲不让吃了", HEALTH) == ["not medications=格列美脲"]
    both = held("氨氯地平撤了，改吃缬沙坦", HEALTH)
    assert sorted(both) == ["medications=缬沙坦", "not medications=氨氯地平"]
    both = held("格列美脲不让吃了，给开了达格列净", HEALTH)
    assert sorted(both) == ["medications=达格列净", "not medications=格列美脲"]


def test_the_last_of_two_readings_is_meant() -> None:
    assert held("登记 114/88……手滑，141/88", HEALTH) == ["bp_systolic=141", "bp_diastolic=88"]


def test_a_reading_has_its_day() -> None:
    (one,) = [c for c in extract("登记一下 158/97", HEALTH) if c.fields]
    assert one.text == "血压158/97（2026年2月5日）"


@pytest.mark.parametrize(
    ("text", "value", "question"),
    [
        ("我91年的", "age=35", None),
        ("年包税前八十来万", "annualIncome=800000", None),
        ("本科武汉理工，学的材料", "major=材料", None),
        ("本科武汉理工，学的材料", "university=武汉理工", None),
        ("入行九年了", "totalYearsOfExperience=9", None),
        ("德语还凑合，英语没问题", "languageSkills=德语", None),
        ("俩娃，老大上初中", "hasChildren=True", None),
        ("我媳妇在银行", "maritalStatus=已婚", None),
        ("公婆没啥意见", "familySupport=支持", None),
        ("手头有一千五百万能投", "investmentAmount=15000000", None),
        ("专才吧", "targetCategory=GEP", "您倾向哪个类别？"),
        ("优才不弄了", "not targetCategory=QMAS", None),
        ("港企给了offer，拿到offer了", "hasHongKongEmployer=True", None),
        ("我码农一个，天天敲代码", "hasTechBackground=True", None),
        ("最好明年年底前递交", "immigrationTimeline=明年年底前", None),
        ("拿新加坡护照", "nationality=新加坡", None),
    ],
)
def test_what_an_applicant_says(text: str, value: str, question: str | None) -> None:
    assert value in held(text, IMMIGRATION, question=question)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("我弟在腾讯，年薪150万", "annualIncome"),
        ("我有个同学在银行，年薪200万", "annualIncome"),
        ("听说优才要硕士", "education"),
        ("我同事走的高才通", "targetCategory"),
        ("一年到手不到三十万", "annualIncome"),
        ("一年出两百万套", "annualIncome"),
        ("下周去上海出差", "currentLocation"),
        ("我想学法语", "languageSkills"),
        ("粤语一句不会", "languageSkills"),
        ("他对象不同意", "familySupport"),
        ("以前在网易待过三年", "totalYearsOfExperience"),
        ("你们要求本科以上吗", "education"),
        ("我先生是程序员", "hasTechBackground"),
        ("车是18年的", "age"),
    ],
)
def test_what_is_nothing_of_the_applicant(text: str, field: str) -> None:
    assert not [v for v in held(text, IMMIGRATION) if v.removeprefix("not ").startswith(f"{field}=")]


@pytest.mark.parametrize(
    ("text", "value", "profile"),
    [
        ("自报家门：苗青，省三院的研究护士", "name=苗青", TRIAL),
        ("自报家门：苗青，省三院的研究护士", "role=研究护士", TRIAL),
        ("自报家门：苗青，省三院的研究护士", "site=省三院", TRIAL),
        ("我做统计的，发我的都用英文回复", "response_language=English", TRIAL),
        ("月报别再写Word了，我要图表", "report_format=图表", TRIAL),
        ("有话直说，别客气", "communication_tone=直接", ENGINEERING),
        ("会议时间按柏林的来", "timezone=Europe/Berlin", ENGINEERING),
        ("日志默认留ERROR就够", "logging_style=ERROR", ENGINEERING),
        ("运维暂时由我盯着", "project_role=运维负责人", ENGINEERING),
        ("冯远，测试工程师，常驻合肥", "occupation=测试工程师", ENGINEERING),
    ],
)
def test_what_a_member_of_a_team_says(text: str, value: str, profile: Profile) -> None:
    assert value in held(text, profile, project="p1")


@pytest.mark.parametrize(
    ("text", "field", "profile"),
    [
        ("研究护士今天没来", "role", TRIAL),
        ("我们组的统计师辛然，下午不在", "role", TRIAL),
        ("市一院的CRC换人了", "site", TRIAL),
        ("周报用表格了吗", "report_format", TRIAL),
        ("DEBUG日志把盘写满了", "logging_style", ENGINEERING),
        ("柏林那边的客户几点上班", "timezone", ENGINEERING),
        ("运维归小刘", "project_role", ENGINEERING),
        ("commit message 一律写英文", "language_preference", ENGINEERING),
        ("安全，没问题", "name", ENGINEERING),
    ],
)
def test_what_is_nothing_of_the_member(text: str, field: str, profile: Profile) -> None:
    assert not [v for v in held(text, profile, project="p1") if v.startswith(f"{field}=")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("嗨，常晓雯，29，设计师", "name=常晓雯"),
        ("单身，35，程序员", "age=35"),
        ("土生土长的长沙人，没挪过窝", "origin=长沙"),
        ("一碰花粉就打喷嚏", "allergy=花粉"),
    ],
)
def test_what_anybody_says(text: str, value: str) -> None:
    assert value in held(text, GENERAL)


def test_a_known_word_is_no_name() -> None:
    assert not [v for v in held("单身，35，程序员", GENERAL) if v.startswith("name=")]


def test_a_named_speaker_among_people_must_say_i() -> None:
    turn = TurnView(
        "离异，带个娃", "user", "zh", THURSDAY, speaker="小白", previous=(("user", "那男的什么情况"),)
    )  # fmt: skip
    assert RuleExtractor().extract(turn, GENERAL) == []


_SHOE = FieldSpec(name="shoeSize", type="integer", label={"en": "shoe size", "zh": "鞋码"})
_PLAN = FieldSpec(
    name="plan", values=("basic", "gold"), label={"zh": "套餐"}, aliases={"basic": ("基础版",), "gold": ("黄金版",)}
)
_MEMBER = FieldSpec(name="member", type="boolean", label={"zh": "会员卡"})
SHOP = GENERAL.model_copy(update={"fields": (*GENERAL.fields, _SHOE, _PLAN, _MEMBER)})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("鞋码嘛，大概42", []),
        ("我鞋码一般是42", ["shoeSize=42"]),
        ("套餐换成黄金版", ["plan=gold"]),
        ("我有会员卡", ["member=True"]),
        ("我没有会员卡", ["member=False"]),
        ("我妈鞋码36", []),
        ("黄金版多少钱", []),
        ("想办会员卡", []),
    ],
)
def test_a_field_that_a_profile_adds(text: str, found: list[str]) -> None:
    assert [v for v in held(text, SHOP) if v.split("=")[0] in ("shoeSize", "plan", "member")] == found
