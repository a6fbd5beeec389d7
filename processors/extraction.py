"""extract: conversation.history -> memory.ledger. One record a turn and extractor version, also when empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from processors.extract.protocol import Extractor, TurnView
from processors.ports import Models, ProfileBook, vectors
from processors.step import Emit, Out, PlainStep, Record, StateSpace
from schemas import topics
from schemas.envelope import SourceTurn
from schemas.memory import Candidate, Extraction, ExtractionBody
from schemas.turns import ScreenedTurn


class Extract(PlainStep):
    """Stateless: a turn carries the context that it needs (`previous`). Candidates leave with terms and vector."""

    name = "extract"
    source = topics.HISTORY
    outputs = (topics.LEDGER,)
    marks = (topics.LEDGER,)

    def __init__(self, extractor: Extractor, models: Models, book: ProfileBook) -> None:
        self._extractor = extractor
        self._models = models
        self._book = book

    def prepare(self, records: Sequence[Record]) -> Sequence[tuple[Candidate, ...]]:
        found = [self._candidates(r.event) for r in records]
        texts = [c.text for candidates in found for c in candidates]
        embedded = iter(vectors(self._models.embedder, texts))
        return [
            tuple(
                c.model_copy(update={"terms": tuple(self._models.terms(c.text)), "embedding": next(embedded)})
                for c in candidates
            )
            for candidates in found
        ]

    def handle(self, record: Record, prepared: tuple[Candidate, ...], state: StateSpace) -> Iterable[Out]:
        turn = record.event
        if not isinstance(turn, ScreenedTurn):
            return []
        body = ExtractionBody(
            candidates=prepared,
            content=turn.sealed.content if turn.project_id else "",
            speaker=turn.sealed.speaker if turn.project_id else None,
        )
        source = SourceTurn(
            turn_id=turn.turn_id, session_id=turn.session_id, occurred_at=turn.occurred_at,
            content_hash=turn.content_hash,
        )  # fmt: skip
        event = Extraction(
            tenant=turn.tenant, user_id=turn.user_id, session_id=turn.session_id, turn=source, role=turn.role,
            accepted_at=turn.accepted_at, language=turn.language, project_id=turn.project_id,
            interaction_id=turn.interaction_id, recalled_ids=turn.sealed.recalled_ids,
            extractor=self._extractor.name, extractor_version=self._extractor.version,
            model_id=self._models.embedder.model_id, profile=turn.profile, profile_version=turn.profile_version,
            refused=turn.refused, sealed=body,
        )  # fmt: skip
        return [Emit(topics.LEDGER, event)]

    def _candidates(self, event: Any) -> list[Candidate]:
        """Nothing is learned from a turn that held a credential, nor from any role but the user's (B1, D5)."""
        if not isinstance(event, ScreenedTurn) or event.refused or event.role != "user":
            return []
        profile = self._book.of(event.tenant)
        view = TurnView(
            content=event.sealed.content, role=event.role, language=event.language, occurred_at=event.occurred_at,
            time_zone=profile.time_zone, speaker=event.sealed.speaker, project_id=event.project_id,
            intent=event.intent, previous=event.sealed.previous, entities=event.sealed.entities,
        )  # fmt: skip
        return self._extractor.extract(view, profile)
