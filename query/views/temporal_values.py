"""What was true at a time, one value a field (N8). A value that was told after its successor ("in May I moved to
York", said when Oslo stands) is kept as history, but the version before ("Leeds") has left the gate, which cannot end
it anew: both cover the time from when the late one began. The one that began last holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from query.views.db import Row

TOLD_LATE = "older_than_standing"
"""The gate's rule for such a value: fields of several values know no late ones."""
Version = tuple[str, int]
_Place = tuple[str, str, str, str]


def version_of(row: Row) -> Version:
    return row["record_id"], row["version"]


def without_overtaken(rows: Sequence[Row]) -> list[Row]:
    """`rows` of one owner, all true at one time, without those of which each value was overtaken by one that began
    later. What has several fields stays while one of them holds."""
    late = {place for row in rows if _is_late(row) for place in _places(row)}
    if not late:
        return list(rows)
    holds: dict[_Place, Row] = {}
    for row in rows:
        for place in late.intersection(_places(row)):
            if place not in holds or _rank(row) > _rank(holds[place]):
                holds[place] = row
    return [row for row in rows if _holds(row, holds)]


def may_be_overtaken(row: Row) -> bool:
    """Does it hold a value of a field at all?"""
    return bool(_places(row))


def _holds(row: Row, holds: dict[_Place, Row]) -> bool:
    places = _places(row)
    return not places or any(p not in holds or version_of(holds[p]) == version_of(row) for p in places)


def _is_late(row: Row) -> bool:
    return bool((row.get("reason") or {}).get("rule") == TOLD_LATE)


def _places(row: Row) -> list[_Place]:
    """Whose values of which fields a row holds, as the gate has it (`processors.memory.index.Slot`)."""
    names = [row["field"]] if row.get("field") else list(row.get("fields") or ())
    about = str((row.get("attributes") or {}).get("about", ""))
    return [(row["kind"], row["scope"], about, name) for name in names]


def _rank(row: Row) -> tuple[datetime, str, int]:
    return _since(row), *version_of(row)


def _since(row: Row) -> datetime:
    """The rest of a statement of several fields has its own time in its attributes."""
    stated = (row.get("attributes") or {}).get("since")
    begun: datetime = row["valid_from"] or row["occurred_at"]
    return datetime.fromisoformat(stated) if isinstance(stated, str) else begun
