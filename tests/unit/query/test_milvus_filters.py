"""D13: what a question limits goes to Milvus with it, not over the few that come back."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from query.search import limits, milvus
from query.search.candidates import PER_RETRIEVER, WordCandidates
from query.search.index_search import Probe
from query.search.ranking.types import RankQuery
from query.search.request import Filters, Found, Question
from query.views.db import Row, TenantStatement
from schemas.security.scope import TenantScope
from tests.patience import PATIENCE

TENANT = TenantScope("acme", "key:k", frozenset())
ANN = TENANT.user("ann")
OCTOBER = datetime(2026, 10, 1, tzinfo=UTC)


def question_of(kind: str, **over: Any) -> str:
    probe: Any = SimpleNamespace(question=Question("q", frozenset({kind}), 1, TENANT, ANN, **over))
    return milvus.condition(probe, ANN, [kind])


def test_d13_metadata_is_filtered_first() -> None:
    where = question_of(
        "turn", filters=Filters(role="user", occurred_from=OCTOBER, occurred_to=OCTOBER.replace(month=11))
    )
    assert 'role in ["user"] and occurred_at >= 1790812800000 and occurred_at <= 1793491200000' in where
    several = question_of("episode", filters=Filters(episode_type=("task", "decision"), category="c", scope="s"))
    assert 'scope in ["s"] and category in ["c"] and episode_type in ["task", "decision"]' in several
    assert "occurred_at" not in question_of("fact", as_of=OCTOBER), "a fact may be told later"
    assert "occurred_at <= 1790812800000" in question_of("turn", as_of=OCTOBER)


def test_d13_a_users_and_projects_search_is_of_both() -> None:
    project = TENANT.project("p")
    assert 'project_id in ["p"]' in question_of("turn", project=project)
    assert 'project_id in ["", "p"]' in question_of("fact", project=project)


def test_d13_a_value_that_is_no_literal_is_left_to_the_rows() -> None:
    assert "role" not in question_of("turn", filters=Filters(role="a\nb"))


def test_d13_documents_are_limited_as_well() -> None:
    probe: Any = SimpleNamespace(
        question=Question("q", frozenset({"chunk"}), 1, TENANT, filters=Filters(document_id="d1", occurred_to=OCTOBER))
    )
    where = milvus.condition(probe, TENANT, ["chunk"])
    assert 'owner_kind == "document" and owner_id in ["d1"] and occurred_at <= 1790812800000' in where


@pytest.mark.parametrize(
    ("filters", "kinds"),
    [
        (Filters(), ["chunk", "fact", "turn"]),
        (Filters(language="en"), ["chunk", "fact", "turn"]),
        (Filters(metadata={"ticket": "A"}), ["turn"]),
        (Filters(role="user"), ["turn"]),
        (Filters(field="city"), ["chunk", "fact"]),
        (Filters(document_id="d"), ["chunk"]),
        (Filters(document_id="d", speaker="Bo"), []),
    ],
)
def test_d13_what_has_no_such_field_is_not_asked_for(filters: Filters, kinds: list[str]) -> None:
    assert limits.possible(["chunk", "fact", "turn"], filters) == kinds


class Stores:
    """Milvus names what it is asked for; Postgres has what it is told, and notes the statements."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self.rows, self.asked = rows, list[tuple[str, dict[str, Any]]]()
        self.limits = list[int]()

    def call(self, method: str, collection: str, **options: Any) -> list[list[dict[str, Any]]]:
        self.limits.append(options["limit"])
        turns = collection.startswith("memstream_turns")
        return [[{"entity": {"id": "t", "user_id": "ann"} if turns else {"id": "m", "version": 1}}]]

    async def of_tenant(self, tenant: TenantScope, statement: TenantStatement, **values: Any) -> list[Row]:
        needed = set(re.findall(r"%\((\w+)\)s", statement.text))
        assert needed <= values.keys() | {"tenant"}
        self.asked.append((statement.text, values))
        return [r for r in self.rows if ("turn_id" in r) == ("{v}.turns" in statement.text)]


