"""The screen: ids, conflicts, times, and nothing of what policy masks (D1, D5, E5, rule 3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from processors.ports import Models, ProfileBook
from processors.screen.step import Screen
from schemas.base import MAX_CONTENT_CHARS
from schemas.events.turns import (
    MAX_HELD,
    MAX_METADATA_BYTES,
    Recalled,
    ScreenedTurn,
    SessionCommand,
    SessionCommandBody,
    TurnBody,
    TurnEvent,
)
from schemas.log import topics
from schemas.log.codec import header
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
MAIL = "ann@example.com"


class Bench:
    def __init__(self, models: Models) -> None:
        self.driver = TopologyDriver([Screen(models, ProfileBook(load_profile("general")))], START)

    def turn(self, content: str, turn_id: str | None = None, **kw: Any) -> None:
        body = {k: kw.pop(k) for k in ("speaker", "llm_context", "recalled", "metadata", "existing_info") if k in kw}
        clear: dict[str, Any] = {"role": "user", "occurred_at": self.driver.now, "session_id": "s1", **kw}
        event = TurnEvent(
            tenant="acme", user_id="ann", turn_id=turn_id, sealed=TurnBody(content=content, **body), **clear
        )
        self.driver.pipe(topics.TURNS, event)

    async def turns(self) -> list[ScreenedTurn]:
        await self.driver.run()
        return [e for e in self.driver.read(topics.HISTORY) if isinstance(e, ScreenedTurn)]

    def refusals(self) -> list[str]:
        return [(header(m.headers, "reason") or b"").decode() for m in self.driver.dead_letters()]


@pytest.fixture
def bench(models: Models) -> Bench:
    return Bench(models)


async def test_rule_3_the_same_id_with_other_content_is_refused_and_with_the_same_is_dropped(bench: Bench) -> None:
    bench.turn("我住在杭州", "t1")
    bench.turn("我住在杭州", "t1")
    bench.turn("我住在上海", "t1")
    bench.turn("我住在杭州", "t1", session_id="other")
    assert [t.sealed.content for t in await bench.turns()] == ["我住在杭州"]
    assert bench.refusals() == ["turn_conflict", "turn_conflict"]


@pytest.mark.parametrize("restart", [True, False])
async def test_rule_3_an_id_is_free_again_when_its_turn_has_expired(bench: Bench, restart: bool) -> None:
    bench.turn("first", "t1")
    await bench.turns()
    bench.driver.advance(30 * DAY)
    if restart:
        bench.driver.tick()
        await bench.driver.run()
        bench.driver.restart()
    bench.turn("second", "t1")
    assert [t.sealed.content for t in await bench.turns()] == ["first", "second"]


async def test_rule_3_a_turn_without_an_id_gets_the_same_one_again(bench: Bench) -> None:
    for _ in range(2):
        bench.turn("hello", occurred_at=START)
    bench.turn("hello", occurred_at=START + timedelta(seconds=1))
    assert len({t.turn_id for t in await bench.turns()}) == len(await bench.turns()) == 2


async def test_times_far_ahead_are_refused(bench: Bench) -> None:
    bench.turn("hello", occurred_at=START + 1.5 * DAY)
    bench.turn("hello", accepted_at=START + 2 * DAY, occurred_at=START)
    bench.turn("hello", occurred_at=START + 0.9 * DAY)
    assert len(await bench.turns()) == 1
    assert bench.refusals() == ["occurred_at", "accepted_at"]


async def test_a1_expiry_counts_from_acceptance_and_the_record_time_stands_in_for_it(bench: Bench) -> None:
    bench.turn("hello", occurred_at=START - 100 * DAY)
    [turn] = await bench.turns()
    assert turn.accepted_at == START
    assert turn.expires_at == START + 30 * DAY


async def test_d1_d5_nothing_behind_the_screen_holds_what_policy_masks(bench: Bench) -> None:
    bench.turn(
        f"Write to {MAIL}", speaker=f"Ann {MAIL}", metadata={"a": [{"b": MAIL}]}, llm_context=f"mail: {MAIL}",
        recalled=(Recalled(id="m1", text=f"Her mail is {MAIL}"),),
    )  # fmt: skip
    body = SessionCommandBody(global_state={"mail": MAIL}, anchors={"to": MAIL}, summary=f"She is {MAIL}")
    command = SessionCommand(
        tenant="acme", user_id="ann", session_id="s1", command="patch", command_id="c", sealed=body
    )
    bench.driver.pipe(topics.TURNS, command)
    [turn] = await bench.turns()
    log = [m for (t, _), log in bench.driver.log.partitions.items() if t == topics.HISTORY.name for m in log]
    assert len(log) == 2
    assert all(MAIL.encode() not in (m.value or b"") for m in log)
    assert turn.pii["EMAIL_ADDRESS:mask"] >= 2
    assert turn.sealed.recalled_ids == ("m1",)
    rows = [r for table in bench.driver.store.rows.values() for r in table.values()]  # type: ignore[attr-defined]
    assert all(MAIL.encode() not in v for r in rows for v in r.values())


async def test_b1_the_turns_before_travel_along_for_a_bare_yes(bench: Bench) -> None:
    for role, content in (("user", "你好"), ("assistant", "您住在杭州吗？" * 100), ("user", "是的")):
        bench.turn(content, role=role)
    last = (await bench.turns())[-1]
    assert [r for r, _ in last.sealed.previous] == ["user", "assistant"]
    assert max(len(c) for _, c in last.sealed.previous) == 400
    bench.turn("other", session_id="s2")
    assert (await bench.turns())[-1].sealed.previous == ()


@pytest.mark.parametrize(
    ("question", "answer", "kept"),
    [
        ("What's the gate code?", "it's 6093, push hard", "it's <CREDENTIAL>, push hard"),
        ("Sure. Could you tell me your PIN?", "4471", "<CREDENTIAL>"),
        ("Please send me the wifi password.", "teapotparade", "<CREDENTIAL>"),
        ("Do you remember the alarm code", "I think 6093.", "I think <CREDENTIAL>."),
        ("Your PIN?", "it's 6093", "it's <CREDENTIAL>"),
        (f"{'The lobby is on the left. ' * 40}What's the door code?", "6093", "<CREDENTIAL>"),
        ("你们家门禁码是多少？", "6093", "<CREDENTIAL>"),
        ("wifi密码告诉我一下", "好像是Teapot6093", "好像是<CREDENTIAL>"),
        ("请输入验证码", "604193", "<CREDENTIAL>"),
        ("What's the password?", "okra77", "<CREDENTIAL>"),
        ("What's the password?", "wellington7", "<CREDENTIAL>"),
        ("What floor is it, and what's your gate code?", "6093", "<CREDENTIAL>"),
        ("I know where it is, what's your PIN?", "4471", "<CREDENTIAL>"),
        ("What's the admin password?", "Adm1n#Home", "<CREDENTIAL>"),
        ("后台密码是什么？", "Adm1n#Home", "<CREDENTIAL>"),
    ],
)
async def test_d5_an_answer_in_its_own_turn_is_a_secret_by_its_question(
    bench: Bench, question: str, answer: str, kept: str
) -> None:
    bench.turn(question, role="assistant")
    bench.turn(answer, metadata={"raw": answer})
    last = (await bench.turns())[-1]
    assert last.sealed.content == kept
    assert last.refused
    assert last.pii["CREDENTIAL:refuse"] >= 1
    assert last.sealed.metadata["raw"] != answer


@pytest.mark.parametrize(
    ("question", "answer", "kept", "refused"),
    [
        ("What's your passport number?", "E12345678", "<PASSPORT>", False),
        ("I need your passport number to book.", "Sure, it's N4471902, new", "Sure, it's <PASSPORT>, new", False),
        ("Could you give me your driver's licence number?", "S514-7788-1234", "<US_DRIVER_LICENSE>", False),
        ("What's your SSN?", "845119027", "<US_SSN>", False),
        ("Which bank account should it go to?", "To 73019284, please", "To <BANK_ACCOUNT>, please", False),
        ("What number can I call you on?", "555-0147", "<PHONE_NUMBER>", False),
        ("Which API key are you using?", "I'm on q7Lm20vTnB44xKd", "I'm on <CREDENTIAL>", True),
        ("你的护照号是多少？", "是E12345678", "是<PASSPORT>", False),
        ("证件号发一下", "H10384726", "<PASSPORT>", False),
        ("退款打到哪个账号？", "打到4471882039012", "打到<BANK_ACCOUNT>", False),
        ("你的电话是多少？", "五五五零零幺四七", "<PHONE_NUMBER>", False),
        ("把密钥发我", "用的Wv93kLmm20Qz", "用的<CREDENTIAL>", True),
    ],
)
async def test_d5_a_number_or_key_that_answers_a_question_is_what_was_asked_for(
    bench: Bench, question: str, answer: str, kept: str, refused: bool
) -> None:
    bench.turn(question, role="assistant")
    bench.turn(answer, metadata={"raw": answer})
    last = (await bench.turns())[-1]
    assert last.sealed.content == kept
    assert last.refused is refused
    assert last.sealed.metadata["raw"] != answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When does your passport expire?", "20310412"),
        ("What's your passport number?", "I'll look, ask me at 18:30"),
        ("What's your order number?", "E12345678"),
        ("What's the ID number of the ticket?", "A4471902"),
        ("What's your phone number?", "2026-11-20 is better"),
        ("What's the API key called?", "staging-reader-02"),
        ("I have your passport number. What's the flight?", "LH12045"),
        ("How many tokens does it use?", "q7Lm20vTnB44xKd"),
        ("护照号在哪一页？", "E12345678"),
        ("订单号是多少？", "E12345678"),
        ("手机号多少？", "我订单是44719021"),
        ("密钥存在哪里？", "vault里的kv2prod7"),
    ],
)
async def test_d5_a_number_that_answers_another_question_stays(bench: Bench, question: str, answer: str) -> None:
    bench.turn(question, role="assistant")
    bench.turn(answer)
    last = (await bench.turns())[-1]
    assert last.sealed.content == answer
    assert not last.refused


async def test_d5_an_answer_may_come_a_turn_later(bench: Bench) -> None:
    bench.turn("What's the gate code?", role="assistant")
    bench.turn("One second, I'll look.")
    bench.turn("it's 6093")
    first, second = (await bench.turns())[-2:]
    assert (first.sealed.content, second.sealed.content) == ("One second, I'll look.", "it's <CREDENTIAL>")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many seats has the hall?", "it's 6093"),
        ("How many?", "it's 4471"),
        ("What's the gate code?", "I don't know, ask Ann"),
        ("What's the gate code?", "Tomorrow at 8."),
        ("Where do I enter the password?", "Settings."),
        ("How do I reset my password?", "Settings"),
        ("Did you send him the password?", "Yesterday."),
        ("What is the password for?", "Wifi."),
        ("What's the password policy?", "Strict."),
        ("Which password manager do you use?", "Bitwarden"),
        ("Have you changed the door code?", "in 2019"),
        ("What year was it?", "1984"),
        ("您的验证码多少？", "还没收到"),
        ("密码改了吗？", "昨天"),
        ("密码忘了怎么办？", "重置"),
        ("密码要多少位？", "八位"),
        ("你什么时候换的密码？", "去年"),
        ("一共多少人？", "4471"),
        ("Do you know who has the password?", "Marianne"),
        ("Which app asks for the password?", "Netflix"),
        ("What's the name of the login button?", "btnSubmit"),
        ("What algorithm hashes the passwords?", "argon2id"),
        ("I need your PIN later. How many guests?", "4471"),
        ("Enter your password on the next page. Which plan would you like?", "Premium2"),
        ("What's the combination of drugs?", "400"),
        ("What's the regex for a password?", "^[A-Za-z0-9]{8,}$"),
        ("密码用什么算法加密？", "bcrypt"),
        ("密码锁多少钱？", "128"),
        ("幸福的密码是什么？", "知足"),
        ("验证码是干什么用的？", "防止机器人"),
        ("密码是什么？", "我查一下"),
        ("密码是什么？", "贴在冰箱上"),
    ],
)
async def test_d5_what_answers_no_question_for_a_secret_stays(bench: Bench, question: str, answer: str) -> None:
    bench.turn(question, role="assistant")
    bench.turn(answer)
    last = (await bench.turns())[-1]
    assert last.sealed.content == answer
    assert not last.refused


@pytest.mark.parametrize("restart", [True, False])
async def test_b1_the_turns_before_are_forgotten_after_two_days_cached_or_not(bench: Bench, restart: bool) -> None:
    bench.turn("你住在杭州吗？", role="assistant")
    await bench.turns()
    bench.driver.advance(3 * DAY)
    bench.driver.tick()
    await bench.driver.run()
    if restart:
        bench.driver.restart()
    bench.turn("是的")
    assert (await bench.turns())[-1].sealed.previous == ()


async def test_d5_a_turn_within_the_doors_bound_is_kept_however_long_its_masks_make_it(bench: Bench) -> None:
    text = "a@b.co " * (MAX_CONTENT_CHARS // 7)
    bench.turn(text, "t1")
    (kept,) = await bench.turns()
    assert bench.refusals() == []
    assert len(kept.sealed.content) > 2 * MAX_CONTENT_CHARS
    assert "a@b.co" not in kept.sealed.content


@pytest.fixture
def recognised_texts(models: Models, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the recognisers have looked at."""
    requests: list[str] = []
    analyze = models.analyzer.analyze

    def spy(texts: Sequence[str], languages: Sequence[Any]) -> Any:
        requests.extend(texts)
        return analyze(texts, languages)

    monkeypatch.setattr(models.analyzer, "analyze", spy)
    return requests


