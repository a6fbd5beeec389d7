"""A8, A9, D10 to D13: what a member of a project is told of what others said, asked and wrote in it. Turns, documents
and state go in, prompts come out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inference.tokens import token_counter
from processors.ports import Models
from query.deps import Deps
from query.prompt.endpoint import ContextIn, Entities
from schemas.events.documents import Document, DocumentBody
from schemas.events.memory import MemoryCommand
from schemas.events.memory.ledger import MemoryCommandBody
from schemas.log import topics
from schemas.log.owner import OwnerKind
from schemas.profile.model import load_profile
from tests.unit.processors.talk import Talk
from tests.unit.query.talk_views import Answered, ask

STUDY = load_profile("clinical_trial")
TRIAL = "trial-7"
MONDAY = datetime(2026, 11, 2, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Story:
    """`weeks`: what bob and cat say in each of two weeks. `aside`: said by bob outside of the project."""

    weeks: tuple[tuple[tuple[str, str], ...], ...]
    aside: str
    ask: str
    of_last_week: str
    earlier: str
    check: str
    protocol: str
    passage: str


STORIES = {
    "en": Story(
        ((("bob", "The courier lost the lab samples of site 2."), ("cat", "Site 2 has to draw the lab samples again.")),
         (("bob", "The lab found the lost samples of site 2, they were mislabelled."),
          ("cat", "The lab samples of site 2 get new labels."))),
        "My bicycle was stolen and the lab samples in the basket are gone.",
        "What happened with the lost lab samples recently?",
        "What happened last week with the lab samples?", "The courier lost the lab samples",
        "Please run the QC again.", "What does the protocol say about the visit window?",
        "Visits take place within three days of the planned date.",
    ),
    "zh": Story(
        ((("bob", "快递把二中心的血样弄丢了。"), ("cat", "二中心的血样要重新采。")),
         (("bob", "二中心丢失的血样找到了，是标签贴错了。"), ("cat", "二中心的血样以后用新标签。"))),
        "我的自行车被偷了，车筐里的血样也丢了。",
        "最近丢失的血样后来怎么样了？", "上周血样的情况怎么样？", "快递把二中心的血样弄丢了",
        "请再做一次质控。", "方案里访视窗是怎么规定的？", "访视应在计划日期前后三天内完成。",
    ),
}  # fmt: skip
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


async def say(talk: Talk, story: Story, week: int) -> None:
    for n, (user, text) in enumerate(story.weeks[week]):
        await talk.until(MONDAY + week * WEEK + timedelta(days=n))
        await talk.say(text, user=user, session=f"{user}-{week}")


def put(talk: Talk, user: str, key: str, step: str, project: str | None) -> None:
    talk.driver.pipe(topics.LEDGER, MemoryCommand(
        tenant="acme", user_id=user, command="put_item", command_id=f"{user}-{key}", namespace=("task_state", user),
        key=key, project_id=project, accepted_at=talk.driver.now, sealed=MemoryCommandBody(value={"step": step}),
    ))  # fmt: skip


async def of_ann(talk: Talk, deps: Deps, models: Models, query: str, **over: Any) -> Answered:
    """Ann has said nothing yet."""
    body = ContextIn(query=query, user_id="ann", project_id=TRIAL, **over)
    return await ask(talk, deps, models, STUDY, body)


@LANGUAGES
async def test_a8_without_reports_a_new_member_is_told_what_the_others_said_and_who(
    models: Models, deps: Deps, language: str
) -> None:
    story = STORIES[language]
    talk = Talk(models, STUDY, MONDAY, TRIAL)
    await say(talk, story, 0)
    talk.project = None
    await talk.say(story.aside, user="bob", session="private")
    got = await of_ann(talk, deps, models, story.ask)
    assert [i.name for i in got.request.routed.intents][:1] == ["QA_QUERY"]
    assert got.cited[0] == ("turn", "turn-1"), got.text
    assert {kind for kind, _ in got.cited} == {"turn"}
    assert f"- Discussion: bob: {story.weeks[0][0][1]}" in got.text
    assert story.aside not in got.text, "of no project: it is bob's own"
    own = await ask(talk, deps, models, STUDY, ContextIn(query=story.ask, user_id="bob", project_id=TRIAL))
    assert f"- Discussion: user: {story.weeks[0][0][1]}" in own.text, "who asks knows who said it"
    stranger = await ask(talk, deps, models, STUDY, ContextIn(query=story.ask, user_id="ann", project_id="trial-8"))
    assert stranger.cited == []


@LANGUAGES
async def test_a8_two_reports_suffice_and_one_does_not(models: Models, deps: Deps, language: str) -> None:
    story = STORIES[language]
    talk = Talk(models, STUDY, MONDAY, TRIAL)
    await say(talk, story, 0)
    await talk.until(MONDAY + WEEK)
    got = await of_ann(talk, deps, models, story.ask)
    assert [kind for kind, _ in got.cited].count("report") == 1
    assert ("turn", "turn-1") in got.cited
    await say(talk, story, 1)
    await talk.until(MONDAY + 2 * WEEK)
    got = await of_ann(talk, deps, models, story.ask)
    assert [kind for kind, _ in got.cited] == ["report", "report"], got.text


@LANGUAGES
async def test_d10_d13_last_week_comes_first_of_the_projects_history(
    models: Models, deps: Deps, language: str
) -> None:
    story = STORIES[language]
    talk = Talk(models, STUDY, MONDAY, TRIAL)
    await say(talk, story, 0)
    await say(talk, story, 1)
    got = await of_ann(talk, deps, models, story.of_last_week)  # within the second week
    turns = [id_ for kind, id_ in got.cited if kind == "turn"]
    assert set(turns[:2]) == {"turn-1", "turn-2"}, got.text
    assert any(b.get("filter") == "occurred" for b in got.request.because)


async def test_d11_what_a_store_does_not_answer_costs_its_part_and_is_named(models: Models, deps: Deps) -> None:
    story = STORIES["en"]
    talk = Talk(models, STUDY, MONDAY, TRIAL)
    await talk.say("The enrolment target is 60.", user="bob")
    await say(talk, story, 0)
    body = ContextIn(query=story.ask, user_id="ann", project_id=TRIAL)
    got = await ask(talk, deps, models, STUDY, body, OwnerKind.PROJECT)
    assert [d["store"] for d in got.request.degraded] == ["postgres"]
    assert got.cited == []
    assert "- enrollment_target: 60" in got.text


class Imagining:
    """A model that knows what may have been said."""

    async def complete(self, messages: Any, **_: Any) -> Any:
        return SimpleNamespace(text='{"passage": "The courier lost the lab samples of site 2."}')


async def test_d12_an_imagined_answer_finds_what_the_question_does_not_say(models: Models, deps: Deps) -> None:
    talk = Talk(models, STUDY, MONDAY, TRIAL)
    await say(talk, STORIES["en"], 0)
    await talk.say("The parking garage closes at eight recently.", user="cat")
    question = "Why did the shipment that we waited for recently never reach the analysts in the basement?"
    screen: Any = SimpleNamespace(text=lambda tenant, text: text)
    imagining: Any = Imagining()
    plain = await of_ann(talk, deps, models, question)
    got = await of_ann(talk, replace(deps, hyde=imagining, screen=screen), models, question)
    assert got.cited[0] == ("turn", "turn-1")
    assert plain.request.degraded == got.request.degraded == []


@LANGUAGES
async def test_a8_the_state_of_a_record_is_what_the_project_keeps(
    models: Models, deps: Deps, language: str
) -> None:
    story = STORIES[language]
    talk = Talk(models, STUDY, MONDAY, TRIAL)
    put(talk, "bob", "record-12", "second query sent", TRIAL)
    put(talk, "cat", "record-112", "closed", TRIAL)
    put(talk, "cat", "record_12", "a note of cat's own", None)
    await talk.driver.run()
    got = await of_ann(talk, deps, models, story.check, entities=Entities(record_id="12"))
    assert [i.name for i in got.request.routed.intents][:1] == ["QC_TASK"]
    assert "second query sent" in got.text
    assert "closed" not in got.text
    assert "of cat's own" not in got.text
    assert [kind for kind, _ in got.cited] == ["item"]


@LANGUAGES
async def test_a8_a9_a_passage_of_the_protocol_is_cited_within_the_budget(
    models: Models, deps: Deps, language: str
) -> None:
    story = STORIES[language]
    talk = Talk(models, STUDY, MONDAY, TRIAL, whole=True)
    await say(talk, story, 0)
    body = DocumentBody(title="", markdown=f"# Protocol\n\n## 5 Visits\n\n{story.passage}\n")
    talk.driver.pipe(topics.DOCUMENTS, Document(tenant="acme", document_id="protocol", version="2.1", sealed=body))
    await talk.driver.run()
    got = await of_ann(talk, deps, models, story.protocol)
    assert [i.name for i in got.request.routed.intents][:1] == ["PROTOCOL_QA"]
    assert "[Source: Semantic, doc_id: protocol_v2.1, section: Protocol > 5 Visits]" in got.text
    assert story.passage in got.text
    assert got.prompt.tokens == token_counter().count(got.text) <= 2_000
    small = await of_ann(talk, deps, models, story.protocol, budget_tokens=60)
    assert small.prompt.tokens <= 60
    assert story.passage not in small.text
