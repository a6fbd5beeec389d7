"""screen: conversation.turns -> conversation.history. PII first: nothing behind this step sees what policy masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from processors.future_timestamps import dated_ahead
from processors.pii.redact import Redaction
from processors.pii.redacted_values import NOTHING, RedactedValues
from processors.pii.redaction import counts, redact, replaced, strings
from processors.ports import Models, ProfileBook, TextLanguage, vectors
from processors.screen.amended_turn import amended, amendment_texts
from processors.screen.answers import secret_answer, shortened
from processors.screen.rows import ACCEPTED, PREVIOUS, AcceptedTurn, PreviousTurn, PreviousTurns
from processors.step import Emit, Out, PlainStep, Reads, Record, Reject, StateSpace
from schemas.events.amendments import Amendment
from schemas.events.envelope import Tick
from schemas.events.prompt_lines import line
from schemas.events.turns import (
    MAX_METADATA_BYTES,
    CheckpointResult,
    ScreenedBody,
    ScreenedTurn,
    SessionCommand,
    TurnEvent,
    outgrown,
    oversized,
)
from schemas.log import topics
from schemas.log.ids import content_hash, keyed_hash, turn_id
from schemas.security.encrypted_values import Originals

_PREVIOUS_TURNS = 2
_PREVIOUS_CHARS = 400
PREVIOUS_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Screened:
    """A turn or command with its texts redacted, counted and embedded."""

    content: Redaction | None
    texts: dict[str, str]
    found: dict[str, int]
    refused: bool
    language: TextLanguage = "und"
    tokens: int = 0
    line_tokens: int = 0
    terms: tuple[str, ...] = ()
    embedding: bytes = b""
    originals: tuple[Originals, ...] | None = None
    gone: RedactedValues = NOTHING


class Screen(PlainStep):
    """State: per turn the keyed hash of its content (the same id with other content is refused), and per session the
    last turns, shortened, as context for a bare "yes"."""

    name = "screen"
    source = topics.TURNS
    outputs = (topics.HISTORY,)
    marks = (topics.HISTORY,)
    asks = True

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models = models
        self._book = book

    def prepare(self, records: Sequence[Record]) -> Sequence[Screened]:
        """Recognisers and encoder over the batch: each text once."""
        pool: list[tuple[str, str]] = []
        spots: list[list[str]] = []
        for r in records:
            texts = _texts(r.event)
            spots.append(texts)
            pool.extend((r.event.tenant, t) for t in texts if not isinstance(r.event, Tick))  # type: ignore[union-attr]
        pool = list(dict.fromkeys(pool))
        redacted = redact(self._models, self._book, [t for t, _ in pool], [x for _, x in pool]) if pool else []
        by_text = dict(zip(pool, redacted, strict=True))
        done = [self._screened(r, texts, by_text) for r, texts in zip(records, spots, strict=True)]
        return self._embedded(done)

    def reads(self, record: Record, prepared: Screened) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case TurnEvent():
                keys = ACCEPTED.key(_turn_id(event)), PREVIOUS.key(event.session_id)
                return (Reads(event.owner.key, keys),)
            case Amendment() if event.session_id is not None:
                return (Reads(event.owner.key, (PREVIOUS.key(event.session_id),)),)
        return ()

    def handle(self, record: Record, prepared: Screened, state: StateSpace) -> Iterable[Out]:
        event = record.event
        if (ahead := dated_ahead(event, record)) is not None:
            return [ahead]
        match event:
            case TurnEvent():
                return self._turn(event, record, prepared, state)
            case SessionCommand():
                if (name := outgrown(event.sealed)) is not None:
                    message = f"sealed.{name}: must not pass {MAX_METADATA_BYTES} bytes of JSON in one command"
                    return [Reject("too_large", message)]
                sealed = event.sealed.model_validate(replaced(event.sealed.model_dump(), prepared.texts, prepared.gone))
                accepted = event.accepted_at or record.timestamp
                return [Emit(topics.HISTORY, event.model_copy(update={"sealed": sealed, "accepted_at": accepted}))]
            case CheckpointResult():
                accepted = event.accepted_at or record.timestamp
                return [Emit(topics.HISTORY, event.model_copy(update={"accepted_at": accepted}))]
            case Amendment():
                self._previous_again(event, state)
                return amended(event, prepared.texts, prepared.gone, record, self._models, self._book.of(event.tenant))
            case Tick():
                return [Emit(topics.HISTORY, event)]
        return [Reject("invalid", "type: not a turn, a session command or a tick")]

    def _screened(self, r: Record, texts: list[str], by_text: dict[tuple[str, str], Redaction]) -> Screened:
        event = r.event
        if isinstance(event, Tick) or not texts:
            return Screened(None, {}, {}, False)
        mine = [by_text[event.tenant, t] for t in texts]  # type: ignore[union-attr]
        plain = {t: m.text for t, m in zip(texts, mine, strict=True)}
        refused = any(m.refused for m in mine)
        redacted_values = RedactedValues.of(mine)
        if not isinstance(event, TurnEvent):
            return Screened(None, plain, counts(mine), refused, gone=redacted_values)
        content = redacted_values.redaction(by_text[event.tenant, event.sealed.content])
        counter = self._models.counter(self._book.of(event.tenant).encoding)
        language = event.language or self._models.language_of(content.text)
        terms = tuple(self._models.terms(content.text))
        taken = [original for m in mine for original in m.taken]
        kept = self._models.keeper.keep(event.owner, _turn_id(event), taken) if taken else None
        phrase = line(event.role, replaced(event.sealed.speaker, plain, redacted_values), content.text)
        return Screened(
            content, plain, counts(mine), refused, language, counter.count(content.text), counter.count(f"{phrase}\n"),
            terms, originals=kept, gone=redacted_values,
        )  # fmt: skip

    def _embedded(self, done: list[Screened]) -> list[Screened]:
        places = [i for i, s in enumerate(done) if s.content is not None]
        texts = [c.text for s in done if (c := s.content) is not None]
        out = list(done)
        for i, vector in zip(places, vectors(self._models.embedder, texts), strict=True):
            s = done[i]
            out[i] = replace(s, embedding=vector)
        return out

    def _turn(self, event: TurnEvent, record: Record, done: Screened, state: StateSpace) -> list[Out]:
        if (message := oversized(event.sealed)) is not None:
            return [Reject("too_large", f"sealed.{message}")]
        accepted = event.accepted_at or record.timestamp
        profile = self._book.of(event.tenant)
        expires = accepted + timedelta(days=profile.retention.turns_days)
        mine = state.of(event.owner.key)
        name = _turn_id(event)
        digest = keyed_hash(self._models.hash_key, f"{event.session_id}\0{event.role}\0{event.sealed.content}")
        accepted_turns, previous_turns = mine.table(ACCEPTED), mine.table(PREVIOUS)
        known = accepted_turns.get(name)
        if known is not None and known.kept_until > accepted:
            if known.digest != digest:
                return [Reject("turn_conflict", "turn_id: this id was used before with other content")]
            return []
        accepted_turns.put(name, AcceptedTurn(digest, expires), expires)
        kept = previous_turns.get(event.session_id)
        previous = kept.turns if kept is not None and kept.kept_until > accepted else ()
        done = self._answered(event, done, previous)
        turn = self._screened_turn(event, record, done, name, accepted, expires, previous)
        last = *turn.sealed.previous, (turn.role, shortened(turn.sealed.content, _PREVIOUS_CHARS))
        # An erasure reads from it when the newest turn was accepted, which need not be the last: clocks are set back.
        until = accepted + PREVIOUS_KEPT
        until = until if kept is None else max(until, kept.kept_until)
        row = PreviousTurns(until, tuple(PreviousTurn(*previous_turn) for previous_turn in last[-_PREVIOUS_TURNS:]))
        previous_turns.put(event.session_id, row, until)
        return [Emit(topics.HISTORY, turn)]

    def _answered(self, event: TurnEvent, done: Screened, previous: Sequence[PreviousTurn]) -> Screened:
        """Without the secret that the turn gives as the answer to the one before."""
        if done.content is None or not previous:
            return done
        # "What's your PIN?" "One second." "4471": who answers may write more than one turn.
        question_turn = previous[-2] if len(previous) > 1 and previous[-1].role == event.role else previous[-1]
        content = secret_answer(question_turn.text, done.content, event.tenant, self._models, self._book)
        if content is None:
            return done
        removed = done.gone.and_of(content)
        counter = self._models.counter(self._book.of(event.tenant).encoding)
        phrase = line(event.role, replaced(event.sealed.speaker, done.texts, removed), content.text)
        return replace(
            done, content=content, refused=done.refused or content.refused,
            found=dict(sorted({**done.found, **content.found}.items())),
            tokens=counter.count(content.text), line_tokens=counter.count(f"{phrase}\n"),
            terms=tuple(self._models.terms(content.text)), gone=removed,
            embedding=vectors(self._models.embedder, [content.text])[0],
        )  # fmt: skip

    def _previous_again(self, a: Amendment, state: StateSpace) -> None:
        """What is kept of the session for a bare "yes", under the policy of now."""
        if a.session_id is None:
            return
        table = state.of(a.owner.key).table(PREVIOUS)
        kept = table.get(a.session_id)
        if kept is None:
            return
        texts = [turn.text for turn in kept.turns]
        clean = redact(self._models, self._book, [a.tenant] * len(texts), texts)
        turns = tuple(turn._replace(text=found.text) for turn, found in zip(kept.turns, clean, strict=True))
        table.put(a.session_id, kept._replace(turns=turns), kept.kept_until)

    def _screened_turn(
        self, event: TurnEvent, record: Record, done: Screened, name: str, accepted: datetime, expires: datetime,
        previous: Sequence[PreviousTurn],
    ) -> ScreenedTurn:  # fmt: skip
        assert done.content is not None  # noqa: S101 - a turn always has content
        profile = self._book.of(event.tenant)
        body = ScreenedBody(
            content=done.content.text,
            speaker=replaced(event.sealed.speaker, done.texts, done.gone),
            metadata=replaced(event.sealed.metadata, done.texts, done.gone),
            recalled_ids=tuple(r.id for r in event.sealed.recalled),
            terms=done.terms,
            embedding=done.embedding,
            entities=done.content.entities,
            previous=tuple((turn.role, done.gone.text(turn.text)) for turn in previous),
            originals=done.originals,
            existing_info=replaced(event.sealed.existing_info, done.texts, done.gone),
        )
        return ScreenedTurn(
            tenant=event.tenant, user_id=event.user_id, session_id=event.session_id, turn_id=name, role=event.role,
            occurred_at=event.occurred_at, accepted_at=accepted, expires_at=expires, project_id=event.project_id,
            agent_id=event.agent_id, interaction_id=event.interaction_id, context_id=event.context_id,
            intent=event.intent, reaches=event.reaches, language=done.language, tokens=done.tokens,
            line_tokens=done.line_tokens, content_hash=content_hash(done.content.text), pii=done.found,
            refused=done.refused, profile=profile.name, profile_version=profile.version,
            model_id=self._models.embedder.model_id, position=record.offset, sealed=body,
        )  # fmt: skip


def _turn_id(event: TurnEvent) -> str:
    return event.turn_id or turn_id(
        event.tenant, event.user_id, event.session_id, event.role, event.occurred_at, event.sealed.content
    )


def _texts(event: object) -> list[str]:
    """Every text of an event that policy looks at. `llm_context` and recalled texts go no further, so need none."""
    match event:
        case TurnEvent():
            speaker = [event.sealed.speaker] if event.sealed.speaker else []
            if oversized(event.sealed) is not None:
                return []  # it is refused: nobody waits for its recognition
            free = *strings(event.sealed.metadata), *strings(event.sealed.existing_info or {})
            return [event.sealed.content, *speaker, *free]
        case SessionCommand():
            return [] if outgrown(event.sealed) else list(strings(event.sealed.model_dump()))
        case Amendment():
            return amendment_texts(event)
    return []
