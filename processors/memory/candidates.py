"""One candidate against what stands: skipped, merged, superseding, kept, observed or refused (B3, B4, D3, D4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from processors.dedupe.features import Features
from processors.dedupe.window import Match
from processors.memory.capacity import Room
from processors.memory.certainty import firmer, less_sure, lowered, meant, raised, surer
from processors.memory.changes.excluding import only_takes_back
from processors.memory.changes.judge import changes
from processors.memory.changes.taken_back import NOTHING, taken_back
from processors.memory.doubted import is_doubted
from processors.memory.emit import because, changed, decision, sources, update
from processors.memory.existing_info import CallersValues
from processors.memory.index import Slot, since
from processors.memory.index import values_of as standing_values
from processors.memory.marks import dates_of, holds_again, marked, marked_as, with_marks
from processors.memory.of_its_time import read_before, told_anew
from processors.memory.opposites import opposed
from processors.memory.places import Places
from processors.memory.readings import of_people
from processors.memory.rejections import REJECTED_SOURCE, barred
from processors.memory.repeats import Repeats
from processors.memory.replaced import CHANGED
from processors.memory.restate import Restated, note_replaced
from processors.memory.rules import DUPLICATE_IMPORTANCE, MAX_SOURCES, bounded, readable
from processors.memory.store import Standing, text_features
from processors.memory.vague import PLACES, vaguer
from processors.memory.values import canonical, same
from processors.memory.versions import VERSIONED, Versions
from processors.reader.rules.protocol import ENDS, holds_many, values_of
from processors.step import Emit
from schemas.events.memory import LOW_READING, Candidate, Decision, Extraction, MemoryBody, MemoryUpdate, Outcome, State
from schemas.log.ids import record_id
from schemas.log.owner import OwnerKind
from schemas.profile.model import Profile

_STATES_MASKED = re.compile(r"(?:\b(?:is|are|was)|[:=：是为叫])\s*<[A-Z][A-Z0-9_]*(?::[0-9a-f]+)?>")
"""A statement whose point is what policy took out ("her number is <PHONE_NUMBER>") says nothing any more."""
_OF_ALL_TURNS = (
    "sources", "session_id", "interaction_id", "project_id", "language", "occurred_at", "valid_from", "valid_to",
    "last_accessed_at", "importance", "confidence", "source", "state", "reason", "conflicts_with",
)  # fmt: skip
"""Of a record that several turns said: what follows from all of them, and not from how one is read."""


@dataclass(slots=True)
class _Sorted:
    """Fields of a candidate by what becomes of them: `known` (said before), `vaguer` (said before, and sharper), `held`
    (the caller has it, and nothing else stands), `outranked` (inferred against explicit), `late` (something newer
    stands), `fresh` (to be kept; `replaced` ends)."""

    known: dict[str, MemoryUpdate] = field(default_factory=dict)
    vaguer: dict[str, MemoryUpdate] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)
    outranked: list[str] = field(default_factory=list)
    late: dict[str, datetime] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)
    replaced: dict[str, MemoryUpdate] = field(default_factory=dict)


class CandidateGate:
    """Decides the candidates of one extraction against one user's standing records."""

    def __init__(
        self, source: Extraction, standing: Standing, versions: Versions, profile: Profile, hash_key: bytes,
        again: Restated | None = None, *, reader: str = "",
    ) -> None:  # fmt: skip
        """`again`: what stands of the turn from the extractor before, where this one restates it. `reader`: as in
        `Places`."""
        before = () if again is None else again.before
        self._places = Places(source, standing, before, {} if again is None else again.restates, reader)
        self._repeats = Repeats(source, standing, self._places)
        self._source = source
        self._standing = standing
        self._room = Room(source.owner, standing, profile, source.accepted_at, source.turn)
        self._versions = versions
        self._profile = profile
        self._hash_key = hash_key
        self._again = again
        self._held = CallersValues(source, profile)
        self._before = frozenset(u.record_id for u in before)
        self._taken_back = frozenset(d.candidate.ordinal for d in source.sealed.dropped)
        self._decided: set[str] = set()
        """Records that earlier candidates were decided on."""
        self.spared: set[str] = set()
        """Records of the turn that stand beside a rejected one, read from the same words: barred with it, they are not
        said anew, and do not end for that."""

    def decide(self, c: Candidate) -> Iterable[Emit]:
        if _STATES_MASKED.search(c.text):
            return [decision(self._source, c, because("masked", "pii", "states_masked_value"), None)]
        rule = barred(c, self._source, self._standing.rejections, self._hash_key)
        if rule is not None:
            if rule == REJECTED_SOURCE and self._again is not None:
                self.spared.update(self._again.read_at(c))
            return [decision(self._source, c, because("refused", "feedback", rule), None)]
        out = self._allowed(c)
        told = (emitted.event for emitted in out)
        self._decided.update(d.record_id for d in told if isinstance(d, Decision) and d.record_id is not None)
        return out

    def _allowed(self, c: Candidate) -> list[Emit]:
        """Neither masked nor rejected."""
        fields = values_of(c)
        if c.attributes.get(ENDS):
            return self._end(c, fields) or [decision(self._source, c, because("skipped", "dedupe", NOTHING), None)]
        if c.kind in VERSIONED and fields:
            return self._retire(c, fields) if c.negated else self._by_field(c, fields)
        return self._by_text(c)

    def _slots(self, c: Candidate, names: Iterable[str]) -> list[Slot]:
        return [Slot(c.kind, c.scope, str(c.attributes.get("about", "")), n) for n in names]

    def _when(self, c: Candidate) -> datetime:
        """From when on it holds. What is wished, meant or stated for a time to come holds from when it was said: held
        until then for not begun, it would stand in the way of all that is said of the field before."""
        said = self._source.turn.occurred_at
        when = c.occurred_from or said
        return min(when, said) if c.kind in VERSIONED and not c.negated else when

    def _by_field(self, c: Candidate, fields: Mapping[str, Any]) -> list[Emit]:
        """Facts, preferences and intents are matched by field without a time limit (D3)."""
        found = self._sorted(c, fields)
        out: list[Emit] = []
        for name, twin in {u.record_id: u for u in found.known.values()}.items():
            only = tuple(n for n in found.known if found.known[n].record_id == name)
            out.extend(self._said_again(c, twin, only=only))
        for name, sharper in found.vaguer.items():
            out.extend(self._said_vaguely(c, sharper, _part(c, [name])))
        if found.held:
            reason = because("skipped", "dedupe", "known_to_caller")
            out.append(decision(self._source, c, reason, None, _part(c, found.held)))
        if found.outranked:
            reason = because("refused", "confidence", "explicit_stands")
            out.append(decision(self._source, c, reason, None, _part(c, found.outranked)))
        if found.late:
            out.extend(self._late(c, found.late))
        if found.fresh:
            out.extend(self._supersede(c, tuple(found.fresh), list(found.replaced.values())))
        return out

    def _sorted(self, c: Candidate, fields: Mapping[str, Any]) -> _Sorted:
        out, when = _Sorted(), self._when(c)
        for slot in self._slots(c, fields):
            name = slot.field
            holders = self._standing.holders(slot)
            twin = next((h for h in holders if same(standing_values(h).get(name), fields[name])), None)
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
            elif before is None and (sharper := self._sharper(c, name, fields[name], holders)) is not None:
                out.vaguer[name] = sharper
            elif c.source == "inferred" and any(h.source != "inferred" for h in holders):
                out.outranked.append(name)
            elif c.attributes.get("implied") and any(not h.sealed.attributes.get("implied") for h in holders):
                out.outranked.append(name)  # where somebody works says where they live only as long as they do not
            elif newer := [since(h) for h in holders if self._is_late(c, h) or read_before(self._profile, c, name, h)]:
                out.late[name] = max(min(newer), when)
            else:
                out.fresh.append(name)
                out.replaced.update({h.record_id: h for h in holders})
        return out

    def _is_held(self, c: Candidate, name: str, value: Any) -> bool:
        """Does the caller hold it? Where the candidate takes the place of a record it is stored all the same: skipped,
        nothing would be left of what the turn says."""
        return self._held.hold(c, name, value) and not self._takes_a_place(c)

    def _takes_a_place(self, c: Candidate) -> bool:
        """Does a record of the turn end for what the candidate says, by whatever field or kind it stood?"""
        return self._again is not None and self._again.loses(c)

    def _is_late(self, c: Candidate, held: MemoryUpdate) -> bool:
        """Whether what a candidate says was true before what stands. "I moved to York last week" is news beside an
        older "I live in Leeds", whose own beginning nobody told: what counts is which was said last, and told times
        only where both have one."""
        turn, begun = self._source.turn.occurred_at, since(held)
        begun = held.occurred_at if begun > self._source.accepted_at else begun  # one of before `_when` looked at it
        if turn < max((s.occurred_at for s in held.sources), default=held.occurred_at) or turn < begun:
            return True
        return c.occurred_from is not None and begun != held.occurred_at and c.occurred_from < begun

    def _sharper(
        self, c: Candidate, name: str, value: Any, holders: Sequence[MemoryUpdate]
    ) -> MemoryUpdate | None:
        """What says the same more exactly."""
        return next((h for h in holders if self._vaguer(c, name, value, h)), None)

    def _vaguer(self, c: Candidate, name: str, value: Any, held: MemoryUpdate) -> bool:
        """What was stated is news beside what was inferred, and what a newer extractor says of a turn beside what the
        one before said of it, however vague."""
        if held.record_id in self._before or (held.source == "inferred" and c.source != "inferred"):
            return False
        spec = self._profile.field(name)
        place = (name if spec is None else spec.slot) in PLACES
        return vaguer(value, c.approximate, standing_values(held).get(name), held.approximate, place)

    def _said_vaguely(self, c: Candidate, held: MemoryUpdate, only: tuple[str, ...]) -> list[Emit]:
        """Cited, and as little news as the same value; what stands is neither reworded nor believed more for it."""
        held = self._standing.get(held.record_id) or held  # another field of the candidate may have renewed it
        if any(s.turn_id == self._source.turn.turn_id for s in held.sources):
            return [decision(self._source, c, because("skipped", "dedupe", "vaguer_value"), held, only)]
        renewed = changed(
            held,
            last_accessed_at=max(held.last_accessed_at, self._source.accepted_at),
            sources=sources(held.sources, self._source.turn, MAX_SOURCES),
        )
        self._standing.put(renewed, self._standing.features(held.record_id))
        return [update(renewed), decision(self._source, c, because("merged", "dedupe", "vaguer_value"), renewed, only)]

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
        note_replaced(self._standing, record, replaced, self._source.turn.turn_id, self._source.accepted_at)
        kept = self._new(c, names, record, replaced)
        others = [h for h in opposed(self._standing, self._profile, kept) if not self._retiring(h)]
        if others:
            reason = because(kept.reason.outcome, "dedupe", "contradiction")
            told = tuple(h.record_id for h in others)
            kept = kept.model_copy(update={"conflicts_with": told, "reason": reason})
            out += [marked(self._standing, h, record) for h in others]
        self._standing.put(kept)
        return [*out, update(kept), decision(self._source, c, kept.reason, kept, _part(c, names))]

    def _change(self, replaced: Sequence[MemoryUpdate]) -> tuple[Literal["dedupe", "extraction"], str]:
        """Gate and rule by which a candidate takes the place of records."""
        return "dedupe", "field_changed" if replaced else "new"

    def _said_here(self, held: MemoryUpdate) -> bool:
        """Only this turn said it."""
        return all(s.turn_id == self._source.turn.turn_id for s in held.sources)

    def _retiring(self, held: MemoryUpdate) -> bool:
        """The extractor before took it from this turn alone: what this one says stands in its place."""
        return held.record_id in self._before and self._said_here(held)

    def _withdraws(self, c: Candidate, twin: MemoryUpdate) -> bool:
        """Is what stands believed for no other reason than what the extractor before read here, which this one reads
        and is less sure of? Of several candidates that say the same the surest counts."""
        if self._again is None or twin.record_id in self._decided:
            return False
        return less_sure(c, twin) and self._again.rests_on(twin)

    def _never_replaced(self, c: Candidate, twin: MemoryUpdate) -> bool:
        """What a newer extractor only infers never replaced what was stated: that holds again."""
        if c.source != "inferred" or not self._withdraws(c, twin):
            return False
        replaced = self._standing.replaced.by(twin.record_id, self._source.accepted_at)
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
        self._standing.remove(late)
        return [update(late), decision(self._source, c, late.reason, late, _part(c, names))]

    def _retire(self, c: Candidate, fields: Mapping[str, Any]) -> list[Emit]:
        """`negated` with a field: that value does not hold any more; nothing is set."""
        return self._end(c, fields) or self._by_text(c)

    def _end(self, c: Candidate, fields: Mapping[str, Any]) -> list[Emit]:
        out: list[Emit] = []
        when = self._when(c)
        for slot in self._slots(c, fields):
            for holder in self._standing.holders(slot):
                said, only = fields[slot.field], _part(c, [slot.field])
                if said is not None and not same(standing_values(holder).get(slot.field), said):
                    continue
                if c.source == "inferred" and holder.source != "inferred":
                    reason = because("refused", "confidence", "explicit_stands")
                elif self._is_late(c, holder):
                    reason = because("skipped", "dedupe", "older_than_standing")
                else:
                    reason = because("superseding", "dedupe", "negated")
                    out += self._versions.end(holder, when, self._source.accepted_at, reason, (slot.field,))
                    if self._standing.get(holder.record_id) is None:
                        self._standing.replaced.forget(holder.record_id)
                out.append(decision(self._source, c, reason, holder, only))
        return out

    def _by_text(self, c: Candidate) -> list[Emit]:
        """Episodes and free statements: near-duplicates within 7 days (D3). What a newer extractor says of a place that
        was read before is the next wording of what stands there; what people judged keeps its words."""
        if only_takes_back(c.text, c.attributes.get("about")):
            as_said = self._new(c, (), self._places.name(c), [])
            over = taken_back(self._source, c, as_said, self._standing, self._versions, self._when(c))
            if over is not None:
                return over
        stands = self._places.restated(c)
        same_words = stands is not None and canonical(c.text) == canonical(stands.sealed.text)
        if stands is not None and same_words and c.kind == stands.kind:
            return self._said_again(c, stands, rule="same_text")
        if stands is not None and of_people(stands):
            return [decision(self._source, c, because("skipped", "command", "corrected_stands"), stands)]
        features = text_features(c.text)
        match = self._repeats.nearest(c, features, stands)
        if (again := self._said_elsewhere(c, match)) is not None:
            return again  # `stands` is not said any more and retires
        if stands is not None and same_words and not self._said_here(stands):
            return self._of_another_kind(c, stands, features)
        return self._free(c, self._places.name(c), features, match)

    def _said_elsewhere(self, c: Candidate, match: Match | None) -> list[Emit] | None:
        other = None if match is None else self._standing.get(match.record_id)
        if match is None or other is None or match.verdict.kind != "duplicate":
            return None
        verdict = match.verdict
        return self._said_again(c, other, verdict.rule, verdict.score, told_more=verdict.adds)

    def _free(self, c: Candidate, record: str, features: Features, match: Match | None) -> list[Emit]:
        """A statement without a field under its id: new, or the next version of what stands there."""
        before = self._standing.get(record)
        if before is not None and before.extractor == "command":
            return [decision(self._source, c, because("skipped", "command", "corrected_stands"), before)]
        if before is None and self._ended(c, record):
            return [decision(self._source, c, because("skipped", "extraction", "ended_since"), None)]
        made = self._made_room(c, (), record)
        if made is None:
            return [self._full(c)]
        out: list[Emit] = [*made] if before is None else self._restated(before)
        kept, told = self._contradicting(self._new(c, (), record, []), before, match)
        kept, changing = self._changing(c, kept)
        self._standing.put(kept, features)
        return [*out, *told, *changing, update(kept), decision(self._source, c, kept.reason, kept)]

    def _contradicting(
        self, kept: MemoryUpdate, before: MemoryUpdate | None, match: Match | None
    ) -> tuple[MemoryUpdate, list[Emit]]:
        """A statement with its marks: those of its words before, and of what it contradicts, which is marked too."""
        kept = kept if before is None else marked_as(self._standing, kept, before)
        other = None if match is None else self._standing.get(match.record_id)  # it may be what left
        if match is None or other is None or other.record_id == kept.record_id:
            return kept, []
        reason = because(kept.reason.outcome, "dedupe", "contradiction", match.verdict.score)
        reason = kept.reason if is_doubted(kept) else reason
        told = [marked(self._standing, other, kept.record_id)]
        kept = with_marks(kept, (*kept.conflicts_with, other.record_id), dates_of(self._standing, kept))
        return kept.model_copy(update={"reason": reason}), told

    def _ended(self, c: Candidate, record: str) -> bool:
        """Was it read there before, and ended by what was said since?"""
        return self._standing.ended_by_change(record) or (self._again is not None and self._again.ended_at(c))

    def _of_another_kind(self, c: Candidate, stands: MemoryUpdate, features: Features) -> list[Emit]:
        """A newer extractor names words that other turns said as well another kind: what those made of them stays."""
        out = self._restated(stands)
        new = self._new(c, (), stands.record_id, [])
        new = new.model_copy(update={name: getattr(stands, name) for name in _OF_ALL_TURNS})
        kept = marked_as(self._standing, new, stands)
        self._standing.put(kept, features)
        return [*out, update(kept), *self._said_again(c, kept, rule="same_text")]

    def _changing(self, c: Candidate, kept: MemoryUpdate) -> tuple[MemoryUpdate, list[Emit]]:
        """What a free statement changes of what stands ends where its words say so and the head agrees; else both
        stand, and each names the other (docs/quality.md)."""
        out: list[Emit] = []
        named, ended, score = list(kept.conflicts_with), [], kept.reason.score
        for change in changes(self._standing, kept):
            if change.old.record_id in dates_of(self._standing, kept):
                continue  # it was said again since
            old, score = change.old, change.score
            if change.outcome == "retired":
                reason = because("superseding", "dedupe", CHANGED, score)
                out += self._versions.end(old, self._when(c), self._source.accepted_at, reason)
                ended.append(old)
            else:
                out.append(marked(self._standing, old, kept.record_id, change.said))
                named.append(old.record_id)
        if not out:
            return kept, out
        note_replaced(self._standing, kept.record_id, ended, self._source.turn.turn_id, self._source.accepted_at)
        outcome: Outcome = "superseding" if ended else kept.reason.outcome
        names = [n for n in named if self._standing.get(n) is not None]
        denied = bool(kept.conflicts_with) and not ended  # said so already, and why
        reason = kept.reason if denied else because(outcome, "dedupe", CHANGED, score)
        return with_marks(kept.model_copy(update={"reason": reason}), names, dates_of(self._standing, kept)), out

    def _made_room(self, c: Candidate, names: tuple[str, ...], record: str) -> Sequence[Emit] | None:
        return self._room.made_for(self._new(c, names, record, [])) if self._room.crowded else []

    def _full(self, c: Candidate, names: tuple[str, ...] = ()) -> Emit:
        return decision(self._source, c, because("refused", "retention", "full"), None, _part(c, names))

    def _restated(self, before: MemoryUpdate, rule: str = "restated") -> list[Emit]:
        """A newer extractor words the same place of the same turn differently: the version before ends at once."""
        if before.kind not in VERSIONED:
            return []
        reason = because("superseding", "extraction", rule)
        return self._versions.end(before, before.valid_from or before.occurred_at, self._source.accepted_at, reason)

    def _said_again(
        self, c: Candidate, twin: MemoryUpdate, rule: str = "same_value", score: float | None = None,
        only: tuple[str, ...] = (), told_more: bool = False,
    ) -> list[Emit]:  # fmt: skip
        """A duplicate renews last_accessed_at, adds to importance, and adds its source turn. `told_more`: the later
        text has a detail that the earlier lacks, so its words are kept."""
        firm = firmer(c, twin)
        if not firm and self._withdraws(c, twin):
            return self._lower(c, twin, rule, only)
        of_this_turn = any(s.turn_id == self._source.turn.turn_id for s in twin.sources)
        sure = surer(c, twin) or (meant(c, twin) and not of_this_turn)
        anew = sure and twin.record_id in self._before and not of_people(twin)  # than the extractor before
        if of_this_turn and not firm and not anew:
            return [decision(self._source, c, because("skipped", "dedupe", rule, score), twin, only)]
        outcome: Outcome = "skipped" if only else "merged"
        renewed = changed(
            twin,
            **(raised(twin, c, again=not self._said_here(twin)) if sure else {}),
            last_accessed_at=max(twin.last_accessed_at, self._source.accepted_at),
            importance=twin.importance if of_this_turn else bounded(twin.importance + DUPLICATE_IMPORTANCE),
            sources=sources(twin.sources, self._source.turn, MAX_SOURCES),
        )
        features = self._standing.features(twin.record_id)
        body: dict[str, Any] = {}
        if firm:
            body["attributes"] = {k: v for k, v in twin.sealed.attributes.items() if k != "implied"}
        if (firm or (told_more and not of_this_turn)) and twin.extractor != "command":
            body |= {"text": c.text, "terms": c.terms, "embedding": c.embedding}
            features = text_features(c.text)
            renewed = renewed.model_copy(update={"model_id": self._model_id(c)})
        renewed = renewed.model_copy(update={"sealed": renewed.sealed.model_copy(update=body)})
        said = self._source.turn.occurred_at
        renewed, outlived = holds_again(self._standing, renewed, said) if readable(c.confidence) else (renewed, [])
        self._standing.put(renewed, features)
        reason = because(outcome, "dedupe", rule, score)
        return [update(renewed), *outlived, decision(self._source, c, reason, renewed, only)]

    def _lower(self, c: Candidate, twin: MemoryUpdate, rule: str, only: tuple[str, ...]) -> list[Emit]:
        """What the newer extractor says of the turn stands, how sure it is as well as what it says."""
        held = changed(twin, **lowered(c))
        self._standing.put(held, self._standing.features(twin.record_id))
        reason = held.reason if held.state == "observed" else because("merged", "dedupe", rule)
        return [update(held), decision(self._source, c, reason, held, only)]

    def _model_id(self, c: Candidate) -> str:
        """Of the candidate's embedding: what the reader had dropped is encoded here."""
        return self._versions.model_id if c.ordinal in self._taken_back else self._source.model_id

    def _project(self, c: Candidate) -> str | None:
        return c.project_id or self._source.project_id

    def _record(self, c: Candidate, names: tuple[str, ...], leaving: Set[str] = frozenset()) -> str:
        """A single value is identified by its field; one of several beside each other also by its value. A record
        that stands under that id for something else (it was corrected, or fields have left it) keeps it. `leaving`:
        records that end for it."""
        many = [canonical(values_of(c)[n]) for n in names if holds_many(self._profile, n)]
        about = str(c.attributes.get("about", ""))
        record = record_id(self._source.owner, c.kind, c.scope, about, *names, *many)
        while (standing := self._standing.get(record)) is not None and (
            (many and record not in leaving) or set(standing_values(standing)).isdisjoint(names)
        ):
            record = record_id(self._source.owner, c.kind, "beside", record)
        return record

    def _new(self, c: Candidate, names: tuple[str, ...], record: str, replaced: list[MemoryUpdate]) -> MemoryUpdate:
        s = self._source
        version, revision = self._standing.next_numbers(record)
        version = version if c.kind in VERSIONED else 0
        state: State = "active" if readable(c.confidence) else "observed"
        gate, rule = self._change(replaced)
        outcome: Outcome = "observed" if state == "observed" else ("superseding" if replaced else "kept")
        reason = because(outcome, "confidence" if state == "observed" else gate, rule)
        if state == "observed" and c.low_reading is not None:
            reason = because("observed", "confidence", LOW_READING, c.low_reading)
        value = c.value
        if names and c.field is None and isinstance(c.value, dict):
            value = c.value.get(names[0]) if len(names) == 1 else {n: c.value.get(n) for n in names}
        return MemoryUpdate(
            tenant=s.tenant, owner_kind=OwnerKind.USER, owner_id=s.user_id, record_id=record, version=version,
            revision=revision, kind=c.kind, state=state,
            reason=reason,
            field=names[0] if len(names) == 1 else None,
            fields=names if len(names) > 1 else (), scope=c.scope, category=c.category, episode_type=c.episode_type,
            importance=c.importance, confidence=c.confidence, source=c.source, negated=c.negated,
            approximate=c.approximate, user_id=s.user_id, session_id=s.session_id, project_id=self._project(c),
            interaction_id=s.interaction_id, language=s.language, sources=(s.turn,), occurred_at=s.turn.occurred_at,
            valid_from=self._when(c), valid_to=c.occurred_to if c.kind not in VERSIONED else None,
            known_at=s.accepted_at, last_accessed_at=s.accepted_at,
            extractor=f"{s.extractor}@{s.extractor_version}", profile=s.profile,
            profile_version=s.profile_version, model_id=self._model_id(c),
            sealed=MemoryBody(
                text=c.text, value=value, attributes={**c.attributes, **_time(c)}, terms=c.terms, embedding=c.embedding
            ),
        )  # fmt: skip


def _time(c: Candidate) -> dict[str, Any]:
    return {} if c.time_text is None else {"time_text": c.time_text}


def _part(c: Candidate, names: Iterable[str]) -> tuple[str, ...]:
    """The fields that a decision is about, where it is not about all of them."""
    chosen = tuple(names)
    return chosen if len(chosen) < len(values_of(c)) else ()
