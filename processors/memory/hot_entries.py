"""Which entries of projects' hot memory a record of a user has written."""

from __future__ import annotations

from typing import NamedTuple, cast

from processors.hot_matter import keys_of
from processors.step import OwnerState
from schemas.base import Json
from schemas.events.memory import HotValue
from schemas.log.ids import record_id
from schemas.log.owner import project

_HOT = "h/"
_MOST = 20


class InHot(NamedTuple):
    """An entry of a project's hot memory: of which project and type, and its id there."""

    project: str
    type: str
    entry: str

    @classmethod
    def all_of(cls, tenant: str, project_id: str, hot: HotValue) -> list[InHot]:
        """Under each of the keys that it may have there, its own the last."""
        owner = project(tenant, project_id)
        keys = reversed(keys_of(hot))
        return [cls(project_id, hot.type, record_id(owner, "hot", hot.type, key)) for key in keys]


class HotEntries:
    """Of one user: a row of the gate's state a record, the newest `_MOST` of its entries."""

    def __init__(self, state: OwnerState) -> None:
        self._state = state

    def of(self, record_id: str) -> list[InHot]:
        """The entries that a record has written, the newest last. Not their keys, which may be what somebody said."""
        row = self._state.get(_HOT + record_id)
        return [InHot(*map(str, e)) for e in cast("list[list[str]]", row)] if isinstance(row, list) else []

    def note(self, record_id: str, entry: InHot) -> None:
        held = self.of(record_id)
        if entry not in held:
            kept: list[Json] = [list(e) for e in (*held, entry)[-_MOST:]]
            self._state.put(_HOT + record_id, kept)

    def forget(self, record_id: str) -> None:
        self._state.delete(_HOT + record_id)
