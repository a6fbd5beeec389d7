"""A model that lies: nothing unsupported is kept, nothing that the rules found is lost (B7)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from processors.ports import Models
from processors.reader.quotation_support import words_of
from tests.endpoint import Scripted
from tests.model.pipeline import Pipeline, by_rules
from tests.unit.jobs.support import Seen, working

EN = (
    "I live in Leeds and my office is in York.",
    "My sister works as a nurse in Hull.",
    "Should I move to Lisbon next year?",
    "I don't drink coffee any more.",
    "If I earned 90k I would buy a boat.",
    "I am 32 and I have two children.",
)
ZH = (
    "我住在杭州，公司在上海。",
    "我妈妈是护士，住在苏州。",
    "我明年要不要搬到北京？",
    "我不喝咖啡了。",
    "如果我年薪有90万，我就买船。",
    "我今年32岁，有两个孩子。",
)
LANGUAGES = pytest.mark.parametrize("texts", [EN, ZH], ids=["en", "zh"])


def entry(text: str, quote: str, **fields: Any) -> dict[str, Any]:
    return {
        "kind": "fact", "text": text, "quote": quote,
        "fields": [{"name": n, "value": v} for n, v in fields.items()],
    }  # fmt: skip


def said_in(request: dict[str, Any]) -> str:
    return str(json.loads(request["messages"][-1]["content"])["MESSAGE"])


LIES = (
    entry("User lives in Paris", "I live in Paris", currentLocation="Paris"),
    entry("User lives in York", "I live in Leeds and my office is in York", currentLocation="York"),
    entry("User hates Leeds", "I live in Leeds"),
    entry("User lives in Leeds with a dog", "I live in Leeds"),
    entry("User does not live in Leeds", "I live in Leeds", currentLocation="Leeds"),
    entry("User works as a nurse in Hull", "works as a nurse in Hull", currentJobTitle="nurse"),
    entry("User lives in Hull", "in Hull", currentLocation="Hull"),
    entry("User moves to Lisbon next year", "I move to Lisbon next year", currentLocation="Lisbon"),
    entry("User drinks coffee", "drink coffee"),
    entry("User earned 90k", "I earned 90k", annualIncome=90_000),
    entry("User is 33", "I am 32", age=33),
    entry("User has three children", "I have two children"),
    entry("用户住在上海", "我住在杭州，公司在上海", currentLocation="上海"),
    entry("用户讨厌杭州", "我住在杭州"),
    entry("用户不住在杭州", "我住在杭州", currentLocation="杭州"),
    entry("用户是护士", "是护士", currentJobTitle="护士"),
    entry("用户住在苏州", "住在苏州", currentLocation="苏州"),
    entry("用户搬到北京", "搬到北京", currentLocation="北京"),
    entry("用户喝咖啡", "喝咖啡"),
    entry("用户年薪90万", "我年薪有90万", annualIncome=900_000),
    entry("用户33岁", "我今年32岁", age=33),
    entry("用户有三个孩子", "有两个孩子"),
)
SHAPES: tuple[Any, ...] = (
    [], {}, {"candidates": None}, {"candidates": [None, 3, "x", [], {"kind": "rumour"}]},
    {"candidates": [{"kind": "fact", "text": "User is 32", "quote": {"a": 1}}]},
    {"candidates": [{"kind": "fact", "text": "x" * 5_000, "quote": "I"}]},
    {"candidates": [{"kind": "fact", "text": "User", "quote": "I"}] * 500},
)  # fmt: skip


@LANGUAGES
async def test_b7_nothing_that_nobody_said_is_kept_and_nothing_found_is_lost(
    models: Models, texts: tuple[str, ...]
) -> None:
    """Every lie about every turn, also about those that it quotes."""
    alone, pipeline, seen = await by_rules(models, *texts), Pipeline(models), Seen()
    await pipeline.say(*texts)
    lying = Scripted([lambda request: {"candidates": list(LIES)}])
    async with working(models, lying, seen, book=pipeline.book) as work:
        await pipeline.answer(work)
    assert pipeline.texts() == alone.texts()
    assert {k: u.sealed.value for k, u in pipeline.memories().items()} == {
        k: u.sealed.value for k, u in alone.memories().items()
    }
    assert set(pipeline.rules_of_turns()) == {"model_read"}
    assert all(seen.counts[f"dropped_{why}"] for why in ("not_said", "not_carried", "polarity", "not_of_the_speaker"))


@LANGUAGES
@pytest.mark.parametrize("seed", range(3))
async def test_b7_words_of_the_turn_shuffled_lose_nothing(models: Models, texts: tuple[str, ...], seed: int) -> None:
    """Statements from the turn's own words, in any order, about any field."""
    draw = random.Random(seed)

    def shuffled(request: dict[str, Any]) -> Any:
        statement = said_in(request)
        words = statement.split() if " " in statement else list(statement)
        made = []
        for _ in range(12):
            picked = draw.sample(words, k=min(len(words), draw.randint(1, 6)))
            text = f"User {' '.join(picked)}" if " " in statement else f"用户{''.join(picked)}"
            field = draw.choice(["age", "currentLocation", "annualIncome", "university"])
            value: Any = draw.choice([7, 32, draw.choice(words)])
            made.append(entry(text, statement, **({field: value} if draw.random() < 0.5 else {})))
        return {"candidates": made}

    alone, pipeline = await by_rules(models, *texts), Pipeline(models)
    await pipeline.say(*texts)
    async with working(models, Scripted([shuffled]), book=pipeline.book) as work:
        await pipeline.answer(work)
    active = pipeline.memories()
    for key, u in alone.memories().items():
        same_record = [v for v in active.values() if v.record_id == u.record_id]
        assert same_record, f"{u.sealed.text!r} was lost"
        if u.field:
            assert [v.sealed.value for v in same_record] == [u.sealed.value], key