def probe_of(budget: float = 5.0, **over: Any) -> Probe:
    question = Question("red", frozenset({"turn", "fact"}), 10, TENANT, ANN, **over)
    serving: Any = SimpleNamespace(generations={"milvus": 1}, embedder=SimpleNamespace(dimensions=2))
    return Probe(question, RankQuery("red", ["red"]), OCTOBER, serving, budget)


async def found_by(stores: Any, **over: Any) -> tuple[list[Row], Found]:
    found = Found()
    return await milvus.MilvusCandidates(stores, stores, PATIENCE).find(probe_of(**over), ANN, found), found


MINE: Row = {"turn_id": "t", "user_id": "ann"}


async def test_d13_what_milvus_cannot_filter_is_looked_for_deeper_and_by_words() -> None:
    stores = Stores([MINE])
    rows, found = await found_by(stores, filters=Filters(metadata={"ticket": ("A", "B"), "n": 3}))
    assert stores.limits == [limits.DEEP], "turns alone have metadata"
    (confirming, values), (words, also) = stores.asked
    assert "AS asked(user_id" in confirming
    assert values["metadata"].obj == also["metadata"].obj == {"ticket": ["A", "B"], "n": [3]}
    assert words.index("%(metadata)s") < words.index("LIMIT"), "filtered before the best are taken"
    assert (rows, found.unconfirmed) == ([MINE, MINE], 0)


async def test_d13_what_milvus_filters_needs_nothing_else() -> None:
    stores = Stores()
    _, found = await found_by(stores, filters=Filters(role="user"), session_id="s")
    assert stores.limits == [PER_RETRIEVER]
    ((_, values),) = stores.asked
    assert {values[name] for name in limits.NOTHING} == {None}, "what is asked here is whether the hits stand"
    assert found.unconfirmed == 1


async def test_n8_at_an_earlier_time_what_was_superseded_since_is_found_by_words() -> None:
    stores = Stores()
    await found_by(stores, as_of=OCTOBER)
    requests = [(text, values) for text, values in stores.asked if "terms &&" in text]
    assert [values["as_of"] for _, values in requests] == [OCTOBER, OCTOBER]
    assert "state IN ('active', 'superseded')" in requests[1][0]


async def test_d11_without_milvus_the_filter_comes_before_the_best_are_taken() -> None:
    stores = Stores([MINE])
    project = TENANT.project("p")
    question = Question(
        "red", frozenset({"turn", "fact"}), 10, TENANT, ANN, project, "s",
        Filters(language="zh", occurred_from=OCTOBER),
    )  # fmt: skip
    serving: Any = SimpleNamespace()
    probe = Probe(question, RankQuery("red", ["red"]), OCTOBER, serving)
    database: Any = stores
    assert await WordCandidates(database).find(probe, ANN, Found()) == [MINE]
    for text, values in stores.asked:
        fields = {name: values[name] for name in ("language", "since", "session", "within")}
        assert fields == {"language": ["zh"], "since": OCTOBER, "session": "s", "within": "p"}
        assert all(text.index(f"%({name})s") < text.index("LIMIT") for name in fields)


async def test_d11_milvus_has_the_profiles_budget_once_it_has_answered() -> None:
    goes_on = threading.Event()

    class Slow(Stores):
        def call(self, method: str, collection: str, **options: Any) -> list[list[dict[str, Any]]]:
            goes_on.wait(PATIENCE)
            return super().call(method, collection, **options)

    stores: Any = Slow([MINE])
    candidates = milvus.MilvusCandidates(stores, stores, 5.0)
    goes_on.set()
    first, second = Found(), Found()
    await candidates.find(probe_of(budget=1e-6), ANN, first)
    assert first.degraded == [], "what was never read may take longer"
    goes_on.clear()
    try:
        rows = await asyncio.wait_for(candidates.find(probe_of(budget=0.01), ANN, second), PATIENCE / 2)
    finally:
        goes_on.set()
    assert second.degraded == [{"store": "milvus", "reason": "timeout"}]
    assert rows == [MINE], "by words"
