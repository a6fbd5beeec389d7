"""project: project.events -> memory.updates. Hot memory with one writer a project (A3, A4, A5), and its weekly reports
(A6; `processors.weeks`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import orjson

from processors import weeks
from processors.gate.emit import because, plain_decision, update
from processors.gate.rules import EXPLICIT
from processors.gate.values import same
from processors.ports import Models, ProfileBook
from processors.redaction import redact, replaced, strings
from processors.rollup import week_of
from processors.step import Out, PlainStep, Reads, Record, StateSpace
from schemas import topics
from schemas.base import JsonValue
from schemas.codec import Codec
from schemas.documents import ProjectCandidate, ProjectCommand, TurnDigest
from schemas.envelope import SourceTurn, Tick
from schemas.ids import record_id
from schemas.memory import HotValue, MemoryBody, MemoryUpdate
from schemas.owner import Owner, OwnerKind

_PLAIN = Codec()


@dataclass(frozen=True, slots=True)
class _Screened:
    """A caller's value, redacted. `refused`: a credential stood in it."""

    value: JsonValue
    refused: bool


class Project(PlainStep):
    """State: one row a key of hot memory, and what `processors.weeks` keeps of a week."""

    name = "project"
    source = topics.PROJECT_EVENTS
    outputs = (topics.UPDATES, topics.DECISIONS)
    marks = (topics.UPDATES,)

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models = models
        self._book = book

    def prepare(self, records: Sequence[Record]) -> Sequence[_Screened | None]:
        """Callers' own values go through the same screen as turns."""
        done: list[_Screened | None] = [None] * len(records)
        for i, r in enumerate(records):
            texts = list(dict.fromkeys(strings(r.event.sealed.value))) if isinstance(r.event, ProjectCommand) else []
            if isinstance(r.event, ProjectCommand) and texts:
                found = redact(self._models, self._book, [r.event.tenant] * len(texts), texts)
                plain = dict(zip(texts, (f.text for f in found), strict=True))
                done[i] = _Screened(replaced(r.event.sealed.value, plain), any(f.refused for f in found))
        return done

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case ProjectCandidate():
                hot = event.sealed.candidate.hot
                return (Reads(event.owner.key, (_key(hot.type, hot.key),)),) if hot else ()
            case ProjectCommand() if event.hot_type and event.key:
                return (Reads(event.owner.key, (_key(event.hot_type, event.key),)),)
            case ProjectCommand(command="report"):
                return weeks.reads_of_command(event.owner, event.accepted_at or record.timestamp, self._zone(event))
            case TurnDigest():
                return weeks.reads_of_turn(event, self._zone(event))
            case Tick():
                return weeks.reads_of_tick()
        return ()

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        if not isinstance(record.event, Tick):
            return ()
        return tuple(Reads(place.key) for place in weeks.due(record.event.now, state))

    def handle(self, record: Record, prepared: _Screened | None, state: StateSpace) -> Iterable[Out]:
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
                if prepared is not None and prepared.refused:
                    reason = because("refused", "pii", "credential")
                    return [plain_decision(event.owner, f"hot/{event.command_id}", "hot", reason, None, at)]
                value = event.sealed.value if prepared is None else prepared.value
                hot = HotValue(type=event.hot_type, key=event.key, value=value, priority=event.priority)
                return self._hot(event.owner, hot, "", at, at, (), event.user_id, event.command_id, state)
            case ProjectCommand(command="delete_hot") if event.hot_type and event.key:
                return self._delete(event, record, state)
            case ProjectCommand(command="report"):
                at = event.accepted_at or record.timestamp
                place = weeks.Place(event.owner, week_of(at, self._zone(event)))
                return self._weeks(event.tenant, state).report(place, at, "asked_for", event.command_id)
            case TurnDigest():
                return self._weeks(event.tenant, state).add(event)
            case Tick():
                places = weeks.due(event.now, state)
                done = [self._weeks(p.owner.tenant, state).report(p, event.now, "week_closed") for p in places]
                return [o for outs in done for o in outs]
        return []

    def _zone(self, event: TurnDigest | ProjectCommand) -> str:
        return self._book.of(event.tenant).time_zone

    def _weeks(self, tenant: str, state: StateSpace) -> weeks.Weeks:
        return weeks.Weeks(self._models, self._book.of(tenant), state)

    def _hot(
        self, owner: Owner, hot: HotValue, text: str, occurred: datetime, accepted: datetime,
        sources: tuple[SourceTurn, ...], user_id: str | None, cause: str, state: StateSpace,
    ) -> list[Out]:  # fmt: skip
        rows = state.of(owner.key)
        old = _load(rows.get(_key(hot.type, hot.key)))
        name = f"hot/{hot.type}/{hot.key}/{cause}"
        if old is not None and old.occurred_at > occurred:  # also where it was deleted since
            reason = because("skipped", "dedupe", "older_than_standing")
            return [plain_decision(owner, name, "hot", reason, old, accepted)]
        stands = old is not None and old.state == "active"
        if old is not None and stands and same(old.sealed.value, hot.value) and old.priority == hot.priority:
            reason = because("skipped", "dedupe", "same_value")
            return [plain_decision(owner, name, "hot", reason, old, accepted)]
        profile = self._book.of(owner.tenant)
        reason = because("superseding" if stands else "kept", "extraction" if sources else "command", "hot_memory")
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
        return [update(new), plain_decision(owner, name, "hot", reason, new, accepted)]

    def _delete(self, event: ProjectCommand, record: Record, state: StateSpace) -> list[Out]:
        rows = state.of(event.owner.key)
        key = _key(event.hot_type or "", event.key or "")
        old = _load(rows.get(key))
        if old is None or old.state == "deleted":
            return []
        reason = because("retired", "command", "hot_memory")
        at = max(old.occurred_at, event.accepted_at or record.timestamp)
        gone = old.model_copy(
            update={
                "revision": old.revision + 1, "op": "delete", "state": "deleted", "reason": reason, "occurred_at": at,
                "known_at": at, "valid_to": at, "sealed": MemoryBody(), "sources": (),
            }
        )  # fmt: skip
        rows.put(key, orjson.loads(_PLAIN.value(gone)))
        return [update(gone)]


def _key(hot_type: str, key: str) -> str:
    return f"hot/{hot_type}/{key}"


def _load(raw: Any) -> MemoryUpdate | None:
    return None if raw is None else cast(MemoryUpdate, _PLAIN.event(topics.UPDATES.name, raw))


def _text(key: str, value: JsonValue) -> str:
    return f"{key}: {value}" if isinstance(value, str | int | float | bool) else key
