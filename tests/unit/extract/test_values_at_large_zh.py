"""Chinese fields by their values in talk as it comes: dialect, fillers, what is given up, what is long past."""

from __future__ import annotations

import pytest

from schemas.profile.model import load_profile
from tests.unit.extract.support import IMMIGRATION, extract
from tests.unit.extract.test_values_by_type_zh import held

HEALTH = load_profile("health")
ENGINEERING = load_profile("engineering")


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("您是哪国国籍？", "韩国人啊，泡菜国", "nationality=韩国"),
        ("国籍是哪里的呢？", "当然中国咯", "nationality=中国"),
        ("在哪里读的？", "湖南财经，学金融的", "university=湖南财经"),
        ("学历呢？", "本科，西南石油读的", "university=西南石油"),
        (None, "优才我不指望了，还是投资移民吧", "not targetCategory=QMAS"),
        (None, "优才那条路直接放弃", "not targetCategory=QMAS"),
        (None, "高才通拉倒吧，走专才", "not targetCategory=TTPS"),
        (None, "专才就算了，走高才通", "targetCategory=TTPS"),
        ("香港那边有雇主吗？", "雇主的话暂时没着落", "hasHongKongEmployer=False"),
        ("有没有香港雇主？", "雇主还没有呢，正在投简历", "hasHongKongEmployer=False"),
        (None, "香港的offer目前没有的", "hasHongKongEmployer=False"),
        ("您的婚姻状况？", "离了好多年啦，一个人自在", "maritalStatus=离异"),
        (None, "我跟他离了六年了", "maritalStatus=离异"),
        (None, "婚去年离的", "maritalStatus=离异"),
        (None, "我前妻带着孩子在加拿大", "maritalStatus=离异"),
        (None, "我老伴前年走了，就剩我一个", "maritalStatus=丧偶"),
        ("您有几个孩子？", "一个儿子一个女儿，凑个好字", "hasChildren=True"),
        ("您只有一个女儿吗？", "对，就一个", "hasChildren=True"),
        (None, "女儿反对我去，说太远", "hasChildren=True"),
        (None, "我儿子不愿意转学", "hasChildren=True"),
        (None, "拖到后年春天再办吧", "immigrationTimeline=后年春天"),
        ("时间还是今年年底吗？", "不行，推到明年三月份", "immigrationTimeline=明年三月"),
        (None, "房子还没卖，所以时间往后推到明年下半年", "immigrationTimeline=明年下半年"),
        (None, "时间嘛最好明年春天办好", "immigrationTimeline=明年春天"),
        (None, "做外贸前后一共十七年", "totalYearsOfExperience=17"),
        (None, "搞装修整整22年了", "totalYearsOfExperience=22"),
        (None, "我是做建材行业的，在里面是销售总监", "currentJobTitle=销售总监"),
        ("语言方面呢？", "客家话、粤语都得，英文麻麻", "languageSkills=粤语"),
        ("您今年多大？", "属龙的，快五十了，四十九", "age=49"),
        (None, "我八五年的，你算算", "age=41"),
        ("您在哪家公司？", "顺通货运，小公司，你没听过", "currentCompany=顺通货运"),
        ("在哪儿上班？", "中兴通讯，做射频的", "currentCompany=中兴通讯"),
        (None, "入行那年我二十三，到现在十九年", "totalYearsOfExperience=19"),
        (None, "专升本的，西安科技大学，读的采矿", "university=西安科技大学"),
        ("学历和学校？", "硕士，中山大学读的，公共卫生", "major=公共卫生"),
        (None, "我手里能动的大概三千二百万，都可以拿出来", "investmentAmount=32000000"),
        ("打算投多少？", "先按三千万准备", "investmentAmount=30000000"),
        (None, "升职了，从上个月起我是副总裁", "currentJobTitle=副总裁"),
        (None, "太太一开始不乐意，磨了半年，同意了", "familySupport=支持"),
        ("家人什么态度？", "爹妈不太赞成，怕我一个人在那边没人照应", "familySupport=不支持"),
        (None, "港资公司那边口头给offer了", "hasHongKongEmployer=True"),
        (None, "结婚十二年，俩娃，大的小升初", "maritalStatus=已婚"),
        (None, "年收入得改，降薪了，现在六十万", "annualIncome=600000"),
        ("怎么称呼您？", "喊我老潘就行", "name=老潘"),
        (None, "叫我琴姐就好啦", "name=琴姐"),
        (None, "叫我芬姐得啦", "name=芬姐"),
    ],
)
def test_what_a_client_says(question: str | None, text: str, expected: str) -> None:
    assert any(v.startswith(expected) for v in held(text, IMMIGRATION, question=question))


