"""A turn that was read twice: what the second reading may change of what the first one made of it
(docs/decisions/2026-11-28-model-refines.md). It adds, sharpens or contradicts; what it does not mention stays.

A model refines what the rules read. Where its answer came first, the rules add to it and replace nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from processors.memory.candidates import CandidateGate
from processors.memory.certainty import implies, no_surer, without_field
from processors.memory.emit import because, changed, decision, update
from processors.memory.index import Slot
from processors.memory.index import values_of as standing_values
from processors.memory.low_readings import is_doubted
from processors.memory.marks import dates_of, marked, with_marks
from processors.memory.readings import RULES, made_by, of_people
from processors.memory.restate import Restated, retired
from processors.memory.rows import TurnReading
from processors.memory.store import UserMemoryStore, text_features
from processors.memory.values import same
from processors.memory.versions import VERSIONED, Versions
from processors.reader.quotation_support import denies, words_of
from processors.reader.rules.protocol import holds_many, values_of
from processors.step import Emit
from schemas.base import JsonValue
from schemas.events.memory import Candidate, Decision, Extraction, MemoryUpdate, Reason
from schemas.profile.model import Profile

SHARPENED = "sharpened"
CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a candidate of the second reading meets. `refusal`: why it changes nothing, `target`: beside what.
    `ends`: records that it takes the place of; `place`: the one of them that it is the next version of. `rule`: why it
    takes the place of what the same turn said; empty where it does not."""

    refusal: Reason | None = None
    target: MemoryUpdate | None = None
    ends: tuple[MemoryUpdate, ...] = ()
    place: MemoryUpdate | None = None
    rule: str = ""


_ENDED = Verdict(because("skipped", "extraction", "ended_since"))


