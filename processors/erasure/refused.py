"""What an erasure leaves in every step that refuses: until when records of a user, session or tenant are refused."""

from __future__ import annotations

from datetime import datetime

import orjson
from pydantic import Field

from processors.state_tables import IsoTime, JsonRows, Row, Single, stored_as


class Refused(Row):
    """Until when records of a user or tenant are refused: `whole` is the cut-off of the latest erasure of all of it,
    `sessions` those of single sessions. `requested`: when the erasure of a cut-off was requested, where the log moved
    the cut-off behind the request."""

    model_config = stored_as(whole="all", requested="asked")

    whole: IsoTime | None = None
    sessions: dict[str, IsoTime] = Field(default_factory=dict)
    requested: dict[IsoTime, IsoTime] = Field(default_factory=dict)

    def cut_of(self, session_id: str | None) -> datetime | None:
        """The latest that counts for a session; None of what names no session."""
        cuts = (self.whole, self.sessions.get(session_id) if session_id is not None else None)
        return max((cut for cut in cuts if cut is not None), default=None)

    def latest(self) -> datetime | None:
        return max((cut for cut in (self.whole, *self.sessions.values()) if cut is not None), default=None)

    def with_session(self, session_id: str, cut: datetime, requested: datetime | None) -> Refused:
        later = max(cut, self.sessions.get(session_id, cut))
        return self._having(self.whole, {**self.sessions, session_id: later}, cut, requested)

    def with_all(self, cut: datetime, requested: datetime | None) -> Refused:
        """What a session's cut-off refuses beyond the whole one stays."""
        whole = max(cut, self.whole or cut)
        return self._having(whole, {s: at for s, at in self.sessions.items() if at > whole}, cut, requested)

    def _having(
        self, whole: datetime | None, sessions: dict[str, datetime], cut: datetime, requested: datetime | None
    ) -> Refused:
        requests = self.requested | ({cut: requested} if requested is not None else {})
        left = {at: when for at, when in requests.items() if at == whole or at in sessions.values()}
        return Refused(whole=whole, sessions=sessions, requested=left)


class RefusedRows(JsonRows[Refused]):
    """Without `requested` where the log moved no cut-off, as in nearly every row."""

    def __init__(self) -> None:
        super().__init__(Refused)

    def encode(self, row: Refused) -> bytes:
        stored = row.model_dump(mode="json", by_alias=True, exclude=None if row.requested else {"requested"})
        return orjson.dumps(stored, option=orjson.OPT_SORT_KEYS)


REFUSED: Single[Refused] = Single("deny", RefusedRows())
"""Under a user or tenant."""