@pytest.mark.parametrize("shape", SHAPES, ids=range(len(SHAPES)))
async def test_b7_an_answer_of_any_shape_changes_nothing(models: Models, shape: Any) -> None:
    pipeline = Pipeline(models)
    await pipeline.say(*EN[:2])
    stood = pipeline.memories()
    async with working(models, Scripted([lambda request: shape]), book=pipeline.book) as work:
        await pipeline.answer(work)
    assert pipeline.memories() == stood


@pytest.mark.parametrize(
    ("text", "true", "values"),
    [
        ("I have put down roots in Lisbon, and I play the cello.",
         (entry("User has put down roots in Lisbon", "I have put down roots in Lisbon", currentLocation="Lisbon"),
          entry("User plays the cello", "I play the cello")), {"Lisbon"}),
        ("我已经在里斯本定居，平时拉大提琴。",
         (entry("用户住在里斯本", "我已经在里斯本定居", currentLocation="里斯本"),
          entry("用户平时拉大提琴", "平时拉大提琴")), {"里斯本"}),
    ],
    ids=["en", "zh"],
)  # fmt: skip
async def test_b7_what_is_true_among_lies_is_added(
    models: Models, text: str, true: tuple[dict[str, Any], ...], values: set[str]
) -> None:
    answer: Callable[[dict[str, Any]], Any] = lambda request: {"candidates": [*LIES, *true]}  # noqa: E731
    alone, pipeline = await by_rules(models, text), Pipeline(models)
    await pipeline.say(text)
    async with working(models, Scripted([answer]), book=pipeline.book) as work:
        await pipeline.answer(work)
    assert values <= {str(u.sealed.value) for u in pipeline.memories().values()}
    assert pipeline.by_model()
    assert {u.sealed.text for u in pipeline.by_model()} <= {t["text"] for t in true}
    active = {u.record_id for u in pipeline.memories().values()}
    sharper = [words_of(u.sealed.text) for u in pipeline.by_model() if u.sealed.value is not None]
    for u in alone.memories().values():
        in_a_field = u.sealed.value is None and any(words_of(u.sealed.text) <= words for words in sharper)
        assert u.record_id in active or in_a_field, u.sealed.text