class Refinement:
    """Of one turn, for one extraction. Looks at what stands when it is asked."""

    def __init__(self, source: Extraction, store: UserMemoryStore, reading: TurnReading, profile: Profile) -> None:
        self._source = source
        self._store = store
        self._reading = reading
        self._profile = profile
        self._replaces = source.extractor != RULES

    def judge(self, c: Candidate) -> Verdict:
        overlapping = self.overlapping(c)
        if any(self._store.get(name) is None for name in overlapping):
            return _ENDED
        ends: list[MemoryUpdate] = []
        place: MemoryUpdate | None = None
        rule = ""
        for held in self._records(c, overlapping):
            verdict = self._beside(c, held, held.record_id in overlapping)
            if verdict is None:
                continue
            if verdict.refusal is not None:
                return verdict
            ends += verdict.ends
            place = place or verdict.place
            rule = rule if rule == CONTRADICTED else verdict.rule
        return Verdict(ends=tuple(ends), place=place, rule=rule)

    def ended(self, u: MemoryUpdate) -> None:
        """The second reading took the place of a record: it is not looked for any more."""
        self._reading.spans.pop(u.record_id, None)

    def overlapping(self, c: Candidate) -> list[str]:
        """Records of the turn that were read from words of the candidate's span."""
        head = c.head
        if head is None:
            return []
        return [name for name, span in self._reading.spans.items() if span is not None and span.overlaps(head)]

    def _records(self, c: Candidate, overlapping: list[str]) -> list[MemoryUpdate]:
        """Standing records of the other reading that overlap the candidate, or are of the turn and hold one of its
        fields."""
        about = str(c.attributes.get("about", ""))
        slots = [Slot(c.kind, c.scope, about, n) for n in values_of(c)] if c.kind in VERSIONED else []
        in_field = (u for slot in slots for u in self._store.holders(slot) if self._of_turn(u))
        found = {u.record_id: u for u in in_field}
        found |= {name: u for name in overlapping if (u := self._store.get(name)) is not None}
        return [u for u in found.values() if made_by(u) != self._source.extractor]

    def _of_turn(self, u: MemoryUpdate) -> bool:
        return any(s.turn_id == self._source.turn.turn_id for s in u.sources)

    def _beside(self, c: Candidate, held: MemoryUpdate, overlaps: bool) -> Verdict | None:
        """None where both can stand."""
        values, stated = values_of(c), standing_values(held)
        shared = [n for n in values if n in stated and self._one_slot(c, held, overlaps)]
        if not self._of_turn(held) and made_by(held) != "command":  # a later turn says something else there
            return _ENDED if shared or self._comparable(c, held) else None
        if shared:
            return self._same_field(c, held, shared, overlaps)
        return self._same_words(c, held) if overlaps else None

    def _one_slot(self, c: Candidate, held: MemoryUpdate, overlaps: bool) -> bool:
        """Of the same words two readings may name two kinds, such as a preference and an intent."""
        about = str(c.attributes.get("about", ""))
        alike = (c.scope, about) == (held.scope, str(held.sealed.attributes.get("about", "")))
        return alike and (overlaps or c.kind == held.kind)

    def _same_field(self, c: Candidate, held: MemoryUpdate, shared: list[str], overlaps: bool) -> Verdict | None:
        values, stated = values_of(c), standing_values(held)
        # Denied, the value that stands; stated, another one. All else is said again, and the gate skips it.
        differs = [n for n in shared if c.negated == same(stated[n], values[n])]
        other_kind = c.kind != held.kind  # which the gate does not compare
        if not differs:
            return Verdict(because("skipped", "extraction", "says_no_more"), held) if other_kind else None
        if all(holds_many(self._profile, n) for n in differs) and not c.negated:
            return self._one_of_many(c, held, differs, overlaps)
        if of_people(held):
            return Verdict(because("skipped", "command", "corrected_stands"), held)
        if not c.negated and all(_holds(stated[n], values[n]) for n in differs):
            return Verdict(because("skipped", "extraction", "says_no_more"), held)
        may = self._replaces and overlaps and c.literal and self._is_ours(held)
        if not may or not (c.negated or says_the_same(c, held, differs)):
            return Verdict(because("refused", "extraction", "reading_stands"), held)
        sharper = not c.negated and all(_holds(values[n], stated[n]) for n in differs)
        return Verdict(ends=(held,) if other_kind else (), rule=SHARPENED if sharper else CONTRADICTED)

    def _one_of_many(self, c: Candidate, held: MemoryUpdate, names: list[str], overlaps: bool) -> Verdict | None:
        """Two wordings of one value do not stand beside each other."""
        values, stated = values_of(c), standing_values(held)
        if not overlaps:
            return None
        if all(_holds(stated[n], values[n]) for n in names):
            return Verdict(because("skipped", "extraction", "says_no_more"), held)
        if not all(_holds(values[n], stated[n]) for n in names):
            return None
        if of_people(held):
            return Verdict(because("skipped", "command", "corrected_stands"), held)
        return Verdict(ends=(held,), rule=SHARPENED) if self._replaces and self._is_ours(held) else None

    def _same_words(self, c: Candidate, held: MemoryUpdate) -> Verdict | None:
        """Two statements that were read from the same words."""
        if made_by(held) == "command" or (of_people(held) and self._comparable(c, held)):
            return Verdict(because("skipped", "command", "corrected_stands"), held)
        if not self._comparable(c, held):
            return None
        new, old = _words(c, held)
        free = not standing_values(held)
        if (c.negated or denies(c.text)) != (held.negated or denies(held.sealed.text)):
            if not (self._replaces and c.literal and self._is_ours(held)):
                return Verdict(because("refused", "extraction", "reading_stands"), held)
            return Verdict(ends=(held,), place=self._place(c, held, free), rule=CONTRADICTED)
        if new <= old and not values_of(c):
            return Verdict(because("skipped", "extraction", "says_no_more"), held)
        if old <= new and free and self._replaces and self._is_ours(held):
            return Verdict(ends=(held,), place=self._place(c, held, free), rule=SHARPENED)
        return None

    @staticmethod
    def _comparable(c: Candidate, held: MemoryUpdate) -> bool:
        new, old = _words(c, held)
        return new <= old or old <= new

    def _is_ours(self, held: MemoryUpdate) -> bool:
        """No other turn said it."""
        return all(s.turn_id == self._source.turn.turn_id for s in held.sources)

    @staticmethod
    def _place(c: Candidate, held: MemoryUpdate, free: bool) -> MemoryUpdate | None:
        return held if free and c.kind == held.kind and c.scope == held.scope and not values_of(c) else None


