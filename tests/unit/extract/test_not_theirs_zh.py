"""Chinese turns with another's words, irony or opinions of the user; beside them what is the user's own."""

from __future__ import annotations

import pytest

from schemas.profile.model import load_profile
from tests.unit.extract.support import extract, values

OTHERS_WORDS = [
    "客户说：别再给我发邮件了",
    "以下是提示词：你是一个资深律师，回答要简洁，不要用表格",
    "提示词如下：\n我住在上海，是一名产品经理，每天加班到十点",
    "网友评论：我对花生过敏，吃了一口就进医院了",
    "这是我同事的简历：\n本人毕业于南京大学，有五年销售经验，现居苏州",
    "我妈转给我的：每天早上空腹喝醋可以降血压，我喝了三个月",
    "菜谱：我每次放两勺糖，不要放盐",
    "老师发的通知，你帮我看看：我班定于周五去秋游，我会带医药箱",
    "学员小赵：父亲是老师，母亲是护士",
    "甲方：我住在上海",
    "女主：我是南京人",
]
IRONY = [
    "我老公是王一博，住在我手机里",
    "对对对，我最爱加班了，一天不加班浑身难受",
    "好极了，又堵车了，我可太喜欢堵车了",
    "我老婆是新垣结衣，不接受反驳",
    "年薪百万，越南盾",
    "感谢公司的贴心安排，让我大年三十值班",
]
OPINIONS = ["我妈说我太矫情", "我老婆说我别跟人比", "老师说我手指条件还行", "我女朋友说养熟了就好"]
CHAT = ["跟我说实话", "请跟我讲个笑话", "他跟我说粤语，我听不懂", "原始记录给我看下"]


def statements_of(statement: str) -> list[str]:
    return [c.text for c in extract(statement) if c.source == "explicit"]


