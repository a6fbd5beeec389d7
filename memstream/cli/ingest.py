"""`memstream ingest FILE`: turns from a file through the service, with progress, until they are readable."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memstream.cli.http import Service
from schemas.log.progress import FreshnessToken

CALL_BYTES = 4 * 1024 * 1024
"""Half of what the service takes by default (`query.config`)."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """`seconds` from the first call to the last acknowledgement, `fresh_seconds` until everything was readable."""

    turns: int
    seconds: float
    fresh_seconds: float
    fresh: bool
    token: str
    users: tuple[str, ...]


def ingest(service: Service, turns: Sequence[dict[str, Any]], console: Console, batch: int = 200) -> Ingested:
    """Send in order, then wait until the views of turns and memories have all of it.

    Raises ServiceError naming the item when the service refuses one; what was sent before stays sent.
    """
    token: FreshnessToken | None = None
    start = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("sending turns", total=len(turns))
        for chunk in calls_of(turns, batch):
            answer = service.post("/v1/turns", {"turns": chunk})
            new = FreshnessToken.parse(answer["freshness_token"])
            token = new if token is None else token.merged(new)
            progress.advance(task, len(chunk))
        sent = time.monotonic()
        users = tuple(dict.fromkeys(str(t["user_id"]) for t in turns))
        waiting = progress.add_task("making readable", total=None)
        fresh = token is None or _readable(service, users[0], str(token))
        progress.update(waiting, total=1, completed=1)
    done = time.monotonic()
    return Ingested(len(turns), sent - start, done - sent, fresh, str(token or ""), users)


def _readable(service: Service, user: str, token: str) -> bool:
    """One waiting read stands for all: a token covers every partition that was written."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        body = {"query": "memory", "user_id": user, "limit": 1}
        if service.post("/v1/search", body, token=token, wait_ms=20_000)["_fresh"]:
            return True
    return False


def calls_of(turns: Iterable[dict[str, Any]], most: int) -> Iterator[list[dict[str, Any]]]:
    """At most `most` turns and `CALL_BYTES` a call, in order; a turn that is larger alone goes alone, and the service
    says what it does not take."""
    call: list[dict[str, Any]] = []
    size = 0
    for turn in turns:
        mine = len(orjson.dumps(turn)) + 1
        if call and (len(call) == most or size + mine > CALL_BYTES):
            yield call
            call, size = [], 0
        call.append(turn)
        size += mine
    if call:
        yield call
