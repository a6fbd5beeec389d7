"""`memstream demo`: the main job on real text, shown: what was remembered and why, a search, a prompt, freshness."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from memstream.cli.http import Service
from memstream.cli.ingest import Ingested, ingest
from memstream.cli.sample import sample_questions, sample_turns

_SHOWN = 14


def show(console: Console, service: Service, turns: list[dict[str, Any]] | None, question: str | None) -> Ingested:
    """Ingest (the shipped sample when `turns` is None; else one turn or more) and print what became of it."""
    given = turns if turns is not None else sample_turns()
    console.rule("ingest")
    done = ingest(service, given, console)
    console.print(
        f"{done.turns} turns of {len(done.users)} users acknowledged in {done.seconds:.1f} s, "
        f"all readable {done.fresh_seconds:.1f} s later"
    )
    for user in done.users[:2]:
        _memories(console, service, user, done.token)
    questions = sample_questions() if turns is None else [_own_question(given, question)]
    for user, _, query in questions:
        _search(console, service, user, query, done.token)
    user, project, query = questions[-1]
    last = next(t for t in reversed(given) if t["user_id"] == user)
    _prompt(console, service, user, project, str(last["session_id"]), query, done.token)
    _freshness(console, service)
    return done


def _own_question(turns: list[dict[str, Any]], question: str | None) -> tuple[str, None, str]:
    user_turns = [t for t in turns if t.get("role") == "user"] or turns
    return str(user_turns[-1]["user_id"]), None, question or str(user_turns[-1]["content"])[:300]


def _memories(console: Console, service: Service, user: str, token: str) -> None:
    console.rule(f"what was remembered of {escape(user)}, and why")
    table = Table(box=None, pad_edge=False)
    for column in ("kind", "memory", "state", "why", "said in"):
        table.add_column(column, overflow="fold")
    path = f"/v1/users/{quote(user, safe='')}/memories"
    page = service.get(f"{path}?limit=200", token)["memories"]
    for m in page[:_SHOWN]:
        reason = m.get("reason") or {}
        why = f"{reason.get('outcome', '')} by {reason.get('gate', '')}: {reason.get('rule', '')}"
        table.add_row(m["kind"], escape(m["text"]), m["state"], why, ", ".join(m["source_turn_ids"][:2]))
    console.print(table)
    if len(page) > _SHOWN:
        console.print(f"... and {len(page) - _SHOWN} more: GET {path}", markup=False)


def _search(console: Console, service: Service, user: str, query: str, token: str) -> None:
    console.rule("search")
    answer = service.post("/v1/search", {"query": query, "user_id": user, "limit": 5}, token)
    console.print(f"[bold]{escape(query)}[/bold]  ({answer['took_ms']:.0f} ms)")
    for r in answer["results"]:
        console.print(f"  {r['score']:.2f}  {r['kind']:<10} {escape(r['text'])}", highlight=False)


def _prompt(
    console: Console, service: Service, user: str, project: str | None, session: str, query: str, token: str
) -> None:
    console.rule("a prompt within 600 tokens")
    body: dict[str, Any] = {"query": query, "user_id": user, "session_id": session, "budget_tokens": 600}
    if project:
        body["project_id"] = project
    answer = service.post("/v1/context", body, token)
    console.print(escape(answer["prompt"]), highlight=False, soft_wrap=True)
    console.print(f"[dim]{answer['tokens']} tokens, {answer['dropped']} passages left out[/dim]")


def _freshness(console: Console, service: Service) -> None:
    console.rule("freshness: from acceptance to readable")
    stores: dict[str, Any] = {}
    for _ in range(10):  # sinks report every two seconds, the service asks as often
        stores = service.get("/v1/pipeline").get("freshness", {})
        if all(stores.get(s, {}).get("p50_seconds") is not None for s in ("postgres", "milvus", "redis")):
            break
        time.sleep(1)
    for name, f in sorted(stores.items()):
        p50, p99 = f.get("p50_seconds"), f.get("p99_seconds")
        if p50 is not None:
            console.print(f"  {name:<40} p50 {p50 * 1000:6.0f} ms   p99 {p99 * 1000:6.0f} ms", highlight=False)
