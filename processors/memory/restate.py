"""One turn, extracted anew: a newer extractor keeps the ids of what it restates and retires what it does not
(DESIGN, delivery rule 3). Why so: docs/decisions/2026-11-22-restating.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

from processors.memory.emit import because, changed, plain_decision, update
from processors.memory.index import since, slots_of
from processors.memory.index import values_of as values_of_record
from processors.memory.marks import dates_of, joined, remove_mark, with_marks
from processors.memory.places import matched, same_place
from processors.memory.readings import confirmed_by_people, made_by, of_people
from processors.memory.rows import TurnReading
from processors.memory.rules import MAX_BEFORE
from processors.memory.store import UserMemoryStore, text_features
from processors.memory.values import same
from processors.memory.versions import VERSIONED
from processors.reader.rules.protocol import values_of
from processors.step import Emit
from schemas.events.documents import KeptMemory
from schemas.events.memory import Candidate, Extraction, MemoryUpdate, Span, StatementMemory

LEARNED = VERSIONED | {"episode", "relation"}


def kept_of(turn_id: str, store: UserMemoryStore) -> list[KeptMemory]:
    """What stands of what a turn was the first to say, as a project's report counts it."""
    return [
        KeptMemory(kind=u.kind, episode_type=u.episode_type, text=u.sealed.text, record_id=u.record_id)
        for u in store.all()
        if isinstance(u, StatementMemory) and u.state == "active" and u.sources and u.sources[0].turn_id == turn_id
    ]


class Restated:
    """A turn that an older version of the extractor read: what stands of that, and what becomes of it. What another
    extractor read is none of it."""

    def __init__(self, source: Extraction, store: UserMemoryStore, reading: TurnReading) -> None:
        self._source = source
        self._store = store
        self._reading = reading
        turn, others = source.turn.turn_id, reading.versions.keys() - {source.extractor}
        of_turn = (u for u in store.all() if u.kind in LEARNED and any(s.turn_id == turn for s in u.sources))
        self.before = [u for u in of_turn if made_by(u) not in others]
        self.restates = matched(source.sealed.candidates, self.before, reading, turn)
        """Ordinal of a candidate -> the record whose statement it is."""
        self._candidates = source.sealed.candidates
        self._lost: list[Span | None] | None = None
        """Where the records were read that no candidate says any more, once that was asked for."""

    def loses(self, c: Candidate) -> bool:
        """Was a record read from a candidate's words, as far as is known, that no candidate says any more?"""
        if self._lost is None:
            self._lost = [self._reading.spans.get(u.record_id) for u in self.before if not self._says(u)]
        head = c.head
        return any(head is None or place is None or place.overlaps(head) for place in self._lost)

    def _says(self, u: MemoryUpdate) -> bool:
        """Does a candidate say a record again, by a field or as a statement?"""
        if any(u.record_id == record_ids.record_id for record_ids in self.restates.values()):
            return True
        stated = values_of_record(u)
        own = (u.kind, u.scope, str(u.sealed.attributes.get("about", "")))
        return any(
            (c.kind, c.scope, str(c.attributes.get("about", ""))) == own
            and not c.negated
            and any(same(stated[name], value) for name, value in values_of(c).items() if name in stated)
            for c in self._candidates
        )

    def read_at(self, c: Candidate) -> list[str]:
        """Records of the turn that were read from words of a candidate's span."""
        head = c.head
        spans = self._reading.spans.items() if head is not None else ()
        return [name for name, span in spans if head is not None and span is not None and span.overlaps(head)]

    def ended_at(self, c: Candidate) -> bool:
        """Did a later statement end what was read from a candidate's place?"""
        head, spans = c.head, self._reading.spans.items()
        there = (name for name, span in spans if head is not None and span is not None and same_place(span, head))
        return any(self._store.ended_by_change(name) for name in there)

    def match(self, free: Candidate, decided: Collection[str]) -> None:
        """Find the record that a candidate restates which goes without its fields, and was told by them at first: one
        that no other candidate restates, nor was `decided` on for an earlier one, which is said in its words."""
        given = {u.record_id for u in self.restates.values()}
        left = [u for u in self.before if u.record_id not in given and u.record_id not in decided]
        self.restates |= matched((free,), left, self._reading, self._source.turn.turn_id)

    def rests_on(self, u: MemoryUpdate) -> bool:
        """Is a record known from the extractor before alone: no other turn says it, no other extractor, and nobody
        judged it?"""
        here = all(s.turn_id == self._source.turn.turn_id for s in u.sources)
        ours = any(u.record_id == b.record_id for b in self.before)
        return ours and here and not of_people(u) and not self._reading.says_too(u.record_id, self._source.extractor)

    def retire(self, claimed: Collection[str]) -> list[Emit]:
        """What the extractor before took from the turn and this one does not. What the user confirmed or wrote stays;
        what other turns say as well loses this citation only, and what that changed."""
        out: list[Emit] = []
        turn = self._source.turn.turn_id
        for name in (u.record_id for u in self.before if u.record_id not in claimed):
            u = self._store.get(name)
            if u is None or confirmed_by_people(u):
                continue
            if self._reading.says_too(name, self._source.extractor):
                continue
            others = tuple(s for s in u.sources if s.turn_id != turn)
            if others:
                kept = changed(u, sources=others)
                self._store.put(kept, self._store.features(name))
                out += [update(kept), *remove_mark(self._store, kept, self._source.turn.occurred_at)]
            else:
                out += retired(u, self._source, self._store, "not_restated")
                self._reading.spans.pop(name, None)
        return out


