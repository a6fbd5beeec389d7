"""What the gate says of a turn as a whole: what a project counts of it, who read it, and why a model did not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from processors.hot_matter import keys_of
from processors.memory.emit import because, plain_decision
from processors.memory.readings import RULES, made_by
from processors.memory.restate import kept_of
from processors.memory.rows import InHot, TurnReading
from processors.memory.rules import MAX_PLACES, readable
from processors.memory.store import UserMemoryStore
from processors.step import Emit
from schemas.events.documents import KeptMemory, TurnDigest, TurnDigestBody
from schemas.events.memory import MODEL_GAVE_UP, MODEL_READ, Extraction, HotValue, MemoryUpdate, Span
from schemas.log import topics


def turn_decisions(e: Extraction) -> list[Emit]:
    """That policy refused the turn; and what came of asking a model."""
    what = f"extraction/{e.turn.turn_id}/{e.extractor}/{e.extractor_version}"
    out: list[Emit] = []
    if e.refused:
        reason = because("refused", "pii", e.refused_for or "credential")
        out.append(plain_decision(e.owner, f"{what}/refused", "turn", reason, None, e.accepted_at, e.turn))
    if e.extractor == RULES or (e.model is None and e.reason is None):
        return out
    reason = because("merged", "extraction", MODEL_READ)
    if e.reason is not None:
        reason = because("skipped", "extraction", f"{MODEL_GAVE_UP}{e.reason}"[:100])
    return [*out, plain_decision(e.owner, f"{what}/model", "turn", reason, None, e.accepted_at, e.turn)]


def note_reading(
    e: Extraction, store: UserMemoryStore, reading: TurnReading, claimed: Mapping[str, Span | None]
) -> None:
    """Remember who read the turn, and which words each record of it was read from: as its own extractor told last."""
    for name, span in claimed.items():
        held = store.get(name)
        own = held is not None and made_by(held) == e.extractor and span is not None
        if own if name in reading.spans else len(reading.spans) < MAX_PLACES:
            reading.spans[name] = span
    for name in claimed:
        held = store.get(name)
        if held is not None and made_by(held) in reading.versions.keys() - {e.extractor}:
            readings = reading.said_too.setdefault(e.extractor, [])
            readings.extend([name] if name not in readings else [])
    store.readings.note(e.turn.turn_id, reading, e.accepted_at)


def digest(e: Extraction, kept: Sequence[KeptMemory]) -> Emit:
    """A turn of a project, told for the first time."""
    return _digest(e, TurnDigestBody(content=e.sealed.content, speaker=e.sealed.speaker, kept=tuple(kept)))


def digest_again(e: Extraction, store: UserMemoryStore, ended: Sequence[MemoryUpdate] | None) -> Emit:
    """The same once more. `ended`: records whose entries of hot memory leave but for those that are said now; None:
    all that the turn wrote."""
    hot_entries = list(_hot(e, store))
    withdrawn: tuple[str, ...] | None = None
    if ended is not None:
        again = {each.entry for hot in hot_entries for each in InHot.all_of(e.tenant, e.project_id or "", hot)}
        held = [entry for u in ended for entry in store.hot.of(u.record_id) if entry.project == e.project_id]
        withdrawn = tuple(dict.fromkeys(entry.entry for entry in held if entry.entry not in again))
    body = TurnDigestBody(
        content=e.sealed.content, speaker=e.sealed.speaker, kept=tuple(kept_of(e.turn.turn_id, store)),
        hot=tuple(f"hot/{hot.type}/{key}" for hot in hot_entries for key in keys_of(hot)), withdrawn=withdrawn,
    )  # fmt: skip
    return _digest(e, body, restated=True)


def _hot(e: Extraction, store: UserMemoryStore) -> Iterable[HotValue]:
    """What the turn says for hot memory: what is not sure enough to be read only where it stands for another reason."""
    turn = e.turn.turn_id
    of_turn = (u for u in store.all() if u.state == "active" and any(s.turn_id == turn for s in u.sources))
    hot_entries = {entry for u in of_turn for entry in store.hot.of(u.record_id)}
    for c in e.sealed.candidates:
        if c.hot is None:
            continue
        entries = InHot.all_of(e.tenant, e.project_id or "", c.hot)
        if readable(c.confidence) or not hot_entries.isdisjoint(entries):
            yield c.hot


def _digest(e: Extraction, body: TurnDigestBody, *, restated: bool = False) -> Emit:
    assert e.project_id is not None  # noqa: S101 - the caller asked
    return Emit(
        topics.PROJECT_EVENTS,
        TurnDigest(
            tenant=e.tenant, project_id=e.project_id, user_id=e.user_id, turn=e.turn, role=e.role, language=e.language,
            position=e.position, accepted_at=e.accepted_at, restated=restated, sealed=body,
        ),
    )  # fmt: skip
