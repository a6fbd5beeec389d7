"""One candidate against what stands: skipped, merged, superseding, kept, observed or refused (B3, B4, D3, D4)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from processors.extract.protocol import holds_many, values_of
from processors.gate.emit import because, changed, decision, sources, update
from processors.gate.rejections import barred
from processors.gate.rules import DUPLICATE_IMPORTANCE, MAX_SOURCES, bounded, readable
from processors.gate.standing import Slot, Standing, text_features, vector
from processors.gate.standing import values_of as standing_values
from processors.gate.values import canonical, same
from processors.step import Emit
from schemas.ids import record_id
from schemas.memory import Candidate, Extraction, MemoryBody, MemoryUpdate, Outcome, State
from schemas.owner import OwnerKind
from schemas.profile import Profile

VERSIONED = frozenset({"fact", "preference", "intent"})
"""Bitemporal kinds: every value that was ever true keeps its key (N8)."""

_STATES_MASKED = re.compile(r"(?:\b(?:is|are|was)|[:=：是为叫])\s*<[A-Z][A-Z0-9_]*(?::[0-9a-f]+)?>")
"""A statement whose point is what policy took out ("her number is <PHONE_NUMBER>") says nothing any more."""


class CandidateGate:
    """Decides the candidates of one extraction against one user's standing records."""

    def __init__(self, source: Extraction, standing: Standing, profile: Profile, hash_key: bytes) -> None:
        self._source = source
        self._standing = standing
        self._profile = profile
        self._hash_key = hash_key

    def decide(self, c: Candidate) -> Iterable[Emit]:
        if _STATES_MASKED.search(c.text):
            return [decision(self._source, c, because("masked", "pii", "states_masked_value"), None)]
        rule = barred(c, self._source, self._standing.rejections, self._hash_key)
        if rule is not None:
            return [decision(self._source, c, because("refused", "feedback", rule), None)]
        fields = values_of(c)
        if c.kind in VERSIONED and fields:
            return self._retire(c, fields) if c.negated else self._by_field(c, fields)
        return self._by_text(c)

    def _slots(self, c: Candidate, names: Iterable[str]) -> list[Slot]:
        return [Slot(c.kind, c.scope, str(c.attributes.get("about", "")), n) for n in names]

    def _by_field(self, c: Candidate, fields: Any) -> list[Emit]:
        """Facts, preferences and intents are matched by field without a time limit (D3)."""
        out: list[Emit] = []
        fresh: list[str] = []
        known: dict[str, MemoryUpdate] = {}
        replaced: dict[str, MemoryUpdate] = {}
        for slot in self._slots(c, fields):
            many = holds_many(self._profile, slot.field)
            holders = self._standing.holders(slot)
            twin = next((h for h in holders if same(standing_values(h).get(slot.field), fields[slot.field])), None)
            if twin is not None:
                known[slot.field] = twin
                continue
            fresh.append(slot.field)
            replaced.update({h.record_id: h for h in holders if not many})
        for name, twin in _one_each(known).items():
            out.extend(self._said_again(c, twin, only=tuple(n for n in known if known[n].record_id == name)))
        if not fresh:
            return out
        when = c.occurred_from or self._source.turn.occurred_at
        if c.source == "inferred" and any(h.source != "inferred" for h in replaced.values()):
            return [*out, decision(self._source, c, because("refused", "confidence", "explicit_stands"), None)]
        newer = [h for h in replaced.values() if h.valid_from is not None and h.valid_from > when]
        if newer:
            return out + self._late(c, tuple(fresh), newer[0])
        return out + self._supersede(c, tuple(fresh), list(replaced.values()), when)

    def _supersede(
        self, c: Candidate, names: tuple[str, ...], replaced: list[MemoryUpdate], when: datetime
    ) -> list[Emit]:
        record = self._record(c, names)
        standing = self._standing.get(record)
        if standing is not None and all(h.record_id != record for h in replaced):
            replaced = [*replaced, standing]
        out: list[Emit] = []
        for old in replaced:
            closed = changed(
                old, state="superseded", valid_to=when, reason=because("superseding", "dedupe", "field_changed")
            )
            out.append(update(closed))
            self._standing.remove(closed)
            if old.record_id != record:
                out.extend(self._rest_of(old, closed, names))
        kept = self._new(c, names, record, when, replaced)
        self._standing.put(kept)
        part = names if len(names) < len(values_of(c)) else ()
        return [*out, update(kept), decision(self._source, c, kept.reason, kept, part)]

    def _rest_of(self, old: MemoryUpdate, closed: MemoryUpdate, names: tuple[str, ...]) -> list[Emit]:
        """A statement of several fields of which one changed: what still holds goes on as the next version."""
        left = {n: v for n, v in standing_values(old).items() if n not in names}
        if not left:
            return []
        rest = changed(
            closed, version=old.version + 1, state=old.state, valid_to=None,
            field=next(iter(left)) if len(left) == 1 else None, fields=() if len(left) == 1 else tuple(left),
            reason=because("kept", "dedupe", "fields_left"),
            sealed=old.sealed.model_copy(
                update={
                    "value": next(iter(left.values())) if len(left) == 1 else left,
                    "text": self._labelled(left, old.language),
                }
            ),
        )  # fmt: skip
        self._standing.put(rest)
        return [update(rest)]

    def _labelled(self, values: dict[str, Any], language: str) -> str:
        """`label: value` for each field, with the catalogue's labels."""
        zh = language == "zh"
        parts = []
        for name, value in values.items():
            spec = self._profile.field(name)
            label = (spec.label.get("zh" if zh else "en") if spec else None) or name
            parts.append(f"{label}：{value}" if zh else f"{label}: {value}")
        return ("；" if zh else "; ").join(parts)

    def _late(self, c: Candidate, names: tuple[str, ...], newer: MemoryUpdate) -> list[Emit]:
        """Said before what stands was true: it is history, kept as such, and replaces nothing."""
        when = c.occurred_from or self._source.turn.occurred_at
        record = record_id(self._source.owner, f"{c.kind}-history", c.scope, self._source.turn.turn_id, c.ordinal)
        late = self._new(c, names, record, when, []).model_copy(
            update={
                "state": "superseded",
                "valid_to": newer.valid_from,
                "reason": because("superseding", "dedupe", "older_than_standing"),
            }
        )
        return [update(late), decision(self._source, c, late.reason, late)]

    def _retire(self, c: Candidate, fields: Any) -> list[Emit]:
        """`negated` with a field: that value does not hold any more; nothing is set."""
        out: list[Emit] = []
        when = c.occurred_from or self._source.turn.occurred_at
        for slot in self._slots(c, fields):
            for holder in self._standing.holders(slot):
                said = fields[slot.field]
                if said is not None and not same(standing_values(holder).get(slot.field), said):
                    continue
                closed = changed(
                    holder, state="superseded", valid_to=when, reason=because("superseding", "dedupe", "negated")
                )
                self._standing.remove(closed)
                out += [update(closed), decision(self._source, c, closed.reason, closed)]
        return out or self._by_text(c)

    def _by_text(self, c: Candidate) -> list[Emit]:
        """Episodes and free statements: near-duplicates within 7 days (D3)."""
        now = self._source.accepted_at
        features = text_features(c.text)
        self._standing.window.expire(now)
        match = self._standing.window.query(features, vector(c.embedding), now)
        if match is not None and match.verdict.kind == "duplicate":
            twin = self._standing.get(match.record_id)
            if twin is not None and twin.kind == c.kind and twin.project_id == self._project(c):
                return self._said_again(c, twin, rule=match.verdict.rule, score=match.verdict.score)
        record = record_id(self._source.owner, c.kind, self._source.turn.turn_id, c.ordinal)
        when = c.occurred_from or self._source.turn.occurred_at
        kept = self._new(c, (), record, when, [])
        out: list[Emit] = []
        if match is not None and match.verdict.kind == "contradiction":
            other = self._standing.get(match.record_id)
            if other is not None:
                kept = kept.model_copy(
                    update={
                        "conflicts_with": (other.record_id,),
                        "reason": because("kept", "dedupe", "contradiction", match.verdict.score),
                    }
                )
                marked = changed(other, conflicts_with=tuple(dict.fromkeys((*other.conflicts_with, record))))
                self._standing.put(marked, self._standing.features(other.record_id))
                out.append(update(marked))
        self._standing.put(kept, features)
        return [*out, update(kept), decision(self._source, c, kept.reason, kept)]

    def _said_again(
        self, c: Candidate, twin: MemoryUpdate, rule: str = "same_value", score: float | None = None,
        only: tuple[str, ...] = (),
    ) -> list[Emit]:  # fmt: skip
        """A duplicate renews last_accessed_at, adds to importance, and adds its source turn."""
        if any(s.turn_id == self._source.turn.turn_id for s in twin.sources):
            return [decision(self._source, c, because("skipped", "dedupe", rule, score), twin, only)]
        outcome: Outcome = "skipped" if only else "merged"
        confirmed = c.source == "explicit" and twin.source == "inferred"
        renewed = changed(
            twin,
            **({"source": "confirmed", "confidence": c.confidence, "state": "active"} if confirmed else {}),
            last_accessed_at=max(twin.last_accessed_at, self._source.accepted_at),
            importance=bounded(twin.importance + DUPLICATE_IMPORTANCE),
            sources=sources(twin.sources, self._source.turn, MAX_SOURCES),
        )
        self._standing.put(renewed, self._standing.features(twin.record_id))
        reason = because(outcome, "dedupe", rule, score)
        return [update(renewed), decision(self._source, c, reason, renewed, only)]

    def _project(self, c: Candidate) -> str | None:
        return c.project_id or self._source.project_id

    def _record(self, c: Candidate, names: tuple[str, ...]) -> str:
        """A single value is identified by its field; one of several beside each other also by its value."""
        many = [canonical(values_of(c)[n]) for n in names if holds_many(self._profile, n)]
        about = str(c.attributes.get("about", ""))
        return record_id(self._source.owner, c.kind, c.scope, about, *names, *many)

    def _new(
        self, c: Candidate, names: tuple[str, ...], record: str, when: datetime, replaced: list[MemoryUpdate]
    ) -> MemoryUpdate:
        s = self._source
        version, revision = self._standing.next_numbers(record)
        version = version if c.kind in VERSIONED else 0
        state: State = "active" if readable(c.confidence) else "observed"
        rule = "new" if not replaced else "field_changed"
        outcome: Outcome = "observed" if state == "observed" else ("superseding" if replaced else "kept")
        value = c.value
        if names and c.field is None and isinstance(c.value, dict):
            value = c.value[names[0]] if len(names) == 1 else {n: c.value.get(n) for n in names}
        return MemoryUpdate(
            tenant=s.tenant, owner_kind=OwnerKind.USER, owner_id=s.user_id, record_id=record, version=version,
            revision=revision, kind=c.kind, state=state,
            reason=because(outcome, "confidence" if state == "observed" else "dedupe", rule),
            field=names[0] if len(names) == 1 else (None if names else c.field),
            fields=names if len(names) > 1 else (), scope=c.scope, category=c.category, episode_type=c.episode_type,
            importance=c.importance, confidence=c.confidence, source=c.source, negated=c.negated,
            approximate=c.approximate, user_id=s.user_id, session_id=s.session_id, project_id=self._project(c),
            interaction_id=s.interaction_id, language=s.language, sources=(s.turn,), occurred_at=s.turn.occurred_at,
            valid_from=when, valid_to=c.occurred_to if c.kind not in VERSIONED else None, known_at=s.accepted_at,
            last_accessed_at=s.accepted_at, extractor=f"{s.extractor}@{s.extractor_version}", profile=s.profile,
            profile_version=s.profile_version, model_id=s.model_id,
            sealed=MemoryBody(
                text=c.text, value=value, attributes={**c.attributes, **_time(c)}, terms=c.terms, embedding=c.embedding
            ),
        )  # fmt: skip


def _time(c: Candidate) -> dict[str, Any]:
    return {} if c.time_text is None else {"time_text": c.time_text}


def _one_each(known: dict[str, MemoryUpdate]) -> dict[str, MemoryUpdate]:
    return {u.record_id: u for u in known.values()}
