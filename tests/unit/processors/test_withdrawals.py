"""What a user withdraws leaves the values that stand, and the completeness with them (B4, B6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from processors.memory.changes.excluding import only_takes_back
from processors.ports import Models
from processors.reader.rules import read_en, read_zh
from processors.reader.rules.found import Found
from query.reading.profile_view import build
from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.profile.model import load_profile
from tests.unit.processors.talk import Talk

START = datetime(2026, 11, 16, 9, tzinfo=UTC)
PROFILE = load_profile("general")
STATEMENTS = [
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
    ("我有糖尿病。", "能不能忘掉我有糖尿病这件事？"),
    ("我住在苏州。", "我之前说住在苏州，那个不对。"),
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
    ("I work for Bosch.", "I left Bosch last month."),
    ("I work for Bosch.", "I've left Bosch for good."),
    ("I work for Bosch.", "I quit my job at Bosch."),
    ("I work for Bosch.", "I used to work for Bosch."),
    ("I live in Bergen.", "I moved out of Bergen two weeks ago."),
    ("I play the cello.", "I gave up the cello."),
    ("I take metformin.", "I stopped taking metformin."),
    ("I'm married.", "Forget that I'm married, would you?"),
    ("I'm allergic to penicillin.", "Turns out I'm not allergic to penicillin."),
    ("I live in Bergen.", "Scratch that, forget that I live in Bergen."),
    ("我在华为上班。", "我上个月离开了华为。"),
    ("我在华为上班。", "我被华为裁员了。"),
    ("我在华为上班。", "我把华为的工作辞了。"),
    ("我喜欢喝茶。", "我已经不喝茶了。"),
    ("我喜欢喝茶。", "忘了我喜欢喝茶吧。"),
    ("我喜欢喝茶。", "可以忘掉我喜欢喝茶吗？"),
    ("我喜欢喝茶。", "我收回我喜欢喝茶这句。"),
    ("我住在南京。", "我住在南京这事不对。"),
]
FIELDS = [
    ("Please forget my age.", "age"), ("You needn't remember my address.", "residence"),
    ("Please erase my name.", "name"), ("不用记我的地址了。", "residence"), ("把我的年龄删掉。", "age"),
    ("请忘掉我的名字。", "name"), ("Forget what I told you about my salary.", "income"),
    ("我不想让你记住我的住址。", "residence"), ("忘了我刚才说的地址。", "residence"),
    ("Forget where I work.", "employer"), ("Forget how old I am.", "age"), ("Forget what I earn.", "income"),
    ("能不能别记我的名字？", "name"), ("把我的年龄删掉，好吗？", "age"),
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
    "I left Bosch a message.", "I left Bosch two messages.", "I left Bosch this morning.", "I left Bosch in a hurry.",
    "I left Bosch on time.", "My brother left Bosch.", "If I left Bosch, I would move.", "I left Bosch?",
    "I'm done with tea.", "Forget that I'm vegetarian for a moment.", "Ignore that I'm vegetarian for this recipe.",
    "Ignore the fact that I'm vegetarian when you cook for Anna.", "Forget that I'm vegetarian tonight.",
    "You may forget that I'm vegetarian, but I do remember.", "Will you forget that I like tea?",
    "That I live in Berlin was a mistake.", "That I married him was a mistake.",
    "Remove that I speak Dutch from LinkedIn.", "Remove that I speak Dutch from the second paragraph.",
    "Delete that I speak Dutch in paragraph two.", "Don't save my work.", "Delete my work.",
    "Remove my name from the guest list.", "Did you forget my name?", "What I told you about my diabetes was true.",
    "Everything I said about my diabetes isn't wrong.", "What I said about my diabetes was right.",
    "忘了我喜欢喝茶？", "忘了我喜欢喝茶了吗？", "忘了我喜欢喝茶吗", "忘了我的名字了吗？", "忘记我的名字了？",
    "把我的住址忘了吗？", "哦，忘了我喜欢喝茶。", "对了，忘了我对青霉素过敏。", "忘记我对青霉素过敏了。",
    "不用保存我的工作。",
    "我爸退休了，不打篮球了。", "今天下雨了，不打篮球了。", "儿子上高中了，不打篮球了。",
    "我说小王住在南京，那个不对。",
    "我刚从医院出来了。", "我离开学校了。", "我离开公司了。", "暂时忘掉我吃素这件事。", "我不住南京了吗",
]  # fmt: skip


def results_of(text: str) -> list[Found]:
    if text.isascii():
        return read_en.read(text, PROFILE, None, among_people=False, in_project=False)
    return read_zh.read(text, PROFILE, None, among_people=False, in_project=False)


@pytest.mark.parametrize(("text", "withdrawn"), STATEMENTS)
def test_b4_what_is_withdrawn_denies_what_was_said(text: str, withdrawn: str) -> None:
    active = {slot for f in results_of(text) if not f.negated for slot in f.slots}
    denied = {slot for f in results_of(withdrawn) if f.negated for slot in f.slots}
    assert active
    assert active <= denied


@pytest.mark.parametrize(("text", "slot"), FIELDS)
def test_b4_a_field_that_is_named_is_withdrawn_whatever_it_holds(text: str, slot: str) -> None:
    assert [(f.slots, f.negated) for f in results_of(text)] == [(((slot, None),), True)]


@pytest.mark.parametrize("text", KEPT)
def test_b4_what_withdraws_nothing_denies_nothing(text: str) -> None:
    assert not [f for f in results_of(text) if f.negated]


@pytest.mark.parametrize(
    ("text", "withdrawn"),
    [
        ("I live in Porto.", "That I live in Porto is not true any more."),
        ("I'm 34 years old.", "Please forget my age."),
        ("我家住在杭州。", "不用记我的地址了。"), ("我在腾讯上班。", "我从腾讯离职了。"),
    ],
)  # fmt: skip
async def test_b4_b6_what_is_withdrawn_leaves_the_profile_and_its_score(
    models: Models, text: str, withdrawn: str
) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(text)
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
async def test_b4_of_what_does_not_stand_a_withdrawal_keeps_no_word(models: Models, withdrawn: str, word: str) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(withdrawn)
    assert not [u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)]
    decisions = [d for d in talk.driver.read(topics.DECISIONS) if isinstance(d, Decision) and d.kind != "turn"]
    assert {d.reason.rule for d in decisions} == {"nothing_to_withdraw"}
    assert not [d for d in decisions if word in str(d.sealed).casefold()]


@pytest.mark.parametrize(
    ("text", "withdrawn"),
    [
        ("I owe my cousin Ruben nine thousand euros.", "Forget that I owe my cousin Ruben nine thousand euros."),
        ("My favourite band is Mossley.", "Forget that my favourite band is Mossley."),
        ("我欠表哥九千块钱。", "忘掉我欠表哥九千块钱这件事。"),
    ],
)
async def test_b4_what_no_field_holds_ends_and_its_withdrawal_is_kept_nowhere(
    models: Models, text: str, withdrawn: str
) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(text)
    stood = active(talk)
    assert stood
    talk.driver.advance(timedelta(days=1))
    await talk.say(withdrawn, session="s2")
    assert active(talk) == []


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("User does not smoke", "Forget that I smoke."),
        ("User owes their cousin Ruben nine thousand euros", "Forget that I owe Ruben a pizza."),
    ],
)
async def test_b4_what_says_something_else_stays(models: Models, text: str, then: str) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(text.replace("User does", "I do").replace("User owes their", "I owe my"))
    stood = active(talk)
    assert stood
    talk.driver.advance(timedelta(days=1))
    await talk.say(then, session="s2")
    assert active(talk) == stood


@pytest.mark.parametrize("text", ["I left Anna.", "I gave up coffee.", "我不玩游戏了。", "我从上海搬家了。"])
async def test_b4_of_what_ended_only_what_was_said_is_kept(models: Models, text: str) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(text)
    kept = [u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)]
    assert [(u.kind, u.negated) for u in kept if u.kind != "episode"] == []


@pytest.mark.parametrize("text", ["I left Oslo.", "我离开北京去上海出差。", "我从北京出来了。"])
def test_b4_who_leaves_a_place_may_live_there(text: str) -> None:
    assert "residence" not in {slot for f in results_of(text) for slot, _ in f.slots}


@pytest.mark.parametrize(
    ("text", "denied", "statement"),
    [
        ("Forget that I like tea, and remember that I like coffee.", {"tea"}, {"coffee"}),
        ("Forget that I live in Porto, I live in Braga now.", {"Porto"}, {"Braga"}),
        ("Forget that I'm 34, I'm 35.", {34}, {35}),
        ("忘掉我喜欢喝茶这件事，我喜欢喝咖啡。", {"茶"}, {"咖啡"}),
    ],
)
def test_b4_another_statement_behind_a_withdrawal_is_read(
    text: str, denied: set[object], statement: set[object]
) -> None:
    found = results_of(text)
    assert {v for f in found if f.negated for _, v in f.slots} == denied
    assert {v for f in found if not f.negated for _, v in f.slots} == statement


@pytest.mark.parametrize(
    ("text", "then", "left"),
    [
        ("I like tea.", "Forget that I like tea, and remember that I like coffee.", ["User likes coffee"]),
        ("我喜欢喝茶。", "忘掉我喜欢喝茶这件事，我喜欢喝咖啡。", ["用户喜欢喝咖啡"]),
        ("I live in Porto.", "Forget that I live in Porto, I live in Braga now.", ["User lives in Braga"]),
        ("I like tea. I like coffee.", "Forget that I like tea and I like coffee.", []),
        ("I'm 34. I live in Porto.", "Forget that I'm 34 and that I live in Porto.", []),
    ],
)
async def test_b4_all_that_is_withdrawn_ends_and_what_is_said_instead_keeps_none_of_it(
    models: Models, text: str, then: str, left: list[str]
) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(text)
    talk.driver.advance(timedelta(days=1))
    await talk.say(then, session="s2")
    assert active(talk) == left
    last = {u.record_id: u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)}
    assert not [u for u in last.values() if u.state == "active" and u.sealed.attributes]


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("My brother owes Ruben nine thousand euros.", "Forget that I owe Ruben nine thousand euros."),
        ("我的表哥欠李四九千块钱。", "忘掉我欠李四九千块钱这件事。"),
    ],
)
async def test_b4_what_somebody_else_does_stays(models: Models, text: str, then: str) -> None:
    talk = Talk(models, PROFILE, START)
    await talk.say(text)
    stood = active(talk)
    assert stood
    talk.driver.advance(timedelta(days=1))
    await talk.say(then, session="s2")
    assert active(talk) == stood


@pytest.mark.parametrize("speaker", ["Anna Maria", "anna", "李雷"])
@pytest.mark.parametrize(
    ("text", "then", "word"),
    [
        ("I owe Ruben nine thousand.", "Forget that I owe Ruben nine thousand.", "ruben"),
        ("我欠表哥九千块钱。", "忘掉我欠表哥九千块钱这件事。", "表哥"),
        ("I live in Porto.", "Forget that I live in Porto.", "porto"),
    ],
)
async def test_b4_of_people_with_names_each_withdraws_their_own_and_no_word_is_kept(
    models: Models, speaker: str, text: str, then: str, word: str
) -> None:
    talk = Talk(models, PROFILE, START)
    await say_as(talk, "Bob", then)
    assert not [u for u in talk.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)]
    await say_as(talk, speaker, text)
    stood = active(talk)
    assert stood
    await say_as(talk, "Bob", then)
    assert active(talk) == stood
    await say_as(talk, speaker, then)
    assert active(talk) == []
    decisions = [d for d in talk.driver.read(topics.DECISIONS) if isinstance(d, Decision) and d.kind != "turn"]
    assert len([d for d in decisions if word in str(d.sealed).casefold()]) == 1


def test_b4_who_is_said_to_take_something_back_is_no_owner() -> None:
    assert only_takes_back("User takes back what they said about tea")
    assert only_takes_back("李雷 takes back what they said about tea", "李雷")
    assert not only_takes_back("Anna takes back what they said about tea")
    assert not only_takes_back("User's sister takes back what they said about tea")
    assert not only_takes_back("Anna收回说过的茶", "小王")


async def test_b4_n2_a_withdrawal_ends_what_was_said_before_it_once(models: Models) -> None:
    for text, then in (("I live in Porto.", "Forget that I live in Porto."), ("I work for Bosch.", "I left Bosch.")):
        talk = Talk(models, PROFILE, START)
        await talk.say(text)
        await talk.say(then, at=START - timedelta(days=1))
        assert values(talk)
        talk.driver.advance(timedelta(days=1))
        await talk.say(then, turn_id="withdrawn")
        assert not values(talk)
        talk.driver.advance(timedelta(days=1))
        await talk.say(text)
        await talk.say(then, at=START + timedelta(days=1), turn_id="withdrawn")
        assert values(talk)


async def say_as(talk: Talk, speaker: str, text: str) -> None:
    talk.driver.advance(timedelta(hours=1))
    event = TurnEvent(
        tenant="acme", user_id="ann", session_id="s1", turn_id=f"{speaker}-{talk.driver.now}", role="user",
        occurred_at=talk.driver.now, accepted_at=talk.driver.now, sealed=TurnBody(content=text, speaker=speaker),
    )  # fmt: skip
    talk.driver.pipe(topics.TURNS, event)
    await talk.driver.run()


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
