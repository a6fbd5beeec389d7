"""When a session is summarised, and what becomes of the answer (E2, E3, E5), over screen and session."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from processors.ports import Models, ProfileBook
from processors.screen.step import Screen
from processors.session.segment import Kept, carried, newest, pairs
from processors.session.step import Session
from query.reading.history import render
from schemas.events.documents import Job
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import (
    CheckpointResult,
    CheckpointResultBody,
    ScreenedBody,
    ScreenedTurn,
    SessionCommand,
    SessionCommandBody,
    TurnBody,
    TurnEvent,
)
from schemas.log import topics
from schemas.profile.model import Profile, SessionSpec
from streams.driver import TopologyDriver
from tests.unit.jobs.support import turn

START = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
STATEMENTS = {
    "en": ("We talked about the move to Lisbon and the flat near the river.", "The flat has three rooms and a view."),
    "zh": ("我们聊了搬到里斯本的事，还有河边的那套公寓。", "那套公寓有三个房间，风景也好。"),
}
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


class NoNames:
    """The recognisers of names are stateless, slow to load, and not what is tested here."""

    def analyze(self, texts: Any, languages: Any) -> list[list[Any]]:
        return [[] for _ in texts]


class Talk:
    """One session; a turn is a user's message and its reply."""

    def __init__(self, models: Models, language: str = "en", *, window: int = 400, recent: int = 2) -> None:
        own = Models(NoNames(), models.embedder, models.counter, models.language_of, models.terms, models.hash_key)
        self.counter = models.counter("o200k_base")
        spec = SessionSpec(model_context_window=window, recent_turns=recent)
        book = ProfileBook(Profile(name="small", version=1, session=spec))
        self.driver = TopologyDriver([Screen(own, book), Session(own, book)], START, batch=4)
        self.said = STATEMENTS[language]
        self.number = 0

    async def say(self, turns: int = 1) -> None:
        for _ in range(turns):
            self.number += 1
            for role, text in zip(("user", "assistant"), self.said, strict=True):
                self.pipe(self.turn(role, f"{text} ({self.number})"))
            self.driver.advance(timedelta(seconds=10))
            await self.driver.run()

    def turn(self, role: Any, text: str) -> TurnEvent:
        return TurnEvent(
            tenant="acme", user_id="ann", session_id="s1", turn_id=f"{role[0]}{self.number}", role=role,
            occurred_at=self.driver.now, accepted_at=self.driver.now, sealed=TurnBody(content=text),
        )  # fmt: skip

    def pipe(self, event: Any) -> None:
        self.driver.pipe(topics.TURNS, event)

    async def until_job(self, jobs: int = 1) -> Job:
        for _ in range(60):
            await self.say()
            if len(self.jobs) >= jobs:
                return self.jobs[-1]
        raise AssertionError("no job was asked for")

    async def answer(self, job: Job, summary: str = "A summary.", status: Any = "done", **changes: Any) -> None:
        p = job.sealed.payload
        result = CheckpointResult(
            tenant="acme", user_id="ann", session_id="s1", segment=p["segment"], last_turn_id=p["last_turn_id"],
            recent_turns=p["recent_turns"], status=status, extractive=True, job_id=job.job_id,
            sealed=CheckpointResultBody(summary=summary if status == "done" else ""),
        )  # fmt: skip
        self.pipe(result.model_copy(update=changes))
        await self.driver.run()

    async def command(self, command: Any, **fields: Any) -> None:
        body = SessionCommandBody(summary=fields.pop("summary", None))
        event = SessionCommand(
            tenant="acme", user_id="ann", session_id="s1", command=command, command_id=f"c{self.number}",
            accepted_at=self.driver.now, sealed=body, **fields,
        )  # fmt: skip
        self.pipe(event)
        await self.driver.run()

    @property
    def jobs(self) -> list[Job]:
        return [e for e in self.driver.read(topics.JOBS) if isinstance(e, Job)]

    @property
    def state(self) -> SessionState:
        return [e for e in self.driver.read(topics.SESSION_STATE) if isinstance(e, SessionState)][-1]

    @property
    def history(self) -> str:
        """As a prompt has it."""
        s = self.state
        return render(s.sealed.summary, [m.model_dump() for m in s.sealed.window])

    @property
    def rows(self) -> list[Checkpoint]:
        return [e for e in self.driver.read(topics.SESSION_STATE) if isinstance(e, Checkpoint)]

    @property
    def positions(self) -> dict[str, int]:
        return {t.turn_id: t.position for t in self.driver.read(topics.HISTORY) if isinstance(t, ScreenedTurn)}

    def cost(self, text: str) -> int:
        return self.counter.count(f"{text}\n")


