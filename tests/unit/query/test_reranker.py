"""D11, D14: a cross-encoder that fails or is late costs its order, and nobody else's time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from query.config import QueryConfig
from query.search.embedders import Serving
from query.search.executor import ComputeLane, Questions
from query.search.fair_lane import FairLane
from query.search.index_search import Look, Probe
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import Document, RankQuery
from query.search.request import Found, Question
from query.search.reranking import CrossEncoding, NoScoresError
from query.search.retriever import Retriever
from query.search.scopes import Held
from query.views.pending_deletions import Withheld
from schemas.security.scope import TenantScope
from tests.patience import PATIENCE, eventually

NOW = datetime(2026, 11, 22, tzinfo=UTC)
AS_OF_THE_FUSION = [{"store": "model", "reason": "reranker"}]
Scorer = Callable[[Sequence[str]], list[float]]


class Scripted:
    """Scores as it is told; `gate` holds it."""

    def __init__(self, scorer: Scorer, gate: threading.Event | None = None) -> None:
        self.scorer, self.gate, self.asked = scorer, gate, 0

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        self.asked += 1
        if self.gate is not None:
            self.gate.wait(PATIENCE)
        return self.scorer(passages)


def backwards(texts: Sequence[str]) -> list[float]:
    return [i / len(texts) for i in range(len(texts))]


def failing(texts: Sequence[str]) -> list[float]:
    raise RuntimeError("no memory left")


def look() -> Look:
    index, rows = ScopeIndex(2), {}
    for name, words in (("a", ["red", "car"]), ("b", ["red", "wine"])):
        index.add([Document(name, "turn", words, None, " ".join(words), occurred_at=NOW)])
        rows[name] = {"turn_id": name, "user_id": "u", "expires_at": None, "occurred_at": NOW}
    question = Question("red car", frozenset({"turn"}), 2, TenantScope("default", "test", frozenset()))
    serving: Any = SimpleNamespace()
    rank = RankQuery("red car", ["red", "car"], mode="bm25")
    return Look(index, rows, Probe(question, rank, NOW, Serving(serving, {})))


def retriever(lane: ComputeLane, reranker: Any, seconds: float = 5.0) -> Retriever:
    deps: Any = SimpleNamespace(reranker=reranker, embedder=None, embedder_named=None, hyde=None)
    nothing: Any = None
    config, boundary = QueryConfig(reranker_seconds=seconds), FairLane("door")
    return Retriever(config, deps, nothing, nothing, lane, Questions(lane), Withheld(), boundary)


async def ranked(by: Retriever, over: Look) -> tuple[list[str], list[dict[str, str]]]:
    found = Found()
    hits = await by._ranked(lambda: over, over.probe, found)
    return [row["turn_id"] for row, _, _ in hits], found.degraded


@pytest.mark.parametrize(
    ("scorer", "order", "degraded"),
    [
        (None, ["a", "b"], []),
        (backwards, ["b", "a"], []),
        (failing, ["a", "b"], AS_OF_THE_FUSION),
        (lambda texts: [1.0], ["a", "b"], AS_OF_THE_FUSION),
        (lambda texts: [float("nan")] * len(texts), ["a", "b"], AS_OF_THE_FUSION),
    ],
)
async def test_d14_the_order_of_the_fusion_stands(
    scorer: Scorer | None, order: list[str], degraded: list[dict[str, str]]
) -> None:
    lane = ComputeLane()
    by = retriever(lane, None if scorer is None else Scripted(scorer))
    assert await ranked(by, look()) == (order, degraded)
    lane.close()


async def test_d14_a_slow_cross_encoder_does_not_hold_the_lane() -> None:
    lane, gate = ComputeLane(), threading.Event()
    slow = asyncio.create_task(ranked(retriever(lane, Scripted(backwards, gate)), look()))
    await asyncio.sleep(0.05)
    async with asyncio.timeout(PATIENCE):
        assert await ranked(retriever(lane, None), look()) == (["a", "b"], [])
    assert not slow.done()
    gate.set()
    assert await slow == (["b", "a"], [])
    lane.close()


async def test_d14_a_late_cross_encoder_costs_one_search_its_time() -> None:
    lane, gate = ComputeLane(), threading.Event()
    model = Scripted(backwards, gate)
    by = retriever(lane, model, seconds=0.5)
    assert await ranked(by, look()) == (["a", "b"], AS_OF_THE_FUSION)
    assert by._reranking is not None
    by._reranking._seconds = PATIENCE
    async with asyncio.timeout(PATIENCE / 2):  # the next one waits for nothing
        assert await ranked(by, look()) == (["a", "b"], AS_OF_THE_FUSION)
    assert model.asked == 1
    gate.set()
    await eventually("its order", lambda: ranked(by, look()), lambda result: result == (["b", "a"], []))
    lane.close()


async def test_d14_what_a_broken_off_search_began_is_waited_for_and_not_called_late() -> None:
    gate = threading.Event()
    model = CrossEncoding(Scripted(backwards, gate), 5.0)
    left = asyncio.create_task(model.scores("q", ["x", "y"]))
    await asyncio.sleep(0.02)
    left.cancel()
    next_one = asyncio.create_task(model.scores("q", ["y", "y", "z"]))
    await asyncio.sleep(0.02)
    gate.set()
    assert await next_one == {"y": 0.0, "z": 0.5}


async def test_d14_one_question_at_a_time() -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def counting(texts: Sequence[str]) -> list[float]:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.02)
        with lock:
            at_once -= 1
        return backwards(texts)

    model = CrossEncoding(Scripted(counting), 5.0)
    await asyncio.gather(*(model.scores("q", ["x"]) for _ in range(4)))
    assert most == 1


async def test_d14_nothing_found_asks_no_model() -> None:
    model = CrossEncoding(Scripted(failing), 5.0)
    assert await model.scores("q", []) == {}
    with pytest.raises(NoScoresError):
        await model.scores("q", ["x"])


async def test_d14_what_was_withheld_while_the_model_worked_is_not_shown() -> None:
    lane, gate, over = ComputeLane(), threading.Event(), look()
    request = asyncio.create_task(ranked(retriever(lane, Scripted(backwards, gate)), over))
    await asyncio.sleep(0.05)
    await lane(lambda: over.index.remove(["b"]))
    gate.set()
    assert await request == (["a"], [])
    lane.close()


async def test_d11_a_scope_that_holds_nothing_takes_no_turn_in_the_lane() -> None:
    """As most tenants' knowledge, which every search looks into."""
    tenant = TenantScope("default", "test", frozenset())

    async def empty() -> tuple[Held, None]:
        return Held(ScopeIndex(2), "m", 2), None

    lane: Any = None
    assert await retriever(lane, None)._in_scope(look().probe, tenant, empty(), Found()) == []
