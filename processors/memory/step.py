"""gate: memory.ledger -> memory.updates, memory.decisions, project.events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from processors.dedupe.calibration import calibration_for
from processors.future_timestamps import dated_ahead
from processors.memory import citations, items, marks, retention, views
from processors.memory.amended import AmendmentGate
from processors.memory.candidates import CandidateGate
from processors.memory.changes import activation
from processors.memory.citations import AnswerFeedback, CitationIndex
from processors.memory.commands import CommandGate
from processors.memory.emit import changed, update
from processors.memory.feedback import FeedbackGate
from processors.memory.habits import mining as habits
from processors.memory.known_people import with_known_people
from processors.memory.profile_reading import read_under
from processors.memory.read_counts import read_counts
from processors.memory.refine import SecondReading
from processors.memory.restate import Restated
from processors.memory.retention import Retention
from processors.memory.rows import InHot, TurnReading
from processors.memory.store import UserMemoryStore
from processors.memory.turn_outcome import digest, digest_again, note_reading, turn_decisions
from processors.memory.versions import Versions
from processors.memory.views import UserViews, ViewParts
from processors.ports import Models, ProfileBook, vectors
from processors.screen import callers
from processors.step import Emit, Out, PlainStep, Prepared, Reads, Record, Reject, StateSpace, accepted_as
from schemas.events.amendments import Amendment
from schemas.events.documents import KeptMemory, ProjectCandidate, ProjectCandidateBody
from schemas.events.envelope import Tick
from schemas.events.memory import (
    Candidate,
    Decision,
    Extraction,
    Feedback,
    Given,
    JobResult,
    MemoryCommand,
    MemoryUpdate,
    Span,
)
from schemas.log import topics
from schemas.log.owner import Owner
from schemas.storage.sizes import TOO_LARGE, outgrown_value


@dataclass(slots=True)
class _Kept:
    """What came of an extraction's candidates: records by id with where they were read, and new memories."""

    claimed: dict[str, Span | None] = field(default_factory=dict)
    memories: list[KeptMemory] = field(default_factory=list)


