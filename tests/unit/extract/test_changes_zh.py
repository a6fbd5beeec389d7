"""What Chinese tells as no longer so, done with or reached, its doer left out (D2, D3)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract


def _kept(text: str) -> list[str]:
    return [c.text for c in extract(text) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("年卡不续了", "用户不续年卡了"),
        ("二胡我不打算学了", "用户不打算学二胡了"),
        ("长沙不去了，票太贵", "用户不去长沙了"),
        ("不去夜校了", "用户不去夜校了"),
        ("我现在不玩手游了", "用户现在不玩手游了"),
        ("吉他送人了", "用户把吉他送人了"),
        ("出租屋退掉了，押金没要回来", "用户把出租屋退掉了"),
        ("考编这事儿我放弃了，实在没精力", "用户把考编放弃了"),
        ("烟早戒了", "用户早把烟戒了"),
        ("微单换成拍立得了", "用户把微单换成拍立得了"),
        ("居留卡拿到了，等了半年", "用户拿到了居留卡"),
        ("面馆黄了，亏了六万", "用户的面馆黄了"),
        ("Kindle卖了", "用户把Kindle卖了"),
        ("助眠软件停了，睡得还行", "用户把助眠软件停了"),
        ("车贷提前还完了", "用户提前把车贷还完了"),
        ("家里的钢琴卖了", "用户把家里的钢琴卖了"),
        ("戒烟了", "用户戒烟了"),
        ("咖啡我现在不喝了", "用户现在不喝咖啡了"),
        ("驾照过期了", "用户的驾照过期了"),
        ("创业的事算了", "用户放弃创业了"),
        ("不想报名了", "用户不想报名了"),
    ],
)
def test_d3_a_change_is_told_of_the_speaker(text: str, kept: str) -> None:
    assert kept in _kept(text)


@pytest.mark.parametrize(
    "text",
    [
        "小宋不做了",
        "他戒烟了",
        "牛奶过期了",
        "今天的事算了",
        "阿芳辞了",
        "超市不卖了",
        "老师不教了",
        "饭不吃了",
        "雨停了",
        "周三不开了",
        "他说二胡不学了",
        "要是吉他送人了呢",
        "吉他送人了吗",
        "帮我把订单取消了",
        "车票退了吧",
        "楼下那家书店黄了",
        "明天的会取消了",
        "不说了",
        "我不想聊了",
        "《吉他送人了》是我写的歌名",
        "那条围巾白订了",
        "估计让人当废品卖了",
        "过完年以后就没再练了",
        "院子里风好像停了",
        "皮皮的体检没做成",
        "Wi-Fi密码换成8866了",
        "样书收到了",
        "入秋的时候散了",
    ],
)
def test_d3_what_others_do_or_what_is_of_the_moment_is_no_change(text: str) -> None:
    assert not any(c.text.startswith("用户") and c.text.endswith("了") for c in extract(text) if c.source == "explicit")


def test_d2_a_project_is_told_as_it_was_said() -> None:
    kept = [c.text for c in extract("接口文档不写了，直接看代码里的注释", project="p1")]
    assert kept == ["接口文档不写了，直接看代码里的注释"]


def test_d2_a_long_turn_that_is_one_statement_is_told_by_its_clauses() -> None:
    message = "开了三年网约车，上个月转去跑货运了，一天起码跑四百公里，油钱自己掏"
    kept = _kept(message)
    assert "用户开了三年网约车" in kept
    assert all(len(text) < 20 for text in kept)


def test_d2_of_a_long_turn_about_another_only_what_names_them_is_told() -> None:
    text = "我舅舅开了三年网约车，上个月转去跑货运了，一天起码跑四百公里，油钱自己掏"
    assert _kept(text) == ["用户的舅舅开了三年网约车"]
