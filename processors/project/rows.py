"""Rows of the project step: hot memory under the project, a week under `week_places.Place.key`, and two lists of a
partition that ticks look at. The stored field names are known here alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

import orjson

from processors.state_tables import (
    DataclassRows,
    EventRows,
    JsonRows,
    Row,
    Single,
    SortableTime,
    Table,
    TimeRows,
    UnreadableRow,
    stored_as,
)
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

    def proposal_id(self, owner: Owner) -> str:
        """Of what talk says instead."""
        return record_id(owner, "hot", self.hot_type, self.key, "proposal")


class HotIndexEntry(NamedTuple):
    """Of an active entry. `occurred_at`: sortable text."""

    priority: int
    occurred_at: str
    revision: int


class HotIndex:
    """Active entries by `HotName.row`. An entry gets its type when it is asked for: up to 500 are read for each new
    one, and none of them is looked at in most cases."""

    def __init__(self, stored: Mapping[str, Sequence[int | str]]) -> None:
        """`stored`: as they are in the row, lists of the fields of `HotIndexEntry`."""
        self.stored = stored

    def __len__(self) -> int:
        return len(self.stored)

    def __contains__(self, row: str) -> bool:
        return row in self.stored

    def __iter__(self) -> Iterator[str]:
        return iter(self.stored)

    def __getitem__(self, row: str) -> HotIndexEntry:
        return HotIndexEntry._make(self.stored[row])

    def having(self, row: str, entry: HotIndexEntry) -> HotIndex:
        return HotIndex({**self.stored, row: tuple(entry)})

    def without(self, row: str) -> HotIndex:
        return HotIndex({r: v for r, v in self.stored.items() if r != row})


class HotIndexRows:
    """How a `HotIndex` is stored: a map of lists."""

    def encode(self, row: HotIndex) -> bytes:
        return orjson.dumps(row.stored, option=orjson.OPT_SORT_KEYS)

    def decode(self, raw: bytes) -> HotIndex:
        try:
            stored = orjson.loads(raw)
        except orjson.JSONDecodeError:
            stored = None
        if not isinstance(stored, dict):
            raise UnreadableRow("value: expected an object")
        return HotIndex(stored)


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


@dataclass(slots=True)
class WeekCounts:
    """What is counted of a week, and whether its report is up to date (not `dirty`). Every read of the row gives an
    object of its own: change it, and put it back.

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
    late_at: datetime | None = None


HOT: Table[MemoryUpdate] = Table("hot/", EventRows(topics.UPDATES, MemoryUpdate))
"""By `HotName.name`."""
PROPOSED: Table[MemoryUpdate] = Table("prop/", EventRows(topics.UPDATES, MemoryUpdate))
"""What talk says instead of an entry that was set by hand, by `HotName.name`."""
HOT_INDEX: Single[HotIndex] = Single("hot@keys", HotIndexRows())
REMOVED: Table[int] = Table("gone/", JsonRows(int))
"""Last revision of an entry that was removed, by record id: its key may be what somebody said."""
WRITTEN_BY: Table[tuple[str, ...]] = Table("said/", JsonRows(tuple[str, ...]))
"""Record ids of the entries that a turn wrote, by turn id."""
ANSWERS: Table[str] = Table("answer/", JsonRows(str))
"""By the Monday of a week, the key in the log of the model's answer that its report has: others leave the log, and this
one when the report is written again without a user."""
LATE_TURNS: Single[int] = Single("weeks/too_late", JsonRows(int))

WEEK: Single[WeekCounts] = Single("meta", DataclassRows(WeekCounts))
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