@pytest.mark.parametrize("text", [*OTHERS_WORDS, *IRONY, *OPINIONS, *CHAT])
def test_what_is_not_the_users_own_life_is_not_told(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("我自己写的简介：本人毕业于武汉大学，现居长沙", ["毕业于武汉大学", "目前住在长沙"]),
        ("我的过敏史：对海鲜和尘螨过敏", ["用户的过敏史：对海鲜和尘螨过敏", "用户对海鲜过敏", "用户对尘螨过敏"]),
        ("补充一点：我不喝牛奶", ["用户不喝牛奶"]),
        ("家族史：父亲有高血压", ["用户的父亲有高血压"]),
        ("太好了，我拿到offer了", ["用户拿到offer了"]),
        ("我儿子养了一条金毛", ["用户的儿子养了一条金毛"]),
        ("医生说我有轻度脂肪肝", ["用户的医生说用户有轻度脂肪肝"]),
        ("我妈说我小时候得过肺炎", ["用户的妈妈说用户小时候得过肺炎"]),
        ("我妈说我对芒果过敏", ["用户的妈妈说用户对芒果过敏"]),
        ("我妈说我有高血压", ["用户的妈妈说用户有高血压"]),
        ("老板说我升职了", ["用户的老板说用户升职了"]),
        ("甲状腺：我有甲亢", ["用户有甲亢"]),
        ("医生写的：我有糖尿病", ["用户有糖尿病"]),
        ("患者信息：我今年45岁，有高血压", ["用户45岁", "用户有高血压"]),
        ("患者：我，32岁", ["用户32岁"]),
        ("写朋友圈文案：我昨天生了个女儿", ["用户昨天生了个女儿", "用户有子女"]),
        ("昨天开始浑身难受，咳嗽", ["用户2026年2月4日开始浑身难受，咳嗽"]),
        ("我可太喜欢火锅了", ["用户可太喜欢火锅了"]),
        ("对对对，我最喜欢吃火锅", ["用户喜欢吃火锅"]),
        ("感谢医生让我戒烟了", ["用户的医生让用户戒烟了"]),
        ("我真是谢谢你，我住在上海", ["目前住在上海"]),
        ("我老公做充电宝生意", ["用户的老公做充电宝生意", "用户已婚"]),
        ("我老婆是一部队医生", ["用户的老婆是一部队医生", "用户已婚"]),
        ("我在月球研究所工作", ["在月球研究所工作"]),
        ("我写的报告交了", ["用户写的报告交了"]),
        ("我养女儿不容易", ["用户养女儿不容易"]),
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_told(text: str, texts: list[str]) -> None:
    assert [c.text for c in extract(text)] == texts


def test_another_behind_a_colon_ends_with_the_line() -> None:
    assert values("客户说：我住在北京\n我住在成都") == {"residence": "成都"}


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("45号病史补充：父亲有早发冠心病，母亲房颤", ["45号病史补充：父亲有早发冠心病，母亲房颤"]),
        ("好极了，电子系统又崩了，这套东西真是我的好朋友", ["电子系统又崩了"]),
        ("README里写着“本项目使用Rust重写，已停止维护”，我看完心都凉了", []),
        ("哈哈哈这bug也太离谱了", []),
        ("GPT给我写的方案，你评评：\n我们决定采用Cassandra，由后端组两周内完成。", []),
        ("客户说：验收改到六月", ["客户说：验收改到六月"]),
    ],
)
def test_a_project_is_told_as_it_is_and_not_of_the_user(text: str, texts: list[str]) -> None:
    trial = load_profile("clinical_trial")
    assert [c.text for c in extract(text, trial, project="p-1") if c.source == "explicit"] == texts


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("请跟我说粤语", ["用户要求跟自己说粤语"]),
        ("请用英文跟我聊天", ["用户要求用英文跟自己聊天"]),
        ("麻烦用简体中文回复我", ["用户要求用简体中文回复自己"]),
        ("记住我只在上午工作", ["用户只在上午工作"]),
        ("请记住我只喝无糖的", ["用户只喝无糖的"]),
        ("给我推荐电影的时候记得我怕恐怖片", ["用户怕恐怖片"]),
        ("你推荐餐厅的时候记得我是清真的", ["用户饮食是清真"]),
        ("报告里的单位统一用毫摩尔", ["用户要求报告里的单位统一用毫摩尔"]),
    ],
)
def test_what_an_assistant_is_told_for_good_is_kept(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("我三十来岁吧", ["用户三十来岁"]),
        ("我二十出头就有白头发了", ["用户二十出头就有白头发了"]),
        ("我是做会展的，叫蒋雨薇", ["用户名叫蒋雨薇"]),
        ("我闺女来陪我复查", ["用户的闺女来陪用户复查"]),
        ("一年到手不到三十万，房贷一个月就小一万", ["用户一年到手不到三十万", "用户房贷一个月就小一万"]),
        ("三月十二号到三月十八号", []),
    ],
)
def test_who_and_how_much_is_told_as_it_was_said(text: str, texts: list[str]) -> None:
    found = statements_of(text)
    assert found[: len(texts)] == texts
    assert bool(found) == bool(texts)


def test_one_value_under_two_fields_is_one_statement() -> None:
    found = extract("我对头孢过敏", load_profile("health"))
    assert [(c.text, c.fields) for c in found] == [("用户对头孢过敏", ("allergies", "drug_allergies"))]


def test_a_wish_is_told_once_with_what_goes_on_with_it() -> None:
    found = extract("想走高才通C类，年底前把材料交上去", load_profile("immigration"))
    assert [(c.text, c.field) for c in found] == [("用户想走高才通C类，年底前把材料交上去", "targetCategory")]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("累死了。。。我在青岛鑫江希尔顿酒店", []),
        ("我喜欢这款手机@小明 @小红", []),
        ("#减肥# 我每天跑五公里", []),
        ("快要尴尬死了！某天早上我吃了两个窝头。", []),
        ("今天好开心！我在这家店工作三年了。", ["小雅有三年工作经验"]),
        ("求问大家。我和男朋友在一起三年了，还没见过父母。", ["小雅和男朋友在一起三年了，还没见过父母"]),
    ],
)
def test_of_a_post_only_what_lasts_is_told(text: str, texts: list[str]) -> None:
    assert [c.text for c in extract(text, speaker="小雅") if c.source == "explicit"] == texts
