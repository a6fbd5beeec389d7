"""extract: conversation.history -> memory.ledger, memory.jobs. What a turn says, by rules; a model may refine it.

The rules read every turn, and what they find goes to the ledger at once; only a turn that asks to have something
confirmed waits for its reply, for the user's next turn, or for the first tick 30 seconds on (D1).
Where a language model is configured, a promising turn (B9) is also a job, which goes off with the reply or when that
wait is over. Its answer comes to the ledger as an extraction of its own: the gate lets it refine what stands
(docs/decisions/2026-11-28-model-refines.md), and a replay of the ledger asks no model (N1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from processors.memory.habits.metadata import habit_metadata
from processors.pii.redact import refused_for
from processors.ports import Models, ProfileBook, vectors
from processors.reader import pending_replies
from processors.reader.rules.confirm import asks_to_confirm, confirms
from processors.reader.rules.prefilter import promising
from processors.reader.rules.protocol import Extractor, Reading, TurnView
from processors.reader.secrets import without_secrets
from processors.step import Emit, Out, PlainStep, Reads, Record, StateSpace
from schemas.base import JsonObject
from schemas.events.documents import Job, JobBody
from schemas.events.envelope import SourceTurn, Tick
from schemas.events.memory import Candidate, Dropped, Extraction, ExtractionBody
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.ids import record_id
from schemas.log.owner import OwnerKind
from schemas.profile.model import Profile

MAX_REPLY = 2_000
"""Characters of a reply that a model sees."""
AGREED = "Yes."
"""Stands for any reply that confirms, in either language."""


@dataclass(frozen=True, slots=True)
class RuleReading:
    """Candidates of a turn by rules. `confirmed`: those that a yes would add, None where a reply changes nothing.
    `asks`: a model is asked too. `dropped`, `dropped_of_confirmed`: what each reading did not take."""

    candidates: tuple[Candidate, ...] = ()
    confirmed: tuple[Candidate, ...] | None = None
    asks: bool = False
    dropped: tuple[Dropped, ...] = ()
    dropped_of_confirmed: tuple[Dropped, ...] = ()


class Extract(PlainStep):
    """State: turns and jobs that wait for their reply (pending_replies.py); all other context comes with the turn
    (`previous`). One record a turn and extractor version, also when it holds nothing; candidates leave with terms and
    vector. With `ask_model` a promising turn leaves as a job, too."""

    name = "extract"
    source = topics.HISTORY
    outputs = (topics.LEDGER, topics.JOBS)
    marks = (topics.LEDGER,)

    def __init__(self, extractor: Extractor, models: Models, book: ProfileBook, *, ask_model: bool = False) -> None:
        self._extractor = extractor
        self._models = models
        self._book = book
        self._ask_model = ask_model

    def prepare(self, records: Sequence[Record]) -> Sequence[RuleReading]:
        asked = [self._ask_model and _for_model(r.event) for r in records]
        plain = [self._read(r.event) for r in records]
        agreed = [self._read(r.event, AGREED) if _asks_to_confirm(r.event) else Reading([]) for r in records]
        # As texts, before they have vectors: two of one text may differ by rounding, as the processor has it.
        other = [[] if _same(p, c) else c.candidates for p, c in zip(plain, agreed, strict=True)]
        encoded = encode([*(p.candidates for p in plain), *other], self._models)
        readings = zip(asked, encoded[: len(records)], encoded[len(records) :], plain, agreed, strict=True)
        return [RuleReading(p, c or None, a, of_p.dropped, of_c.dropped) for a, p, c, of_p, of_c in readings]

    def reads(self, record: Record, prepared: RuleReading) -> tuple[Reads, ...]:
        event = record.event
        if isinstance(event, Tick):
            return (Reads(pending_replies.DUE),)
        if not isinstance(event, ScreenedTurn):
            return ()
        own = pending_replies.reads(event.owner, event.session_id)
        return (own, Reads(pending_replies.DUE)) if _waits(prepared) else (own,)

    def then_reads(self, record: Record, prepared: RuleReading, state: StateSpace) -> tuple[Reads, ...]:
        event = record.event
        if isinstance(event, Tick):
            due = pending_replies.due(state, event.now)
            return tuple(pending_replies.reads(owner, session) for owner, session in due)
        if isinstance(event, ScreenedTurn) and pending_replies.holds(state, event.owner, event.session_id):
            return (Reads(pending_replies.DUE),)
        return ()

    def handle(self, record: Record, prepared: RuleReading, state: StateSpace) -> Iterable[Out]:
        event = record.event
        if isinstance(event, Tick):
            over = pending_replies.due(state, event.now)
            return [out for owner, session in over for out in _closed(pending_replies.take(state, owner, session))]
        if not isinstance(event, ScreenedTurn) or event.revision > 1:  # amended: what it taught is the gate's to amend
            return []
        turn = narrowed(event, self._book.of(event.tenant))
        out: list[Out] = []
        if turn.role in ("user", "assistant"):
            out += _closed(pending_replies.take(state, turn.owner, turn.session_id), turn)
        read = self._extraction(turn, prepared.candidates, prepared.dropped, asks=prepared.asks)
        if _waits(prepared):
            held = self._held(turn, prepared, read, record.trace)
            pending_replies.hold(state, turn.owner, turn.session_id, held, turn.accepted_at + pending_replies.WAIT)
        return [*out, *([Emit(topics.LEDGER, read)] if prepared.confirmed is None else ())]

    def _held(
        self, turn: ScreenedTurn, statement: RuleReading, plain: Extraction, trace: str
    ) -> pending_replies.PendingReply:
        """The job, and the reading where the reply may change it."""
        job = extraction_job(turn, self.name) if statement.asks else None
        if statement.confirmed is None:
            return pending_replies.PendingReply(job=job, interaction_id=turn.interaction_id, trace=trace)
        confirmed = self._extraction(turn, statement.confirmed, statement.dropped_of_confirmed, asks=statement.asks)
        return pending_replies.PendingReply(plain, confirmed, job, turn.interaction_id, trace)

    def _extraction(
        self, turn: ScreenedTurn, candidates: Sequence[Candidate], dropped: Sequence[Dropped], *, asks: bool
    ) -> Extraction:
        extractor, model_id = self._extractor, self._models.embedder.model_id
        name, version = extractor.name, extractor.version
        return extraction(turn, candidates, name, version, model_id, model_asked=asks, dropped=dropped)

    def _read(self, event: Event, reply: str = "") -> Reading:
        if not isinstance(event, ScreenedTurn):
            return Reading([])
        return read_turn(self._extractor, event, self._book.of(event.tenant), reply)


def read_turn(extractor: Extractor, turn: ScreenedTurn, profile: Profile, reply: str = "") -> Reading:
    """What an extractor takes from a turn; nothing where the turn teaches nothing."""
    if not teaches(turn):
        return Reading([])
    return without_secrets(extractor.read(view_of(turn, profile, reply), profile))


def _waits(reading: RuleReading) -> bool:
    return reading.asks or reading.confirmed is not None


def _same(plain: Reading, agreed: Reading) -> bool:
    """Does a reply change nothing but how sure it is that what was said is to be kept?"""

    def unread(reading: Reading) -> list[Candidate]:
        return [c.model_copy(update={"reading": None}) for c in reading.candidates]

    return unread(plain) == unread(agreed)


def _asks_to_confirm(event: Event) -> bool:
    return isinstance(event, ScreenedTurn) and teaches(event) and asks_to_confirm(event.sealed.content)


def _closed(held: pending_replies.PendingReply | None, by: ScreenedTurn | None = None) -> list[Out]:
    """What becomes of a turn that waited, `by` its reply, the user's next turn, or the end of the wait."""
    if held is None:
        return []
    reply = "" if by is None else reply_in(by, held.interaction_id)
    out: list[Out] = []
    stated_candidates = held.confirmed if reply and confirms(reply) else held.plain
    if stated_candidates is not None:
        out.append(Emit(topics.LEDGER, stated_candidates, trace=held.trace))
    if held.job is not None:
        payload = {**held.job.sealed.payload, **({"reply": reply} if reply else {})}
        job = held.job.model_copy(update={"sealed": JobBody(payload=payload)})
        out.append(Emit(topics.JOBS, job, trace=held.trace))
    return out


