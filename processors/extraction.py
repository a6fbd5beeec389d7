"""extract: conversation.history -> memory.ledger, memory.jobs. What a turn says, by rules here or by a model elsewhere.

Exactly one extractor speaks for a turn: this step for most, and where a language model is configured, whoever runs its
jobs for the turns that are promising (B9). The answer of a job, by the model or by the rules in its place, goes to the
ledger as the same kind of record, so the gate sees no difference and a replay of the ledger asks no model (N1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from processors.extract.promising import promising
from processors.extract.protocol import Extractor, TurnView
from processors.habit_metadata import habit_metadata
from processors.ports import Models, ProfileBook, vectors
from processors.step import Emit, Out, PlainStep, Record, StateSpace
from schemas import topics
from schemas.base import JsonObject
from schemas.documents import Job, JobBody
from schemas.envelope import SourceTurn
from schemas.ids import record_id
from schemas.memory import Candidate, Extraction, ExtractionBody
from schemas.owner import OwnerKind
from schemas.profile import Profile
from schemas.turns import ScreenedTurn


class Extract(PlainStep):
    """Stateless: a turn carries the context that it needs (`previous`). One record a turn and extractor version, also
    when it holds nothing; candidates leave with terms and vector. With `ask_model` a promising turn leaves as a job."""

    name = "extract"
    source = topics.HISTORY
    outputs = (topics.LEDGER, topics.JOBS)
    marks = (topics.LEDGER,)

    def __init__(self, extractor: Extractor, models: Models, book: ProfileBook, *, ask_model: bool = False) -> None:
        self._extractor = extractor
        self._models = models
        self._book = book
        self._ask_model = ask_model

    def prepare(self, records: Sequence[Record]) -> Sequence[tuple[Candidate, ...] | None]:
        """Candidates by turn, None for one that is left to the model."""
        asked = [self._ask_model and _for_model(r.event) for r in records]
        found = [[] if a else self._candidates(r.event) for a, r in zip(asked, records, strict=True)]
        encoded = encode(found, self._models)
        return [None if a else e for a, e in zip(asked, encoded, strict=True)]

    def handle(self, record: Record, prepared: tuple[Candidate, ...] | None, state: StateSpace) -> Iterable[Out]:
        turn = record.event
        if not isinstance(turn, ScreenedTurn):
            return []
        turn = narrowed(turn, self._book.of(turn.tenant))
        if prepared is None:
            return [Emit(topics.JOBS, extraction_job(turn, self.name))]
        event = extraction(
            turn, prepared, self._extractor.name, self._extractor.version, self._models.embedder.model_id
        )
        return [Emit(topics.LEDGER, event)]

    def _candidates(self, event: Any) -> list[Candidate]:
        if not isinstance(event, ScreenedTurn) or not teaches(event):
            return []
        profile = self._book.of(event.tenant)
        return self._extractor.extract(view_of(event, profile), profile)


def teaches(turn: ScreenedTurn) -> bool:
    """Nothing is learned from a turn that held a credential, nor from any role but the user's (B1, D5)."""
    return turn.role == "user" and not turn.refused


def narrowed(turn: ScreenedTurn, profile: Profile) -> ScreenedTurn:
    """The turn with no more metadata than habits are mined from (C5)."""
    told = habit_metadata(turn, profile.habits)
    return turn.model_copy(update={"sealed": turn.sealed.model_copy(update={"metadata": told})})


def _for_model(event: Any) -> bool:
    """B9: the cheap test decides what is worth a call."""
    if not isinstance(event, ScreenedTurn) or not teaches(event):
        return False
    previous = event.sealed.previous
    answers = bool(previous) and previous[-1][0] == "assistant"
    return promising(event.sealed.content, event.language, answers=answers)


def view_of(turn: ScreenedTurn, profile: Profile) -> TurnView:
    """What an extractor may see: a screened turn has no `llm_context`, and `recalled` only as ids (D1)."""
    return TurnView(
        content=turn.sealed.content, role=turn.role, language=turn.language, occurred_at=turn.occurred_at,
        time_zone=profile.time_zone, speaker=turn.sealed.speaker, project_id=turn.project_id, intent=turn.intent,
        previous=turn.sealed.previous, entities=turn.sealed.entities,
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
    *, model: str | None = None, prompt_hash: str | None = None, reason: str | None = None,
) -> Extraction:  # fmt: skip
    """The ledger's record of what an extractor found in a `narrowed` turn."""
    source = SourceTurn(
        turn_id=turn.turn_id, session_id=turn.session_id, occurred_at=turn.occurred_at, content_hash=turn.content_hash
    )
    body = ExtractionBody(
        candidates=tuple(candidates),
        content=turn.sealed.content if turn.project_id else "",
        speaker=turn.sealed.speaker if turn.project_id else None,
        metadata=turn.sealed.metadata,
    )
    return Extraction(
        tenant=turn.tenant, user_id=turn.user_id, session_id=turn.session_id, turn=source, role=turn.role,
        accepted_at=turn.accepted_at, language=turn.language, project_id=turn.project_id,
        interaction_id=turn.interaction_id, recalled_ids=turn.sealed.recalled_ids, extractor=extractor,
        extractor_version=version, model=model, prompt_hash=prompt_hash, reason=reason, model_id=embedding_model,
        profile=turn.profile, profile_version=turn.profile_version, refused=turn.refused, sealed=body,
    )  # fmt: skip


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
    return {"turn": packed}


def turn_of(job: Job) -> ScreenedTurn:
    """The turn of an extraction job. Raises pydantic.ValidationError, KeyError."""
    return ScreenedTurn.model_validate(job.sealed.payload["turn"])
