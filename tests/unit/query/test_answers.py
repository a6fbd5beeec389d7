"""What the description of the API declares of each answer is what the handlers answer, field for field.

The rows come from a Postgres of this file: the columns that each statement names, with the types and nullability of
schemas/sql/views.sql, once full and once with every nullable column empty.
"""

from __future__ import annotations

import copy
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Any

import httpx
import numpy as np
import pytest
from jsonschema import Draft202012Validator

from query.answers import MEDIA, TABLE
from query.app import create_app
from query.config import QueryConfig
from query.deadletters.index import Filters
from query.deadletters.replay import Result
from query.deps import Deps
from query.reading.dead_letters import _answer
from query.search.request import Found, Question
from query.views.db import LiveViews
from schemas.log.progress import FreshnessToken, Written
from schemas.profile.model import load_profile
from schemas.security.encrypted_values import Original
from tests.unit.ops.states import dress
from tests.unit.query.conftest import NOW

_SOURCE = {"turn_id": "t1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "9f"}
_OF_TYPE: dict[str, Any] = {
    "text": "words", "text[]": ["words"], "jsonb": {"k": 1}, "integer": 3, "bigint": 3, "real": 0.5,
    "double precision": 0.25, "numeric": Decimal("0.9000"), "boolean": True, "timestamptz": NOW - timedelta(hours=1),
    "bytea": b"",
}  # fmt: skip
_NAMED: dict[str, Any] = {
    "kind": "fact", "state": "active", "source": "explicit", "role": "user", "mode": "SUMMARY_N", "owner_kind": "user",
    "owner_id": "u1", "user_id": "u1", "sources": [_SOURCE], "namespace": ["notes", "u1"], "outcome": "kept",
    "reason": {"outcome": "kept", "gate": "confidence", "rule": "explicit", "score": 0.9}, "expires_at": NOW,
    "gone": False, "originals": [{"entity": "PHONE_NUMBER", "alg": "A256SIV", "kid": "1", "ct": "3q2+7w=="}],
    "body": {"window": [{"role": "user", "content": "hi", "speaker": "Ana", "turn_id": "t1"}], "summary": "sum"},
}  # fmt: skip
_COMPUTED = {"gone": ("boolean", True)}
_COUNTED: dict[str, list[dict[str, Any]]] = {
    "AS standing": [{"class": "fact", "standing": 3, "archived": 0, "next_expiry": NOW}],
    "AS held": [{"held": 3, "next_expiry": None}],
    "gate = 'retention'": [{"kind": "fact", "rule": "class", "count": 2, "last": NOW}],
    "SELECT DISTINCT (namespace": [{"namespace": ["notes", "u1"]}],
}
_HABIT = {
    "type": "time", "action": "pill", "support": 9, "confidence": 0.9, "time": "08:00", "minute": 480,
    "due_minute": 510, "weekdays": [1, 2], "time_zone": "Asia/Shanghai", "last_done": "2026-11-20",
}  # fmt: skip


@lru_cache(maxsize=1)
def columns() -> dict[str, dict[str, tuple[str, bool]]]:
    """Table -> column -> type, and whether it may be null."""
    sql = files("schemas").joinpath("sql/views.sql").read_text(encoding="utf-8")
    out: dict[str, dict[str, tuple[str, bool]]] = {}
    for name, body in re.findall(r"CREATE TABLE \{schema\}\.(\w+) \((.*?)\n\);", sql, re.DOTALL):
        lines = re.findall(r"^    (\w+)\s+(double precision|[a-z]+(?:\[\])?)(.*)$", body, re.MULTILINE)
        out[name] = {column: (kind, "NOT NULL" not in rest) for column, kind, rest in lines}
    return out


class Postgres:
    """Answers every statement of the views with one row."""

    def __init__(self, full: bool) -> None:
        self.full = full
        self.over: dict[str, Any] = {}

    def last_live(self) -> LiveViews:
        return LiveViews({"postgres": 1, "milvus": 1, "redis": 1})

    def row(self, table: str, named: list[str]) -> dict[str, Any]:
        out = {}
        for name in named:
            kind, nullable = _COMPUTED.get(name) or columns()[table][name]
            value = self.over.get(name, _NAMED.get(name, _OF_TYPE[kind]))
            out[name] = None if nullable and not self.full and name not in self.over else copy.deepcopy(value)
        return out

    async def _rows(self, text: str, values: dict[str, Any]) -> list[dict[str, Any]]:
        for mark, rows in _COUNTED.items():
            if mark in text:
                return copy.deepcopy(rows)
        if "count(*) AS under_way" in text:
            return [{"under_way": int(self.full), "oldest": NOW if self.full else None}]
        if "trust.erasures" in text and "LIMIT" in text:
            return [{"erasure_id": f"e{n}", "scope": "user", "user_id": "u1", "session_id": None, "accepted_at": NOW,
                     "state": "under_way", "step": "stores", "started_at": NOW, "finished_at": None, "places": 3}
                    for n in range(min(values["limit"], 3) if self.full else 0)]  # fmt: skip
        if "trust.erasures" in text:
            done = {"state": "done", "report": {"signature": "x"}, "finished_at": NOW} if self.full else {}
            return [{"erasure_id": "e1", "scope": "user", "user_id": "u1", "session_id": None, "accepted_at": NOW,
                     "state": "under_way", "step": "stores", "started_at": NOW, "finished_at": None, "report": None,
                     "places": 3, **done}]  # fmt: skip
        found = re.match(r"\s*SELECT (.*?)\s+FROM (?:\(|\{v\}\.(\w+))", text, re.DOTALL)
        assert found is not None, text
        result = re.sub(r",\s+CASE (?:(?! FROM ).)*? AS sealed_place", "", found[1], flags=re.DOTALL)
        named = [c.strip().rpartition(".")[2].rpartition(" AS ")[2] for c in result.split(",")]
        if "refused" in self.over and "state = %(state)s" in text:
            return []  # what was refused is a decision, no memory
        return [self.row(found[2] or "memories", [n for n in named if n not in ("sealed", "sealed_for")])]

    async def of_owner(self, scope: Any, statement: Any, **values: Any) -> list[dict[str, Any]]:
        return await self._rows(statement.text, values)

    async def of_tenant(self, scope: Any, statement: Any, **values: Any) -> list[dict[str, Any]]:
        return await self._rows(statement.text, values)

    async def of_system(self, statement: Any, **values: Any) -> list[dict[str, Any]]:
        return await self._rows(statement.text, values)

    async def generation(self, store: str) -> int:
        return 1

    def last_generation(self, store: str) -> int:
        return 1


class Retriever:
    """Finds a turn and a memory of every kind that is asked for."""

    def __init__(self, db: Postgres) -> None:
        self._db = db

    def leans_on_milvus(self, question: Question) -> bool:
        return False

    async def likeness(self, text: str, others: list[str]) -> list[float]:
        return [0.0] * len(others)

    async def said_before(self, *request: Any) -> tuple[Any, ...]:
        return ()

    async def understood(self, text: str) -> tuple[Any, str]:
        class Understood:
            terms, plain = ("words",), np.ones(4)

        return Understood(), "m"

    async def search(self, question: Question) -> Found:
        turn = self._db.row("turns", ["turn_id", "user_id", "session_id", "role", "speaker", "content", "occurred_at",
                                      "project_id", "intent"])  # fmt: skip
        rows = [turn] if "turn" in question.kinds else []
        for kind in sorted(question.kinds - {"turn"}):
            row = self._db.row("memories", [c for c in columns()["memories"] if c not in ("sealed", "sealed_for")])
            fields = {"key": row["key"] or "k"} if kind in ("chunk", "hot", "report", "item") else {}
            rows.append({**row, "kind": kind, "record_id": f"{kind}-1", **fields})
        scores = {"bm25": 1.5, "dense": 0.4, "relevance": 0.5}
        down = [] if self._db.full else [{"store": "milvus", "reason": "unreachable"}]
        return Found([(r, 0.5, scores) for r in rows], down, hypothesis="maybe" if self._db.full else None, more=True)


CALLS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    # The method, the path as described, its query, and a body; names with `_` are columns of the rows, full or sparse:
    # what has a place in a table or the store has a key.
    ("post", "/v1/search", {}, {"query": "where", "user_id": "u1", "explain": True}),
    ("post", "/v1/context", {}, {"query": "where do I live", "user_id": "u1", "session_id": "s1", "project_id": "p"}),
    ("post", "/v1/context", {}, {"query": "我们上个月的决策是什么", "user_id": "u1"}),
    ("get", "/v1/users/{user_id}/memories", {}, {}),
    ("get", "/v1/users/{user_id}/memories", {"state": "archived"}, {}),
    ("get", "/v1/users/{user_id}/memories", {"as_of": "2026-11-20T00:00:00Z"}, {}),
    ("get", "/v1/users/{user_id}/memories", {"state": "refused", "_refused": True}, {}),
    ("get", "/v1/memories/{memory_id}", {}, {}),
    ("get", "/v1/users/{user_id}/profile", {}, {}),
    ("get", "/v1/users/{user_id}/preferences", {"_kind": "preference"}, {}),
    ("get", "/v1/users/{user_id}/patterns", {"_kind": "pattern", "_value": _HABIT}, {}),
    ("get", "/v1/users/{user_id}/patterns", {"_kind": "pattern", "_value": None}, {}),
    ("get", "/v1/users/{user_id}/readings", {"_field": "weight", "_fields": [], "_value": 8, "_state": "active"}, {}),
    ("get", "/v1/feedback/summary", {"_value": {"rating": "bad", "score": 2, "feature": "f"}}, {}),
    ("post", "/v1/users/{user_id}/load-context", {}, {"query": "where"}),
    ("get", "/v1/users/{user_id}/feedback", {"_value": {"rating": "good"}}, {}),
    ("get", "/v1/turns/{turn_id}", {"user_id": "u1"}, {}),
    ("get", "/v1/turns/{turn_id}/originals", {"user_id": "u1"}, {}),
    ("get", "/v1/turns/{turn_id}/outcome", {"user_id": "u1"}, {}),
    ("get", "/v1/sessions/{session_id}", {"user_id": "u1"}, {}),
    ("post", "/v1/sessions/{session_id}/memory-context", {}, {"user_id": "u1", "query": "hi"}),
    ("get", "/v1/sessions/{session_id}/checkpoints", {"user_id": "u1"}, {}),
    ("get", "/v1/sessions/{session_id}/messages", {"user_id": "u1", "segment": "open"}, {}),
    ("post", "/v1/sessions/{session_id}/turns", {}, {"user_id": "u1", "user_query": "hi", "agent_response": "hello"}),
    ("post", "/v1/users/{user_id}/save-info", {}, {"userMessage": "hi", "existingInfo": {"age": 32}}),
    ("get", "/v1/projects/{project_id}/hot-memory", {"_category": "decision"}, {}),
    ("get", "/v1/projects/{project_id}/reports", {"_kind": "report"}, {}),
    ("get", "/v1/users/{user_id}/tables/{table}", {"_key": "k"}, {}),
    ("get", "/v1/users/{user_id}/tables/{table}/{key}", {"_key": "k"}, {}),
    ("post", "/v1/users/{user_id}/tables/{table}/similar", {"_key": "item-1"}, {"query": "like this"}),
    ("post", "/v1/store/items/get", {"_key": "k"}, {"namespace": ["notes", "u1"], "key": "k"}),
    ("get", "/v1/store/{namespace}/{user_id}/{key}", {"_key": "k"}, {}),
    ("post", "/v1/store/search", {"_key": "k"}, {"namespace_prefix": ["notes", "u1"]}),
    ("post", "/v1/store/namespaces", {}, {}),
    ("post", "/v1/store/batch", {"_key": "k"}, {"operations": [
        {"op": "get", "namespace": ["notes", "u1"], "key": "k"}, {"op": "search", "namespace_prefix": ["notes", "u1"]},
        {"op": "namespaces"}]}),
    ("post", "/v1/store/batch", {"_key": "k"}, {"operations": [
        {"op": "put", "namespace": ["notes", "u1"], "key": "k", "value": {"a": 1}},
        {"op": "get", "namespace": ["notes", "u1"], "key": "k"}]}),
    ("get", "/livez", {}, {}),
    ("get", "/readyz", {}, {}),
    ("get", "/v1/pipeline", {}, {}),
    ("get", "/v1/retention", {}, {}),
    ("get", "/v1/erasures", {}, {}),
    ("get", "/v1/erasures", {"state": "all", "limit": 2}, {}),
    ("get", "/v1/erasures/{erasure_id}", {}, {}),
    ("get", "/v1/tenant/profile", {"whole": True}, {}),
    ("get", "/v1/tenant/profile", {}, {}),
    ("get", "/v1/dead-letters", {}, {}),
    ("get", "/v1/dead-letters", {"limit": 2}, {}),
    ("get", "/v1/dead-letters/{letter_id}", {}, {}),
]  # fmt: skip
_PATH = {"user_id": "u1", "memory_id": "m1", "turn_id": "t1", "session_id": "s1", "project_id": "p",
         "namespace": "notes", "key": "k", "erasure_id": "e1", "letter_id": "0:1"}  # fmt: skip
