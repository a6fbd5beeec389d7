"""What one call reads of a tenant or of a session is bounded, and long work is done off the event loop (L9)."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from query.reading import sessions, store
from query.reading.history import History, compose
from query.views import turns
from schemas.security.scope import Permission, TenantScope
from tests.unit.query.conftest import NOW

SCOPE = TenantScope("acme", "key", frozenset(Permission))
ANN = SCOPE.user("ann")


class Views:
    """A session of turns with so many tokens each, oldest first, and namespaces in order; what was asked."""

    def __init__(self, tokens: list[int] | None = None, namespaces: list[list[str]] | None = None) -> None:
        self.turns = [{"position": i, "tokens": n} for i, n in enumerate(tokens or [])]
        self.namespaces = namespaces or []
        self.asked: list[dict[str, Any]] = []

    async def of_owner(self, scope: Any, statement: Any, **values: Any) -> list[dict[str, Any]]:
        since = [t for t in self.turns if t["position"] >= values["start"]]
        if "content" not in statement.text:
            return since[::-1][: values["limit"]]
        return [{**t, "role": "user", "speaker": None, "content": f"turn {t['position']}"} for t in since]

    async def of_tenant(self, scope: Any, statement: Any, **values: Any) -> list[dict[str, Any]]:
        self.asked.append(values)
        after = values["after"]
        rest = [n for n in self.namespaces if after is None or n > after][values["offset"] :]
        return [{"namespace": n} for n in rest[: values["limit"]]]


def context(db: Views) -> Any:
    class Counter:
        def count(self, text: str) -> int:
            return len(text.split())

    session = SimpleNamespace(token_threshold_ratio=0.7, recent_turns=4, model_context_window=1_000)
    profile = SimpleNamespace(session=session, encoding="o200k_base")
    deps = SimpleNamespace(clock=lambda: NOW, profile_of=lambda tenant: profile, counter=lambda name: Counter())
    ratio = SimpleNamespace(observe=lambda value: None)
    return SimpleNamespace(db=db, deps=deps, metrics=SimpleNamespace(token_ratio=ratio))


@pytest.mark.parametrize(("tokens", "kept"), [
    ([10] * 7, 7), ([10] * (turns.MOST_TURNS + 5), turns.MOST_TURNS), ([turns.MOST_TOKENS // 4] * 9, 4),
    ([5, turns.MOST_TOKENS + 1], 1), ([turns.MOST_TOKENS + 1, 5], 1), ([], 0),
])  # fmt: skip
async def test_l9_of_a_long_session_the_newest_turns_are_read(tokens: list[int], kept: int) -> None:
    rows, truncated = await turns.of_session(Views(tokens), ANN, "s", NOW)  # type: ignore[arg-type]
    assert [r["position"] for r in rows] == list(range(len(tokens) - kept, len(tokens)))
    assert truncated is (kept < len(tokens))


@pytest.mark.parametrize(("tokens", "truncated"), [([3] * 4, False), ([turns.MOST_TOKENS] * 2, True)])
async def test_l9_a_history_is_counted_off_the_event_loop_and_says_whether_it_is_whole(
    monkeypatch: pytest.MonkeyPatch, tokens: list[int], truncated: bool
) -> None:
    threads: list[threading.Thread] = []

    def noted(*given: Any) -> History:
        threads.append(threading.current_thread())
        return compose(*given)

    async def nothing(*_: Any) -> None:
        return None

    monkeypatch.setattr(sessions, "compose", noted)
    monkeypatch.setattr(sessions, "load", nothing)
    body, fresh = sessions.MemoryContextIn(user_id="ann"), SimpleNamespace(wait=nothing)
    result = await sessions.memory_context("s", body, SCOPE, fresh, context(Views(tokens)))  # type: ignore[arg-type]
    assert result["truncated"] is truncated
    assert result["full_history"].splitlines()[-1].endswith(f"turn {len(tokens) - 1}")
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()


async def test_l9_namespaces_are_cut_and_counted_where_they_lie() -> None:
    """All of a tenant's came into the service for each page."""
    views = Views(namespaces=[["notes", name] for name in ("ann", "bob", "cay", "dee", "eve")])
    pages, cursor = [], None
    for _ in range(3):
        body = store.NamespacesIn(prefix=("notes",), suffix=("*",), max_depth=99, limit=2, cursor=cursor)
        page = await store.listed(context(views), SCOPE, body)
        pages.append([name for _, name in page["namespaces"]])
        cursor = page["cursor"]
    assert (pages, cursor) == ([["ann", "bob"], ["cay", "dee"], ["eve"]], None)
    assert {k: v for k, v in views.asked[1].items() if k != "now"} == {
        "users": None, "prefix": ["notes"], "suffix": ["*"], "depth": 16, "after": ["notes", "bob"], "offset": 0,
        "limit": 3,
    }  # fmt: skip
    await store.listed(context(views), SCOPE, store.NamespacesIn(offset=2**70))
    assert views.asked[-1]["offset"] < 2**63, "what no column holds is no error of the service"
