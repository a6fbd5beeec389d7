"""Chinese self-statements: what is said, kept as vague as said, and what states nothing (B1, B2, B4)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract, values


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("我三十多岁", {"age": "30+"}),
        ("我今年三十二", {"age": 32}),
        (
            "本科毕业于清华大学，专业是电子工程",
            {"education": "bachelor", "university": "清华大学", "major": "电子工程"},
        ),
        ("我是一名护士，在腾讯工作", {"occupation": "护士", "employer": "腾讯"}),
        ("我工作8年了", {"yearsOfExperience": 8}),
        ("我在华为做了5年的硬件工程师", {"occupation": "硬件工程师", "yearsOfExperience": 5, "employer": "华为"}),
        ("年薪大概八十万", {"income": 800_000}),
        ("我年薪80到100万", {"income": "800000-1000000"}),
        ("我以前住在北京，现在住在上海", {"residence": "上海"}),
        ("我是杭州人", {"origin": "杭州"}),
        ("我结婚了，没有孩子", {"maritalStatus": "married", "hasChildren": False}),
        ("我对青霉素过敏，有高血压", {"allergy": "青霉素", "condition": "高血压"}),
        ("你可以叫我小明", {"name": "小明"}),
        ("我的爱好是摄影和爬山", {"hobby": "摄影和爬山"}),
        ("帮我润色我的自我介绍：我今年41岁", {"age": 41}),
        ("请帮我看看：\n我今年28岁，月薪两万", {"age": 28, "monthly_income": 20_000}),
        ("请检查：\n我对青霉素过敏", {"allergy": "青霉素"}),
        ("帮我分析一下：\n我今年28岁", {"age": 28}),
        ("情况总结如下：我今年28岁", {"age": 28}),
        ("请按以下要求翻译：我今年28岁", {"age": 28}),
        ("帮我翻译一下这份合同，我2:30开会，住在苏州", {"residence": "苏州"}),
        ("这句怎么翻译：今天天气很好。另外我对花生过敏", {"allergy": "花生"}),
        ("帮我翻译这句：我今年51岁。对了，我住在苏州", {"residence": "苏州"}),
        ("照着以下信息帮我订票：我叫李明，住在苏州", {"name": "李明", "residence": "苏州"}),
        ("照着下面的地址寄：我住在苏州", {"residence": "苏州"}),
        ("我是翻译，情况如下：我35岁", {"occupation": "翻译", "age": 35}),
        ("帮我总结一下这段时间：我上个月搬到了杭州", {"residence": "杭州"}),
        ("下面我说说情况，帮我总结：我今年四十岁，有糖尿病", {"age": 40, "condition": "糖尿病"}),
        ("帮我改写这份简历：我叫张三，今年30岁", {"name": "张三", "age": 30}),
        ("我四十三了", {"age": 43}),
        ("我六十了，腿脚差", {"age": 60}),
        ("我是新加坡籍", {"nationality": "新加坡"}),
        ("我转行做了产品经理", {"occupation": "产品经理"}),
        ("我是学测绘的", {"major": "测绘"}),
        ("我是学生物的", {"major": "生物"}),
        ("毕业以后一直在成都", {"residence": "成都"}),
        ("我一直都在深圳", {"residence": "深圳"}),
        ("我退休后一直在成都，身体还行", {"residence": "成都"}),
        ("我五年前知道得了痛风", {"condition": "痛风"}),
        ("我在厂里做质检也有七八年了", {"occupation": "质检", "yearsOfExperience": 8}),
        ("记得我是素食者", {"diet": "vegetarian"}),
        ("我更喜欢我们公司的食堂", {"prefers": "我们公司的食堂"}),
        ("我是做了会计", {"occupation": "会计"}),
        ("我是小学的数学老师，教三年级", {"occupation": "小学的数学老师"}),
        ("我是大学的老师", {"occupation": "大学的老师"}),
        ("我是中学的英语老师", {"occupation": "中学的英语老师"}),
        ("我在大学的图书馆做管理员", {"occupation": "管理员"}),
        ("我大学学的会计", {"major": "会计"}),
        ("我年薪填错了，不是30万是13万", {"income": 130_000}),
    ],
)
def test_b1_plain_statements(text: str, fields: dict[str, object]) -> None:
    assert values(text) == fields


@pytest.mark.parametrize(
    "text",
    [
        "如果我32岁，能申请吗？",
        "他32岁，在上海工作",
        "我朋友说我32岁",
        "他说“我32岁，在上海工作”",
        "听说我32岁",
        "我猜你32岁",
        "你32岁吗？",
        "我快30岁的时候去了北京",
        "去年我在北京工作",
        "我想当医生",
        "我没有过敏史",
        "今天我学了一道新的菜，叫做清蒸鲈鱼",
        "我养花，它叫小白",
        "我想做一些星星和雪花形状的",
        "我叫小护士帮他量体温",
        "有人打电话来，叫我汇三千",
        "作文可以叫我哥改",
        "硕士及以上才能报名",
        "敷完这个年轻十岁",
        "我知道周导演出生在武汉",
        "我记得是山里人，今年四十多岁",
        "叫我爸来接",
        "上周求婚了，现在是未婚妻啦",
        "我家老二今年刚两岁",
        "二十了，还差两个",
        "我六十了，还差四十分",
        "五十了，不加了",
        "我是江苏籍",
        "我是学校食堂的",
        "我是学生会的",
        "我是学徒工的",
        "我不是美国籍",
        "我不是中国籍",
        "我唔係美國籍",
        "我不是中国国籍",
        "我国籍不是加拿大",
        "我是超级会籍",
        "一直都在北京和上海之间跑",
        "我这周一直在苏州",
        "我昨天一直在苏州",
        "国庆我一直在杭州",
        "出差这几天我一直在成都",
        "大学四年我一直在南京",
        "初中一直在长沙",
        "我一直在杭州，上个月才离开",
        "毕业后就一直在杭州，后来去了北京",
        "照着这句话再造两个句子：我今年51岁",
        "帮我翻译这句话，我2:30要用：我今年40岁",
        "翻译下面这段话：我今年51岁。我住在苏州",
        "我叫老王来修水管",
        "我叫小李去",
        "我叫马上来",
    ],
)
def test_b1_what_states_no_field_of_the_owner(text: str) -> None:
    stated = set(values(text)) - {"pet"}
    assert stated == set()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我叫王小来", "王小来"),
        ("我叫李二百", "李二百"),
        ("我叫马去病", "马去病"),
        ("我叫刘做东", "刘做东"),
        ("我叫周抄", "周抄"),
        ("我叫帮帮", "帮帮"),
        ("我的名字叫刘来", "刘来"),
        ("我叫殷去非", "殷去非"),
        ("我叫买买提", "买买提"),
        ("我叫古力娜扎尔", "古力娜扎尔"),
        ("叫我三三", "三三"),
        ("叫我老板", "老板"),
        ("叫我阿姨", "阿姨"),
        ("叫我师傅就行", "师傅"),
        ("可以叫我张老师", "张老师"),
    ],
)
def test_b1_a_name_may_hold_a_number_a_verb_or_a_title(text: str, name: str) -> None:
    assert values(text) == {"name": name}


@pytest.mark.parametrize("text", ["我查到有胆结石", "体检查到有胆结石"])
def test_b1_what_an_examination_finds_is_had(text: str) -> None:
    assert values(text)["condition"] == "胆结石"


@pytest.mark.parametrize(
    ("question", "text", "fields"),
    [
        ("您家里有宠物吗？", "有，养了一只猫", {"pet": "猫"}),
        ("平时跟父母住吗？", "没有，我租房，养了一只狗", {"pet": "狗"}),
        ("猫多大了？", "两岁，做过绝育", {}),
    ],
)
def test_b1_whom_one_has_is_asked_of_oneself(question: str, text: str, fields: dict[str, object]) -> None:
    assert values(text, question=question) == fields


def test_b1_a_clause_keeps_the_subject_of_the_one_before() -> None:
    assert values("我今年32岁。在杭州工作。") == {"age": 32, "residence": "杭州"}
    assert "residence" not in values("她今年32岁。在杭州工作。")


def test_b4_corrections_name_what_they_replace() -> None:
    (age,) = extract("不是32岁，是33岁")
    assert (age.field, age.value, age.attributes["replaces"]) == ("age", 33, 32)


def test_b4_negations_are_kept() -> None:
    (left,) = extract("我已经不在腾讯工作了")
    assert (left.field, left.value, left.negated, left.text) == ("employer", "腾讯", True, "用户不在腾讯工作")
    (coffee,) = extract("我不再喜欢咖啡了")
    assert (coffee.field, coffee.value, coffee.negated) == ("likes", "咖啡", True)
    assert [(c.field, c.value) for c in extract("我不喜欢香菜，喜欢打篮球")] == [
        ("dislikes", "香菜"),
        ("likes", "打篮球"),
    ]


def test_b8_statements_name_a_speaker() -> None:
    assert [c.text for c in extract("我今年32岁，年薪80万", speaker="小明")] == ["小明32岁", "小明年薪80万"]


def test_k1_names_of_conditions_come_from_the_profile() -> None:
    assert values("我有高血压，在吃降压药") == {"condition": "高血压", "medication": "降压药"}
    assert [c.value for c in extract("我确诊了二型糖尿病5年")] == ["二型糖尿病"]
    assert values("我没有糖尿病") == {}
    assert values("I have asthma") == {"condition": "asthma"}


@pytest.mark.parametrize("text", ["PI是王教授", "项目PI是王教授", "我的导师是李老师", "是张医生"])
def test_a_person_by_surname_and_title_is_no_occupation(text: str) -> None:
    assert "occupation" not in values(text)


@pytest.mark.parametrize(
    ("text", "job"), [("我是教授", "教授"), ("我是一名前端工程师", "前端工程师"), ("我是高级经理", "高级经理")]
)
def test_a_title_by_itself_is_one(text: str, job: str) -> None:
    assert values(text)["occupation"] == job