def retired(u: MemoryUpdate, source: Extraction, store: UserMemoryStore, rule: str) -> list[Emit]:
    """A record that a reading of its turn takes back: it was never true, and what it had replaced holds again."""
    reason = because("retired", "extraction", rule)
    # Of what went on without a field, or holds again, this version began later than it has been true.
    ended = max(since(u), u.valid_from or since(u)) if u.kind in VERSIONED else u.valid_to
    closed = changed(u, state="superseded", valid_to=ended, reason=reason)
    store.remove(closed)
    name = f"{source.turn.turn_id}/{source.extractor}/{source.extractor_version}/{u.record_id}"
    decision = plain_decision(source.owner, name, u.kind, reason, closed, source.accepted_at, source.turn)
    return [update(closed), decision, *brought_back(u, source.accepted_at, store)]


def brought_back(
    u: MemoryUpdate, at: datetime, store: UserMemoryStore, *, but: Callable[[MemoryUpdate], bool] = lambda old: False
) -> list[Emit]:
    """What a record that is taken back had replaced holds again, where nothing else has taken its place and nobody
    deleted it: of several the newest first. `but`: what does not."""
    replaced = store.replaced.by(u.record_id, at)
    store.replaced.forget(u.record_id)
    if stays := [old for old in replaced if but(old)]:
        store.replaced.note(u.record_id, stays, at)
    return [e for old in reversed(replaced) if old not in stays for e in _holds_again(old, u, at, store)]


def ended_by_words(u: MemoryUpdate, at: datetime, store: UserMemoryStore) -> list[Emit]:
    """What the words of a record had ended, which is forgotten or erased, holds again. A value of a field that one of
    the same field replaced does not: that it was replaced is known."""
    return brought_back(u, at, store, but=lambda old: not store.ended_by_change(old.record_id))


def _holds_again(old: MemoryUpdate, u: MemoryUpdate, at: datetime, store: UserMemoryStore) -> Iterable[Emit]:
    if any(store.holders(slot) for slot in slots_of(old)) or not _ended_so(old, u, store):
        return
    version, revision = store.next_numbers(old.record_id)
    version = version if old.kind in VERSIONED else old.version
    body = old.sealed.model_copy(
        update={"attributes": {**old.sealed.attributes, "since": since(old).isoformat()}}
    )
    again = old.model_copy(
        update={
            "version": version, "revision": revision, "valid_from": since(u), "valid_to": None,
            "known_at": at, "reason": because("kept", "extraction", "holds_again"), "sealed": body,
        }
    )  # fmt: skip
    active = [n for n in old.conflicts_with if store.get(n) is not None]
    again = with_marks(again, active, dates_of(store, old))
    store.put(again, None if slots_of(old) else text_features(old.sealed.text))
    store.raised.append(again.record_id)
    yield update(again)
    yield from joined(store, again)


def _ended_so(old: MemoryUpdate, u: MemoryUpdate, store: UserMemoryStore) -> bool:
    """Is the version that `u` replaced the last one of its record, neither active again nor deleted?"""
    tail, last = store.tail(old.record_id), u.version if old.record_id == u.record_id else old.version
    return tail is not None and tail.version == last and store.ending(old.record_id) == "ended"


def note_replaced(
    store: UserMemoryStore, record: str, replaced: Sequence[MemoryUpdate], turn: str, at: datetime
) -> None:
    """Remember for a while what the statement of a `turn` replaced. What the same turn had said before is no such
    thing: it was never true; what that had replaced is."""
    true = [u for u in replaced if any(s.turn_id != turn for s in u.sources)]
    if true:
        store.replaced.note(record, true[:MAX_BEFORE], at)