@LANGUAGES
async def test_e2_a_job_is_asked_for_at_the_ratio_and_not_before(models: Models, language: str) -> None:
    talk = Talk(models, language)
    job = await talk.until_job()
    before, last = talk.state.segment_tokens, talk.cost(f"AI: {talk.said[1]} ({talk.number})")
    assert before >= 300 > before - last - talk.cost(f"User: {talk.said[0]} ({talk.number})")
    turns = job.sealed.payload["turns"]
    assert [t["role"] for t in turns[:2]] == ["user", "assistant"]
    assert turns[0]["content"] == f"{talk.said[0]} (1)"
    assert job.sealed.payload["language"] == language
    assert talk.state.mode == "FULL_HISTORY"


@pytest.mark.parametrize("speaker", [None, "Professor Aleksandra Wiśniewska-Kowalczyk", "欧阳修"])
@LANGUAGES
async def test_e2_the_stream_counts_what_a_prompt_has(models: Models, language: str, speaker: str | None) -> None:
    """Labels, speakers' names and line breaks are tokens, too: by a flat rate a session was due here and not there."""
    talk = Talk(models, language, window=100_000)
    texts = ("好", "OK!", "Ends with a break\n\n", "- a list\n- of two", *talk.said, "1.5 kg?")
    for number, text in enumerate(texts):
        turn = talk.turn(("user", "assistant", "tool", "system")[number % 4], text)
        body = turn.sealed.model_copy(update={"speaker": speaker})
        talk.pipe(turn.model_copy(update={"turn_id": f"n{number}", "sealed": body}))
    await talk.driver.run()
    assert len(talk.state.sealed.window) == len(texts)
    assert talk.state.segment_tokens == talk.counter.count(f"{talk.history}\n")


async def test_e2_one_job_a_segment_however_much_is_said_meanwhile(models: Models) -> None:
    talk = Talk(models)
    await talk.until_job()
    await talk.say(5)
    assert len(talk.jobs) == 1


async def test_a_job_that_was_never_answered_is_asked_for_again_after_an_hour(models: Models) -> None:
    talk = Talk(models)
    await talk.until_job()
    talk.driver.advance(timedelta(hours=1))
    await talk.say()
    assert len({j.job_id for j in talk.jobs}) == 2


@LANGUAGES
async def test_e3_the_answer_switches_and_carries_the_last_turns(models: Models, language: str) -> None:
    talk = Talk(models, language)
    job = await talk.until_job()
    summary = {"en": "They plan to move to Lisbon.", "zh": "他们打算搬到里斯本。"}[language]
    revision = talk.state.revision
    await talk.answer(job, summary)
    s = talk.state
    assert (s.mode, s.segment, s.revision) == ("SUMMARY_N", 1, revision + 1)
    assert s.sealed.summary == summary
    n = talk.number
    # The job came with the user's message or with the reply: the carried turns end where the summary does.
    carried_ids = [m.turn_id for m in s.sealed.window]
    assert carried_ids[:3] == [f"u{n - 1}", f"a{n - 1}", f"u{n}"]
    assert s.segment_tokens == talk.counter.count(f"{talk.history}\n"), "as a reader counts"
    [row] = talk.rows
    assert (row.message_id, row.position) == (s.checkpoint_message_id, s.segment_start)
    assert row.sealed.summary == summary
    assert row.extractive