@pytest.mark.parametrize(
    ("question", "text", "unsaid"),
    [
        ("国籍是哪里的呢？", "我老公是新加坡的", "nationality="),
        (None, "我女儿在浙江传媒读的本科", "university="),
        (None, "我女儿在浙江传媒读的本科", "education="),
        (None, "我同事香港雇主没有的，照样拿到了", "hasHongKongEmployer="),
        (None, "雇主有没有关系吗", "hasHongKongEmployer="),
        (None, "老公走了，去上班了", "maritalStatus="),
        (None, "我离家十几年了", "maritalStatus="),
        (None, "我妹妹离了三年了", "maritalStatus="),
        (None, "跟前夫复婚了", "maritalStatus=离异"),
        (None, "我同事的儿子考上港大了", "hasChildren="),
        (None, "要是有个女儿就好了", "hasChildren="),
        (None, "婚礼推到明年五月", "immigrationTimeline="),
        (None, "孩子的考试改到明年六月了", "immigrationTimeline="),
        (None, "体检推到下个月", "immigrationTimeline="),
        (None, "房贷一共三十年", "totalYearsOfExperience="),
        (None, "我是做建材行业的，在里面是销售总监", "currentJobTitle=建材"),
        (None, "我做餐饮行业，开了三家店", "currentJobTitle="),
        (None, "做服装一共30年，不是28年", "currentJobTitle="),
        (None, "叫我帮他填", "name="),
        (None, "我先生，律师，在杭州", "name="),
        ("您在哪家公司上班？", "广告公司，做设计", "currentCompany="),
        ("您在哪家公司？", "不方便说", "currentCompany="),
        ("您孩子多大了？", "四十九天，还没满月", "age="),
        (None, "我养女儿不容易", "hasChildren="),
        (None, "上个月住在深圳", "currentLocation="),
    ],
)
def test_what_only_looks_like_what_a_client_says(question: str | None, text: str, unsaid: str) -> None:
    assert not [v for v in held(text, IMMIGRATION, question=question) if v.startswith(unsaid)]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("贵姓，今年多大？", "免贵姓蒋，蒋美凤，六十八了", "name=蒋美凤"),
        (None, "早上空腹扎了一下，七点三", "fasting_glucose=7.3"),
        (None, "早上没吃饭测的血糖6.6", "fasting_glucose=6.6"),
        (None, "午饭后俩小时血糖九点一", "postprandial_glucose=9.1"),
        (None, "尿酸又高了，486", "uric_acid=486"),
        (None, "体检说我有胆结石", "medical_history=胆结石"),
        (None, "吃桃子嘴会痒，猫毛也不行", "allergies=猫毛"),
        (None, "药换了，原来的络活喜换成拜新同", "medications=拜新同"),
        (None, "血压是148和92", "bp_diastolic=92"),
        (None, "血压一百三十八和八十五", "bp_systolic=138"),
        ("您有什么老毛病？", "高血脂是单位体检那回查出来的", "medical_history=高血脂"),
        (None, "痛风有几年了，还有脂肪肝", "medical_history=痛风"),
        (None, "痛风有几年了，还有脂肪肝", "medical_history=脂肪肝"),
        (None, "氯沙坦，一天一片", "medications=氯沙坦"),
        ("吃什么药？", "缬沙坦，每天早上一粒。还有瑞舒伐他汀，睡前一片。", "medications=瑞舒伐他汀"),
        (None, "大夫让把格列齐特停掉，换成恩格列净", "not medications=格列齐特"),
        ("做过手术吗？", "疝气手术，八年前做的", "surgeries=疝气手术"),
        (None, "生老二的时候剖腹产", "surgeries=剖宫产"),
        (None, "我前年做过腰椎手术", "surgeries=腰椎手术"),
        (None, "心脏放了两个支架，三年了", "surgeries=支架植入"),
        (None, "我想把尿酸降到360以下", "health_goals="),
        (None, "我的目标是夜里能睡整觉", "health_goals=夜里能睡整觉"),
    ],
)
def test_what_a_patient_says(question: str | None, text: str, expected: str) -> None:
    assert any(v.startswith(expected) for v in held(text, HEALTH, question=question))


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("二楼和三楼的房号是120和80", "bp_systolic="),
        ("我老伴血压160和95", "bp_systolic="),
        ("我哥糖尿病是去年查出来的", "medical_history="),
        ("我妈吃缬沙坦，一天一片", "medications="),
        ("我老头子做过白内障手术", "surgeries="),
        ("医生劝我做膝关节置换手术", "surgeries="),
        ("下周做白内障手术", "surgeries="),
        ("剖腹产要多少钱", "surgeries="),
        ("公司今年目标是降本20%", "health_goals="),
        ("年轻的时候我体重才90斤", "weight="),
    ],
)
def test_what_only_looks_like_what_a_patient_says(text: str, unsaid: str) -> None:
    assert not [v for v in held(text, HEALTH) if v.startswith(unsaid)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("木头，后端，来了三年，坐标成都", "name=木头"),
        ("kiki，UI设计，新来的，多关照", "name=kiki"),
        ("小满，前端这边归我负责，刚毕业两年大家多担待", "name=小满"),
        ("阿康，前端，年初入职，大家多指教", "name=阿康"),
        ("我，薛岩，本项目的架构师，写了十一年代码", "name=薛岩"),
        ("我，薛岩，本项目的架构师，写了十一年代码", "yearsOfExperience=11"),
        ("我，薛岩，这项目的技术负责人，写了十一年代码", "project_role=技术负责人"),
        ("木头，测试，刚从美团跳过来，现在在滴滴", "employer=滴滴"),
        ("我搬杭州了，房租降一半", "residence=杭州"),
        ("我换到上海了，下周起线下开会叫我", "residence=上海"),
        ("老胡，架构师，干了十五年", "name=老胡"),
        ("我在携程干过三年，现在在同程", "employer=同程"),
        ("日志级别改WARN吧，INFO太多", "logging_style=WARNING"),
    ],
)
def test_how_one_of_a_team_introduces_themselves(text: str, expected: str) -> None:
    assert expected in held(text, ENGINEERING, project="p1")


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("缓存，后端，全挂了", "name="),
        ("小李，前端，这个页面你看看", "name="),
        ("早上，测试，又红了一片", "name="),
        ("周报，产品，今天交", "name="),
        ("redis，运维，重启一下", "name="),
        ("机房搬深圳了", "residence="),
        ("我姐搬成都了", "residence="),
        ("我现在在地铁上", "employer="),
        ("我从杭州过来，现在在北京", "employer="),
    ],
)
def test_what_is_no_introduction(text: str, unsaid: str) -> None:
    assert not [v for v in held(text, ENGINEERING, project="p1") if v.startswith(unsaid)]


def test_a_decision_stands_beside_the_field_that_it_fills() -> None:
    found = extract("那优才不要了，我决定走投资移民，就这样定了", IMMIGRATION)
    assert [c.episode_type for c in found if c.episode_type] == ["decision"]
    assert {c.value for c in found if c.field == "targetCategory" and not c.negated} == {"CIES"}
