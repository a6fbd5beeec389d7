"""Rows that erasure keeps in the project step, under a user: where records of the user went."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import orjson

from processors.project.rows import HotName
from processors.project.week_places import Place
from processors.state_tables import JsonRows, Table, UnreadableRow
from schemas.log.owner import Owner

NAMED_SESSIONS = 50
"""Sessions that a user's row of a week names; where there were more, any may have been in it."""
_ANY_SESSION = orjson.dumps(1)


@dataclass(frozen=True, slots=True)
class SessionsOfWeek:
    """Sessions in which a user spoke in a week. `any`: in more than are named, or in none."""

    names: tuple[str, ...] = ()
    any: bool = False

    def having(self, session_id: str | None) -> SessionsOfWeek:
        if self.any or session_id in self.names:
            return self
        if session_id is None or len(self.names) >= NAMED_SESSIONS:
            return SessionsOfWeek(any=True)
        return SessionsOfWeek((*self.names, session_id))

    def without(self, session_id: str) -> SessionsOfWeek:
        return SessionsOfWeek(tuple(name for name in self.names if name != session_id), self.any)


class SessionsOfWeekRows:
    """How `SessionsOfWeek` is stored: a list of names, and a number where it may be any."""

    def encode(self, row: SessionsOfWeek) -> bytes:
        return _ANY_SESSION if row.any else orjson.dumps(row.names)

    def decode(self, raw: bytes) -> SessionsOfWeek:
        try:
            stored = orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise UnreadableRow("value: expected a list of sessions") from None
        if not isinstance(stored, list):
            return SessionsOfWeek(any=True)
        if not all(isinstance(name, str) for name in stored):
            raise UnreadableRow("value: expected a list of sessions")
        return SessionsOfWeek(tuple(stored))


@dataclass(frozen=True, slots=True)
class HotPlace:
    """An entry of hot memory. `owner`: the project's key."""

    owner: str
    entry: HotName

    @property
    def name(self) -> str:
        """In the table `HOT_OF_USER`."""
        return f"{self.owner}|{self.entry.row}"

    @classmethod
    def parse(cls, name: str) -> HotPlace:
        owner, _, row = name.partition("|")  # a key may hold any character
        return cls(owner, HotName.parse(row))


def week_of_name(name: str) -> Place:
    """Of a name in the table `WEEKS_OF_USER`, which is `Place.key`."""
    owner, monday = name.split("|")
    return Place(Owner.parse(owner), date.fromisoformat(monday))


WEEKS_OF_USER: Table[SessionsOfWeek] = Table("w|", SessionsOfWeekRows())
"""By `Place.key`: weeks of projects that may hold something of them."""
HOT_OF_USER: Table[int] = Table("h|", JsonRows(int))
"""By `HotPlace.name`: entries that the user wrote to. The row says nothing more."""