async def test_e3_the_segment_is_cut_by_the_place_in_the_log(models: Models) -> None:
    """What was said while the summary was made belongs to the new segment, whatever its times are."""
    talk = Talk(models, recent=1)
    job = await talk.until_job()
    await talk.say(2)
    await talk.answer(job)
    positions = talk.positions
    s = talk.state
    assert s.segment_start == positions[job.sealed.payload["last_turn_id"]] + 1
    late = [t for t, p in positions.items() if p >= s.segment_start]
    assert [m.turn_id for m in s.sealed.window][-len(late) :] == late


async def test_e2_in_summary_n_the_check_goes_on_and_checkpoints_again(models: Models) -> None:
    talk = Talk(models)
    await talk.answer(await talk.until_job(), "First summary.")
    job = await talk.until_job(2)
    assert job.sealed.payload["summary"] == "First summary."
    assert job.sealed.payload["segment"] == 1
    whole = [t["content"] for j in talk.jobs for t in j.sealed.payload["turns"]]
    assert whole == [f"{text} ({n})" for n in range(1, talk.number + 1) for text in talk.said][: len(whole)]
    await talk.answer(job, "Second summary.")
    assert talk.state.segment == 2
    assert talk.state.sealed.summaries == ("Second summary.", "First summary.")
    assert [r.segment for r in talk.rows] == [1, 2]


async def test_e3_an_answer_for_a_segment_that_is_closed_changes_nothing(models: Models) -> None:
    talk = Talk(models)
    job = await talk.until_job()
    await talk.answer(job, "Once.")
    revision = talk.state.revision
    await talk.answer(job, "Twice.")
    await talk.answer(job, "Unknown turn.", segment=1, last_turn_id="never said")
    assert talk.state.revision == revision
    assert talk.state.sealed.summary == "Once."


async def test_e3_an_answer_after_a_reset_changes_nothing(models: Models) -> None:
    talk = Talk(models)
    job = await talk.until_job()
    await talk.command("reset")
    start = talk.state.segment_start
    await talk.answer(job)
    assert talk.state.mode == "FULL_HISTORY"
    assert (talk.state.checkpoint_message_id, talk.state.segment_tokens, talk.rows) == (None, 0, [])
    assert start == max(talk.positions.values()) + 1


async def test_e3_a_failure_leaves_full_history_and_the_next_turn_asks_again(models: Models) -> None:
    talk = Talk(models)
    job = await talk.until_job()
    await talk.answer(job, status="failed")
    assert (talk.state.mode, talk.state.segment, talk.rows) == ("FULL_HISTORY", 0, [])
    assert len(talk.jobs) == 1
    await talk.say()
    assert len(talk.jobs) == 2
    assert talk.jobs[1].job_id != job.job_id
    await talk.answer(talk.jobs[1], "Now.")
    assert talk.state.mode == "SUMMARY_N"


async def test_e3_a_failure_keeps_the_checkpoint_before(models: Models) -> None:
    talk = Talk(models)
    await talk.answer(await talk.until_job(), "First.")
    kept = talk.state.checkpoint_message_id
    await talk.answer(await talk.until_job(2), status="failed")
    s = talk.state
    assert (s.mode, s.checkpoint_message_id, s.sealed.summary) == ("FULL_HISTORY", kept, "First.")


async def test_e2_the_window_shrinks_and_no_checkpoint_comes_without_a_new_turn(models: Models) -> None:
    talk = Talk(models, window=100, recent=8)
    job = await talk.until_job()
    await talk.answer(job)
    s = talk.state
    assert s.segment_tokens < 75
    assert len(s.sealed.window) < 8
    talk.driver.tick()
    await talk.driver.run()
    assert len(talk.jobs) == 1
    await talk.command("checkpoint", summary="By hand.")
    await talk.command("checkpoint")
    assert len(talk.jobs) == 1


@LANGUAGES
async def test_e5_a_checkpoint_by_hand_without_a_summary_is_a_job(models: Models, language: str) -> None:
    talk = Talk(models, language)
    await talk.say(3)
    await talk.command("checkpoint", recent_turns=1)
    [job] = talk.jobs
    assert job.sealed.payload["recent_turns"] == 1
    await talk.answer(job)
    assert [m.turn_id for m in talk.state.sealed.window] == ["u3", "a3"]


