"""Who reads a turn: the rules at once, and where one is configured a model by a job (B9, D1, D5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from processors.ports import Models, ProfileBook
from processors.reader.pending_replies import WAIT
from processors.reader.rules.rules import RuleExtractor
from processors.reader.step import Extract, encode, is_read, turn_of
from schemas.events.documents import Job
from schemas.events.envelope import Tick
from schemas.events.memory import Extraction
from schemas.log import topics
from schemas.log.owner import partition, user
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from tests.unit.jobs.support import AT, turn


async def step(models: Models, ask_model: bool, **changes: Any) -> tuple[list[Job], list[Extraction]]:
    extract = Extract(RuleExtractor(), models, ProfileBook(load_profile("general")), ask_model=ask_model)
    d = TopologyDriver([extract], AT)
    d.pipe(topics.HISTORY, turn(changes.pop("language", "en"), **changes))
    await d.run()
    d.advance(WAIT)
    d.pipe_raw(topics.HISTORY, partition(user("acme", "ann"), 8), d.codec.value(Tick(now=d.now)))
    await d.run()
    assert not d.dead_letters()
    jobs = [e for e in d.read(topics.JOBS) if isinstance(e, Job)]
    return jobs, [e for e in d.read(topics.LEDGER) if isinstance(e, Extraction)]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_b9_a_promising_turn_is_read_by_the_rules_and_a_job(models: Models, language: str) -> None:
    [job], [read] = await step(models, True, language=language)
    assert (read.extractor, read.model_asked) == ("rules", True)
    assert {c.field for c in read.sealed.candidates} >= {"age"}
    assert all(c.spans for c in read.sealed.candidates)
    assert is_read(job)
    assert (job.job, job.asked_by, job.owner_id) == ("extraction", "extract", "ann")
    sent = turn(language)
    back = turn_of(job)
    assert (back.sealed.content, back.sealed.previous, back.turn_id) == (
        sent.sealed.content,
        sent.sealed.previous,
        "t1",
    )
    assert back.sealed.embedding == b""


@pytest.mark.parametrize(
    "changes",
    [
        {"refused": True},
        {"role": "assistant"},
        {"sealed": turn().sealed.model_copy(update={"content": "Thanks!", "previous": ()})},
    ],
)
async def test_b9_d5_other_turns_reach_no_model(models: Models, changes: dict[str, Any]) -> None:
    jobs, [e] = await step(models, True, **changes)
    assert (jobs, e.extractor, e.sealed.candidates, e.model_asked) == ([], "rules", (), False)


@pytest.mark.parametrize(
    ("pii", "rule"), [({"IBAN_CODE:refuse": 1, "URL:allow": 1}, "iban_code"), ({"CREDENTIAL:refuse": 1}, "credential")]
)
async def test_n5_a_refused_turn_names_the_entity(models: Models, pii: dict[str, int], rule: str) -> None:
    _, [e] = await step(models, False, refused=True, pii=pii)
    assert (e.refused, e.refused_for, e.sealed.candidates) == (True, rule, ())
    _, [e] = await step(models, False, pii={"IBAN_CODE:mask": 1})
    assert e.refused_for is None


async def test_b7_without_a_model_the_rules_do_the_work(models: Models) -> None:
    jobs, [e] = await step(models, False)
    assert jobs == []
    assert {c.field for c in e.sealed.candidates} >= {"age"}


@pytest.mark.parametrize(
    ("language", "content"),
    [
        ("en", "I live in Leeds, right?"),
        ("zh", "我住在杭州，对吗？我上周五去看了西湖的荷花。"),
    ],
)
async def test_d1_a_turn_that_waited_reaches_the_gate_as_it_was(models: Models, language: str, content: str) -> None:
    """It waits in a row of the state; its vectors come out of it as they went in, so the gate can compare them."""
    changes = {"sealed": turn(language).sealed.model_copy(update={"content": content, "previous": ()})}
    extract = Extract(RuleExtractor(), models, ProfileBook(load_profile("general")), ask_model=False)
    d = TopologyDriver([extract], AT)
    d.pipe(topics.HISTORY, turn(language, **changes))
    await d.run()
    assert not d.read(topics.LEDGER)  # it waits for its reply
    d.advance(WAIT)
    d.pipe_raw(topics.HISTORY, partition(user("acme", "ann"), 8), d.codec.value(Tick(now=d.now)))
    await d.run()
    [e] = [e for e in d.read(topics.LEDGER) if isinstance(e, Extraction)]
    assert e.sealed.candidates
    made = encode([e.sealed.candidates], models)[0]
    for came, expected in zip(e.sealed.candidates, made, strict=True):
        vector = np.frombuffer(came.embedding, np.float16)
        assert vector == pytest.approx(np.frombuffer(expected.embedding, np.float16), abs=0.01)


@pytest.mark.parametrize(
    ("language", "content"),
    [
        ("en", "Cute, right? I got to feed a horse a carrot in Oban last May."),
        ("zh", "你说我记得对吗？我上周五去杭州看了西湖的荷花。"),
    ],
)
async def test_d1_a_turn_that_says_the_same_whatever_the_reply_does_not_wait(
    models: Models, language: str, content: str
) -> None:
    changes = {"sealed": turn(language).sealed.model_copy(update={"content": content, "previous": ()})}
    statement = Extract(RuleExtractor(), models, ProfileBook(load_profile("general")), ask_model=False)
    d = TopologyDriver([statement], AT)
    d.pipe(topics.HISTORY, turn(language, **changes))
    await d.run()
    [e] = [e for e in d.read(topics.LEDGER) if isinstance(e, Extraction)]
    assert len(e.sealed.candidates) == 1