class Gate(PlainStep):
    """State: one row a standing record of a user, read whole and cached while the user is active."""

    name = "gate"
    source = topics.LEDGER
    outputs = (topics.UPDATES, topics.DECISIONS, topics.PROJECT_EVENTS, topics.JOBS)
    marks = (topics.UPDATES, topics.DECISIONS)
    carries = (topics.PROJECT_EVENTS,)

    def __init__(self, models: Models, book: ProfileBook, *, ask_model: bool = False) -> None:
        """`ask_model`: narratives are also worded by a model, as jobs."""
        self._models = models
        self._book = book
        self._calibration = calibration_for(models.embedder.model_id)
        encoder = models.embedder
        self._views = ViewParts(
            book, self._encode, self._calibration, encoder.dimensions, encoder.model_id, ask_model
        )

    def prepare(self, records: Sequence[Record]) -> Sequence[Prepared]:
        """Callers' own statements go through the same screen and encoder as turns."""
        own = [r.event if isinstance(r.event, MemoryCommand | Feedback) else None for r in records]
        clean = callers.screened(self._models, self._book, own)
        # An item without a text that could hold an entity ("Rom", a number) is found by its value all the same.
        plain = [e if e is not None and _is_item(e) and outgrown_value(e) is None else None for e in own]
        return [self._encoded(done or item) for done, item in zip(clean, plain, strict=True)]

    def _encoded(self, e: callers.Own | None) -> callers.Own | None:
        if not isinstance(e, MemoryCommand):
            return e
        searched = items.searched_text(e, e.sealed.value) if e.command == "put_item" else e.sealed.text
        if not searched:
            return e
        terms, embedding = self._encode(searched)
        return e.model_copy(update={"sealed": e.sealed.model_copy(update={"terms": terms, "embedding": embedding})})

    def reads(self, record: Record, prepared: Prepared) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case Extraction() | Feedback() | MemoryCommand() | JobResult():
                at = event.accepted_at or record.timestamp
                return Reads(event.owner.key), *self._named(event), *views.reads_of(self._views, event, at)
            case Amendment():
                at = event.accepted_at or record.timestamp
                own = (Reads(event.owner.key),)
                if event.cause == "redate":
                    return *own, *retention.reads_of_redate(event)
                return own if event.cause == "rescreen" else (*own, *views.reads_of(self._views, event, at))
            case Given():
                return citations.reads_of(event)
            case Tick():
                return Reads(habits.DUE), *views.reads_of_tick()
        return ()

    def _named(self, event: views.UserRecord) -> tuple[Reads, ...]:
        match event:
            case Extraction():
                times = self._book.of(event.tenant).habits.times
                return *citations.reads_of(event), *habits.reads_of(event.sealed.metadata, times)
            case Feedback():
                return citations.reads_of(event)
        return ()

    def then_reads(self, record: Record, prepared: Prepared, state: StateSpace) -> tuple[Reads, ...]:
        event = record.event
        if isinstance(event, Given) and _book(event, state, event.accepted_at).waits(
            event.context_id, event.interaction_id
        ):
            return (Reads(event.owner.key),)
        if not isinstance(event, Tick):
            return ()
        late = tuple(Reads(owner.key) for owner, _ in habits.due(event.now, state))
        return *late, *views.then_reads_of_tick(event.now, state)

    def handle(self, record: Record, prepared: callers.Own | None, state: StateSpace) -> Iterable[Out]:
        """`prepared`: the event with its texts redacted and encoded, where it has any."""
        event = record.event if prepared is None else accepted_as(prepared, record)
        if isinstance(event, Tick):
            return [*self._overdue(event.now, state), *views.tick(self._views, event.now, state)]
        if (ahead := dated_ahead(event, record)) is not None:
            return [ahead]
        if (name := outgrown_value(event)) is not None:
            return [Reject("too_large", f"sealed.{name}: {TOO_LARGE}")]
        if isinstance(event, Given):
            return self._given(event, state)
        if isinstance(event, Amendment):
            return self._amendment(event, record, state)
        if not isinstance(event, Extraction | Feedback | MemoryCommand | JobResult):
            return []
        at = event.accepted_at or record.timestamp
        refused = event.refused_for if isinstance(event, MemoryCommand | Feedback) else None
        dimensions, key = self._models.embedder.dimensions, self._models.hash_key
        store = UserMemoryStore(state.of(event.owner.key), self._calibration, dimensions, key)
        mine = UserViews(self._views, event.owner, store, state, at)
        taken = mine.takes(event, refused)
        outs = self._decided(event, at, store, refused, state) if taken is None else taken
        return mine.followed(event, outs)

    def _decided(
        self, event: views.UserRecord, at: datetime, store: UserMemoryStore, refused: str | None, state: StateSpace
    ) -> Iterable[Out]:
        profile = self._book.of(event.tenant)
        if isinstance(event, Extraction):  # under the version that made it
            profile = self._book.named(event.tenant, event.profile, event.profile_version)
        versions = Versions(store, profile, self._encode, self._models.embedder.model_id)
        match event:
            case Extraction():
                return self._extraction(event, store, versions, state)
            case Feedback():
                judge = FeedbackGate(event.owner, store, at, self._models.hash_key)
                return judge.feedback(event, _book(event, state, at), self._models.terms)
            case MemoryCommand():
                model_id = self._models.embedder.model_id
                gate = CommandGate(
                    event.owner, store, versions, profile, self._models.hash_key, at, model_id
                )
                return gate.command(event, refused)
        return []

    def _amendment(self, a: Amendment, record: Record, state: StateSpace) -> Iterable[Out]:
        dimensions, key = self._models.embedder.dimensions, self._models.hash_key
        store = UserMemoryStore(state.of(a.owner.key), self._calibration, dimensions, key)
        at = a.accepted_at or record.timestamp
        outs = AmendmentGate(store, at, self._encode, self._models.embedder.model_id).amend(a)
        if a.cause == "rescreen":
            return [*outs, *marks.followed(store, [o for o in outs if isinstance(o, Emit)])]
        if a.cause == "redate":
            return Retention(a.owner, store, self._book.of(a.tenant), state).redated(outs, a.was, at)
        return UserViews(self._views, a.owner, store, state, at).followed(a, outs)

    def _encode(self, text: str) -> tuple[tuple[str, ...], bytes]:
        return tuple(self._models.terms(text)), vectors(self._models.embedder, [text])[0]

    def _overdue(self, now: datetime, state: StateSpace) -> list[Out]:
        """Habits whose hour has come (C5)."""
        out: list[Out] = []
        for owner, action in habits.due(now, state):
            store = UserMemoryStore(state.of(owner.key), self._calibration, self._models.embedder.dimensions)
            out += self._habits(owner, store, state, now).tick(action)
        return out

    def _extraction(self, e: Extraction, store: UserMemoryStore, versions: Versions, state: StateSpace) -> list[Out]:
        turn = e.turn.turn_id
        reading = store.readings.of(turn, e.accepted_at) or TurnReading()
        if e.extractor_version <= reading.versions.get(e.extractor, 0):
            return []
        first = not reading.versions
        profile = self._book.named(e.tenant, e.profile, e.profile_version)
        read = e
        e = with_known_people(read_under(e, profile, self._encode), store, self._encode)
        again = Restated(e, store, reading) if e.extractor in reading.versions else None
        before = [] if again is None else again.before
        parts = (e, store, versions, profile, self._models.hash_key, again)
        second = SecondReading(*parts, reading) if reading.others(e.extractor) else None
        reading.versions[e.extractor] = e.extractor_version
        out: list[Out] = [*self._cited(e, store, state)] if first else []
        out += turn_decisions(e)
        kept = _Kept()
        gate = second or CandidateGate(*parts)
        decided: list[Emit] = []
        self._decide(e, gate, store, decided, kept)
        out += [*decided, *read_counts(read, decided)]
        if again is not None:
            out += again.retire(kept.claimed.keys() | gate.spared)
        note_reading(e, store, reading, kept.claimed)
        if e.project_id is not None and first:
            out.append(digest(e, kept.memories))
        elif e.project_id is not None:  # the turn itself was counted when it was first told
            ended = None if second is None else [*second.ended, *before]
            out.append(digest_again(e, store, ended))
        if not first:
            return out
        return [*out, *self._habits(e.owner, store, state, e.accepted_at).turn(e)]

    def _habits(self, owner: Owner, store: UserMemoryStore, state: StateSpace, at: datetime) -> habits.HabitGate:
        encoder = habits.Encoder(self._encode, self._models.embedder.model_id)
        return habits.HabitGate(owner, store, state, self._book.of(owner.tenant), at, encoder)

    def _decide(
        self, e: Extraction, gate: CandidateGate, store: UserMemoryStore, out: list[Emit], kept: _Kept
    ) -> None:
        for c in e.sealed.candidates:
            emitted = list(gate.decide(c))
            for d in emitted:
                if isinstance(d.event, Decision) and d.event.record_id and d.event.reason.outcome != "retired":
                    kept.claimed.setdefault(d.event.record_id, c.head)
                    if d.event.reason.outcome != "refused":
                        store.note_place(d.event.record_id, e.turn.turn_id, c.spans)
            out.extend(emitted)
            out.extend(_to_project(e, c, emitted, store))
            kept.memories.extend(_kept(c, emitted))

    def _given(self, g: Given, state: StateSpace) -> list[Out]:
        """What an answer was given, and the feedback that waited for it."""
        waited = _book(g, state, g.accepted_at).give(g.record_ids, g.context_id, g.interaction_id)
        if not waited:
            return []
        store = UserMemoryStore(state.of(g.owner.key), self._calibration, self._models.embedder.dimensions)
        outs = [*self._spread(waited, g.owner, g.accepted_at, store)]
        return [*outs, *UserViews(self._views, g.owner, store, state, g.accepted_at).judged_later(outs)]

    def _spread(
        self, pending: Sequence[AnswerFeedback], owner: Owner, at: datetime, store: UserMemoryStore
    ) -> Iterable[Emit]:
        gate = FeedbackGate(owner, store, at, self._models.hash_key)
        emits = [e for feedback in pending for e in gate.spread(feedback)]
        versions = Versions(store, self._book.of(owner.tenant), self._encode, self._models.embedder.model_id)
        emits += activation.judged(store, versions, at)
        yield from (*emits, *marks.followed(store, emits))

    def _cited(self, e: Extraction, store: UserMemoryStore, state: StateSpace) -> Iterable[Emit]:
        """Memories that the model was given, and the turn names by id or by its context, are in use: renewed (D7)."""
        book = _book(e, state, e.accepted_at)
        named = tuple(dict.fromkeys((*e.recalled_ids, *book.of_context(e.context_id))))
        for name in named:
            target = store.get(name)
            if target is not None and target.last_accessed_at < e.accepted_at:
                renewed = changed(target, last_accessed_at=e.accepted_at)
                store.put(renewed, store.features(name))
                yield update(renewed)
        if e.interaction_id is not None and named:
            yield from self._spread(book.give(named, None, e.interaction_id), e.owner, e.accepted_at, store)


