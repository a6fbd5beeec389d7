"""The conversation that the demo ships: two people, two languages, invented."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import orjson


def sample_turns(now: datetime | None = None) -> list[dict[str, Any]]:
    """The turns as `POST /v1/turns` takes them. Times in the file are minutes before `now`."""
    now = now or datetime.now(UTC)
    raw = files("memstream").joinpath("sample.jsonl").read_text(encoding="utf-8")
    turns = []
    for line in raw.splitlines():
        turn = orjson.loads(line)
        turn["occurred_at"] = (now - timedelta(minutes=turn.pop("minutes_ago"))).isoformat()
        turns.append(turn)
    return turns