async def test_e5_a_checkpoint_by_hand_with_a_summary_closes_the_segment_at_its_last_turn(models: Models) -> None:
    talk = Talk(models)
    await talk.say(3)
    await talk.command("checkpoint", summary="By hand.", recent_turns=1)
    assert talk.jobs == []
    assert talk.state.segment_start == max(talk.positions.values()) + 1 == talk.rows[0].position
    assert [m.turn_id for m in talk.state.sealed.window] == ["u3", "a3"]
    assert not talk.rows[0].extractive


async def test_e2_a_session_says_from_where_on_turns_were_carried_over(models: Models) -> None:
    talk = Talk(models, window=100, recent=8)
    await talk.answer(await talk.until_job(), "First.")
    s = talk.state
    assert s.sealed.carried_from == talk.positions[s.sealed.window[0].turn_id] < s.segment_start
    await talk.say(1)
    await talk.command("checkpoint", summary="one " * 200)
    assert talk.state.sealed.window == (), "there is no room beside the summary"
    assert talk.state.sealed.carried_from == talk.state.segment_start
    await talk.command("reset")
    assert talk.state.sealed.carried_from is None


async def test_a_restart_decides_the_same(models: Models) -> None:
    whole, broken = Talk(models), Talk(models)
    for talk in (whole, broken):
        await talk.until_job()
    broken.driver.restart(rewind=5)
    for talk in (whole, broken):
        await talk.driver.run()
        await talk.answer(talk.jobs[0])
        await talk.say(2)
    assert whole.state == broken.state
    assert {j.job_id for j in whole.jobs} == {j.job_id for j in broken.jobs}


def kept(position: int, role: str, content: str = "x", tokens: int = 10) -> Kept:
    return Kept(position, f"t{position}", role, None, content, tokens, "en")


def test_e2_a_turn_is_a_message_of_the_user_and_what_follows() -> None:
    turns = [kept(0, "user"), kept(1, "tool"), kept(2, "assistant"), kept(3, "user"), kept(4, "assistant")]
    assert [t.position for t in pairs(turns, 1)] == [3, 4]
    assert pairs(turns, 2) == turns
    assert pairs(turns, 0) == ()


def test_e2_carried_turns_stay_under_the_limit() -> None:
    turns = [kept(i, "user") for i in range(5)]
    assert len(carried(turns, 10, 4, 1_000)) == 4
    assert len(carried(turns, 10, 4, 31)) == 2
    assert carried(turns, 10, 4, 15) == ()


def test_a_job_is_made_from_the_newest_turns_in_bounds() -> None:
    turns = [kept(i, "user", "y" * 10) for i in range(5)]
    assert [t.position for t in newest(turns, 2 * 70 + 5)] == [3, 4]
    assert newest(turns, 5 * 70) == turns


@pytest.mark.slow
async def test_no_text_makes_a_job_that_its_topic_does_not_take(models: Models) -> None:
    """Control characters are six bytes each in JSON; a dead-lettered turn would be the same again with each turn."""
    wide = Profile(name="wide", version=1, session=SessionSpec(model_context_window=1_000_000))
    d = TopologyDriver([Session(models, ProfileBook(wide))], START)

    def command(number: int, summary: str | None) -> SessionCommand:
        body = SessionCommandBody(summary=summary)
        return SessionCommand(
            tenant="acme", user_id="ann", session_id="s1", command_id=f"c{number}", command="checkpoint",
            accepted_at=START, sealed=body,
        )  # fmt: skip

    def statement(number: int) -> ScreenedTurn:
        body = ScreenedBody(content="\x01" * 4_000)
        return turn("en", turn_id=f"t{number}", position=number, accepted_at=START, sealed=body)

    d.pipe(topics.HISTORY, statement(0))
    d.pipe(topics.HISTORY, command(0, "\x01" * 99_000))
    for n in range(1, 61):
        d.pipe(topics.HISTORY, statement(n))
    d.pipe(topics.HISTORY, command(1, None))
    await d.run()
    [job] = d.read(topics.JOBS)
    assert isinstance(job, Job)
    assert len(job.sealed.payload["turns"]) == 49
    assert d.dead_letters() == []
