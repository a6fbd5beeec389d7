"""Records of a user that stand no more: a row of the gate's state each, so that the same record can come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from processors.memory.replaced import CHANGED
from processors.step import OwnerState
from schemas.base import Json
from schemas.events.memory import MemoryKind, MemoryUpdate

Ending = Literal["ended", "gone"]
"""Of a record that stands no more: its versions are in the views, or deleted from them."""
_TAIL = "v/"
_ENDED = "n/ended"
"""[how many records ended so far, the newest revision of those whose tails are forgotten]"""


class Tail(NamedTuple):
    """Numbers of the last version of a record."""

    version: int
    revision: int
    kind: MemoryKind


class Tails:
    """Of one user. `counts`: the index's, by how records ended."""

    def __init__(self, state: OwnerState, counts: Counter[str]) -> None:
        self._state = state
        self._counts = counts

    @staticmethod
    def counted(state: OwnerState) -> Counter[str]:
        """How many there are by how they ended."""
        return Counter(_ending(cast(list[Any], raw)) for _, raw in state.items(_TAIL))

    def get(self, record_id: str) -> Tail | None:
        row = self._row(record_id)
        return None if row is None else Tail(int(row[0]), int(row[1]), cast(MemoryKind, row[2]))

    def last_said(self, record_id: str) -> dict[str, Any] | None:
        """Scope, keyed hash of each value, source turns of the last version, and where it was read in them."""
        row = self._row(record_id)
        return cast(dict[str, Any] | None, row[3]) if row is not None and len(row) > 3 else None

    @property
    def floor(self) -> int:
        """A record whose tail is forgotten, or that never was, begins above it."""
        return self._ended()[1]

    def put(self, closed: MemoryUpdate, said: Mapping[str, Json] | None) -> None:
        """A record stands no more; `said`: as `last_said` tells it."""
        count, floor = self._ended()
        what: Json = None if said is None else dict(said)
        row: list[Json] = [closed.version, closed.revision, closed.kind, what, count, closed.op == "delete"]
        if closed.op == "upsert" and closed.reason.rule == CHANGED:
            row.append(True)
        self._replace(closed.record_id, row)
        self._state.put(_ENDED, [count + 1, floor])

    def move_on(self, record_id: str, revision: int) -> None:
        """An earlier version of a record that is not active is written anew: only the record's counter moves on."""
        if (row := self._row(record_id)) is not None:
            self._replace(record_id, [row[0], revision, *row[2:]])

    def ending(self, record_id: str) -> Ending | None:
        """None where nothing is known of it."""
        row = self._row(record_id)
        return None if row is None else _ending(row)

    def ended_by_change(self, record_id: str) -> bool:
        row = self._row(record_id)
        return row is not None and len(row) > 6 and bool(row[6])

    def forget(self, record_id: str) -> None:
        count, floor = self._ended()
        if (tail := self.get(record_id)) is not None:
            floor = max(floor, tail.revision)
        self._replace(record_id, None)
        self._state.put(_ENDED, [count, floor])

    def beyond(self, ending: Ending, most: int) -> list[str]:
        """Where more than `most` records ended that way: those that ended longest ago, and a hundredth of the bound
        more, so that they are not looked for at each one."""
        if self._counts[ending] <= most:
            return []
        tails = [(k, cast(list[Any], t)) for k, t in self._state.items(_TAIL)]
        found = sorted((t[4] if len(t) > 4 else -1, k) for k, t in tails if _ending(t) == ending)
        return [k.removeprefix(_TAIL) for _, k in found[: len(found) - most + most // 100]]

    def _row(self, record_id: str) -> list[Any] | None:
        row = self._state.get(_TAIL + record_id)
        return row if isinstance(row, list) else None

    def _ended(self) -> tuple[int, int]:
        row = self._state.get(_ENDED)
        return (int(cast(int, row[0])), int(cast(int, row[1]))) if isinstance(row, list) else (0, 0)

    def _replace(self, record_id: str, row: list[Json] | None) -> None:
        """Keep or forget a tail, and count it."""
        if (old := self._row(record_id)) is not None:
            self._counts[_ending(old)] -= 1
        if row is None:
            self._state.delete(_TAIL + record_id)
            return
        self._counts[_ending(row)] += 1
        self._state.put(_TAIL + record_id, row)


def _ending(tail: Sequence[Any]) -> Ending:
    return "gone" if len(tail) > 5 and tail[5] else "ended"
