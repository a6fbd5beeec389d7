"""Doing it again on a running memstream: load meanwhile, its commands, what its stores hold."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx
import psycopg
from psycopg import sql

from memstream.cli.app import application
from memstream.reprocess.errors import RebuildError
from schemas.events.memory import MemoryBody, Reason, StatementMemory
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import OwnerKind, partition
from schemas.storage import generations
from tests.integration.scenario import PARTITIONS, TENANT, World
from tests.patience import PATIENCE, joined, line_of, until

COMMANDS = application()
STILL = ("ann", "bea", "cem")
"""Users who say nothing more once the tests run: their rows must be equal to the last character."""


@dataclass
class Load:
    """Turns and searches until it is left. `failed`: what did not answer 2xx at all; `late`: answers without a store
    that was slow, which are asked again until they are whole."""

    sent: int = 0
    asked: int = 0
    late: int = 0
    failed: list[str] = field(default_factory=list)


@contextmanager
def load(here: World, pause: float = 0.3) -> Iterator[Load]:
    result, stop = Load(), threading.Event()

    def run() -> None:
        with httpx.Client(base_url=here.http.base_url, timeout=PATIENCE) as http:
            while not stop.wait(pause):
                who = f"busy-{result.sent % 3}"
                fields = {
                    "user_id": who, "session_id": f"{who}-s", "role": "user", "content": f"Box {result.sent} is green.",
                    "occurred_at": datetime.now(UTC).isoformat(),
                }  # fmt: skip
                _ask(http, result, "/v1/turns", {"turns": [fields]})
                result.sent += 1
                _ask(http, result, "/v1/search", {"query": "Where do I live?", "user_id": "ann"})
                result.asked += 1

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield result
    finally:
        stop.set()
        joined(thread, "the load to end")


def _ask(http: httpx.Client, result: Load, path: str, body: dict[str, Any]) -> None:
    """Asked until every store has answered; what goes wrong is noted, for a thread has nobody to tell."""

    def ask() -> bool:
        answer = http.post(path, json=body)
        if not answer.is_success:
            result.failed.append(answer.text[:300])
        elif answer.json().get("degraded"):
            result.late += 1
            return False
        return True

    try:
        until(f"a whole answer of {path}", ask)
    except (httpx.HTTPError, AssertionError) as exc:
        result.failed.append(line_of(exc))


def command(here: World, *words: str) -> list[str]:
    return [sys.executable, "-m", "memstream", *words, "--data", str(here.stack.stack.data_dir)]


def run(here: World, *words: str, code: int = 0) -> Any:
    """What a command prints with --json; with exit status 2, what it says. In this process: starting one takes longer
    than most of them."""
    results, printed, text = [*command(here, *words), "--json"], io.StringIO(), ""
    try:
        with redirect_stdout(printed):
            status = COMMANDS.main(args=results[3:], prog_name="memstream", standalone_mode=False) or 0
    except (RebuildError, generations.GenerationError) as exc:
        status, text = 2, str(exc)
    assert status == code, (words, text, printed.getvalue()[-2000:])
    return text or json.loads(printed.getvalue())


def query(here: World, text: str, *params: object) -> list[tuple[Any, ...]]:
    with psycopg.connect(here.stack.addresses.postgres, autocommit=True) as conn:
        cursor = conn.execute(text, params)
        return cursor.fetchall() if cursor.description else []


def live(here: World) -> dict[str, tuple[int, str]]:
    """Store -> the generation that is read, and its model."""
    with psycopg.connect(here.stack.addresses.postgres, autocommit=True) as conn:
        return {g.store: (g.number, g.embedder) for g in generations.all_of(conn) if g.live}


def rows(here: World, number: int, table: str) -> list[str]:
    """Those of the users who say nothing more, whole."""
    column = "owner_id" if table in ("memories", "decisions", "archive") else "user_id"
    text = sql.SQL("SELECT t::text FROM {}.{} t WHERE {} = ANY(%s) ORDER BY 1").format(
        sql.Identifier(f"views_g{number}"), sql.Identifier(table), sql.Identifier(column)
    )
    with psycopg.connect(here.stack.addresses.postgres) as conn:
        return [r for (r,) in conn.execute(text, (list(STILL),))]


def found(here: World, requested: str, who: str, word: str) -> None:
    """A search finds it: at once, or when its reader has followed a switch."""
    body = {"query": requested, "user_id": who}
    until(f"{word} in a search", lambda: here.post("/v1/search", body)["results"], lambda results: word in str(results))


def archive(here: World, who: str, text: str) -> None:
    """A record as the gate writes it when its class ends (C8), and as it was before."""
    for revision, state in ((1, "active"), (2, "archived")):
        kept = StatementMemory(
            tenant=TENANT, owner_kind=OwnerKind.USER, owner_id=who, user_id=who, record_id=f"{who}-archived",
            revision=revision, kind="fact", state=state, field="visit", occurred_at=datetime.now(UTC),  # type: ignore[arg-type]
            known_at=datetime.now(UTC), last_accessed_at=datetime.now(UTC), sealed=MemoryBody(text=text, value=text),
            reason=Reason(outcome="kept", gate="confidence", rule="explicit"),
        )  # fmt: skip
        record = Codec().encode(kept, "test", f"{who}-archived-{revision}")
        place = partition(kept.owner, PARTITIONS)
        here.producer.produce(topics.UPDATES.name, record.value, record.key, place, headers=list(record.headers))
    assert here.producer.flush(PATIENCE) == 0
    until("the archive", lambda: rows(here, 1, "archive"))


def archived(here: World, who: str) -> list[str]:
    found = here.get(f"/v1/users/{who}/memories", state="archived")["memories"]
    return [m["text"] for m in found]


def values(here: World, who: str, name: str) -> list[Any]:
    found = here.get(f"/v1/users/{who}/memories", limit=200)["memories"]
    return sorted(m["value"] for m in found if m["field"] == name)
