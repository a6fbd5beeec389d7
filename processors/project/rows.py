"""Rows of the project step: hot memory under the project, a week under `week_places.Place.key`, and two lists of a
partition that ticks look at. The stored field names are known here alone, and to the erasure of a week."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, NamedTuple

from pydantic import Field

from processors.state_tables import EventRows, JsonRows, Row, Single, SortableTime, Table, TimeRows, stored_as
from schemas.events.envelope import SourceTurn
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import Role
from schemas.log import topics
from schemas.log.ids import record_id
from schemas.log.owner import Owner

DUE_WEEKS_OWNER = "@weeks"
DUE_STATUS_OWNER = "@daily"


class HotName(NamedTuple):
    """An entry of hot memory."""

    hot_type: str
    key: str

    @classmethod
    def parse(cls, row: str) -> HotName:
        """Of the key of its row, `hot/TYPE/KEY`."""
        _, hot_type, key = row.split("/", 2)
        return cls(hot_type, key)

    @property
    def name(self) -> str:
        """In the table `HOT`."""
        return f"{self.hot_type}/{self.key}"

    @property
    def row(self) -> str:
        return HOT.key(self.name)

    def record_id(self, owner: Owner) -> str:
        return record_id(owner, "hot", self.hot_type, self.key)


class HotIndexEntry(NamedTuple):
    """Of an active entry. `occurred_at`: sortable text, since 500 of them are read for each new entry."""

    priority: int
    occurred_at: str
    revision: int


class DueWeek(NamedTuple):
    """A week that has something to write at `due_at`. `owner`: the project's key."""

    due_at: SortableTime
    owner: str
    monday: date


class HeldText(Row):
    """The text of a turn, shortened. `position`: of the turn, in the order of its user's turns."""

    model_config = stored_as(
        text="c", role="r", speaker="p", source="s", user_id="u", expires_at="x", position="n"
    )  # fmt: skip

    text: str
    role: Role
    speaker: str | None
    source: SourceTurn
    user_id: str
    expires_at: SortableTime
    position: int = 0


class Statement(NamedTuple):
    """What the gate kept of a turn. `record_id`: the user's memory."""

    kind: str
    episode_type: str | None
    text: str
    record_id: str


class TurnStatements(Row):
    """All that the gate kept of one turn."""

    model_config = stored_as(statements="k", source="s", user_id="u", position="n")

    statements: tuple[Statement, ...]
    source: SourceTurn
    user_id: str
    position: int = 0


@dataclass(frozen=True, slots=True)
class WeekCounts:
    """What is counted of a week, and whether its report is up to date (not `dirty`).

    `users`: turns by user, of the first users; turns of others are in `more_users`. `memories`: kept statements by
    kind. `texts`: weight of each held text, by turn id. `notes`: turns with statements. `zh`: turns in Chinese.
    `late`: turns that came after the week was closed. `late_at`: when the report was last written for such turns.
    """

    turns: int = 0
    users: dict[str, int] = field(default_factory=dict)
    more_users: int = 0
    memories: dict[str, int] = field(default_factory=dict)
    texts: dict[str, float] = field(default_factory=dict)
    notes: int = 0
    zh: int = 0
    late: int = 0
    left_out: int = 0
    closed: bool = False
    dirty: bool = False
    late_at: Annotated[SortableTime | None, Field(exclude_if=lambda when: when is None)] = None


HOT: Table[MemoryUpdate] = Table("hot/", EventRows(topics.UPDATES, MemoryUpdate))
"""By `HotName.name`."""
HOT_INDEX: Single[dict[str, HotIndexEntry]] = Single("hot@keys", JsonRows(dict[str, HotIndexEntry]))
"""Active entries by `HotName.row`."""
REMOVED: Table[int] = Table("gone/", JsonRows(int))
"""Last revision of an entry that was removed, by record id: its key may be what somebody said."""
WRITTEN_BY: Table[tuple[str, ...]] = Table("said/", JsonRows(tuple[str, ...]))
"""Record ids of the entries that a turn wrote, by turn id."""
LATE_TURNS: Single[int] = Single("weeks/too_late", JsonRows(int))

WEEK: Single[WeekCounts] = Single("meta", JsonRows(WeekCounts))
TEXTS: Table[HeldText] = Table("t/", JsonRows(HeldText))
"""By turn id; until the turn expires."""
STATEMENTS: Table[TurnStatements] = Table("k/", JsonRows(TurnStatements))
"""By turn id."""
EXTRACT: Single[str] = Single("extract", JsonRows(str))
"""The summary that the report was written with."""
REPORT: Single[MemoryUpdate] = Single("report", EventRows(topics.UPDATES, MemoryUpdate))

DUE_WEEKS: Table[DueWeek] = Table("", JsonRows(DueWeek))
"""By `Place.key`, under `DUE_WEEKS_OWNER`."""
DUE_STATUS = Table("", TimeRows())
"""When a project's daily status is due, by its owner key, under `DUE_STATUS_OWNER`."""
