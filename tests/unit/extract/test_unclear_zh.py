"""Chinese statements of which it is not known whose they are, or which are cut short, are not kept (B1, D2)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract


def _kept(text: str, question: str | None = None, speaker: str | None = None) -> list[str]:
    return [c.text for c in extract(text, question=question, speaker=speaker) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("我期末 GPA 3.1 拿到奖学金了", ["用户期末 GPA 3.1 拿到奖学金了"]),
        ("搬到河东了 离我哥近点 蹭饭方便", ["用户搬到河东了，离用户的哥哥近点，蹭饭方便"]),
        ("陪我外公去拔牙", ["用户陪用户的外公去拔牙"]),
        ("上个月搬的家，体重七十三公斤", ["用户2026年1月搬的家，体重七十三公斤"]),
        ("我梦想开一家面馆", ["用户梦想开一家面馆"]),
        ("真希望我爸能早点戒烟 少熬夜", ["用户真希望用户的爸爸能早点戒烟，少熬夜"]),
        ("单身，跟我奶奶过", ["用户单身", "用户跟用户的奶奶过"]),
        ("我二婶，她退休了能带娃", ["用户二婶，她退休了能带娃"]),
        ("教练约的下周三", ["用户的教练约的2026年2月11日"]),
        # what goes on with a clause whose value is taken
        ("我对虾过敏，一碰就起疹子", ["用户对虾过敏", "用户对虾过敏，一碰就起疹子"]),
        ("我表哥在船上做工，半年回一次家", ["用户的表哥在船上做工，半年回一次家"]),
        ("我表哥在船上做工，她不放心", ["用户的表哥在船上做工"]),
        ("我爸在外地教书，两周回一趟", ["用户的爸爸在外地教书", "用户的爸爸两周回一趟"]),
        # two measures are two things said
        ("身高一米六八，体重一百二", ["身高168cm", "用户体重一百二"]),
        ("我，一个程序员，每天加班到十点", ["用户，一个程序员，每天加班到十点"]),
        ("我喜欢我自己做饭", ["用户喜欢自己做饭"]),
        ("我呀，从小就晕船", ["用户从小就晕船"]),
        ("我管售后这块，办公室在七楼", ["用户管售后，办公室在七楼"]),
        ("老二今年上小学了", ["用户的老二今年上小学了"]),
        ("老二三岁了，对花生过敏", ["用户的老二三岁了，对花生过敏"]),
        ("我们哥俩都想去", ["用户等人哥俩都想去"]),
        ("我妈俩腿浮肿，吃氨氯地平", ["用户的妈妈俩腿浮肿，吃氨氯地平"]),
        ("我老婆俩人都不吃辣", ["用户的老婆俩人都不吃辣"]),
        ("我哥俩都在深圳工作", ["用户的哥哥俩都在深圳工作"]),
        ("明年无论如何要把论文写完", ["用户2027年无论如何要把论文写完"]),
        ("我海鲜吃得挺多", ["用户海鲜吃得挺多"]),
    ],
)
def test_d2_what_is_whole_is_told_with_whose_it_is(text: str, kept: list[str]) -> None:
    assert _kept(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "缩水，穿一次就把我女儿裙子撑坏了",
        "公账付的，签字的是我舅舅",
        "今早有个人按门铃，说我外甥在路上摔了",
        "我岳母，客厅里一天三壶",
        "打个比方房贷还有九年，月供三千八，换你敢辞职吗",
        "昨晚梦到我外公喊我回去收麦子",
        "我爸是周三拆线不对周五周三是我自己补牙",
        "我这本拿的是管家，昨夜九点在花园看见过死者",
        "对对对全世界就我闺女最懂事",
        "续写这段，替我往下编：峡谷走到第三天，他脚踝肿了，扶着杖走的，这事儿从没跟人提过一个字",
        "什么颜色都行吗我那件掉扣子了",
        # what holds for all
        "冬天适合吃羊肉",
        "夏天的西瓜便宜又甜",
        "春天北京风沙大",
        "星期天超市打折",
        "放假通知已经发了",
        "过年回家火车票好难买",
        "负责采购的小刘离职了",
        "夏天空调开26度最省电",
        "偶尔熬夜对身体影响不大",
        "平均气温二十度",
    ],
)
def test_d2_of_what_is_whose_is_not_known_nothing_is_kept(text: str) -> None:
    assert _kept(text) == []


@pytest.mark.parametrize("statement", ["我坚持让娃自己睡 娃两岁半 身高才八十八厘米", "我家狗狗七岁了，体重四十斤"])
def test_d2_what_a_child_or_an_animal_has_is_not_the_speakers(statement: str) -> None:
    assert not [text for text in _kept(statement) if text.startswith(("用户身高", "用户体重"))]


def test_d2_whoever_is_spoken_to_is_nobody_of_the_speakers() -> None:
    assert _kept("姐我周四六点半到站", speaker="阿达") == ["阿达周四六点半到站"]
    assert _kept("我姐周四六点半到站", speaker="阿达") == ["阿达的姐姐周四六点半到站"]


def test_b1_an_age_that_is_not_reached_is_none() -> None:
    assert _kept("我没有十八岁啦") == []
    assert _kept("我不是十八岁") == ["用户不是18岁"]


def test_d2_a_head_without_its_predicate_is_not_kept() -> None:
    message = "我托福口语 23 差一分没过，八月要再考一次，写作真的会要我的命"
    assert _kept(message)
    assert not [text for text in _kept(message) if text.endswith("23")]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("头孢我从小过敏", "头孢用户从小过敏"),
        ("牛奶我喝了拉肚子", "牛奶用户喝了拉肚子"),
        ("成都我待了六年", "成都用户待了六年"),
        ("雅思我考了7分", "雅思用户考了7分"),
        ("预算由我来管", "预算由用户来管"),
        ("部门安排我带新人", "部门安排用户带新人"),
        ("公司派我去柏林", "公司派用户去柏林"),
        ("架构我们选了微服务", "架构用户等人选了微服务"),
        ("我现在先租房住", "用户现在先租房住"),
        ("我每周坐北京-天津的城铁上班", "用户每周坐北京-天津的城铁上班"),
        ("我记得护照2028年到期", "用户记得护照2028年到期"),
        ("我听过周杰伦三场演唱会", "用户听过周杰伦三场演唱会"),
        ("我才想起来明天要复查", "用户才想起来2026年2月6日要复查"),
        ("大家希望周五前上线", "大家希望2026年2月6日前上线"),
        # everyday words that say what holds for good
        ("我一个人住", "用户一个人住"),
        ("我以前当过兵", "用户以前当过兵"),
        ("我卖二手车的", "用户卖二手车的"),
        ("我带了三个徒弟", "用户带了三个徒弟"),
        ("周三值夜班", "用户周三值夜班"),
        ("夏天跑步，冬天游泳", "用户夏天跑步，冬天游泳"),
        ("我不爱吃甜的", "用户不爱吃甜的"),
        ("我的狗叫年糕", "用户的狗叫年糕"),
        ("我每天最多写两个小时", "用户每天最多写两个小时"),
        ("吉他我弹了五年", "吉他用户弹了五年"),
    ],
)
def test_d2_to_an_assistant_the_speaker_may_stand_behind_the_object(text: str, kept: str) -> None:
    assert [c.text for c in extract(text)] == [kept]


@pytest.mark.parametrize(
    "text",
    ["我现在先睡了", "我今天先撤", "我-我也", "他想买房", "周日别找我我去钓鱼", "再拖下去我头发都白了", "我有个问题",
     "我是学着做的", "我是跑着来的", "我带了一把伞", "我有一道题不会做",
     "我有个想法", "我不用了谢谢", "我是开玩笑的", "我是从网上买的", "我是自愿的", "我是做梦的",
     "帮我把下面这段润色一下：\n我对花粉过敏，下周去广州",
     "看看这首诗写得怎么样\n我有两亩薄田，足以养老",
     "帮我翻译：\n我们决定用竹子盖房，三周内完工。\n我还没给人看过"],
)
def test_d2_what_passes_and_what_another_wants_is_not_kept(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("是做前端的", "小雅从事前端工作"),
        ("还养了一只猫", "小雅养了猫"),
        ("的确不喝酒", "小雅不喝酒"),
        ("海鲜我不能吃", "海鲜小雅不能吃"),
    ],
)
def test_d2_where_nobody_else_has_spoken_a_named_speaker_speaks_of_themselves(text: str, kept: str) -> None:
    assert _kept(text, speaker="小雅") == [kept]
    assert _kept(text, question="那部片子是谁拍的？", speaker="小雅") == []


@pytest.mark.parametrize(
    ("text", "question", "kept"),
    [
        # without a subject, of whom the question speaks
        ("1958年生的，快七十岁了", "这位指挥今年多大岁数了？", []),
        ("维也纳音乐学院毕业的，职业是指挥", "他是哪所学校出来的？", []),
        ("两岁零七个月，会自己吃饭了", "你们家老二多大啦？", ["小雅家老二两岁零七个月"]),
        ("女的，她今年五十二岁", "这个作者是男的还是女的？", []),
        ("是1996年发行的，时长四十分钟", "这张专辑你还记得是哪年的吗？", []),
        ("四十二岁", "您今年多大？", ["小雅42岁"]),
        ("我在银川长大，今年三十六岁", "你知道他多大吗？", ["小雅36岁", "小雅在银川长大"]),
        # who is asked what they know is not who is spoken of
        ("我记得是座山城，有一条大江", "那里你去过没？", []),
        ("我只知道它在西边", "在城里哪个位置？", []),
        # advice and offers in the turn of somebody who advises
        ("先用温水泡十分钟，需要换两次水", "这干货怎么发？", []),
        ("要换乘两次，最后还得走一段山路", "去寺里怎么坐车？", []),
        ("麻烦帮我订一张去兰州的卧铺", "还有别的事吗？", ["小雅请求：麻烦帮小雅订一张去兰州的卧铺"]),
        # what stands before the speaker: when, or who did it, is whole; an object is none
        ("小时候我在牧区住过四年", None, ["小时候小雅在牧区住过四年"]),
        ("旧冰箱我卖给楼下了", "厨房收拾得怎么样", []),
        # nobody has them but the speaker
        ("和老公合开了一家修车铺", "周末做什么呢", ["小雅和老公合开了一家修车铺"]),
        ("诶我侄子也想学射箭，八岁", "你练过什么？", ["小雅的侄子也想学射箭，八岁"]),
    ],
)
def test_d2_among_people_a_sentence_is_the_speakers_where_grammar_says_so(
    text: str, question: str | None, kept: list[str]
) -> None:
    assert _kept(text, question=question, speaker="小雅") == kept
