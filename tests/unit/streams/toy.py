"""A small step over conversation.turns, whose turns say what is to happen to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from processors.state_tables import JsonRows, Single, Table
from processors.step import Emit, Out, PlainStep, Reads, Record, Reject, StateSpace
from schemas.events.documents import TurnDigest
from schemas.events.envelope import SourceTurn, Tick
from schemas.events.sessions import SessionBody, SessionState
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics

COUNT: Single[int] = Single("count", JsonRows(int))
TEXTS: Table[str] = Table("turn/", JsonRows(str))
START = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def turn(content: str, user: str = "ann", session: str = "s1", project: str | None = None) -> TurnEvent:
    return TurnEvent(
        tenant="acme", user_id=user, session_id=session, turn_id=f"{user}-{content}", role="user", occurred_at=START,
        project_id=project, sealed=TurnBody(content=content),
    )  # fmt: skip


class Counter(PlainStep):
    """Counts a user's turns; its output says the count, and whether `derived` agrees with the rows."""

    name = "counter"
    source = topics.TURNS
    outputs = (topics.SESSION_STATE, topics.PROJECT_EVENTS)
    marks = (topics.SESSION_STATE,)

    def __init__(self, coalesce: bool = False) -> None:
        self.coalesce = frozenset({topics.SESSION_STATE.name}) if coalesce else frozenset()
        self.prepared: list[int] = []

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        self.prepared.append(len(records))
        if any(_says(r, "poison") for r in records):
            raise RuntimeError("prepare fails and names no content")
        return [None] * len(records)

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        if _says(record, "unreadable"):
            raise LookupError("reads fails")
        event = record.event
        return (Reads(event.owner.key),) if isinstance(event, TurnEvent) else ()

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        if _says(record, "unnameable"):
            raise LookupError("then_reads fails")
        return ()

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        event = record.event
        if isinstance(event, Tick):
            return []
        assert isinstance(event, TurnEvent)
        rows = state.of(event.owner.key)
        index: list[str] = rows.derived("seen", lambda: [text for _, text in rows.table(TEXTS).items()])
        count = (rows.single(COUNT).get() or 0) + 1
        rows.single(COUNT).put(count)
        rows.table(TEXTS).put(f"{count:06d}", event.sealed.content)
        index.append(event.sealed.content)
        if _says(record, "raise"):
            raise ValueError(f"the text was {event.sealed.content}")
        if _says(record, "reject"):
            return [Reject("refused_word", "content: must not be refused")]
        anchors: dict[str, Any] = {"indexed": len(index)}
        if _says(record, "huge"):
            anchors["blob"] = "x" * 3_000_000
        return self._outputs(event, count, anchors, silent=_says(record, "silent"))

    def _outputs(self, e: TurnEvent, count: int, anchors: dict[str, Any], silent: bool) -> list[Out]:
        out: list[Out] = []
        if not silent:
            value = SessionState(
                tenant=e.tenant, user_id=e.user_id, session_id=e.session_id, revision=count, updated_at=START,
                sealed=SessionBody(anchors=anchors),
            )  # fmt: skip
            out.append(Emit(topics.SESSION_STATE, value))
        if e.project_id is not None:
            source = SourceTurn(turn_id=e.turn_id or "", occurred_at=START, content_hash="")
            digest = TurnDigest(
                tenant=e.tenant, project_id=e.project_id, user_id=e.user_id, turn=source, role=e.role, language="en",
                accepted_at=START,
            )  # fmt: skip
            out.append(Emit(topics.PROJECT_EVENTS, digest))
        return out


def _says(record: Record, word: str) -> bool:
    return isinstance(record.event, TurnEvent) and record.event.sealed.content.startswith(word)


Build = Callable[[], Counter]
