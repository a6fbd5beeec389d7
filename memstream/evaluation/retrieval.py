"""Retrieval over the running service: everything goes in through Kafka, every question over HTTP.

Every ranking that the service offers is asked the same questions. recall@k = gold found in the first k / gold,
averaged over questions; MRR over the first 20; tokens@10: what the first ten hits cost a prompt, in the default
encoding.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import orjson
from rich.console import Console

from inference.protocols import TokenCounter
from inference.tokens import token_counter
from memstream.cli.formats import FileError, read_turns
from memstream.cli.http import Service
from memstream.cli.ingest import ingest
from memstream.evaluation.gates import text_of

KS = (5, 10, 20)
MODES = ("bm25", "dense", "rrf", "sum", "adaptive")
"""Rankings of the service; the last is its default, and the one whose groups and latencies are told."""


class Asks(Protocol):
    def post(self, path: str, body: dict[str, Any], *, headers: dict[str, str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class Question:
    user_id: str
    text: str
    gold: frozenset[str]
    group: str


def retrieval(path: Path, memories: Path | None, service: Callable[[], Service], console: Console) -> dict[str, Any]:
    """A LoCoMo-shaped file (turns and questions), or a file of dialogues with `memories`, the memories they recall.
    Turns keep their ids; users get a prefix of this run, so that runs do not meet. `service` is asked for once the
    files are read. Raises FileError."""
    run = f"eval-{int(time.time())}-"
    try:
        turns, questions = _locomo(path, run) if memories is None else _dialogues(path, memories, run)
    except (KeyError, TypeError, IndexError, orjson.JSONDecodeError) as exc:
        raise FileError(f"{path}: not of a known shape ({type(exc).__name__})") from None
    called = service()
    done = ingest(called, turns, console)
    return {"turns": len(turns), "ingest_seconds": done.seconds + done.fresh_seconds, **ask_all(called, questions, run)}


def _locomo(path: Path, run: str) -> tuple[list[dict[str, Any]], list[Question]]:
    turns = [{**t, "user_id": run + t["user_id"]} for t in read_turns(path, "locomo")]
    questions = []
    for c in orjson.loads(text_of(path)):
        for q in c["qa"]:
            if q["evidence"] and q["category"] != 5:
                gold = frozenset(f"{c['id']}:{e}" for e in q["evidence"])
                questions.append(Question(run + str(c["id"]), q["question"], gold, f"category {q['category']}"))
    return turns, questions


def _dialogues(path: Path, memories: Path, run: str) -> tuple[list[dict[str, Any]], list[Question]]:
    """Each memory is a turn of its user in a session of its own; the query is the last user turn before the answer
    that should recall."""
    turns = [
        {
            "turn_id": str(m["id"]), "user_id": f"{run}{m['user']}", "session_id": f"memory-{m['id']}", "role": "user",
            "content": m["event"],
            "occurred_at": datetime.fromisoformat(m["date"]).replace(tzinfo=UTC).isoformat(),
        }
        for m in orjson.loads(text_of(memories))
    ]  # fmt: skip
    questions = []
    for d in orjson.loads(text_of(path)):
        last = d["test_turn"][0]
        while d["dialogue"][last]["speaker"] == "Assistant":
            last -= 1
        gold = frozenset(str(r) for r in d["relevant"])
        questions.append(Question(f"{run}{d['user']}", d["dialogue"][last]["text"], gold, "dialogue"))
    return turns, questions


def ask_all(service: Asks, questions: Sequence[Question], run: str) -> dict[str, Any]:
    rankings: dict[str, dict[str, float]] = {}
    counter = token_counter()
    for mode in MODES:
        rows: dict[str, list[dict[str, float]]] = defaultdict(list)
        took: list[float] = []
        for q in questions:
            start = time.perf_counter()
            body = {"query": q.text, "user_id": q.user_id, "kinds": ["turn"], "limit": max(KS)}
            answer = service.post("/v1/search", body, headers={"Memstream-Ranking": mode})
            took.append((time.perf_counter() - start) * 1000)
            row = scored([r["id"] for r in answer["results"]], q.gold)
            row["tokens@10"] = float(delivered([r["text"] for r in answer["results"][:10]], counter))
            rows[q.group].append(row)
            rows["all"].append(row)
        rankings[mode] = mean(rows["all"])
    took.sort()
    return {
        "questions": len(questions),
        "rankings": rankings,
        "figures": {g: mean(r) for g, r in sorted(rows.items())},
        "latency_ms": {
            "p50": statistics.median(took), "p95": took[int(len(took) * 0.95)], "p99": took[int(len(took) * 0.99)],
        },
        "run": run,
    }  # fmt: skip


def scored(found: Sequence[str], gold: frozenset[str]) -> dict[str, float]:
    row = {f"R@{k}": len(gold & set(found[:k])) / len(gold) for k in KS}
    row["hit@10"] = float(bool(gold & set(found[:10])))
    row["MRR"] = next((1 / (i + 1) for i, x in enumerate(found[:20]) if x in gold), 0.0)
    return row


def delivered(texts: Sequence[str], counter: TokenCounter) -> int:
    """Tokens of the texts, a line each."""
    return counter.count("\n".join(texts))


def mean(rows: Iterable[dict[str, float]]) -> dict[str, float]:
    held = list(rows)
    return {"n": len(held), **{k: round(statistics.fmean(r[k] for r in held), 4) for k in held[0]}}
