"""A candidate that fills fields, against the values that stand there (B3, D4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from processors.memory.certainty import has_moved, implies, without_field, without_mark
from processors.memory.corrected_values import holders_of_wrong_value
from processors.memory.emit import because, changed, decision, update
from processors.memory.free_statements import FreeStatements
from processors.memory.index import Slot, since
from processors.memory.index import values_of as standing_values
from processors.memory.marks import marked
from processors.memory.opposites import opposed
from processors.memory.readings import confirmed_by_people
from processors.memory.records_of_turn import part
from processors.memory.restate import note_replaced
from processors.memory.store import text_features
from processors.memory.timed_values import read_before, told_anew
from processors.memory.vagueness import PLACES, vaguer
from processors.memory.values import canonical, same
from processors.reader.rules.protocol import holds_many
from processors.step import Emit
from schemas.base import JsonValue
from schemas.events.memory import Candidate, MemoryKind, MemoryUpdate
from schemas.log.ids import record_id

_PLANNED_OR_WISHED: Mapping[str, MemoryKind] = {"intent": "preference", "preference": "intent"}
_STAYS = because("skipped", "command", "corrected_stands")
VALUE_STATED = "value_stated"
"""Rule of what was only taken for a value of its field, and stands without it since one was stated."""


@dataclass(slots=True)
class _Sorted:
    """Fields of a candidate by what becomes of them: `known` (said before), `vaguer` (said before, and sharper), `held`
    (the caller has it, and nothing else stands), `outranked` (inferred against explicit), `implied` (only likely, where
    a value was stated), `late` (something newer stands), `confirmed` (people vouch for another value, and the turn is
    only read again), `fresh` (to be kept; `replaced` ends)."""

    known: dict[str, MemoryUpdate] = field(default_factory=dict)
    vaguer: dict[str, MemoryUpdate] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)
    outranked: list[str] = field(default_factory=list)
    implied: list[str] = field(default_factory=list)
    late: dict[str, datetime] = field(default_factory=dict)
    confirmed: dict[str, MemoryUpdate] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)
    replaced: dict[str, MemoryUpdate] = field(default_factory=dict)


class FieldValues(FreeStatements):
    """Facts, preferences and intents, by their fields."""

    def _by_field(self, c: Candidate, fields: Mapping[str, JsonValue]) -> list[Emit]:
        """Facts, preferences and intents are matched by field without a time limit (D3)."""
        self._corrected = holders_of_wrong_value(self._store, self._slots(c, fields), c)
        found = self._sorted(c, fields)
        out: list[Emit] = []
        for name, twin in {u.record_id: u for u in found.known.values()}.items():
            only = tuple(n for n in found.known if found.known[n].record_id == name)
            out.extend(self._said_again(c, twin, only=only))
        for name, sharper in found.vaguer.items():
            out.extend(self._said_vaguely(c, sharper, part(c, [name])))
        if found.held:
            reason = because("skipped", "dedupe", "known_to_caller")
            out.append(decision(self._source, c, reason, None, part(c, found.held)))
        if found.outranked:
            reason = because("refused", "confidence", "explicit_stands")
            out.append(decision(self._source, c, reason, None, part(c, found.outranked)))
        if found.implied:
            out.extend(self._by_text(without_field(c)))
        if found.late:
            out.extend(self._late(c, found.late))
        for name, held in found.confirmed.items():
            out.append(decision(self._source, c, _STAYS, held, part(c, [name])))
        if found.fresh:
            out.extend(self._supersede(c, tuple(found.fresh), list(found.replaced.values())))
        return out

    def _sorted(self, c: Candidate, fields: Mapping[str, JsonValue]) -> _Sorted:
        out, when = _Sorted(), self._when(c)
        for slot in self._slots(c, fields):
            name = slot.field
            holders = self._holders(slot)
            if implies(c) and any(not implies(h.sealed) for h in holders):
                out.implied.append(name)
                continue
            equals = (h for h in holders if same(standing_values(h).get(name), fields[name]))
            twin = next((h for h in equals if implies(h.sealed) == implies(c)), None)
            before = None
            if twin is not None and told_anew(self._profile, c, name, twin, self._source.turn):
                before, twin = twin, None
            if twin is not None and self._never_replaced(c, twin):
                out.outranked.append(name)
            elif twin is not None:
                out.known[name] = twin
            elif (not holders or holds_many(self._profile, name)) and self._is_held(c, name, fields[name]):
                out.held.append(name)
            elif holds_many(self._profile, name):
                out.fresh.append(name)
                out.replaced.update({} if before is None else {before.record_id: before})
                corrected = [h for h in holders if h.record_id in self._corrected and not self._stays(h)]
                out.replaced.update({h.record_id: h for h in corrected})
            elif before is None and (sharper := self._sharper(c, name, fields[name], holders)) is not None:
                out.vaguer[name] = sharper
            elif c.source == "inferred" and any(h.source != "inferred" for h in holders):
                out.outranked.append(name)
            elif newer := [since(h) for h in holders if self._is_late(c, h) or read_before(self._profile, c, name, h)]:
                out.late[name] = max(min(newer), when)
            elif (stays := next(filter(self._stays, holders), None)) is not None:
                out.confirmed[name] = stays
            else:
                out.fresh.append(name)
                out.replaced.update({h.record_id: h for h in holders})
        return out

    def _holders(self, slot: Slot) -> list[MemoryUpdate]:
        """Standing records of a slot. What is meant and what is wished of a field that holds one value are of one slot:
        "I hope for spring", then "we do it in May"."""
        found, other = self._store.holders(slot), _PLANNED_OR_WISHED.get(slot.kind)
        if other is None or self._profile.field(slot.field) is None or holds_many(self._profile, slot.field):
            return found
        return sorted([*found, *self._store.holders(slot._replace(kind=other))], key=lambda u: (since(u), u.record_id))

    def _stays(self, held: MemoryUpdate) -> bool:
        """Does a turn that is read again leave a record to the people who vouch for it?"""
        return self._again is not None and confirmed_by_people(held)

    def _is_held(self, c: Candidate, name: str, value: JsonValue) -> bool:
        """Does the caller hold it? Where the candidate takes the place of a record it is stored all the same: skipped,
        nothing would be left of what the turn says."""
        return self._held.hold(c, name, value) and not self._takes_a_place(c)

    def _takes_a_place(self, c: Candidate) -> bool:
        """Does a record of the turn end for what the candidate says, by whatever field or kind it stood?"""
        return self._again is not None and self._again.loses(c)

    def _sharper(
        self, c: Candidate, name: str, value: JsonValue, holders: Sequence[MemoryUpdate]
    ) -> MemoryUpdate | None:
        """What says the same more exactly."""
        return next((h for h in holders if self._vaguer(c, name, value, h)), None)

    def _vaguer(self, c: Candidate, name: str, value: JsonValue, held: MemoryUpdate) -> bool:
        """What was stated is news beside what was inferred, and what a newer extractor says of a turn beside what the
        one before said of it, however vague."""
        if held.record_id in self._before or (held.source == "inferred" and c.source != "inferred"):
            return False
        spec = self._profile.field(name)
        place = (name if spec is None else spec.slot) in PLACES
        return vaguer(value, c.approximate, standing_values(held).get(name), held.approximate, place)

    def _supersede(self, c: Candidate, names: tuple[str, ...], replaced: list[MemoryUpdate]) -> list[Emit]:
        record = self._record(c, names, {u.record_id for u in replaced})
        made = [] if replaced else self._made_room(c, names, record)
        if made is None:
            return [self._full(c, names)]
        out: list[Emit] = [*made]
        for old in replaced:
            reason = because("superseding", *self._change(replaced))
            leaving = None if old.record_id == record else names
            out += self._versions.end(old, self._when(c), self._source.accepted_at, reason, leaving)
        note_replaced(self._store, record, replaced, self._source.turn.turn_id, self._source.accepted_at)
        kept = self._new(c, names, record, replaced)
        others = [h for h in opposed(self._store, self._profile, kept) if not self._retiring(h)]
        if others:
            reason = because(kept.reason.outcome, "dedupe", "contradiction")
            conflicts = tuple(h.record_id for h in others)
            kept = kept.model_copy(update={"conflicts_with": conflicts, "reason": reason})
            out += [marked(self._store, h, record) for h in others]
        self._store.put(kept)
        stays = not implies(c) and not has_moved(c)
        freed = [e for old in replaced if stays and implies(old.sealed) for e in self._freed(old)]
        return [*out, update(kept), decision(self._source, c, kept.reason, kept, part(c, names)), *freed]

    def _freed(self, old: MemoryUpdate) -> list[Emit]:
        """What was only taken for a value until one was stated goes on as a statement without a field: who lives in
        Oslo may still work in Leeds."""
        stays = changed(
            old, version=1,
            record_id=record_id(self._source.owner, "stated", old.record_id, canonical(old.sealed.text)),
            field=None, fields=(), reason=because("kept", "dedupe", VALUE_STATED),
            sealed=old.sealed.model_copy(update={"value": None, "attributes": without_mark(old.sealed.attributes)}),
        )  # fmt: skip
        made = self._room.made_for(stays) if self._room.crowded else []
        if made is None:
            return []
        self._store.put(stays, text_features(stays.sealed.text))
        return [*made, update(stays)]

    def _never_replaced(self, c: Candidate, twin: MemoryUpdate) -> bool:
        """What a newer extractor only infers never replaced what was stated: that holds again."""
        if c.source != "inferred" or not self._withdraws(c, twin):
            return False
        replaced = self._store.replaced.by(twin.record_id, self._source.accepted_at)
        return any(u.source != "inferred" for u in replaced)

    def _late(self, c: Candidate, until: Mapping[str, datetime]) -> list[Emit]:
        """Said before what stands was true: it is history, kept as such, and replaces nothing."""
        names = tuple(until)
        late = self._new(c, names, self._places.history(c, names), []).model_copy(
            update={
                "version": 1,
                "state": "superseded",
                "valid_to": min(until.values()),
                "reason": because("superseding", "dedupe", "older_than_standing"),
            }
        )
        self._store.remove(late)
        return [update(late), decision(self._source, c, late.reason, late, part(c, names))]

    def _end(self, c: Candidate, fields: Mapping[str, JsonValue]) -> list[Emit]:
        """A value does not hold any more; nothing is set. Empty where it does not stand."""
        out: list[Emit] = []
        when = self._when(c)
        for slot in self._slots(c, fields):
            for holder in self._store.holders(slot):
                value, only = fields[slot.field], part(c, [slot.field])
                if value is not None and not same(standing_values(holder).get(slot.field), value):
                    continue
                if c.source == "inferred" and holder.source != "inferred":
                    reason = because("refused", "confidence", "explicit_stands")
                elif self._is_late(c, holder):
                    reason = because("skipped", "dedupe", "older_than_standing")
                elif self._stays(holder):
                    reason = _STAYS
                else:
                    reason = because("superseding", "dedupe", "negated")
                    out += self._versions.end(holder, when, self._source.accepted_at, reason, (slot.field,))
                    if self._store.get(holder.record_id) is None:
                        self._store.replaced.forget(holder.record_id)
                out.append(decision(self._source, c, reason, holder, only))
        return out