def reply_in(by: ScreenedTurn, interaction_id: str | None) -> str:
    """The words of the next turn that answer a turn of this interaction, empty where it answers none."""
    others = interaction_id and by.interaction_id and interaction_id != by.interaction_id
    return "" if by.role != "assistant" or by.refused or others else by.sealed.content[:MAX_REPLY]


def teaches(turn: ScreenedTurn) -> bool:
    """Nothing is learned from a turn that held a credential, nor from any role but the user's (B1, D5)."""
    return turn.role == "user" and not turn.refused and turn.revision == 1


def narrowed(turn: ScreenedTurn, profile: Profile) -> ScreenedTurn:
    """The turn with no more metadata than habits are mined from (C5)."""
    metadata = habit_metadata(turn, profile)
    return turn.model_copy(update={"sealed": turn.sealed.model_copy(update={"metadata": metadata})})


def _for_model(event: Event) -> bool:
    """B9: the cheap test decides what is worth a call."""
    if not isinstance(event, ScreenedTurn) or not teaches(event):
        return False
    previous = event.sealed.previous
    answers = bool(previous) and previous[-1][0] == "assistant"
    return promising(event.sealed.content, event.language, answers=answers)


def view_of(turn: ScreenedTurn, profile: Profile, reply: str = "") -> TurnView:
    """What an extractor may see: a screened turn has no `llm_context`, and `recalled` only as ids (D1)."""
    return TurnView(
        content=turn.sealed.content, role=turn.role, language=turn.language, occurred_at=turn.occurred_at,
        time_zone=profile.zone_of(turn.project_id), speaker=turn.sealed.speaker, project_id=turn.project_id,
        intent=turn.intent, previous=turn.sealed.previous, entities=turn.sealed.entities, reply=reply,
        reaches=turn.reaches,
    )  # fmt: skip


