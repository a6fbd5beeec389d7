"""What people of a project say of where it stands, in Chinese as it is typed among them (A4, D2)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import Profile, load_profile

ENGINEERING, TRIAL = load_profile("engineering"), load_profile("clinical_trial")


def read(text: str, profile: Profile) -> list[Candidate]:
    turn = TurnView(text, "user", "zh", datetime(2026, 6, 4, 2, tzinfo=UTC), profile.time_zone, project_id="p1")
    return RuleExtractor().extract(turn, profile)


def stated(text: str, profile: Profile) -> dict[str, str]:
    """Status and set-up of hot memory by key."""
    hot = [c.hot for c in read(text, profile) if c.hot is not None]
    return {h.key: str(h.value) for h in hot if h.type in {"status", "meta"}}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("负责人写陆明远，对外都报他", "owner", "陆明远"),
        ("负责人从今天起是贺兰，别再报错了", "owner", "贺兰"),
        ("项目负责人换成蒋一凡了", "owner", "蒋一凡"),
        ("以后负责人报曹颖", "owner", "曹颖"),
        ("这个项目的负责人是俞敏，有事找她", "owner", "俞敏"),
        ("从下周起由钱立来当负责人", "owner", "钱立"),
        ("现在进度算下来41%", "progress", "41"),
        ("总进度37%，比上周多了5个点", "progress", "37"),
        ("进度卡在66%了", "progress", "66"),
        ("进度 58%", "progress", "58"),
        ("上线日期挪到9月3号", "release", "9月3号"),
        ("上线改9月12号了", "release", "9月12号"),
        ("咱8月20号上线，别忘了", "release", "8月20号"),
        ("上线往后延一周，到7月31号", "release", "7月31号"),
        ("发布日推迟到8月1号", "release", "8月1号"),
    ],
)
def test_where_a_project_stands(text: str, key: str, value: str) -> None:
    assert stated(text, ENGINEERING).get(key) == value


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("负责人是谁", "owner"),
        ("负责人还没定", "owner"),
        ("负责人是不是该换了", "owner"),
        ("甲方那边的负责人是刘总吧？", "owner"),
        ("负责人说下周开会", "owner"),
        ("客户希望进度到80%", "progress"),
        ("测试覆盖率80%", "progress"),
        ("CPU 90%", "progress"),
        ("上线能不能推到9月1号？", "release"),
        ("上次上线7月1号那天出过事故", "release"),
        ("隔壁组7月9号上线", "release"),
    ],
)
def test_what_says_nothing_of_where_it_stands(text: str, key: str) -> None:
    assert key not in stated(text, ENGINEERING)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("PI从下周起是叶青主任", "principal_investigator", "叶青主任"),
        ("主要研究者写黄立新主任", "principal_investigator", "黄立新主任"),
        ("PI改成徐敏教授了", "principal_investigator", "徐敏教授"),
        ("入组目标从80提到100", "enrollment_target", "100"),
        ("今天又进一例，累计41", "enrolled_count", "41"),
        ("目前进组58人", "enrolled_count", "58"),
        ("已经有19个进组了", "enrolled_count", "19"),
        ("方案用2.1版", "protocol_version", "2.1"),
        ("方案升到3.0了", "protocol_version", "3.0"),
        ("5号对碘造影剂过敏，记一下", "special_patients:5", "5号对碘造影剂过敏，记一下"),
        ("9号老太太耳背，访视要家属陪", "special_patients:9", "9号老太太耳背，访视要家属陪"),
    ],
)
def test_where_a_study_stands(text: str, key: str, value: str) -> None:
    assert stated(text, TRIAL).get(key) == value


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("PI什么时候来", "principal_investigator"),
        ("PI明天出差", "principal_investigator"),
        ("上周入了5例", "enrolled_count"),
        ("希望月底入到50例", "enrolled_count"),
        ("今天又进一例，现在38床空着", "enrolled_count"),
        ("锁库日期还没定", "database_lock"),
        ("方案用10.5毫克的那组先停", "protocol_version"),
    ],
)
def test_what_says_nothing_of_where_a_study_stands(text: str, key: str) -> None:
    assert key not in stated(text, TRIAL)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("讨论完了，结论是缓存还用Redis", "cache"),
        ("吵到九点，最后结论：数据库迁到PG", "database"),
        ("数据库还是用MySQL不变", "database"),
        ("就PostgreSQL了，别再争", "database"),
        ("缓存用Redis不用memcached", "cache"),
        ("结论：消息队列上Kafka，RabbitMQ不考虑", ""),
        ("那就Kafka吧", ""),
        ("一律按方案B走", ""),
        ("二期再做多租户，这期砍掉", ""),
        ("年龄上限放宽到75岁", ""),
    ],
)
def test_what_is_settled(text: str, key: str) -> None:
    [decision] = [c for c in read(text, ENGINEERING) if c.episode_type == "decision"]
    assert decision.hot is not None
    assert decision.hot.key.startswith(key)


@pytest.mark.parametrize(
    "text",
    [
        "结论还没有，明天再说", "结论是什么", "要不用Mongo？", "我觉得就Kafka吧", "隔壁组结论是用Oracle", "那就好",
        "那就这样吧", "干脆用excel存", "还是Java好啊", "听说要换TiDB", "能放宽到75岁就好了",
    ],
)  # fmt: skip
def test_what_is_not_settled(text: str) -> None:
    assert not [c for c in read(text, ENGINEERING) if c.episode_type == "decision"]


@pytest.mark.parametrize(
    "text", ["登录页周四前我改好", "我周三前把脚本写完", "监控面板这个周五之前我搭出来", "报告我这个礼拜五发给大家"]
)
def test_what_somebody_takes_on(text: str) -> None:
    assert [c.episode_type for c in read(text, ENGINEERING)] == ["task"]


@pytest.mark.parametrize("text", ["登录页我周四改好了", "周三前我写完了脚本", "我这个礼拜五发给过大家"])
def test_what_is_done_is_no_task(text: str) -> None:
    assert not [c for c in read(text, ENGINEERING) if c.episode_type == "task"]
