"""The conversation that the demo ships: two people, two languages, invented."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import orjson


def sample_turns(now: datetime | None = None) -> list[dict[str, Any]]:
    """The turns as `POST /v1/turns` takes them. Times in the file are minutes before `now`."""
    now = now or datetime.now(UTC)
    turns = []
    for turn in _lines("sample.jsonl"):
        turn["occurred_at"] = (now - timedelta(minutes=turn.pop("minutes_ago"))).isoformat()
        turns.append(turn)
    return turns


def sample_questions() -> list[tuple[str, str | None, str]]:
    """(user, project, question) to ask of the sample."""
    return [(q["user_id"], q.get("project_id"), q["query"]) for q in _lines("sample_questions.jsonl")]


def _lines(name: str) -> list[dict[str, Any]]:
    text = files("memstream.cli").joinpath(name).read_text(encoding="utf-8")
    return [orjson.loads(line) for line in text.splitlines()]