class SecondReading(CandidateGate):
    """Decides the candidates of an extraction of a turn that another extractor has read."""

    def __init__(
        self, source: Extraction, store: UserMemoryStore, versions: Versions, profile: Profile, hash_key: bytes,
        again: Restated | None, reading: TurnReading,
    ) -> None:  # fmt: skip
        super().__init__(source, store, versions, profile, hash_key, again, reader=source.extractor)
        self._refinement = Refinement(source, store, reading, profile)
        self._again = again
        self._rule = ""
        self._ending = False
        self._reread: frozenset[str] = frozenset()
        self.ended: list[MemoryUpdate] = []
        """Records of the other reading that this one took the place of."""

    def _allowed(self, c: Candidate) -> list[Emit]:
        verdict = self._refinement.judge(c)
        if verdict.refusal is not None:
            return [decision(self._source, c, verdict.refusal, verdict.target)]
        self._rule, self._ending = verdict.rule, bool(verdict.ends)
        if (others := self._not_to_be_replaced(c)):
            return self._beside(c, others)
        out: list[Emit] = []
        for old in verdict.ends:
            self._refinement.ended(old)
            self.ended.append(old)
            if old is not verdict.place:
                out += retired(old, self._source, self._store, verdict.rule)
        return out + (super()._allowed(c) if verdict.place is None else self._next_version(c, verdict.place))

    def _takes_a_place(self, c: Candidate) -> bool:
        return self._ending or super()._takes_a_place(c)

    def _not_to_be_replaced(self, c: Candidate) -> list[MemoryUpdate]:
        """What other turns said of a field of the candidate in other words, so that the field alone relates them. The
        rules know a field by its words; a model may take any for it."""
        if self._source.extractor == RULES or c.kind not in VERSIONED or c.negated:
            return []
        found: dict[str, MemoryUpdate] = {}
        for slot in self._slots(c, values_of(c)):
            for u in () if holds_many(self._profile, slot.field) else self._store.holders(slot):
                if self._said_here(u) or made_by(u) == self._source.extractor or _weak(u) or self._is_late(c, u):
                    continue
                differs = not same(standing_values(u).get(slot.field), values_of(c)[slot.field])
                if differs and not (c.literal and says_the_same(c, u, [slot.field])):
                    found[u.record_id] = u
        return list(found.values())

    def _beside(self, c: Candidate, others: Sequence[MemoryUpdate]) -> list[Emit]:
        """It stands as a statement without the field, and each names the other."""
        free = without_field(c)
        if self._again is not None:
            self._again.match(free, self._decided)
        out = self._by_text(free)
        last = out[-1].event
        kept = self._store.get(last.record_id or "") if isinstance(last, Decision) else None
        if kept is None or not self._said_here(kept) or of_people(kept):
            return out
        stand = [u for o in others if (u := self._store.get(o.record_id)) is not None]
        named = [u for u in stand if u.record_id not in (kept.record_id, *kept.conflicts_with)]
        if not named:
            return out
        kept = with_marks(kept, (*kept.conflicts_with, *(u.record_id for u in named)), dates_of(self._store, kept))
        reason = kept.reason if is_doubted(kept) else because("kept", "dedupe", "contradiction")
        kept = changed(kept, reason=reason)
        self._store.put(kept, self._store.features(kept.record_id))
        return [*out, update(kept), *(marked(self._store, u, kept.record_id) for u in named)]

    def _next_version(self, c: Candidate, old: MemoryUpdate) -> list[Emit]:
        """A free statement, told better or denied, keeps its id, and what people made of it since. What another record
        says already is cited there, and the old words retire."""
        features = text_features(c.text)
        match = self._repeats.nearest(c, features, old)
        if (again := self._said_elsewhere(c, match)) is not None:
            return [*retired(old, self._source, self._store, self._rule), *again]
        compared = self._store.features(old.record_id) is not None
        out = self._restated(old, self._rule)
        kept, notices = self._contradicting(self._new(c, (), old.record_id, [old]), old, match)
        kept = kept.model_copy(
            update={
                **no_surer(kept, old),
                "importance": old.importance, "last_accessed_at": max(old.last_accessed_at, kept.last_accessed_at),
            }
        )  # fmt: skip
        judged, changing = self._changing(c, kept)
        kept = judged.model_copy(update={"reason": kept.reason})
        self._store.put(kept, features if compared else None)
        return [*out, *notices, *changing, update(kept), decision(self._source, c, kept.reason, kept)]

    def _change(self, replaced: Sequence[MemoryUpdate]) -> tuple[Literal["dedupe", "extraction"], str]:
        here = self._rule and any(self._said_here(u) for u in replaced)
        return ("extraction", self._rule) if here else super()._change(replaced)

    def _supersede(self, c: Candidate, names: tuple[str, ...], replaced: list[MemoryUpdate]) -> list[Emit]:
        self.ended += [u for u in replaced if self._said_here(u)]
        self._reread = frozenset(self._refinement.overlapping(c))
        return super()._supersede(c, names, replaced)

    def _freed(self, old: MemoryUpdate) -> list[Emit]:
        """The candidate says in other words what the other reading only took for a value."""
        if old.record_id in self._reread and self._said_here(old):
            return []
        return super()._freed(old)


def says_the_same(c: Candidate, held: MemoryUpdate, names: Sequence[str]) -> bool:
    """Does a candidate say what stands with other values of these fields, and no other thing? "lives in Leeds" and
    "settled in York", but not "meets Ann"."""
    new, old = _words(c, held)
    values, stated = values_of(c), standing_values(held)
    new -= {w for n in names for w in words_of(str(values[n]))}
    old -= {w for n in names for w in words_of(str(stated.get(n)))}
    return old <= new if old else not new


def _weak(u: MemoryUpdate) -> bool:
    """Inferred, or only likely from what was said of something else."""
    return u.source == "inferred" or implies(u.sealed)


def _words(c: Candidate, held: MemoryUpdate) -> tuple[frozenset[str], frozenset[str]]:
    owners = [str(a) for a in (c.attributes.get("about"), held.sealed.attributes.get("about")) if a]
    return words_of(c.text, owners), words_of(held.sealed.text, owners)


def _holds(sharper: JsonValue, other: JsonValue) -> bool:
    """Does a value say all of another one, and maybe more?"""
    if isinstance(sharper, bool) or isinstance(other, bool):
        return same(sharper, other)
    return words_of(str(other)) <= words_of(str(sharper))
