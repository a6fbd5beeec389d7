"""D1: extraction runs once an interaction, when the reply is in or the wait is over; a reply's yes may confirm (B1)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from processors.ports import Models, ProfileBook
from processors.reader.rules.confirm import apply_confirmation, asks_to_confirm, confirms
from processors.reader.rules.rules import RuleExtractor
from processors.reader.step import reply_of, view_of
from schemas.events.documents import Job
from schemas.events.envelope import Tick
from schemas.events.erasure import Erasure
from schemas.events.memory import Extraction
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Headers, header
from schemas.log.owner import partition as partition_of
from schemas.log.topics import Topic
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts
from tests.unit.jobs.support import AT, turn


def trace_of(number: int) -> Headers:
    return [("traceparent", f"00-{number:032x}-00f067aa0ba902b7-01".encode())]


class Talk:
    def __init__(self, models: Models, ask_model: bool = False) -> None:
        book = ProfileBook(load_profile("general"))
        parts = Parts(models, book, RuleExtractor(), ask_model=ask_model)
        self.driver = TopologyDriver([TOPOLOGY["extract"].build(parts)], AT)
        self.said = 0

    async def say(
        self, content: str, role: str = "user", language: str = "en", *, traced: bool = False, **changes: Any
    ) -> None:
        self.said += 1
        made = turn(language)
        body = made.sealed.model_copy(update={"content": content, "previous": ()})
        fields = {"turn_id": f"t{self.said}", "role": role, "sealed": body, "accepted_at": self.driver.now, **changes}
        event = made.model_copy(update=fields)
        encoded = self.driver.codec.encode(event, "client", f"c{self.said}", trace_of(self.said) if traced else [])
        place = partition_of(event.owner, topics.EMBEDDED_PARTITIONS)
        self.driver.log.append(topics.HISTORY.name, place, encoded.key, encoded.value, encoded.headers)
        await self.driver.run()
        assert not self.driver.dead_letters()

    async def later(self, by: timedelta) -> None:
        self.driver.advance(by)
        for p in range(8):
            encoded = self.driver.codec.encode(Tick(now=self.driver.now), "timer", f"{p}")
            self.driver.log.append(topics.HISTORY.name, p, encoded.key, encoded.value, encoded.headers)
        await self.driver.run()

    def traces(self, topic: Topic) -> list[bytes | None]:
        """Of what was written about the first turn."""
        log = [m for (t, _), part in self.driver.log.partitions.items() if t == topic.name for m in part]
        found = [(self.driver.codec.decode(topic.name, m.value), m) for m in log]
        about = [m for e, m in found if (isinstance(e, Extraction) and e.turn.turn_id == "t1") or isinstance(e, Job)]
        return [header(m.headers, "traceparent") for m in about]

    @property
    def of_user(self) -> list[Extraction]:
        found = [e for e in self.driver.read(topics.LEDGER) if isinstance(e, Extraction)]
        return [e for e in found if e.role == "user"]

    @property
    def jobs(self) -> list[Job]:
        return [e for e in self.driver.read(topics.JOBS) if isinstance(e, Job)]


ASKED = pytest.mark.parametrize(
    ("language", "question", "yes", "no", "field", "value"),
    [
        ("en", "So I live in Leeds now, right?", "Yes, you moved there in May.", "No, you live in York.",
         "residence", "Leeds"),
        ("zh", "我今年32岁，对吧？", "是的，您32岁。", "不是，您33岁。", "age", 32),
    ],
)  # fmt: skip


@ASKED
async def test_d1_a_yes_states_what_the_user_asked(
    models: Models, language: str, question: str, yes: str, no: str, field: str, value: object
) -> None:
    talk = Talk(models)
    await talk.say(question, language=language)
    assert talk.of_user == [], "it waits for its reply"
    await talk.say(yes, "assistant", language)
    [e] = talk.of_user
    assert [(c.field, c.value) for c in e.sealed.candidates if c.field] == [(field, value)]
    assert e.turn.turn_id == "t1"


@ASKED
async def test_d1_a_no_and_silence_state_nothing(
    models: Models, language: str, question: str, yes: str, no: str, field: str, value: object
) -> None:
    denied, silent = Talk(models), Talk(models)
    await denied.say(question, language=language)
    await denied.say(no, "assistant", language)
    await silent.say(question, language=language)
    await silent.later(timedelta(seconds=29))
    assert silent.of_user == []
    await silent.later(timedelta(seconds=2))
    for talk in (denied, silent):
        [e] = talk.of_user
        assert not [c for c in e.sealed.candidates if c.field == field]
    await silent.say(yes, "assistant", language)
    assert len(silent.of_user) == 1, "once, also when the reply comes after all"


async def test_d1_a_plain_statement_is_not_held_back(models: Models) -> None:
    talk = Talk(models)
    await talk.say("I live in Leeds.")
    assert len(talk.of_user) == 1


async def test_d1_the_next_turn_of_the_user_closes_the_wait(models: Models) -> None:
    talk = Talk(models)
    await talk.say("I live in Leeds now, right?")
    await talk.say("And I am 41.")
    assert [e.turn.turn_id for e in talk.of_user] == ["t1", "t2"]


async def test_d1_a_reply_of_another_interaction_does_not_confirm(models: Models) -> None:
    talk = Talk(models)
    await talk.say("I live in Leeds now, right?", interaction_id="a")
    await talk.say("Yes.", "assistant", interaction_id="b")
    [e] = talk.of_user
    assert not [c for c in e.sealed.candidates if c.field]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_d1_a_model_reads_a_turn_with_its_reply_once(models: Models, language: str) -> None:
    text, reply = ("I am 32.", "Noted.") if language == "en" else ("我今年32岁。", "好的，记下了。")
    talk = Talk(models, ask_model=True)
    await talk.say(text, language=language)
    assert talk.jobs == []
    assert len(talk.of_user) == 1, "the rules' reading waits for nobody"
    await talk.say(reply, "assistant", language)
    [job] = talk.jobs
    assert reply_of(job) == reply
    await talk.later(timedelta(minutes=5))
    assert len(talk.jobs) == 1


@ASKED
async def test_d1_a_yes_counts_for_the_rules_also_where_a_model_is_asked(
    models: Models, language: str, question: str, yes: str, no: str, field: str, value: object
) -> None:
    talk = Talk(models, ask_model=True)
    await talk.say(question, language=language)
    assert (talk.of_user, talk.jobs) == ([], [])
    await talk.say(yes, "assistant", language)
    [e], [job] = talk.of_user, talk.jobs
    assert [(c.field, c.value) for c in e.sealed.candidates if c.field] == [(field, value)]
    assert (e.model_asked, reply_of(job)) == (True, yes)


@pytest.mark.parametrize("ends", ["reply", "next turn", "tick"])
@pytest.mark.parametrize("ask_model", [True, False])
@pytest.mark.parametrize("traced", [True, False])
async def test_n3_what_becomes_of_a_turn_that_waited_stands_in_its_own_trace(
    models: Models, ends: str, ask_model: bool, traced: bool
) -> None:
    talk = Talk(models, ask_model)
    await talk.say("I am 41, right?", traced=traced)
    talk.driver.restart()
    match ends:
        case "reply":
            await talk.say("Yes.", "assistant", traced=True)
        case "next turn":
            await talk.say("Is it?", traced=True)
        case _:
            await talk.later(timedelta(minutes=1))
    own = trace_of(1)[0][1] if traced else None
    assert talk.traces(topics.LEDGER) == [own]
    assert talk.traces(topics.JOBS) == ([own] if ask_model else [])


async def test_c9_what_waits_is_erased_with_its_user(models: Models) -> None:
    talk = Talk(models)
    await talk.say("I live in Leeds now, right?")
    erasure = Erasure(tenant="acme", erasure_id="e1", scope="user", user_id="ann", accepted_at=talk.driver.now)
    talk.driver.pipe(topics.HISTORY, erasure)
    await talk.say("Yes.", "assistant", accepted_at=talk.driver.now + timedelta(seconds=1))
    await talk.later(timedelta(minutes=5))
    assert talk.of_user == []


async def test_d1_a_job_goes_without_a_reply_when_the_wait_is_over_also_after_a_restart(models: Models) -> None:
    talk = Talk(models, ask_model=True)
    await talk.say("I am 32.")
    talk.driver.restart()
    await talk.later(timedelta(minutes=1))
    [job] = talk.jobs
    assert reply_of(job) == ""


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("I'm 32, right?", True), ("I do live in York, don't I?", True), ("我住在杭州，是吗？", True),
        ("我32岁对吧?", True), ("Is that the right?", False), ("Which one is correct answer?", False),
        ("是不是要下雨？", False), ("What do you think?", False),
    ],
)  # fmt: skip
def test_what_asks_to_be_confirmed(text: str, asks: bool) -> None:
    assert asks_to_confirm(text) is asks


@pytest.mark.parametrize(
    ("reply", "yes"),
    [
        ("Yes.", True), ("That's right, you do.", True), ("Right now I can't say.", False), ("Right.", True),
        ("Correct", True), ("是的", True), ("对，没错", True), ("对不起，我不知道", False), ("是否确定？", False),
        ("No.", False),
        ("Yesterday you said so.", False),
    ],
)  # fmt: skip
def test_what_confirms(reply: str, yes: bool) -> None:
    assert confirms(reply) is yes


def test_what_is_heard_keeps_its_places() -> None:
    statement: ScreenedTurn = turn("en")
    body = statement.sealed.model_copy(update={"content": "I'm 32, right? I live in Leeds."})
    view = view_of(statement.model_copy(update={"sealed": body}), load_profile("general"), "Yes")
    assert apply_confirmation(view).content == "I'm 32.        I live in Leeds."