def _is_item(e: MemoryCommand | Feedback) -> bool:
    return isinstance(e, MemoryCommand) and e.command == "put_item"


def _book(event: Given | Feedback | Extraction, state: StateSpace, at: datetime) -> CitationIndex:
    """The rows that an event names; asked of an event that names none, it holds nothing."""
    named = citations.names_of(event.context_id, event.interaction_id)
    return CitationIndex(state.of(citations.place(event.owner)) if named else None, at)


def _to_project(e: Extraction, c: Candidate, emitted: Sequence[Emit], store: UserMemoryStore) -> Iterable[Emit]:
    """A kept decision or status of a project is also a candidate for its hot memory (A4)."""
    project = c.project_id or e.project_id
    kept = [u.event for u in emitted if isinstance(u.event, MemoryUpdate) and u.event.state == "active"]
    if c.hot is None or project is None or not kept:
        return
    for entry in InHot.all_of(e.tenant, project, c.hot):
        store.hot.note(kept[-1].record_id, entry)
    yield Emit(
        topics.PROJECT_EVENTS,
        ProjectCandidate(
            tenant=e.tenant, project_id=project, user_id=e.user_id, turn=e.turn, record_id=kept[-1].record_id,
            accepted_at=e.accepted_at, profile=e.profile, profile_version=e.profile_version,
            sealed=ProjectCandidateBody(candidate=c.model_copy(update={"embedding": b"", "terms": ()})),
        ),
    )  # fmt: skip


def _kept(c: Candidate, emitted: Sequence[Emit]) -> Iterable[KeptMemory]:
    """A new or changed memory counts in the project's report; one that was only said again does not (A6)."""
    events = [e.event for e in emitted]
    # The decision says it: the record of what was said again still tells why it was kept at first.
    new = {d.record_id for d in events if isinstance(d, Decision) and d.reason.outcome in ("kept", "superseding")}
    for u in events:
        if isinstance(u, MemoryUpdate) and u.state == "active" and u.record_id in new:
            yield KeptMemory(kind=c.kind, episode_type=c.episode_type, text=c.text, record_id=u.record_id)
            return
