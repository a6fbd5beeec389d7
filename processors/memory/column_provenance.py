"""Which of a row's columns a caller wrote, and when: what the user's facts say is put beside it (C2, C3).

Kept with the row, as `attributes.written`: `{column: {"at": time, "value"?: what was written}}`, the value only where
the row shows another. What a caller wrote stands until a caller writes again, or, in a column of one value, until
something later is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from processors.memory.index import since
from schemas.base import Json, JsonValue
from schemas.events.memory import MemoryUpdate
from schemas.profile.model import TableColumn

_NAME = "written"


class Timed(NamedTuple):
    """A value and when it was written or last said. `value` None: the column was emptied."""

    at: datetime
    value: Json


def of(row: MemoryUpdate | None) -> dict[str, Timed]:
    """What callers wrote to a row, by column. Of a row from before this was kept: all of it where no turn told it
    anything, else nothing is known."""
    if row is None or not isinstance(row.sealed.value, dict):
        return {}
    values: dict[str, JsonValue] = row.sealed.value
    kept = row.sealed.attributes.get(_NAME)
    if not isinstance(kept, dict):
        return {} if row.sources else {name: Timed(row.known_at, v) for name, v in values.items()}
    return {
        name: Timed(datetime.fromisoformat(e["at"]), e["value"] if "value" in e else values.get(name))
        for name, e in kept.items()
    }


def attributes(written: Mapping[str, Timed], values: Mapping[str, Json]) -> dict[str, JsonValue]:
    """Attributes of the row that shows `values`."""
    rows = {
        name: {"at": w.at.isoformat(), **({} if values.get(name) == w.value else {"value": w.value})}
        for name, w in written.items()
    }
    return {_NAME: rows}


def stated_at(fact: MemoryUpdate) -> datetime:
    """When a standing record was last said."""
    return max([since(fact), fact.occurred_at, *(s.occurred_at for s in fact.sources)])


def shown(column: TableColumn, written: Timed | None, columns: Sequence[Timed]) -> Json:
    """What a column holds: the latest of what was written and said; a list what was written and what was said since."""
    later = sorted((s for s in columns if written is None or s.at > written.at), key=lambda s: s.at)
    if not later:
        return None if written is None else written.value
    if column.type != "json":
        return later[-1].value
    flat: list[Json] = []
    for v in [*([] if written is None or written.value is None else [written.value]), *(s.value for s in later)]:
        flat += [x for x in (v if isinstance(v, list) else [v]) if x not in flat]
    return flat