def encode(found: Sequence[Sequence[Candidate]], models: Models) -> list[tuple[Candidate, ...]]:
    """The same candidates with terms and vectors, from one batch of the encoder."""
    texts = [c.text for candidates in found for c in candidates]
    embedded = iter(vectors(models.embedder, texts))
    return [
        tuple(
            c.model_copy(update={"terms": tuple(models.terms(c.text)), "embedding": next(embedded)}) for c in candidates
        )
        for candidates in found
    ]


def extraction(
    turn: ScreenedTurn, candidates: Sequence[Candidate], extractor: str, version: int, embedding_model: str,
    *, model: str | None = None, prompt_hash: str | None = None, reason: str | None = None, model_asked: bool = False,
    dropped: Sequence[Dropped] = (),
) -> Extraction:  # fmt: skip
    """The ledger's record of what an extractor found in a `narrowed` turn."""
    source = SourceTurn(
        turn_id=turn.turn_id, session_id=turn.session_id, occurred_at=turn.occurred_at, content_hash=turn.content_hash
    )
    body = ExtractionBody(
        candidates=tuple(candidates),
        dropped=tuple(dropped),
        content=turn.sealed.content if turn.project_id else "",
        speaker=turn.sealed.speaker if turn.project_id else None,
        metadata=turn.sealed.metadata,
        existing_info=_held(turn, [*candidates, *(d.candidate for d in dropped)]),
    )
    return Extraction(
        tenant=turn.tenant, user_id=turn.user_id, session_id=turn.session_id, turn=source, role=turn.role,
        position=turn.position, accepted_at=turn.accepted_at, language=turn.language, project_id=turn.project_id,
        interaction_id=turn.interaction_id, context_id=turn.context_id, recalled_ids=_cited(turn), extractor=extractor,
        extractor_version=version, model=model, prompt_hash=prompt_hash, reason=reason, model_id=embedding_model,
        model_asked=model_asked, profile=turn.profile, profile_version=turn.profile_version, refused=turn.refused,
        refused_for=refused_for(turn.pii) if turn.refused else None, sealed=body,
    )  # fmt: skip


def _held(turn: ScreenedTurn, candidates: Sequence[Candidate]) -> JsonObject | None:
    """What the caller holds of the fields that the turn speaks of; the ledger needs no more."""
    held = turn.sealed.existing_info or {}
    spoken = {name for c in candidates for name in (c.field, *c.fields)}
    return {name: value for name, value in held.items() if name in spoken} or None


_RECORD_ID = re.compile(
    r"(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f-])"
)
_MOST_CITED = 500


def _cited(turn: ScreenedTurn) -> tuple[str, ...]:
    """Memories that the model was given, by id, and those whose id the reply itself names (D7)."""
    named = _RECORD_ID.findall(turn.sealed.content) if turn.role == "assistant" else []
    return tuple(dict.fromkeys((*turn.sealed.recalled_ids, *named)))[:_MOST_CITED]


def extraction_job(turn: ScreenedTurn, asked_by: str) -> Job:
    """A `narrowed` turn as model work. It goes along whole, save for what the encoder and the index made of it."""
    return Job(
        tenant=turn.tenant, owner_kind=OwnerKind.USER, owner_id=turn.user_id,
        job_id=record_id(turn.owner, "extraction-job", turn.turn_id, turn.revision), job="extraction",
        asked_by=asked_by, session_id=turn.session_id, profile=turn.profile, profile_version=turn.profile_version,
        accepted_at=turn.accepted_at, sealed=JobBody(payload=_packed(turn)),
    )  # fmt: skip


def _packed(turn: ScreenedTurn) -> JsonObject:
    packed: JsonObject = turn.model_dump(mode="json", exclude={"sealed": {"embedding", "terms"}})
    return {"turn": packed, READ: True}


READ = "read_by_rules"
"""In the payload of a job: the ledger has the reading of the rules, or will. Jobs of before lack it."""


def turn_of(job: Job) -> ScreenedTurn:
    """The turn of an extraction job. Raises pydantic.ValidationError, KeyError."""
    return ScreenedTurn.model_validate(job.sealed.payload["turn"])


def is_read(job: Job) -> bool:
    """Do the rules read its turn before a model does?"""
    return job.sealed.payload.get(READ) is True


def reply_of(job: Job) -> str:
    """The assistant's reply to it, where it came in time."""
    return str(job.sealed.payload.get("reply", ""))
