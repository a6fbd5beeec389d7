"""What a job becomes, over a scripted endpoint: ok, away, malformed, refusing, truncated (B7, B9, E3, N1)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from memstream.workers.asking import Bounds
from memstream.workers.job_work import JobWork, UnknownJob
from processors.ports import Models, ProfileBook
from processors.reader.step import READ, extraction_job
from schemas.events.documents import Job, JobBody
from schemas.events.memory import Extraction, JobResult
from schemas.events.turns import CheckpointResult, ScreenedBody
from schemas.log import topics
from schemas.profile.model import Profile, load_profile
from schemas.profile.pii_policy import PiiAction
from tests.endpoint import Scripted
from tests.unit.jobs.support import STATEMENTS, Seen, Time, checkpoint, extraction_of, turn, working

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
ANSWERS: dict[str, Any] = {
    "en": {
        "kind": "fact",
        "text": "User is 32 years old.",
        "quote": "I am 32",
        "fields": [{"name": "age", "value": 32}],
    },
    "zh": {"kind": "fact", "text": "用户32岁。", "quote": "我今年32岁", "fields": [{"name": "age", "value": 32}]},
}
SUMMARIES = {"en": "The user is 32 and lives in Lisbon.", "zh": "用户32岁，住在杭州。"}


def saying(language: str) -> Any:
    return lambda request: {"candidates": [ANSWERS[language]]}


class Changing(ProfileBook):
    """A book whose default is what was set last."""

    def of(self, tenant: str) -> Profile:
        return self.default


async def extracted(work: JobWork, job: Job) -> Extraction:
    [emit] = await work.run(job)
    assert emit.topic is topics.LEDGER
    assert isinstance(emit.event, Extraction)
    return emit.event


async def summed_up(work: JobWork, job: Job) -> tuple[CheckpointResult, JobResult]:
    result, kept = await work.run(job)
    assert (result.topic, kept.topic) == (topics.TURNS, topics.LEDGER)
    assert isinstance(result.event, CheckpointResult)
    assert isinstance(kept.event, JobResult)
    return result.event, kept.event


@pytest.mark.parametrize(("action", "kept"), [(PiiAction.MASK, 1), (PiiAction.REFUSE, 0)])
async def test_d5_what_is_masked_while_the_endpoint_is_away_is_not_told_it_nor_remembered(
    models: Models, action: PiiAction, kept: int
) -> None:
    """A rescreen masks what is stored, and does not reach a job."""
    plain = load_profile("general")
    tight = plain.model_copy(update={"version": 2, "pii": {**plain.pii, "PERSON": action}})
    book, time = Changing(plain), Time()
    time.then = lambda _: setattr(book, "default", tight)
    boss = {"kind": "relation", "text": "User's boss is Ann Kovacs.", "quote": "my boss is Ann Kovacs", "fields": []}
    endpoint = Scripted([503, lambda request: {"candidates": [boss, ANSWERS["en"]]}])
    statement = turn(
        sealed=ScreenedBody(content="I am 32 and my boss is Ann Kovacs.", previous=(("user", "Ann Kovacs!"),))
    )
    async with working(models, endpoint, time=time, book=book) as work:
        e = await extracted(work, extraction_job(statement, "extract"))
    assert ["Ann Kovacs" in str(request) for request in endpoint.seen] == [True, False][: 1 + kept]
    assert (e.profile_version, e.refused, bool(e.sealed.candidates)) == (2, not kept, bool(kept))
    assert e.refused_for == (None if kept else "person")


@LANGUAGES
async def test_b7_n1_the_answer_is_a_record_of_the_ledger_with_model_prompt_and_vectors(
    models: Models, language: str
) -> None:
    endpoint, seen = Scripted([saying(language)]), Seen()
    async with working(models, endpoint, seen) as work:
        e = await extracted(work, extraction_of(language))
    [c] = e.sealed.candidates
    assert (c.field, c.value, c.text) == ("age", 32, ANSWERS[language]["text"])
    assert (e.extractor, e.extractor_version, e.model, e.reason) == ("model", 1, "scripted-1", None)
    assert e.prompt_hash is not None
    assert len(e.prompt_hash) == 16
    assert c.terms
    assert len(c.embedding) == 2 * models.embedder.dimensions
    assert (e.turn.turn_id, e.interaction_id) == ("t1", "i1")
    assert seen.counts["prompt_tokens"] == 100
    assert seen.counts["completion_tokens"] == 10
    [request] = endpoint.seen
    assert (request["temperature"], request["max_tokens"]) == (0.0, 1_000)
    assert "Hello!" in request["messages"][-1]["content"]
    assert ("目录" in request["messages"][0]["content"]) == (language == "zh")


async def test_b7_one_prompt_for_all_turns_so_that_its_prefix_can_be_cached(models: Models) -> None:
    endpoint = Scripted([saying("en")])
    async with working(models, endpoint) as work:
        first = await extracted(work, extraction_of("en"))
        second = await extracted(work, extraction_of("en", turn_id="t2", user_id="bob"))
    assert endpoint.seen[0]["messages"][0] == endpoint.seen[1]["messages"][0]
    assert first.prompt_hash == second.prompt_hash


async def test_b7_away_pauses_and_backs_off_until_there_is_an_answer(models: Models) -> None:
    endpoint, seen, time = Scripted([503, 429, 500, 401, saying("en")]), Seen(), Time()
    async with working(models, endpoint, seen, time) as work:
        e = await extracted(work, extraction_of())
    assert (e.extractor, e.reason) == ("model", None)
    assert time.slept == [1.0, 2.0, 4.0, 8.0]
    assert seen.counts["away"] == 4


@pytest.mark.parametrize(
    ("bounds", "calls", "slept"),
    [
        (Bounds(tries=4), 4, [1.0, 2.0, 4.0]),
        (Bounds(age=timedelta(seconds=10)), 4, [1.0, 2.0, 4.0]),
        (Bounds(), 10, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]),
    ],
    ids=["tries", "age", "as shipped"],
)
async def test_b7_an_endpoint_that_stays_away_is_given_up(
    models: Models, bounds: Bounds, calls: int, slept: list[float]
) -> None:
    endpoint, seen, time = Scripted([503]), Seen(), Time()
    async with working(models, endpoint, seen, time, bounds=bounds) as work:
        e = await extracted(work, extraction_of())
    assert (e.extractor, e.model, e.reason, e.sealed.candidates) == ("model", None, "away", ())
    assert (len(endpoint.seen), time.slept) == (calls, slept)
    assert seen.counts["gave_up_away"] == 1


async def test_b7_a_turn_that_is_too_old_is_not_asked_about(models: Models) -> None:
    endpoint, seen, time = Scripted([saying("en")]), Seen(), Time()
    time.now += timedelta(hours=1, seconds=1)
    async with working(models, endpoint, seen, time) as work:
        e = await extracted(work, extraction_of())
    assert (e.reason, endpoint.seen) == ("too_old", [])
    assert seen.counts["gave_up_too_old"] == 1


async def test_b7_an_endpoint_that_never_answers_in_time_has_three_calls(models: Models) -> None:
    endpoint, seen = Scripted(["slow"]), Seen()
    async with working(models, endpoint, seen, patience=0.05) as work:
        e = await extracted(work, extraction_of())
    assert (e.reason, len(endpoint.seen)) == ("slow", 3)
    assert seen.counts["gave_up_slow"] == 1


async def test_b7_without_a_model_a_job_of_before_is_given_up(models: Models) -> None:
    async with working(models, None) as work:
        assert (await extracted(work, extraction_of())).reason == "no_model"


@LANGUAGES
@pytest.mark.parametrize("answer", ["malformed", "says"])
async def test_b7_a_job_of_before_the_rules_read_every_turn_is_read_by_them_too(
    models: Models, answer: str, language: str
) -> None:
    """Its turn has no other reading."""
    job = extraction_of(language)
    payload = {k: v for k, v in job.sealed.payload.items() if k != READ}
    old = job.model_copy(update={"sealed": JobBody(payload=payload)})
    async with working(models, Scripted([saying(language) if answer == "says" else answer])) as work:
        first, second = [emit.event for emit in await work.run(old)]
    assert isinstance(first, Extraction)
    assert isinstance(second, Extraction)
    assert (first.extractor, second.extractor) == ("rules", "model")
    assert {"age": 32}.items() <= {c.field: c.value for c in first.sealed.candidates}.items()
    assert bool(second.sealed.candidates) is (answer == "says")


async def test_b7_the_endpoint_says_how_long_it_is_away(models: Models) -> None:
    endpoint, time = Scripted([429, saying("en")], retry_after="17"), Time()
    async with working(models, endpoint, time=time) as work:
        await extracted(work, extraction_of())
    assert time.slept == [17.0]


@LANGUAGES
@pytest.mark.parametrize(
    ("word", "reason"),
    [("malformed", "not_json"), ("refusing", "refused"), ("truncated", "truncated"), (400, "rejected")],
)
async def test_b7_three_times_no_answer_leaves_the_rules_reading_with_the_reason(
    models: Models, word: str | int, reason: str, language: str
) -> None:
    endpoint, seen = Scripted([word]), Seen()
    async with working(models, endpoint, seen) as work:
        e = await extracted(work, extraction_of(language))
    assert (e.extractor, e.model, e.reason, e.sealed.candidates) == ("model", None, reason, ())
    assert seen.counts.get("prompt_tokens", 0) == (0 if word == 400 else 300), "what it took is paid all the same"
    assert seen.counts[f"malformed_{reason}"] == 3
    assert seen.counts[f"gave_up_{reason}"] == 1


async def test_b7_json_of_another_form_is_malformed(models: Models) -> None:
    endpoint = Scripted([lambda request: ["not", "it"], lambda request: {"candidates": 3}, saying("en")])
    async with working(models, endpoint) as work:
        assert (await extracted(work, extraction_of())).extractor == "model"


@LANGUAGES
async def test_e3_a_model_sums_up(models: Models, language: str) -> None:
    endpoint = Scripted([lambda request: {"summary": SUMMARIES[language]}])
    async with working(models, endpoint) as work:
        result, kept = await summed_up(work, checkpoint(language, summary="Before."))
    assert (result.status, result.extractive, result.model) == ("done", False, "scripted-1")
    assert result.sealed.summary == SUMMARIES[language]
    assert (result.segment, result.last_turn_id, result.recent_turns) == (3, "t9", 8)
    assert (kept.model, kept.status) == ("scripted-1", "done")
    assert kept.prompt_hash
    assert kept.sealed.result["summary"] == SUMMARIES[language]
    question = json.loads(endpoint.seen[0]["messages"][-1]["content"])
    assert question == {"SUMMARY": "Before.", "CONVERSATION": [{"role": "user", "content": STATEMENTS[language]}]}


@LANGUAGES
async def test_e3_without_a_model_the_summary_is_extracted(models: Models, language: str) -> None:
    async with working(models, None) as work:
        result, kept = await summed_up(work, checkpoint(language))
    assert (result.status, result.extractive, result.model) == ("done", True, None)
    assert "32" in result.sealed.summary
    assert kept.reason == "no_model"


async def test_e3_one_try_and_three_retries_after_1_2_3_seconds_then_failed(models: Models) -> None:
    endpoint, time = Scripted([503]), Time()
    async with working(models, endpoint, time=time) as work:
        result, kept = await summed_up(work, checkpoint())
    assert (len(endpoint.seen), time.slept) == (4, [1.0, 2.0, 3.0])
    assert (result.status, result.sealed.summary, kept.reason) == ("failed", "", "away")


async def test_e3_a_retry_may_succeed(models: Models) -> None:
    endpoint, time = Scripted([503, "malformed", lambda request: {"summary": "Now."}]), Time()
    async with working(models, endpoint, time=time) as work:
        result, _ = await summed_up(work, checkpoint())
    assert (result.status, result.sealed.summary, time.slept) == ("done", "Now.", [1.0, 2.0])


@pytest.mark.parametrize(
    ("word", "reason"), [("refusing", "refused"), ("truncated", "truncated"), ("empty", "no_answer")]
)
async def test_b7_a_summary_refused_three_times_is_extracted(models: Models, word: str, reason: str) -> None:
    endpoint = Scripted([word])
    async with working(models, endpoint) as work:
        result, kept = await summed_up(work, checkpoint())
    assert len(endpoint.seen) == 3
    assert (result.status, result.extractive, kept.reason) == ("done", True, reason)


async def test_e7_a_summary_keeps_to_its_bound_and_is_measured(models: Models) -> None:
    endpoint, seen = Scripted([lambda request: {"summary": "many words " * 200}]), Seen()
    async with working(models, endpoint, seen) as work:
        result, _ = await summed_up(work, checkpoint(max_tokens=60))
    tokens = models.counter("o200k_base").count(result.sealed.summary)
    assert 50 < tokens <= 60
    assert seen.counts["summary_tokens"] == tokens
    assert [seen.counts[f"summary_tokens_le_{n}"] for n in (50, 100, 1_000)] == [0, 1, 1]


@pytest.mark.parametrize("changes", [{"job": "report"}, {"session_id": None}, {"sealed": checkpoint(turns=3).sealed}])
async def test_what_is_no_job_of_ours_says_so_without_content(models: Models, changes: dict[str, Any]) -> None:
    async with working(models, None) as work:
        with pytest.raises(UnknownJob):
            await work.run(checkpoint().model_copy(update=changes))
