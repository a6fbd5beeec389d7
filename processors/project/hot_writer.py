"""Hot memory of one project is written here alone (A3, A4, A5). Pure.

What was set by hand stands until a hand changes it: talk that says otherwise is a proposal beside it, one a key, the
newest. It is a record of its own, observed, of the user who said it, and leaves with the entry, with its memory, and
when the key is set by hand or said in talk as it is set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from processors.hot_matter import keys_of
from processors.memory.emit import because, deleted, plain_decision, update
from processors.memory.rules import EXPLICIT
from processors.memory.values import same
from processors.ports import Models
from processors.project import daily, hot_withdrawn, user_memories
from processors.project.hot_decisions import Decisions, rivals
from processors.project.hot_keys import INDEX, HotKeys
from processors.project.rows import HOT, PROPOSED, REMOVED, HotName
from processors.step import Emit, Out, Reads, StateSpace
from schemas.base import JsonObject, JsonValue
from schemas.events.documents import ProjectCommand, TurnDigest, UserMemory
from schemas.events.envelope import SourceTurn
from schemas.events.hot_memory import CORRECTED, HAND, REMEMBERED
from schemas.events.memory import Deletion, GateName, HotMemory, HotValue, MemoryBody, MemoryUpdate, Reason
from schemas.log.owner import Owner, OwnerKind
from schemas.profile.model import Profile

PROPOSED_RULE = "proposed"
CHANGED_RULE = "changed"
"""Of a decision whose matter was decided otherwise since."""


@dataclass(frozen=True, slots=True)
class Saying:
    """What is to become an entry. `cause` names what says it; `by`: in talk, by hand, or by the daily status; `memory`:
    the user's record that it came from."""

    hot: HotValue
    occurred: datetime
    accepted: datetime
    cause: str
    by: Literal["talk", "hand", "figures"]
    rule: str = HAND
    text: str = ""
    sources: tuple[SourceTurn, ...] = ()
    user_id: str | None = None
    memory: str | None = None

    @property
    def entry(self) -> HotName:
        return HotName(self.hot.type, self.hot.key)

    @property
    def decision_name(self) -> str:
        return f"hot/{self.hot.type}/{self.hot.key}/{self.cause}"


def reads_of(owner: Owner, hot: HotValue) -> tuple[Reads, ...]:
    """Under each of the keys that it may get."""
    return tuple(reads(owner, HotName(hot.type, key)) for key in keys_of(hot))


def reads(owner: Owner, entry: HotName) -> Reads:
    """What a write of an entry reads and writes."""
    removed = (REMOVED.key(entry.record_id(owner)), REMOVED.key(entry.proposal_id(owner)))
    return Reads(owner.key, (entry.row, PROPOSED.key(entry.name), *removed, INDEX))


def then_reads(owner: Owner, entry: HotName, priority: int, state: StateSpace) -> tuple[Reads, ...]:
    """The entry that has to make room."""
    leaves = HotKeys(state.of(owner.key)).in_the_way(entry.row, priority)
    return () if leaves in (None, entry.row) else (reads(owner, HotName.parse(str(leaves))),)


def then_reads_of(owner: Owner, hot: HotValue, profile: Profile, state: StateSpace) -> tuple[Reads, ...]:
    """The decisions that it may replace, and the entry that has to make room."""
    names = rivals(hot, profile, state.of(owner.key))
    room = [r for key in keys_of(hot) for r in then_reads(owner, HotName(hot.type, key), hot.priority, state)]
    return *(reads(owner, name) for name in names), *room


def is_by_hand(u: MemoryUpdate) -> bool:
    """Was it set by hand? A correction of what talk had said is of the talk. Before CORRECTED such a one had the rule
    of a hand."""
    if u.state != "active" or u.reason.gate != "command":
        return False
    return u.reason.rule == REMEMBERED or (u.reason.rule == HAND and user_memories.MEMORY not in u.sealed.attributes)


