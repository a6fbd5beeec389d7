"""project: project.events -> memory.updates. Hot memory with one writer a project (A3, A4, A5)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

import orjson

from processors.gate.emit import because, plain_decision, update
from processors.gate.rules import EXPLICIT
from processors.gate.values import same
from processors.ports import ProfileBook
from processors.step import Out, PlainStep, Reads, Record, StateSpace
from schemas import topics
from schemas.base import JsonValue
from schemas.codec import Codec
from schemas.documents import ProjectCandidate, ProjectCommand
from schemas.envelope import SourceTurn
from schemas.ids import record_id
from schemas.memory import HotValue, MemoryBody, MemoryUpdate
from schemas.owner import Owner, OwnerKind

_PLAIN = Codec()


class Project(PlainStep):
    """State: one row a key of hot memory."""

    name = "project"
    source = topics.PROJECT_EVENTS
    outputs = (topics.UPDATES, topics.DECISIONS)
    marks = (topics.UPDATES,)

    def __init__(self, book: ProfileBook) -> None:
        self._book = book

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case ProjectCandidate():
                hot = event.sealed.candidate.hot
                return (Reads(event.owner.key, (_key(hot.type, hot.key),)),) if hot else ()
            case ProjectCommand() if event.hot_type and event.key:
                return (Reads(event.owner.key, (_key(event.hot_type, event.key),)),)
        return ()

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        event = record.event
        match event:
            case ProjectCandidate() if event.sealed.candidate.hot:
                c = event.sealed.candidate
                return self._hot(
                    event.owner, event.sealed.candidate.hot, c.text, event.turn.occurred_at, event.accepted_at,
                    (event.turn,), event.user_id, f"{event.record_id}/{event.turn.turn_id}", state,
                )  # fmt: skip
            case ProjectCommand(command="put_hot") if event.hot_type and event.key:
                at = event.accepted_at or record.timestamp
                hot = HotValue(type=event.hot_type, key=event.key, value=event.sealed.value, priority=event.priority)
                return self._hot(event.owner, hot, "", at, at, (), event.user_id, event.command_id, state)
            case ProjectCommand(command="delete_hot") if event.hot_type and event.key:
                return self._delete(event, record, state)
        return []

    def _hot(
        self, owner: Owner, hot: HotValue, text: str, occurred: datetime, accepted: datetime,
        sources: tuple[SourceTurn, ...], user_id: str | None, cause: str, state: StateSpace,
    ) -> list[Out]:  # fmt: skip
        rows = state.of(owner.key)
        old = _load(rows.get(_key(hot.type, hot.key)))
        if old is not None and old.state == "active":
            if old.occurred_at > occurred:
                reason = because("skipped", "dedupe", "older_than_standing")
                return [plain_decision(owner, f"hot/{hot.type}/{hot.key}/{cause}", "hot", reason, old, accepted)]
            if same(old.sealed.value, hot.value) and old.priority == hot.priority:
                reason = because("skipped", "dedupe", "same_value")
                return [plain_decision(owner, f"hot/{hot.type}/{hot.key}/{cause}", "hot", reason, old, accepted)]
        profile = self._book.of(owner.tenant)
        reason = because("kept" if old is None else "superseding", "extraction" if sources else "command", "hot_memory")
        new = MemoryUpdate(
            tenant=owner.tenant, owner_kind=OwnerKind.PROJECT, owner_id=owner.id,
            record_id=record_id(owner, "hot", hot.type, hot.key), revision=1 if old is None else old.revision + 1,
            kind="hot", state="active", reason=reason, category=hot.type, key=hot.key, priority=hot.priority,
            scope=owner.id, importance=hot.priority / 10, confidence=EXPLICIT, user_id=user_id, project_id=owner.id,
            sources=sources, occurred_at=occurred, valid_from=occurred, known_at=accepted, last_accessed_at=accepted,
            profile=profile.name, profile_version=profile.version,
            sealed=MemoryBody(text=text or _text(hot.key, hot.value), value=hot.value),
        )  # fmt: skip
        rows.put(_key(hot.type, hot.key), orjson.loads(_PLAIN.value(new)))
        return [update(new), plain_decision(owner, f"hot/{hot.type}/{hot.key}/{cause}", "hot", reason, new, accepted)]

    def _delete(self, event: ProjectCommand, record: Record, state: StateSpace) -> list[Out]:
        rows = state.of(event.owner.key)
        key = _key(event.hot_type or "", event.key or "")
        old = _load(rows.get(key))
        if old is None or old.state == "deleted":
            return []
        reason = because("retired", "command", "hot_memory")
        gone = old.model_copy(
            update={
                "revision": old.revision + 1, "op": "delete", "state": "deleted", "reason": reason,
                "sealed": MemoryBody(), "sources": (),
            }
        )  # fmt: skip
        rows.put(key, orjson.loads(_PLAIN.value(gone)))
        return [update(gone)]


def _key(hot_type: str, key: str) -> str:
    return f"hot/{hot_type}/{key}"


def _load(raw: Any) -> MemoryUpdate | None:
    return None if raw is None else cast(MemoryUpdate, _PLAIN.decode(topics.UPDATES.name, orjson.dumps(raw)))


def _text(key: str, value: JsonValue) -> str:
    return f"{key}: {value}" if isinstance(value, str | int | float | bool) else key
