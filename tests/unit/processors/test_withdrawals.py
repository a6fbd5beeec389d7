"""What a user withdraws leaves the values that stand, and the completeness with them (B4, B6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from processors.ports import Models
from processors.reader.rules import read_en, read_zh
from processors.reader.rules.found import Found
from query.reading.profile_view import build
from schemas.events.memory import Decision, MemoryUpdate
from schemas.log import topics
from schemas.profile.model import load_profile
from tests.unit.processors.talk import Talk

START = datetime(2026, 11, 16, 9, tzinfo=UTC)
PROFILE = load_profile("general")
SAID = [
    ("I like tea.", "Forget that I like tea."),
    ("I live in Porto.", "That I live in Porto is not true any more."),
    ("I live in Madrid.", "Don't remember that I live in Madrid."),
    ("I like coffee.", "I take back that I like coffee."),
    ("I speak French.", "Remove that I speak French from my profile."),
    ("I work for Siemens.", "I left Siemens."),
    ("I work at Nordhaus.", "I was laid off from Nordhaus."),
    ("I live in Oslo.", "I moved away from Oslo."),
    ("I work as a teacher.", "I quit my job as a teacher."),
    ("I play the violin.", "I've stopped playing the violin."),
    ("I'm allergic to peanuts.", "It turned out I'm not allergic to peanuts."),
    ("My hobby is chess.", "Chess isn't my hobby any more."),
    ("I'm divorced.", "Can you forget that I'm divorced?"),
    ("I have diabetes.", "I don't want you to remember that I have diabetes."),
    ("I work for Siemens.", "I quit my job at Siemens two months ago."),
    ("I live in Oslo.", "I've left Oslo for good."),
    ("I take metformin.", "I've stopped taking metformin."),
    ("I like tea.", "Forget that I like tea, would you?"),
    ("我有糖尿病。", "能不能忘掉我有糖尿病这件事？"), ("我住在苏州。", "我之前说住在苏州，那个不对。"),
    ("我在腾讯上班。", "我去年被腾讯裁员了。"),
    ("我喜欢喝茶。", "忘掉我喜欢喝茶这件事。"),
    ("我喜欢喝咖啡。", "别记我喜欢喝咖啡了。"),
    ("我喜欢爬山。", "把我喜欢爬山这条忘了。"),
    ("我住在北京。", "我住在北京这件事已经不是真的了。"),
    ("我爱吃寿司。", "我说过爱吃寿司，那个不算了。"),
    ("我住在成都。", "我不住成都了。"),
    ("我是护士。", "我已经不是护士了。"),
    ("我在腾讯上班。", "我从腾讯离职了。"),
    ("我住在青岛。", "我已经搬离青岛了。"),
    ("我喜欢打羽毛球。", "我不打羽毛球了。"),
    ("我养了一只猫。", "我没有猫了。"),
]
FIELDS = [
    ("Please forget my age.", "age"), ("You needn't remember my address.", "residence"),
    ("Please erase my name.", "name"), ("不用记我的地址了。", "residence"), ("把我的年龄删掉。", "age"),
    ("请忘掉我的名字。", "name"), ("Forget what I told you about my salary.", "income"),
    ("我不想让你记住我的住址。", "residence"), ("忘了我刚才说的地址。", "residence"),
]  # fmt: skip
KEPT = [
    "I like tea.", "Don't forget that I like tea.", "I left the office at six.", "I left my keys at home.",
    "Do you remember that I like tea?", "Remove that I speak French from the letter.",
    "It isn't right that I live in Rome and pay taxes in Milan.",
    "I left Bosch a message.", "Forget for this recipe that I'm vegetarian.", "What I said about my job was true.",
    "Forget for now that I live in Oslo.", "Delete that I speak French from my cover letter.",
    "My brother left Siemens.", "I left my keys at Siemens.", "I'm done with dinner.",
    "忘了我的生日了吗？", "我爸退休了，不打麻将了。", "我离开医院了。", "哎呀，忘了我今天要开会。",
    "今天先别记我喜欢喝茶。",
 "别忘了我喜欢喝茶。", "我喜欢喝茶。", "我没忘我喜欢喝茶。",
]  # fmt: skip


def told(text: str) -> list[Found]:
    if text.isascii():
        return read_en.read(text, PROFILE, None, among_people=False, in_project=False)
    return read_zh.read(text, PROFILE, None, among_people=False, in_project=False)


@pytest.mark.parametrize(("said", "withdrawn"), SAID)
def test_b4_what_is_withdrawn_denies_what_was_said(said: str, withdrawn: str) -> None:
    stands = {slot for f in told(said) if not f.negated for slot in f.slots}
    denied = {slot for f in told(withdrawn) if f.negated for slot in f.slots}
    assert stands
    assert stands <= denied


@pytest.mark.parametrize(("text", "slot"), FIELDS)
def test_b4_a_field_that_is_named_is_withdrawn_whatever_it_holds(text: str, slot: str) -> None:
    assert [(f.slots, f.negated) for f in told(text)] == [(((slot, None),), True)]


@pytest.mark.parametrize("text", KEPT)
def test_b4_what_withdraws_nothing_denies_nothing(text: str) -> None:
    assert not [f for f in told(text) if f.negated]


@pytest.mark.parametrize(
    ("said", "withdrawn"),
    [
        ("I live in Porto.", "That I live in Porto is not true any more."),
        ("I'm 34 years old.", "Please forget my age."),
        ("我家住在杭州。", "不用记我的地址了。"), ("我在腾讯上班。", "我从腾讯离职了。"),
    ],
)  # fmt: skip
async def test_b4_b6_what_is_withdrawn_leaves_the_profile_and_its_score(
    models: Models, said: str, withdrawn: str
) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(said)
    assert values(talk)
    talk.driver.advance(timedelta(days=1))
    await talk.say(withdrawn, session="s2")
    assert values(talk) == {}
    assert score(talk) == 0


@pytest.mark.parametrize(
    ("withdrawn", "word"),
    [
        ("Forget that I live in Madrid.", "madrid"), ("Don't remember that I like whisky.", "whisky"),
        ("Forget that I owe my cousin nine thousand.", "cousin"),
        ("please forget what I said about the choir", "choir"),
        ("Please forget my age.", "age"), ("别记我住在青岛了。", "青岛"), ("忘掉我欠表哥九千块这件事。", "表哥"),
        ("把我的年龄删掉。", "年龄"),
    ],
)  # fmt: skip
async def test_b4_of_what_does_not_stand_a_withdrawal_keeps_no_word(
    models: Models, withdrawn: str, word: str
) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(withdrawn)
    assert not [u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)]
    decisions = [d for d in talk.driver.read(topics.DECISIONS) if isinstance(d, Decision) and d.kind != "turn"]
    assert {d.reason.rule for d in decisions} == {"nothing_to_withdraw"}
    assert not [d for d in decisions if word in str(d.sealed).casefold()]


@pytest.mark.parametrize(
    ("said", "withdrawn"),
    [
        ("I owe my cousin Ruben nine thousand euros.", "Forget that I owe my cousin Ruben nine thousand euros."),
        ("My favourite band is Mossley.", "Forget that my favourite band is Mossley."),
        ("我欠表哥九千块钱。", "忘掉我欠表哥九千块钱这件事。"),
    ],
)
async def test_b4_what_no_field_holds_ends_and_its_withdrawal_is_kept_nowhere(
    models: Models, said: str, withdrawn: str
) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(said)
    stood = active(talk)
    assert stood
    talk.driver.advance(timedelta(days=1))
    await talk.say(withdrawn, session="s2")
    assert active(talk) == []


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("User does not smoke", "Forget that I smoke."),
        ("User owes their cousin Ruben nine thousand euros", "Forget that I owe Ruben a pizza."),
    ],
)
async def test_b4_what_says_something_else_stays(models: Models, said: str, then: str) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(said.replace("User does", "I do").replace("User owes their", "I owe my"))
    stood = active(talk)
    assert stood
    talk.driver.advance(timedelta(days=1))
    await talk.say(then, session="s2")
    assert active(talk) == stood


@pytest.mark.parametrize("said", ["I left Anna.", "I gave up coffee.", "我不玩游戏了。", "我从上海搬家了。"])
async def test_b4_of_what_ended_only_what_was_said_is_kept(models: Models, said: str) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(said)
    kept = [u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)]
    assert [(u.kind, u.negated) for u in kept if u.kind != "episode"] == []


@pytest.mark.parametrize("text", ["I left Oslo.", "我离开北京去上海出差。", "我从北京出来了。"])
def test_b4_who_leaves_a_place_may_live_there(text: str) -> None:
    assert "residence" not in {slot for f in told(text) for slot, _ in f.slots}


@pytest.mark.parametrize(
    ("text", "denied", "said"),
    [
        ("Forget that I like tea, and remember that I like coffee.", {"tea"}, {"coffee"}),
        ("Forget that I live in Porto, I live in Braga now.", {"Porto"}, {"Braga"}),
        ("Forget that I'm 34, I'm 35.", {34}, {35}),
        ("忘掉我喜欢喝茶这件事，我喜欢喝咖啡。", {"茶"}, {"咖啡"}),
    ],
)
def test_b4_another_statement_behind_a_withdrawal_is_read(text: str, denied: set[object], said: set[object]) -> None:
    found = told(text)
    assert {v for f in found if f.negated for _, v in f.slots} == denied
    assert {v for f in found if not f.negated for _, v in f.slots} == said


def active(talk: Talk) -> list[str]:
    last = {u.record_id: u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)}
    return [u.sealed.text for u in last.values() if u.state == "active"]


def values(talk: Talk) -> dict[str, list[object]]:
    """Of the fields of the profile's catalogue."""
    last = {u.record_id: u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)}
    names = {f.name for f in PROFILE.fields}
    return {u.field: [u.sealed.value] for u in last.values() if u.state == "active" and u.field in names and u.field}


def score(talk: Talk) -> int:
    return int(build(PROFILE, values(talk))["completeness"]["score"])