@pytest.mark.parametrize("part", ["global_state", "user_snapshot", "anchors"])
async def test_n2_of_a_session_no_more_is_recognised_in_one_command_than_of_a_turn(
    bench: Bench, recognised_texts: list[str], part: str
) -> None:
    """A megabyte of prose held up every partition of a worker for half a minute."""
    around = len('{"note":""}')
    for n, size in enumerate((MAX_METADATA_BYTES - around, MAX_METADATA_BYTES - around + 1, 1_000_000)):
        body = SessionCommandBody.model_validate({part: {"note": f"{n}" * size}})
        command = SessionCommand(
            tenant="acme", user_id="ann", session_id="s1", command="anchors" if part == "anchors" else "patch",
            command_id=f"c{n}", sealed=body,
        )  # fmt: skip
        bench.driver.pipe(topics.TURNS, command)
    bench.turn("one", "t1")
    assert [t.sealed.content for t in await bench.turns()] == ["one"]
    kept = [e for e in bench.driver.read(topics.HISTORY) if isinstance(e, SessionCommand)]
    assert [c.command_id for c in kept] == ["c0"]
    dead = bench.driver.dead_letters()
    assert bench.refusals() == ["too_large", "too_large"]
    assert all(f"sealed.{part}".encode() in (header(m.headers, "message") or b"") for m in dead)
    assert {t[:1] for t in recognised_texts} == {"0", "o"}


async def test_n2_metadata_beyond_its_bound_is_refused_and_nobody_waits_for_its_recognition(
    bench: Bench, recognised_texts: list[str]
) -> None:
    around = len('{"note":""}')
    bench.turn("one", "t1", metadata={"note": "x" * (MAX_METADATA_BYTES - around)})
    bench.turn("two", "t2", metadata={"note": "y" * (MAX_METADATA_BYTES - around + 1)})
    bench.turn("three", "t3", metadata={"note": "我" * (MAX_METADATA_BYTES // 3)})
    bench.turn("four", "t4", metadata={"note": MAIL})
    bench.turn("five", "t5", existing_info={"note": "z" * MAX_METADATA_BYTES})
    bench.turn("six", "t6", existing_info={"note": ["w"] * (MAX_HELD + 1)})
    bench.turn("seven", "t7", existing_info={"note": ["v"] * MAX_HELD})
    assert [t.sealed.content for t in await bench.turns()] == ["one", "four", "seven"]
    assert bench.refusals() == ["too_large"] * 4
    assert not any(t[:1] in ("y", "我", "z", "w") for t in recognised_texts)
    assert MAIL in recognised_texts