DECIDED_BY_THE_LOG = {("post", "/v1/dead-letters/replay"), ("post", "/v1/dead-letters/drop")}
"""They need a lock of Postgres and the brokers: tests/integration asks them; here their result is made."""


@pytest.fixture(params=[True, False], ids=["full", "sparse"])
async def service(request: Any, deps: Deps) -> AsyncIterator[tuple[httpx.AsyncClient, Any, Postgres]]:
    deps.profile = load_profile("health")
    deps.originals = lambda owner, turn_id, kept: [Original(kept.entity, "<PHONE_NUMBER:1>", "1")]
    app = create_app(QueryConfig(), deps)
    db = Postgres(request.param)
    dress(app, "letters" if request.param else "empty")
    app.state.db, app.state.retriever = db, Retriever(db)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client, app, db


def closed(node: Any) -> Any:
    """As declared, but with no field beside those that are named."""
    if isinstance(node, list):
        return [closed(n) for n in node]
    if not isinstance(node, dict):
        return node
    out = {k: closed(v) for k, v in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return out


def faults(described: dict[str, Any], method: str, path: str, status: int, answer: Any) -> list[str]:
    schema = described["paths"][path][method]["responses"][str(status)]["content"]["application/json"]["schema"]
    whole = {"components": closed(described["components"]), **schema}
    found = Draft202012Validator(whole).iter_errors(answer)
    return [f"{method} {path} {'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in found]


async def test_answers_are_as_declared(service: tuple[httpx.AsyncClient, Any, Postgres]) -> None:
    client, app, db = service
    described = app.openapi()
    table = app.state.deps.profile_of("default").tables[0].name
    wrong: list[str] = []
    for method, path, given, body in CALLS:
        if "letter_id" in path and not db.full:
            continue  # there is none
        db.over = {k[1:]: v for k, v in given.items() if k.startswith("_")}
        query = {k: v for k, v in given.items() if not k.startswith("_")}
        url = path.format(**_PATH, table=table)
        answer = await client.request(method, url, params=query, json=body if method == "post" else None)
        if answer.is_success:
            wrong += faults(described, method, path, answer.status_code, answer.json())
        else:
            wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


def test_every_declared_answer_is_asked_for() -> None:
    assert {(method, path) for method, path, _, _ in CALLS} | DECIDED_BY_THE_LOG == set(TABLE)


def test_no_answer_is_left_untyped(deps: Deps) -> None:
    described = create_app(QueryConfig(), deps).openapi()
    untyped = []
    for path, methods in described["paths"].items():
        for method, spec in methods.items():
            for status, answer in spec["responses"].items():
                content = answer.get("content", {})
                if status < "400" and "$ref" not in str(content) and (method, path) not in MEDIA and path != "/ops":
                    untyped.append(f"{method} {path} {status}")
    assert untyped == []
    text = str(described)
    for name in re.findall(r"'#/components/schemas/(\w+)'", text):
        assert name in described["components"]["schemas"]


async def test_an_answer_that_lacks_or_adds_a_field_would_be_seen(
    service: tuple[httpx.AsyncClient, Any, Postgres],
) -> None:
    client, app, _ = service
    answer = (await client.post("/v1/search", json={"query": "where", "user_id": "u1"})).json()
    described = app.openapi()
    request = (described, "post", "/v1/search", 200)
    assert faults(*request, answer) == []
    assert faults(*request, {k: v for k, v in answer.items() if k != "cursor"})
    answer["results"][0]["details"]["news"] = 1
    assert faults(*request, answer)


def test_what_a_decision_on_dead_letters_answers(deps: Deps) -> None:
    app = dress(create_app(QueryConfig(), deps), "letters")
    letters = app.state.letters.select(Filters())[:2]
    written = Written(topic="conversation.turns.v1", partition=0, offset=7)
    made = _answer([Result(letters[0], "replayed", written), Result(letters[1], "gone", None)], 3)
    for path in ("/v1/dead-letters/replay", "/v1/dead-letters/drop"):
        assert faults(app.openapi(), "post", path, 202, made) == []


def test_c1_the_token_of_a_replay_names_the_leader_that_there_was_before_it(deps: Deps) -> None:
    app = dress(create_app(QueryConfig(), deps), "letters")
    [letter] = app.state.letters.select(Filters())[:1]
    written = Written(topic="conversation.turns.v1", partition=0, offset=7)
    for leaders, epoch in (({}, None), ({("conversation.turns.v1", 0): 6}, 6)):
        made = _answer([Result(letter, "replayed", written)], 0, leaders)
        assert [w.epoch for w in FreshnessToken.parse(made["freshness_token"]).writes] == [epoch]
