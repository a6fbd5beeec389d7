"""What a user's own command, or the end of its days, says to the projects that show a memory (A4, A5, C8, C9, D9).
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from processors.memory.rows import InHot
from processors.memory.store import UserMemoryStore
from processors.reader.rules.hot import hot_entry, hot_status
from processors.step import Emit
from schemas.events.documents import UserMemory, UserMemoryBody
from schemas.events.envelope import SourceTurn
from schemas.events.memory import HotValue, MemoryCommand, MemoryUpdate
from schemas.log import topics
from schemas.log.owner import Owner
from schemas.profile.model import Profile


def expired(owner: Owner, store: UserMemoryStore, record: str, old: MemoryUpdate | None, now: datetime) -> list[Emit]:
    """Its days or its user's bound ended it. `old`: None where it had been replaced before; its entries may stand."""
    entries = store.hot.of(record)
    store.hot.forget(record)
    turns = () if old is None else old.sources
    return [
        Emit(
            topics.PROJECT_EVENTS,
            UserMemory(
                tenant=owner.tenant, project_id=p, user_id=owner.id, command_id=f"expired/{record}/{now.isoformat()}",
                command="expire", record_id=record, turns=turns, accepted_at=now,
                entries=tuple(e.entry for e in entries if e.project == p),
            ),
        )
        for p in dict.fromkeys(e.project for e in entries)
    ]  # fmt: skip


class InProject:
    """Of one command. `store` remembers which entries a record has written."""

    def __init__(self, m: MemoryCommand, store: UserMemoryStore, profile: Profile, at: datetime) -> None:
        self._m = m
        self._at = at
        self._store = store
        self._profile = profile

    def remembered(self, kept: MemoryUpdate) -> list[Emit]:
        """A preference of a project's scope is in its hot memory: one is a view of the other (D9)."""
        project = self._m.project_id
        if kept.kind != "preference" or project is None or kept.scope != project:
            return []
        now = self._preference(kept)
        return [] if now is None else [self._notice(project, kept.record_id, (), kept.sealed.text, (), now)]

    def corrected(self, old: MemoryUpdate, new: MemoryUpdate) -> list[Emit]:
        entries = self._store.hot.of(old.record_id)
        out = []
        for project in self._projects(old, entries):
            mine = [e for e in entries if e.project == project]
            now = self._restated(mine, new)
            out.append(self._notice(project, old.record_id, old.sources, new.sealed.text, mine, now))
        return out

    def forgotten(self, record: str, old: MemoryUpdate | None) -> list[Emit]:
        """`old`: None where it stands no more; what it wrote into hot memory may stand yet."""
        entries = self._store.hot.of(record)
        self._store.hot.forget(record)
        turns = () if old is None else old.sources
        projects = self._projects(old, entries)
        return [self._notice(p, record, turns, "", [e for e in entries if e.project == p], None) for p in projects]

    def _projects(self, old: MemoryUpdate | None, entries: Iterable[InHot]) -> list[str]:
        """Those whose hot memory it is in, and the one whose report may tell it."""
        own = [] if old is None or old.project_id is None or not old.sources else [old.project_id]
        return list(dict.fromkeys((*own, *(e.project for e in entries))))

    def _restated(self, entries: Sequence[InHot], new: MemoryUpdate) -> HotValue | None:
        """What the corrected memory says in place of its newest entry, where the profile can tell it."""
        if not entries:
            return None
        hot_type, text = entries[-1].type, new.sealed.text
        if hot_type == "decision":
            return hot_entry(self._profile, "decision", text, text, text)
        return self._preference(new) if hot_type == "preference" else hot_status(self._profile, text)

    def _preference(self, u: MemoryUpdate) -> HotValue | None:
        name, value = u.field, u.sealed.value
        if u.fields and isinstance(value, dict):
            name, value = u.fields[0], value.get(u.fields[0])
        if name is None or value is None:
            return None
        return hot_entry(self._profile, "preference", u.sealed.text, name, value)

    def _notice(
        self, project: str, record: str, turns: tuple[SourceTurn, ...], text: str, entries: Sequence[InHot],
        now: HotValue | None,
    ) -> Emit:  # fmt: skip
        m = self._m
        if now is not None:
            for entry in InHot.all_of(m.tenant, project, now):
                self._store.hot.note(record, entry)
        return Emit(
            topics.PROJECT_EVENTS,
            UserMemory(
                tenant=m.tenant, project_id=project, user_id=m.user_id, command_id=m.command_id,
                command="correct" if m.command == "correct" else "forget" if m.command == "forget" else "remember",
                record_id=record, turns=turns, entries=tuple(e.entry for e in entries), accepted_at=self._at,
                sealed=UserMemoryBody(text=text, now=now),
            ),
        )  # fmt: skip
