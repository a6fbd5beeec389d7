"""Which sections a prompt has, and in which order, is the profile's (D15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.prompt import endpoint
from query.reading import session_store
from query.search.request import Found, Question
from query.search.retriever import Retriever
from schemas.profile.model import PROFILES_DIR, Profile, load_profile
from tests.unit.query.conftest import NOW

SEEDS = ["user_profile", "anchors", "conversation_history", "retrieved_memories"]
QUERY = "Where is the bike"
bounds: list[float] = []
"""What each search of the running test was told of relevance."""


def turn(turn_id: str, content: str) -> dict[str, Any]:
    return {
        "turn_id": turn_id, "content": content, "role": "user", "speaker": None, "user_id": "u", "occurred_at": NOW,
    }  # fmt: skip


def fact(record_id: str, text: str, source: str) -> dict[str, Any]:
    return {
        "record_id": record_id, "kind": "fact", "text": text, "value": None, "episode_type": None, "field": None,
        "fields": [], "sources": [{"turn_id": source}], "occurred_at": NOW,
    }  # fmt: skip


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Views with something for each section; the queries that were searched for."""
    searched: list[str] = []
    window = [turn("t1", "The bike is in the shed"), turn("now", QUERY)]
    body = {"anchors": {"reply": "short"}, "window": window, "summary": "About bikes"}

    async def load(*_: Any) -> Any:
        return SimpleNamespace(mode_and_body=("SUMMARY_N", body), degraded=[])

    async def active(*_: Any) -> Any:
        return [{**fact("r1", "User lives in Leeds", "t0"), "field": "home", "fields": ["home"], "approximate": False}]

    async def none_before(*_: Any) -> tuple[()]:
        return ()

    async def search(_: Retriever, question: Question) -> Found:
        searched.append(question.text)
        bounds.append(question.min_relevance)
        hits: Sequence[Any] = [
            (turn("t1", "The bike is in the shed"), 0.9, None), (fact("r2", "The bike is red", "t9"), 0.8, None),
            (fact("r3", "User asked for the bike", "now"), 0.7, None), (turn("now", QUERY), 0.6, None),
        ]  # fmt: skip
        return Found(hits=list(hits))

    bounds.clear()
    monkeypatch.setattr(session_store, "load", load)
    monkeypatch.setattr(endpoint, "current_rows", active)
    monkeypatch.setattr(Retriever, "said_before", none_before)
    monkeypatch.setattr(Retriever, "search", search)
    return searched


async def result_of(deps: Deps, sections: list[str] | None, query: str = QUERY, **more: Any) -> Any:
    own = {} if sections is None else {"context": {"sections": sections}}
    raw = {"name": "test", "version": 1, "groups": ["basic"], "fields": [{"name": "home", "path": "basic.home"}], **own}
    app = create_app(QueryConfig(), replace(deps, profile=Profile.model_validate(raw)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        got = await client.post("/v1/context", json={"query": query, "user_id": "u", "session_id": "s", **more})
    assert got.status_code == 200, got.text
    return got.json()


def named(answer: Any) -> list[str]:
    return [s["name"] for s in answer["sections"][1:-1]]


async def test_d15_sections_stand_in_the_order_of_the_profile(deps: Deps, stores: list[str]) -> None:
    usual, own = await result_of(deps, None), await result_of(deps, ["anchors", "user_profile", *SEEDS[:1:-1]])
    assert named(usual) == SEEDS
    assert named(own) == ["anchors", "user_profile", "retrieved_memories", "conversation_history"]
    places = [own["prompt"].index(s["text"]) for s in own["sections"]]
    assert places == sorted(places)
    assert own["dropped"] == 0


async def test_d5_a_prompt_bounds_the_relevance_of_what_is_searched_where_it_is_asked_to(
    deps: Deps, stores: list[str]
) -> None:
    await result_of(deps, None)
    await result_of(deps, None, min_relevance=0.4)
    assert bounds == [0.0, 0.4]


async def test_d15_a_section_that_is_not_named_is_not_in_the_prompt(deps: Deps, stores: list[str]) -> None:
    short = await result_of(deps, ["anchors", "user_profile"])
    assert named(short) == ["anchors", "user_profile"]
    assert (short["dropped"], short["left_out"], stores) == (0, [], []), "what nobody asked for is not searched"


async def test_d15_without_the_conversation_its_turns_are_memories_but_for_the_request(
    deps: Deps, stores: list[str]
) -> None:
    own = await result_of(deps, ["user_profile", "retrieved_memories"])
    assert named(own) == ["user_profile", "retrieved_memories"]
    assert [c["id"] for c in own["sections"][2]["citations"]] == ["t1", "r2"]
    assert "About bikes" not in own["prompt"]


async def test_d15_what_stands_first_is_byte_identical_between_turns(deps: Deps, stores: list[str]) -> None:
    order = ["anchors", "user_profile", "retrieved_memories", "conversation_history"]
    one, two = await result_of(deps, order), await result_of(deps, order, "Which colour has it")
    prefix = one["prompt"][: one["prompt"].index("# Retrieved Memories")]
    assert two["prompt"].startswith(prefix)
    assert prefix.index("reply: short") < prefix.index("Leeds")


@pytest.mark.parametrize("name", sorted(p.stem for p in PROFILES_DIR.glob("*.toml")))
def test_d15_the_shipped_profiles_print_the_seeds_layout(name: str) -> None:
    assert list(load_profile(name).context.sections) == SEEDS
