"""A user's habits as pieces of a prompt (C5, C11). Pure.

An intent shows the habits that its profile names ("usually cardiology, Dr Zhang" where a visit is booked). A habit that
is overdue is shown whatever is asked, but for the request that does it, until the first answer of the session behind
the time at which it was due: once a conversation, without anything that the reader would have to write. They stand at
the end of the user's profile, since they come and go with the request: what is before them stays the same (D15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from processors.memory.habits.mentions import habit_mentions
from processors.memory.habits.patterns import TIMES, compare
from processors.memory.habits.wording import PART, SLOT, overdue_text, time_text, usual_text
from query.prompt.layout import Piece
from query.prompt.pieces import HABITS, cited
from query.views.db import Row
from schemas.profile.model import HabitSpec, Intent

_DAY = timedelta(days=1)


MOST_ASKED = 300
"""Characters of a request in which it is looked for what is asked for, beside the other requests."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, when, and behind which messages of the session (oldest first)."""

    query: str
    at: datetime
    language: str
    intents: Sequence[Intent]
    messages: Sequence[Mapping[str, Any]] = ()


def habits(rows: Sequence[Row], spec: HabitSpec, prompt_request: Request) -> tuple[list[Piece], set[str]]:
    """Those that help with the request, in the order in which its intent names them, then those that are overdue, and
    the ids of their records. `rows`: the user's readable patterns."""
    first = prompt_request.intents[0].habits if prompt_request.intents else ()
    doing = {
        habit_mentions(prompt_request.query[:MOST_ASKED], (), spec).action,
        *(i.name for i in prompt_request.intents),
    }
    known = sorted(rows, key=lambda r: (-float(r["confidence"]), r["key"] or ""))
    wanted = [row for name in first for row in _of(known, name)]
    named = [(row, text) for row in wanted if (text := _habit_line(row, spec, prompt_request, doing))]
    shown = {row["record_id"] for row, _ in named}
    late = [
        (row, text)
        for row in known
        if row["record_id"] not in shown and (text := _overdue(row, spec, prompt_request, doing))
    ]
    patterns = [*named, *late]
    group = "## 习惯" if prompt_request.language == "zh" else "## Habits"
    return [
        Piece("user_profile", f"- {text}", (HABITS, i), cited(row), group) for i, (row, text) in enumerate(patterns)
    ], {row["record_id"] for row, _ in patterns}


def plainly(row: Row, spec: HabitSpec, language: str) -> Row:
    """A hit that is a habit as it is told at any time: what its text says of now is of when it was written."""
    if row.get("kind") != "pattern" or not _value(row).keys() >= TIMES:
        return row
    value = _value(row)
    return {**row, "text": time_text(spec, str(value["action"]), str(value["time"]), value["weekdays"], language)}


def _value(row: Row) -> Mapping[str, Any]:
    value = row["value"]
    return value if isinstance(value, Mapping) else {}


def _of(known: Sequence[Row], name: str) -> list[Row]:
    """What an intent means by this name: an action, a key, or `phrase/ACTION`; of a time, what is most exact: its usual
    hour, else its weekday and part of the day, else the part."""
    exact = [[row for row in known if _is(row, each)] for each in (name, SLOT + name, PART + name)]
    return next((rows for rows in exact if rows), [])


def _is(row: Row, name: str) -> bool:
    value = _value(row)
    return name == (value.get("action") if value.get("type") == "time" else value.get("key"))


def _habit_line(row: Row, spec: HabitSpec, prompt_request: Request, doing: Set[str | None]) -> str:
    """Its words; of what is overdue, too, unless that was said."""
    value = _value(row)
    if value.get("type") == "usual":
        return usual_text(spec, str(value["key"]), str(value["value"]), prompt_request.language)
    if not value.keys() >= TIMES:
        return ""
    usually = time_text(spec, str(value["action"]), str(value["time"]), value["weekdays"], prompt_request.language)
    return _overdue(row, spec, prompt_request, doing) or usually


def _overdue(row: Row, spec: HabitSpec, prompt_request: Request, doing: Set[str | None]) -> str:
    """Nothing where it is not overdue, where the request does it (`doing`), or where an answer behind the time at which
    it was due has had it before it."""
    value = _value(row)
    if value.get("type") != "time" or not value.keys() >= TIMES or value["action"] in {*spec.times, *doing}:
        return ""
    lies = compare(value, prompt_request.at)
    if not lies["overdue"]:
        return ""
    hours, minutes = map(int, lies["now"].split(":"))
    since = prompt_request.at - timedelta(minutes=hours * 60 + minutes - int(value["due_minute"])) % _DAY
    if any(m["role"] == "assistant" and _at(m, prompt_request.at) >= since for m in prompt_request.messages):
        return ""
    usually = time_text(spec, str(value["action"]), str(value["time"]), value["weekdays"], prompt_request.language)
    return overdue_text(usually, str(lies["now"]), prompt_request.language)


def _at(message: Mapping[str, Any], now: datetime) -> datetime:
    """A message without a time is one that Redis has and Postgres has not yet: it is of now."""
    timestamp = message.get("timestamp")
    return (
        datetime.fromisoformat(timestamp)
        if isinstance(timestamp, str)
        else timestamp
        if isinstance(timestamp, datetime)
        else now
    )
