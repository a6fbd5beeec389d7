"""The threads of model and ranking work."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence

import httpx
import numpy as np
import pytest

from inference.protocols import Vectors
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from query.search.executor import ComputeLane, Questions, Understood, request_begins
from query.search.fair_lane import FairLane
from query.search.ranking.context import query_texts
from schemas.events.envelope import Envelope
from tests.patience import PATIENCE
from tests.unit.query.memory_log import MemoryLog


async def test_what_an_older_request_asks_for_goes_first() -> None:
    """The lane is held; meanwhile the younger request comes first with its call."""
    lane, gate, order = ComputeLane(), threading.Event(), list[str]()

    def noting(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    held = asyncio.create_task(lane(lambda: gate.wait(PATIENCE)))
    older, younger = asyncio.Event(), asyncio.Event()

    async def request(name: str, go: asyncio.Event) -> None:
        request_begins()
        await go.wait()
        await lane(noting(name))

    requests = [asyncio.create_task(request("older", older))]
    await asyncio.sleep(0.01)
    requests.append(asyncio.create_task(request("younger", younger)))
    await asyncio.sleep(0.01)
    younger.set()
    await asyncio.sleep(0.01)
    older.set()
    await asyncio.sleep(0.01)
    gate.set()
    await asyncio.gather(held, *requests)
    assert order == ["older", "younger"]
    lane.close()


async def test_h6_a_tenant_that_asks_much_delays_another_by_one_call() -> None:
    """A hundred memories of 100,000 characters stood before everybody's next one, for minutes."""
    lane, gate, order = FairLane("door", most=1_000), threading.Event(), list[str]()

    def noting(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    held = asyncio.create_task(lane.of("busy", 100, lambda: gate.wait(PATIENCE)))
    await asyncio.sleep(0.01)
    requests = [asyncio.create_task(lane.of("busy", 100, noting("busy"))) for _ in range(9)]
    await asyncio.sleep(0.01)
    with pytest.raises(ProblemError, match="waits"):
        await lane.of("busy", 1, noting("too much"))
    requests += [asyncio.create_task(lane.of("other", 10, noting("other"))) for _ in range(2)]
    await asyncio.sleep(0.01)
    gate.set()
    await asyncio.gather(held, *requests)
    assert order[:3].count("other") == 2
    assert order.count("busy") == 9
    assert not lane._waiting
    lane.close()


async def test_h6_a_large_call_is_screened_in_parts_and_keeps_its_order(
    deps: Deps, client: httpx.AsyncClient, log: MemoryLog
) -> None:
    parts: list[int] = []
    screen = deps.screen

    class Noting:
        concerns = staticmethod(screen.concerns)
        text = staticmethod(screen.text)

        def __call__(self, events: Sequence[Envelope]) -> Sequence[Envelope]:
            parts.append(len(events))
            return screen(events)

    deps.screen = Noting()
    puts = [
        {"op": "put", "namespace": ["memories", "u"], "key": f"k{n}", "value": {"note": "x" * 9_000}} for n in range(5)
    ]
    assert (await client.post("/v1/store/batch", json={"operations": puts})).status_code == 202
    assert parts == [2, 2, 1]
    assert [json.loads(r.value or b"")["key"] for r in log.records] == [f"k{n}" for n in range(5)]


async def test_a_question_is_read_while_the_ranking_thread_is_busy(deps: Deps) -> None:
    retriever, gate = create_app(QueryConfig(), deps).state.retriever, threading.Event()
    ranking = asyncio.create_task(retriever.cache._run(lambda: gate.wait(PATIENCE)))
    understood, _ = await asyncio.wait_for(retriever.understood("Where do I live?"), PATIENCE / 2)
    assert understood.terms == ["live"]
    assert not ranking.done()
    gate.set()
    await ranking


async def test_calls_of_one_request_keep_their_order_and_bring_what_they_return() -> None:
    lane = ComputeLane()
    request_begins()
    assert await asyncio.gather(*(lane(lambda n=n: n) for n in range(50))) == list(range(50))  # type: ignore[misc]
    lane.close()


async def test_a_failing_call_fails_its_asker_alone() -> None:
    lane = ComputeLane()
    with pytest.raises(ZeroDivisionError):
        await lane(lambda: 1 / 0)
    assert await lane(lambda: 2) == 2
    lane.close()


async def test_a_call_that_nobody_waits_for_any_more_is_not_run() -> None:
    lane, gate, ran = ComputeLane(), threading.Event(), list[int]()
    held = asyncio.create_task(lane(lambda: gate.wait(PATIENCE)))
    left = asyncio.create_task(lane(lambda: ran.append(1)))
    await asyncio.sleep(0.01)
    left.cancel()
    await asyncio.sleep(0)
    gate.set()
    await held
    assert await lane(lambda: list(ran)) == []
    lane.close()


async def test_the_end_cancels_what_waits() -> None:
    lane, began, gate = ComputeLane(), threading.Event(), threading.Event()

    def hold() -> bool:
        began.set()
        return gate.wait(PATIENCE)

    held = asyncio.create_task(lane(hold))
    waits = asyncio.create_task(lane(lambda: 1))
    assert await asyncio.to_thread(began.wait, PATIENCE)
    await asyncio.to_thread(lane.close)
    gate.set()
    assert await held
    with pytest.raises(asyncio.CancelledError):
        await waits


class Counting:
    """Vectors that tell texts apart; notes what came together."""

    model_id, dimensions = "counting", 2

    def __init__(self, refused: str = "") -> None:
        self.calls: list[list[str]] = []
        self._refused = refused

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        if self._refused in texts:
            raise ValueError("not this one")
        return np.array([[np.cos(len(t)), np.sin(len(t))] for t in texts], dtype=np.float32)


async def asked_while_busy(embedder: Counting, texts: Sequence[str]) -> list[Understood | BaseException]:
    """The questions, all asked while the lane is held."""
    lane, gate = ComputeLane(), threading.Event()
    questions = Questions(lane)
    held = asyncio.create_task(lane(lambda: gate.wait(PATIENCE)))
    tasks = [asyncio.create_task(questions.read(t, embedder)) for t in texts]
    await asyncio.sleep(0.01)
    gate.set()
    await held
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    lane.close()
    return answers


async def test_questions_that_wait_are_read_in_one_call_and_each_gets_its_own() -> None:
    """A question, chat (which is looked at twice), a question that is asked twice."""
    texts = ["Where do I live?", "I would like some tea, please.", "我住在哪里？", "Where do I live?"]
    embedder = Counting()
    answers = await asked_while_busy(embedder, texts)
    assert embedder.calls == [[part for text in texts[:3] for part in query_texts(text)]]
    for text, answer in zip(texts, answers, strict=True):
        assert isinstance(answer, Understood)
        alone = await Questions(lane := ComputeLane()).read(text, Counting())
        lane.close()
        np.testing.assert_array_equal(answer.vector, alone.vector)
        assert answer.terms == alone.terms


async def test_a_long_question_goes_alone() -> None:
    long = "Where do I live? " * 40
    embedder = Counting()
    await asked_while_busy(embedder, ["What is mine?", long, "Who am I?"])
    assert embedder.calls == [["What is mine?", "Who am I?"], query_texts(long)]


async def test_a_text_that_the_model_refuses_fails_its_asker_alone() -> None:
    answers = await asked_while_busy(Counting(refused="What?"), ["Who am I?", "What?", "Where am I?"])
    assert [isinstance(a, ValueError) for a in answers] == [False, True, False]
