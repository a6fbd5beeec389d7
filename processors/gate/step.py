"""gate: memory.ledger -> memory.updates, memory.decisions, project.events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from processors.dedupe.calibration import calibration_for
from processors.gate import habits
from processors.gate.candidates import CandidateGate
from processors.gate.commands import CommandGate
from processors.gate.emit import because, changed, plain_decision, update
from processors.gate.standing import Standing
from processors.gate.versions import Versions
from processors.ports import Models, ProfileBook, vectors
from processors.redaction import redact, replaced, strings
from processors.step import Emit, Out, PlainStep, Reads, Record, StateSpace
from schemas import topics
from schemas.documents import KeptMemory, ProjectCandidate, ProjectCandidateBody, TurnDigest, TurnDigestBody
from schemas.envelope import Tick
from schemas.memory import Candidate, Extraction, Feedback, MemoryCommand, MemoryUpdate


@dataclass(frozen=True, slots=True)
class _Screened:
    """A command with its texts redacted and encoded. `refused`: a credential stood in it."""

    event: MemoryCommand
    refused: bool


class Gate(PlainStep):
    """State: one row a standing record of a user, read whole and cached while the user is active."""

    name = "gate"
    source = topics.LEDGER
    outputs = (topics.UPDATES, topics.DECISIONS, topics.PROJECT_EVENTS)
    marks = (topics.UPDATES, topics.DECISIONS)

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models = models
        self._book = book
        self._calibration = calibration_for(models.embedder.model_id)

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        """Callers' own statements go through the same screen and encoder as turns."""
        done: list[Any] = [None] * len(records)
        places = [(i, r.event) for i, r in enumerate(records) if isinstance(r.event, MemoryCommand)]
        spots = [(i, e, [*([e.sealed.text] if e.sealed.text else ()), *strings(e.sealed.value)]) for i, e in places]
        spots = [s for s in spots if s[2]]
        pool = list(dict.fromkeys((e.tenant, t) for _, e, texts in spots for t in texts))
        if not pool:
            return done
        clean = dict(zip(pool, redact(self._models, self._book, *map(list, zip(*pool, strict=True))), strict=True))
        for i, e, texts in spots:
            mine = {t: clean[e.tenant, t].text for t in texts}
            body: dict[str, Any] = {"value": replaced(e.sealed.value, mine)}
            if e.sealed.text:
                body["text"] = mine[e.sealed.text]
                body["terms"], body["embedding"] = self._encode(body["text"])
            event = e.model_copy(update={"sealed": e.sealed.model_copy(update=body)})
            done[i] = _Screened(event, any(clean[e.tenant, t].refused for t in texts))
        return done

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        event = record.event
        match event:
            case Extraction():
                times = self._book.of(event.tenant).habits.times
                return Reads(event.owner.key), *habits.reads_of(event.sealed.metadata, times)
            case Feedback() | MemoryCommand():
                return (Reads(event.owner.key),)
            case Tick():
                return (Reads(habits.DUE),)
        return ()

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        if not isinstance(record.event, Tick):
            return ()
        return tuple(Reads(owner.key) for owner, _ in habits.due(record.event.now, state))

    def handle(self, record: Record, prepared: _Screened | None, state: StateSpace) -> Iterable[Out]:
        event = record.event if prepared is None else prepared.event
        if isinstance(event, Tick):
            return self._overdue(event.now, state)
        if not isinstance(event, Extraction | Feedback | MemoryCommand):
            return []
        embedder = self._models.embedder
        standing = Standing(state.of(event.owner.key), self._calibration, embedder.dimensions)
        profile = self._book.of(event.tenant)
        versions = Versions(standing, profile, self._encode)
        if isinstance(event, Extraction):
            return self._extraction(event, standing, versions, state)
        at = event.accepted_at or record.timestamp
        gate = CommandGate(standing, versions, profile, self._models.hash_key, at, embedder.model_id)
        if isinstance(event, Feedback):
            return gate.feedback(event)
        return gate.command(event, prepared is not None and prepared.refused)

    def _encode(self, text: str) -> tuple[tuple[str, ...], bytes]:
        return tuple(self._models.terms(text)), vectors(self._models.embedder, [text])[0]

    def _overdue(self, now: datetime, state: StateSpace) -> list[Out]:
        """Habits whose hour has come (C5)."""
        out: list[Out] = []
        for owner, action in habits.due(now, state):
            standing = Standing(state.of(owner.key), self._calibration, self._models.embedder.dimensions)
            out += habits.HabitGate(owner, standing, state, self._book.of(owner.tenant), now).tick(action)
        return out

    def _extraction(self, e: Extraction, standing: Standing, versions: Versions, state: StateSpace) -> list[Out]:
        what = f"extraction/{e.turn.turn_id}/{e.extractor}/{e.extractor_version}"
        if standing.applied(what, e.accepted_at):
            return []
        out: list[Out] = [*self._recalled(e, standing)]
        gate = CandidateGate(e, standing, versions, self._book.of(e.tenant), self._models.hash_key)
        if e.refused:
            reason = because("refused", "pii", "credential")
            out.append(plain_decision(e.owner, f"{what}/refused", "turn", reason, None, e.accepted_at, e.turn))
        kept: list[KeptMemory] = []
        for c in e.sealed.candidates:
            emitted = list(gate.decide(c))
            out.extend(emitted)
            out.extend(_to_project(e, c, emitted))
            kept.extend(_kept(c, emitted))
        if e.project_id is not None:
            out.append(_digest(e, kept))
        return [*out, *habits.HabitGate(e.owner, standing, state, self._book.of(e.tenant), e.accepted_at).turn(e)]

    def _recalled(self, e: Extraction, standing: Standing) -> Iterable[Emit]:
        """Memories that the model was given and the turn names are in use: renewed by id (D7)."""
        for name in dict.fromkeys(e.recalled_ids):
            target = standing.get(name)
            if target is not None and target.last_accessed_at < e.accepted_at:
                renewed = changed(target, last_accessed_at=e.accepted_at)
                standing.put(renewed, standing.features(name))
                yield update(renewed)


def _to_project(e: Extraction, c: Candidate, emitted: Sequence[Emit]) -> Iterable[Emit]:
    """A kept decision or status of a project is also a candidate for its hot memory (A4)."""
    project = c.project_id or e.project_id
    kept = [u.event for u in emitted if isinstance(u.event, MemoryUpdate) and u.event.state == "active"]
    if c.hot is None or project is None or not kept:
        return
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
    for u in (e.event for e in emitted):
        if isinstance(u, MemoryUpdate) and u.state == "active" and u.reason.outcome in ("kept", "superseding"):
            yield KeptMemory(kind=c.kind, episode_type=c.episode_type, text=c.text, record_id=u.record_id)
            return


def _digest(e: Extraction, kept: Sequence[KeptMemory]) -> Emit:
    assert e.project_id is not None  # noqa: S101 - the caller asked
    return Emit(
        topics.PROJECT_EVENTS,
        TurnDigest(
            tenant=e.tenant, project_id=e.project_id, user_id=e.user_id, turn=e.turn, role=e.role, language=e.language,
            accepted_at=e.accepted_at,
            sealed=TurnDigestBody(content=e.sealed.content, speaker=e.sealed.speaker, kept=tuple(kept)),
        ),
    )  # fmt: skip