class HotWriter:
    def __init__(self, owner: Owner, profile: Profile, state: StateSpace, models: Models) -> None:
        self._owner, self._profile, self._state = owner, profile, state
        self._rows = state.of(owner.key)
        self._models = models

    def say(self, s: Saying) -> list[Out]:
        """The entry, a proposal, or why neither. A decision also ends those on its matter that are older."""
        if s.by != "talk" or s.hot.type != "decision" or s.hot.value != s.text:
            return self._say(s)
        placed = Decisions(self._models, self._profile, self._rows).place(s.hot, s.memory, user_memories.MEMORY)
        s = replace(s, hot=s.hot.model_copy(update={"key": placed.entry.key}))
        table = self._rows.table(HOT)
        ended = [(name, u) for name in placed.replaces if (u := table.get(name.name)) is not None]
        if newer := next((u for _, u in ended if u.occurred_at > s.occurred), None):
            return [self._skipped(s, "older_than_standing", newer)]
        out: list[Out] = []
        for name, old in ended:
            if name == placed.entry or is_by_hand(old):
                continue
            reason = because("retired", "dedupe", CHANGED_RULE)
            out += self.leave(name, s.accepted, reason)
            decision_id = f"{s.decision_name}/{old.record_id}"
            out.append(plain_decision(self._owner, decision_id, "hot", reason, old, s.accepted))
        return out + self._say(s)

    def _say(self, s: Saying) -> list[Out]:
        old = self._rows.table(HOT).get(s.entry.name)
        if old is not None and old.occurred_at > s.occurred:  # also where it was deleted since
            return [self._skipped(s, "older_than_standing", old)]
        is_active = old is not None and old.state == "active"
        held = s.by == "talk" and old is not None and is_by_hand(old)
        if old is not None and is_active and same(old.sealed.value, s.hot.value):
            if held:
                return [*self.unpropose(s.entry, s.accepted, "agreed"), self._skipped(s, "same_value", old)]
            if old.priority == s.hot.priority and s.by == "hand" and not is_by_hand(old):
                return [*self._put(s, old)]
            if old.priority == s.hot.priority:
                withdrawn = self.unpropose(s.entry, s.accepted, "settled") if s.by == "hand" else []
                return [*withdrawn, self._skipped(s, "same_value", old)]
        if held and old is not None:
            return self._propose(s)
        return self._put(s, old)

    def _put(self, s: Saying, old: MemoryUpdate | None) -> list[Out]:
        keys, out = HotKeys(self._rows), list[Out]()
        leaves = keys.in_the_way(s.entry.row, s.hot.priority)
        if leaves == s.entry.row:
            reason = because("refused", "command", "hot_memory_full")
            return [plain_decision(self._owner, s.decision_name, "hot", reason, None, s.accepted)]
        if leaves is not None:
            reason = because("retired", "command", "made_room")
            out += self.leave(HotName.parse(leaves), s.accepted, reason)
            keys = HotKeys(self._rows)
        out += self.unpropose(s.entry, s.accepted, "settled")
        record = s.entry.record_id(self._owner)
        is_active = old is not None and old.state == "active"
        reason = because("superseding" if is_active else "kept", "extraction" if s.sources else "command", s.rule)
        new = self._version(s, record, self._revision(record, old), reason)
        self._rows.table(HOT).put(s.entry.name, new)
        keys.set_current(s.entry.row, new)
        self._note_turns(s, record)
        daily.note(self._profile, self._owner, s.hot.key, s.accepted, self._state)
        return [*out, update(new), plain_decision(self._owner, s.decision_name, "hot", reason, new, s.accepted)]

    def _propose(self, s: Saying) -> list[Out]:
        """Beside what was set by hand."""
        table = self._rows.table(PROPOSED)
        old = table.get(s.entry.name)
        if old is not None and old.occurred_at > s.occurred:
            return [self._skipped(s, "older_than_standing", old)]
        if old is not None and same(old.sealed.value, s.hot.value):
            return [self._skipped(s, "same_value", old)]
        record = s.entry.proposal_id(self._owner)
        reason = because("observed", "command", PROPOSED_RULE)
        changes = {"state": "observed", "conflicts_with": (s.entry.record_id(self._owner),)}
        new = self._version(s, record, self._revision(record, old), reason).model_copy(update=changes)
        table.put(s.entry.name, new)
        self._note_turns(s, s.entry.record_id(self._owner))
        return [update(new), plain_decision(self._owner, s.decision_name, "hot", reason, new, s.accepted)]

    def restore_proposal(self, s: Saying) -> list[Out]:
        """One that stands, in other words: policy took something out of them."""
        old = self._rows.table(PROPOSED).get(s.entry.name)
        if old is None:
            return []
        body = MemoryBody(text=_text(s.hot.key, s.hot.value), value=s.hot.value, attributes=old.sealed.attributes)
        new = old.model_copy(update={"revision": old.revision + 1, "known_at": s.accepted, "sealed": body})
        self._rows.table(PROPOSED).put(s.entry.name, new)
        return [update(new)]

    def unpropose(self, entry: HotName, at: datetime, rule: str, gate: GateName = "command") -> list[Out]:
        """The proposal of an entry leaves, where it has one."""
        table = self._rows.table(PROPOSED)
        old = table.get(entry.name)
        if old is None:
            return []
        table.delete(entry.name)
        return [self._left(entry, old.record_id, old.revision + 1, at, because("retired", gate, rule))]

    def leave(self, entry: HotName, at: datetime, reason: Reason) -> list[Out]:
        """An entry leaves, its proposal with it; its revision stays, without its key, so that it can come back."""
        keys = HotKeys(self._rows)
        revision = keys.revision(entry.row) + 1
        keys.leaves(entry.row)
        self._rows.table(HOT).delete(entry.name)
        withdrawn = self.unpropose(entry, at, reason.rule, reason.gate)
        return [*withdrawn, self._left(entry, entry.record_id(self._owner), revision, at, reason)]

    def delete(self, event: ProjectCommand, at: datetime, *, masked: bool) -> list[Out]:
        """`masked`: policy takes something out of the key, so that it stands nowhere any more."""
        entry, table = HotName(event.hot_type or "", event.key or ""), self._rows.table(HOT)
        old = table.get(entry.name)
        if old is None or old.state == "deleted":
            return []
        at = max(old.occurred_at, at)
        reason = because("retired", "command", HAND)
        if masked:
            return self.leave(entry, at, reason)
        deletion = deleted(
            old, revision=old.revision + 1, reason=reason, occurred_at=at, known_at=at, valid_to=at,
            sealed=MemoryBody(), sources=(),
        )  # fmt: skip
        table.put(entry.name, deletion)
        HotKeys(self._rows).leaves(entry.row)
        return [*self.unpropose(entry, at, HAND), update(deletion)]

    def follow(self, e: UserMemory) -> list[Out]:
        """Entries and proposals that came from the memory leave, unless it says the same key anew. What somebody else
        has said of a key since stays."""
        now = e.sealed.now
        new_name = None if now is None else HotName(now.type, now.key)
        reason = because("retired", "command", "corrected" if e.command == "correct" else "forgotten")
        if e.command == "expire":
            reason = because("retired", "retention", "expired")
        out, found, by_hand = list[Out](), False, e.command == "remember"
        for entry in user_memories.entries_of(e, self._state):
            old, proposed = self._rows.table(HOT).get(entry.name), self._rows.table(PROPOSED).get(entry.name)
            if proposed is not None and user_memories.written_by(e, proposed):
                found = True
                if entry != new_name:
                    out += self.unpropose(entry, e.accepted_at, reason.rule, reason.gate)
            if old is None or not user_memories.written_by(e, old):
                continue
            found = True
            by_hand = by_hand or (entry == new_name and is_by_hand(old))
            if entry != new_name:
                out += self.leave(entry, e.accepted_at, reason)
                name = f"{e.command_id}/{entry.row}"
                out.append(plain_decision(e.owner, name, "hot", reason, old, e.accepted_at))
                daily.without(self._profile, e.owner, entry.key, e.accepted_at, self._state)
        if now is None or (e.command == "correct" and not found):
            return out
        held = self._rows.table(HOT).get(HotName(now.type, now.key).name)
        when = e.accepted_at if held is None else max(e.accepted_at, held.occurred_at)
        saying = Saying(
            now, when, e.accepted_at, e.command_id, "hand" if by_hand else "talk",
            rule=REMEMBERED if by_hand else CORRECTED, text=e.sealed.text, user_id=e.user_id, memory=e.record_id,
        )  # fmt: skip
        return out + self.say(saying)

    def withdraw(self, d: TurnDigest) -> list[Out]:
        """What only this turn said, and a newer extractor does not. An older value does not come back for it."""
        if not d.restated:
            return []
        out: list[Out] = []
        reason = because("retired", "extraction", "not_restated")
        for entry in hot_withdrawn.entries_of(d, self._state):
            old, proposed = self._rows.table(HOT).get(entry.name), self._rows.table(PROPOSED).get(entry.name)
            if proposed is not None and _only_of(proposed, d):
                out += self.unpropose(entry, d.accepted_at, reason.rule, reason.gate)
            if old is not None and old.state == "active" and _only_of(old, d):
                name = f"hot/{d.turn.turn_id}/{old.record_id}/{old.revision}"
                out += self.leave(entry, d.accepted_at, reason)
                out.append(plain_decision(d.owner, name, "hot", reason, old, d.accepted_at, d.turn))
        return out

    def _skipped(self, s: Saying, rule: str, old: MemoryUpdate) -> Emit:
        reason = because("skipped", "dedupe", rule)
        return plain_decision(self._owner, s.decision_name, "hot", reason, old, s.accepted)

    def _revision(self, record: str, old: MemoryUpdate | None) -> int:
        return (old.revision if old is not None else self._rows.table(REMOVED).get(record) or 0) + 1

    def _note_turns(self, s: Saying, record: str) -> None:
        if s.user_id is not None:
            hot_withdrawn.note(self._rows, (t.turn_id for t in s.sources), record, s.accepted)

    def _version(self, s: Saying, record: str, revision: int, reason: Reason) -> HotMemory:
        owner, hot, profile = self._owner, s.hot, self._profile
        attributes: JsonObject = {} if s.memory is None else {user_memories.MEMORY: s.memory}
        return HotMemory(
            tenant=owner.tenant, owner_kind=OwnerKind.PROJECT, owner_id=owner.id, record_id=record, revision=revision,
            state="active", reason=reason, category=hot.type, key=hot.key, priority=hot.priority,
            scope=owner.id, importance=hot.priority / 10, confidence=EXPLICIT, user_id=s.user_id, project_id=owner.id,
            sources=s.sources, occurred_at=s.occurred, valid_from=s.occurred, known_at=s.accepted,
            last_accessed_at=s.accepted, profile=profile.name, profile_version=profile.version,
            sealed=MemoryBody(text=s.text or _text(hot.key, hot.value), value=hot.value, attributes=attributes),
        )  # fmt: skip

    def _left(self, entry: HotName, record: str, revision: int, at: datetime, reason: Reason) -> Emit:
        owner = self._owner
        self._rows.table(REMOVED).put(record, revision)
        return update(
            Deletion(
                tenant=owner.tenant, owner_kind=OwnerKind.PROJECT, owner_id=owner.id,
                record_id=record, revision=revision, kind="hot",
                state="deleted", reason=reason, category=entry.hot_type, scope=owner.id,
                project_id=owner.id, occurred_at=at, valid_to=at, known_at=at, last_accessed_at=at,
            )
        )  # fmt: skip


def _only_of(u: MemoryUpdate, d: TurnDigest) -> bool:
    return [s.turn_id for s in u.sources] == [d.turn.turn_id]


def _text(key: str, value: JsonValue) -> str:
    return f"{key}: {value}" if isinstance(value, str | int | float | bool) else key
