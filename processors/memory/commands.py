"""Callers' own writes: remember, correct, forget, store items."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from processors.memory import items, rejections, repeated_command
from processors.memory.capacity import Room
from processors.memory.changes.judge import would_end
from processors.memory.emit import Changes, because, changed, deleted, plain_decision, update
from processors.memory.index import Slot, values_of
from processors.memory.marks import holds_again, marked, remove_marks_of, unmarked
from processors.memory.opposites import opposed
from processors.memory.project_notices import InProject
from processors.memory.restate import brought_back, ended_by_words
from processors.memory.rules import EXPLICIT
from processors.memory.store import UserMemoryStore, text_features
from processors.memory.values import canonical, same
from processors.memory.versions import VERSIONED, Versions
from processors.reader.rules.protocol import holds_many
from processors.step import Emit
from schemas.base import JsonValue
from schemas.events.memory import (
    Deletion,
    MemoryBody,
    MemoryCommand,
    MemoryKind,
    MemoryUpdate,
    Reason,
    StatementMemory,
    StoreItem,
    resolve_scope,
)
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind
from schemas.profile.model import Profile

ABOUT_USER = ""


class CommandGate:
    """Applies one command to one user's standing records."""

    def __init__(
        self, owner: Owner, store: UserMemoryStore, versions: Versions, profile: Profile, hash_key: bytes, at: datetime,
        model_id: str,
    ) -> None:  # fmt: skip
        self._store = store
        self._versions = versions
        self._profile = profile
        self._hash_key = hash_key
        self._at = at
        self._model_id = model_id
        self._room = Room(owner, store, profile, at)

    def command(self, m: MemoryCommand, refused: str | None = None) -> Iterable[Emit]:
        """`refused`: the entity in it that policy refuses; nothing of it is kept (D5)."""
        if self._store.applied(f"command/{m.command_id}", self._at):
            return []
        if refused is not None:
            reason = because("refused", "pii", refused)
            return [plain_decision(m.owner, m.command_id, "memory_command", reason, None, self._at)]
        match m.command:
            case "remember":
                scope = resolve_scope(m.scope, m.project_id)
                if scope is None:
                    reason = because("refused", "command", "scope_without_project")
                    return [plain_decision(m.owner, m.command_id, m.kind or "fact", reason, None, self._at)]
                return self._remember(m.model_copy(update={"scope": scope}))
            case "correct":
                return self._correct(m)
            case "forget":
                return self._forget(m)
            case "put_item":
                return self._put_item(m)
            case "delete_item":
                return self._delete_item(m)
            case "summarize":  # of the narrative, whose views take it before (processors.memory.views)
                return []
            case "touch_item":
                return self._touch_item(m)

    def _remember(self, m: MemoryCommand) -> list[Emit]:
        kind = m.kind or "fact"
        when = m.occurred_at or self._at
        holders, many = self._in_the_way(m, kind)
        name = m.memory_id or record_id(
            m.owner, kind, *((m.scope, ABOUT_USER, m.field, *many) if m.field else (m.command_id,))
        )
        fields = self._fields(m, name, 0, 1, when, because("kept", "command", "remembered"), kind)
        kept = StatementMemory(kind=kind, state="active", **fields)
        if (twin := self._twin(m, kept, holders)) is not None:
            renewed, outlived = holds_again(self._store, repeated_command.renewed(twin, kept), when)
            self._store.put(renewed, self._store.features(twin.record_id))
            reason = because("merged", "dedupe", "same_value" if m.field else "same_text")
            notices = self._in_project(m).remembered(renewed)
            decided = plain_decision(m.owner, m.command_id, kind, reason, renewed, self._at)
            return [update(renewed), *outlived, *notices, decided]
        existing = self._store.get(name)
        if existing is not None and all(h.record_id != name for h in holders):
            holders.append(existing)
        made = [] if holders else self._room.made_for(kept)
        if made is None:
            reason = because("refused", "retention", "full")
            return [plain_decision(m.owner, m.command_id, kind, reason, None, self._at)]
        out: list[Emit] = [*made]
        for old in holders:
            leaving = None if old.record_id == name else (m.field or "",)
            out += self._versions.end(old, when, self._at, because("superseding", "command", "remembered"), leaving)
        version, revision = self._store.next_numbers(name)
        reason = because("superseding" if holders else "kept", "command", "remembered")
        numbers = {"version": version if kind in VERSIONED else 0, "revision": revision, "reason": reason}
        kept = kept.model_copy(update=numbers)
        if others := opposed(self._store, self._profile, kept):
            kept = kept.model_copy(update={"conflicts_with": tuple(h.record_id for h in others)})
            out += [marked(self._store, h, name) for h in others]
        self._store.put(kept, text_features(kept.sealed.text) if kind == "episode" else None)
        notices = self._in_project(m).remembered(kept)
        return [*out, update(kept), *notices, plain_decision(m.owner, m.command_id, kind, reason, kept, self._at)]

    def _in_project(self, m: MemoryCommand) -> InProject:
        return InProject(m, self._store, self._profile, self._at)

    def _twin(self, m: MemoryCommand, kept: MemoryUpdate, holders: list[MemoryUpdate]) -> MemoryUpdate | None:
        if m.field:
            return repeated_command.field_twin(holders, kept)
        return repeated_command.twin(self._store, kept, m.occurred_at) if m.memory_id is None else None

    def _in_the_way(self, m: MemoryCommand, kind: str) -> tuple[list[MemoryUpdate], list[str]]:
        """What a remembered value replaces, and what identifies it beside its field."""
        if not m.field:
            return [], []
        holders = self._store.holders(Slot(kind, m.scope, ABOUT_USER, m.field))
        if not holds_many(self._profile, m.field):
            return holders, []
        twins = [h for h in holders if same(values_of(h).get(m.field), m.sealed.value)]
        return twins, [canonical(m.sealed.value)]

    def _correct(self, m: MemoryCommand) -> list[Emit]:
        """The new value in, the old one retired, a rejection left (N4)."""
        target = self._store.named(m.memory_id or "")
        if target is None:
            return [self._unknown(m)]
        value = _value(m, target)
        if target.fields and m.sealed.value is not None:
            if not isinstance(value, dict) or not value.keys() <= set(target.fields):
                reason = because("refused", "command", "value_of_several_fields")
                return [plain_decision(m.owner, m.command_id, target.kind, reason, target, self._at)]
            value = {**target.sealed.value, **value}
        rejections.leave(self._store, target, self._at, self._hash_key)
        freed = remove_marks_of(self._store, [target.record_id])
        target = unmarked(target)
        reason = because("superseding", "command", "corrected")
        body = target.sealed.model_copy(update={"value": value, **self._text(m, target, value)})
        changes: Changes = {
            "state": "active", "known_at": self._at, "last_accessed_at": self._at, "confidence": EXPLICIT,
            "source": "explicit", "reason": reason, "sealed": body, "model_id": self._model_id, "extractor": "command",
        }  # fmt: skip
        out: list[Emit] = []
        if target.kind in VERSIONED:
            out = self._versions.end(target, self._at, self._at, reason)
            version, revision = self._store.next_numbers(target.record_id)
            changes |= {"version": version, "revision": revision, "valid_from": self._at, "valid_to": None}
        kept = changed(target, **changes) if "revision" not in changes else target.model_copy(update=changes)
        self._store.put(
            kept,
            None
            if self._store.features(target.record_id) is None and target.kind != "episode"
            else text_features(body.text),
        )
        out += [update(kept), *freed, *self._no_longer_ended(target, kept)]
        out += self._in_project(m).corrected(target, kept)
        return [*out, plain_decision(m.owner, m.command_id, target.kind, reason, kept, self._at)]

    def _no_longer_ended(self, before: MemoryUpdate, kept: MemoryUpdate) -> list[Emit]:
        """What the words of a record had ended and its corrected words do not holds again."""

        def stays(old: MemoryUpdate) -> bool:
            return not self._store.ended_by_change(old.record_id) or would_end(old, kept)

        return brought_back(before, self._at, self._store, but=stays)

    def _text(self, m: MemoryCommand, target: MemoryUpdate, value: JsonValue) -> Changes:
        """Text, terms and vector of a corrected record: as given, or worded from the new value."""
        if m.sealed.text:
            return {"text": m.sealed.text, "terms": m.sealed.terms, "embedding": m.sealed.embedding}
        return {} if m.sealed.value is None else self._versions.reworded(target, value)

    def _forget(self, m: MemoryCommand) -> list[Emit]:
        """Deleted from every view, not to be learned again. What stands no more has versions in the views, too."""
        reason = because("retired", "command", "forgotten")
        target = self._store.named(m.memory_id or "")
        if target is not None:
            rejections.leave(self._store, target, self._at, self._hash_key)
            notices = self._in_project(m).forgotten(target.record_id, target)
            left = self._deleted(m, target, reason)
            return [*left, *ended_by_words(target, self._at, self._store), *notices]
        tail = self._store.tail(m.memory_id or "")
        if tail is None:
            return [self._unknown(m)]
        version, revision, kind = tail.version, tail.revision, tail.kind
        rejections.reject_removed(self._store, m.memory_id or "", kind, self._at)
        notices = self._in_project(m).forgotten(m.memory_id or "", None)
        fields = self._fields(m, m.memory_id or "", version, revision, self._at, reason, kind)
        deletion = Deletion(kind=kind, state="deleted", **fields)
        return [*self._deleted(m, deletion, reason), *notices]

    def _put_item(self, m: MemoryCommand) -> list[Emit]:
        name = record_id(m.owner, "item", list(m.namespace), m.key)
        if self._room.no_item(name):
            reason = because("refused", "command", "store_full")
            return [plain_decision(m.owner, m.command_id, "item", reason, None, self._at)]
        _, revision = self._store.next_numbers(name)
        reason = because("kept", "command", "item")
        fields = self._fields(m, name, 0, revision, m.occurred_at or self._at, reason, "item")
        item = StoreItem(state="active", **fields)
        created = {"created_at": items.first_put(self._store.get(name), self._at)}
        item = items.living(item.model_copy(update={"sealed": item.sealed.model_copy(update={"attributes": created})}))
        self._store.put(item)
        return [update(item)]

    def _touch_item(self, m: MemoryCommand) -> list[Emit]:
        """A read renews what has a time to live."""
        target = self._store.get(record_id(m.owner, "item", list(m.namespace), m.key))
        renewed = items.touched(target, self._at) if isinstance(target, StoreItem) else None
        if renewed is None:
            return []
        self._store.put(renewed)
        return [update(renewed)]

    def _delete_item(self, m: MemoryCommand) -> list[Emit]:
        target = self._store.get(record_id(m.owner, "item", list(m.namespace), m.key))
        if target is None:
            return [self._unknown(m)]
        return self._deleted(m, target, because("retired", "command", "item"))

    def _deleted(self, m: MemoryCommand, target: MemoryUpdate, reason: Reason) -> list[Emit]:
        """Every version of the record gets a non-null marker without content."""
        out: list[Emit] = []
        revision = target.revision
        first = min(1, target.version)
        for version in range(first, target.version + 1):
            revision += 1
            deletion = deleted(
                target, version=version, revision=revision, reason=reason, sealed=MemoryBody(), sources=(),
                conflicts_with=(),
            )  # fmt: skip
            out.append(update(deletion))
        self._store.remove(deleted(target, revision=revision))
        return [*out, plain_decision(m.owner, m.command_id, target.kind, reason, target, self._at)]

    def _unknown(self, m: MemoryCommand) -> Emit:
        reason = because("skipped", "command", "unknown_memory")
        return plain_decision(m.owner, m.command_id, "memory_command", reason, None, self._at)

    def _fields(
        self, m: MemoryCommand, name: str, version: int, revision: int, when: datetime, reason: Reason,
        kind: MemoryKind,
    ) -> Changes:  # fmt: skip
        """What a record of any kind takes from a command."""
        expires = None
        importance = next((weight for of, weight in self._profile.importance.items() if of == kind), 0.5)
        if m.ttl_minutes is not None:
            expires = self._at + timedelta(minutes=m.ttl_minutes)
        return {
            "tenant": m.tenant, "owner_kind": OwnerKind.USER, "owner_id": m.user_id, "record_id": name,
            "version": version, "revision": revision, "reason": reason, "field": m.field, "scope": m.scope,
            "category": m.category, "namespace": m.namespace, "key": m.key,
            "importance": importance, "confidence": EXPLICIT, "source": "explicit",
            "user_id": m.user_id, "project_id": m.project_id, "occurred_at": when, "valid_from": when,
            "known_at": self._at, "last_accessed_at": self._at, "expires_at": expires, "extractor": "command",
            "profile": self._profile.name, "profile_version": self._profile.version, "model_id": self._model_id,
            "sealed": MemoryBody(
                text=m.sealed.text or "", value=m.sealed.value, terms=m.sealed.terms, embedding=m.sealed.embedding
            ),
        }  # fmt: skip


def _value(m: MemoryCommand, target: MemoryUpdate) -> JsonValue:
    """The value after a correction. Where only the text is corrected, the field's old value stays as far as the new
    text still says it; what it does not say would be read as true beside it."""
    text, old = m.sealed.text, target.sealed.value
    if m.sealed.value is not None:
        return m.sealed.value
    is_replaced = target.field is not None and text is not None and str(old).casefold() not in text.casefold()
    return None if is_replaced else old
