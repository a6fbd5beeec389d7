"""What feedback teaches of the one who gave it (C6, D4): traits of suggestions that were liked, adopted or turned down
become inferred preferences of the judge.

| what | effect on the preference that names the trait |
|---|---|
| first good rating, adoption, or wish in a comment | it begins at 0.6, inferred: observed, not read |
| good, or wished for, again | +0.1 |
| adopted | +0.2, and inferred becomes confirmed |
| neutral | none |
| bad, or not adopted | -0.4; at 0 it ends |
| good or adopted with another value | -0.4 on the one that stands; below 0.6 the new value begins at 0.6 in its place |

What the judge stated outright (explicit) is not changed by what they happened to like. Read above 0.7 (D4).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Literal

from processors.memory.emit import because, changed, plain_decision, update
from processors.memory.index import Slot, values_of
from processors.memory.rules import ADOPTED, CORRECTED, INFERRED, bounded, clamp, readable
from processors.memory.store import UserMemoryStore
from processors.memory.values import same
from processors.memory.versions import Encode, Versions
from processors.reader.rules.domain import profile_fields
from processors.step import Emit
from schemas.base import JsonValue
from schemas.events.memory import Feedback, MemoryBody, MemoryUpdate, Reason, State, StatementMemory
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind
from schemas.profile.model import Profile

LIKED = Decimal("0.1")
GLOBAL = "global"


class Learned:
    """Preferences of one judge."""

    def __init__(
        self, owner: Owner, store: UserMemoryStore, versions: Versions, profile: Profile, at: datetime, encode: Encode,
        model_id: str,
    ) -> None:  # fmt: skip
        self._owner = owner
        self._store = store
        self._versions = versions
        self._profile = profile
        self._at = at
        self._encode = encode
        self._model_id = model_id

    def feedback(self, f: Feedback) -> list[Emit]:
        """Traits that the feedback names, and wishes in its comment that the profile's patterns find."""
        out: list[Emit] = []
        liked = f.rating == "good" or bool(f.adopted)
        disliked = f.rating == "bad" or f.adopted is False
        step = ADOPTED if f.adopted else LIKED if liked else CORRECTED if disliked else None
        if step is not None:
            for name, value in f.sealed.traits.items():
                out += self._trait(f, name, value, step)
        for name, value in self._wishes(f).items():
            if name not in f.sealed.traits:
                out += self._trait(f, name, value, LIKED)
        return out

    def _wishes(self, f: Feedback) -> Mapping[str, JsonValue]:
        if not f.sealed.comment:
            return {}
        found = profile_fields(self._profile, f.sealed.comment, 0, f.sealed.comment)
        return {name: value for x in found if x.kind == "preference" for name, value in x.slots}

    def _trait(self, f: Feedback, name: str, value: JsonValue, step: Decimal) -> list[Emit]:
        spec = self._profile.field(name)
        if spec is None or spec.kind != "preference":
            return [self._decided(f, name, because("refused", "feedback", "unknown_trait"), None)]
        holders = self._store.holders(Slot("preference", GLOBAL, "", name))
        twin = next((h for h in holders if same(values_of(h).get(name), value)), None)
        if twin is not None:
            return self._moved(f, name, twin, step)
        if step < 0:
            return [self._decided(f, name, because("skipped", "feedback", "nothing_stands"), None)]
        if spec.many or not holders:
            if self._store.memories >= self._profile.bounds.memories:
                return [self._decided(f, name, because("refused", "retention", "full"), None)]
            return self._begun(f, name, value, [])
        if any(h.source == "explicit" for h in holders):
            return [self._decided(f, name, because("refused", "confidence", "explicit_stands"), None)]
        out: list[Emit] = []
        weak: list[MemoryUpdate] = []
        for held in holders:
            out += self._moved(f, name, held, CORRECTED, "contradicted")
            if (now := self._store.get(held.record_id)) is not None and now.confidence < INFERRED:
                weak.append(now)
        ended = len(weak) == len(holders) or not self._store.holders(Slot("preference", GLOBAL, "", name))
        return [*out, *(self._begun(f, name, value, weak) if ended else ())]

    def _moved(self, f: Feedback, name: str, held: MemoryUpdate, step: Decimal, rule: str = "trait") -> list[Emit]:
        if held.source == "explicit":
            return [self._decided(f, name, because("skipped", "confidence", "explicit_stands"), held)]
        confidence = clamp(held.confidence + step)
        if confidence == 0:
            reason = because("superseding", "feedback", "trait_ended", 0.0)
            return [*self._versions.end(held, self._at, self._at, reason), self._decided(f, name, reason, held)]
        state: State = "active" if readable(confidence) else "observed"
        reason = because("kept" if state == "active" else "observed", "feedback", rule, float(confidence))
        source = "confirmed" if step == ADOPTED else held.source
        moved = changed(
            held, confidence=confidence, state=state, source=source, reason=reason,
            last_accessed_at=max(held.last_accessed_at, self._at),
        )  # fmt: skip
        self._store.put(moved)
        return [update(moved), self._decided(f, name, reason, moved)]

    def _begun(self, f: Feedback, name: str, value: JsonValue, replaced: list[MemoryUpdate]) -> list[Emit]:
        out: list[Emit] = []
        for old in replaced:
            out += self._versions.end(old, self._at, self._at, because("superseding", "feedback", "trait_changed"))
        spec = self._profile.field(name)
        many = [str(value)] if spec is not None and spec.many else []
        record = record_id(self._owner, "preference", GLOBAL, "", name, *many)
        version, revision = self._store.next_numbers(record)
        language: Literal["en", "zh"] = "zh" if any("\u4e00" <= c <= "\u9fff" for c in str(value)) else "en"
        text = self._versions.worded({name: value}, language)
        terms, embedding = self._encode(text)
        reason = because("observed", "feedback", "trait", float(INFERRED))
        begun = StatementMemory(
            tenant=self._owner.tenant, owner_kind=OwnerKind.USER, owner_id=self._owner.id, record_id=record,
            version=version, revision=revision, kind="preference", state="observed", reason=reason, field=name,
            scope=GLOBAL, importance=bounded(self._profile.importance.get("preference", 0.6)), confidence=INFERRED,
            source="inferred", user_id=self._owner.id, language=language, occurred_at=self._at, valid_from=self._at,
            known_at=self._at, last_accessed_at=self._at, extractor="feedback", profile=self._profile.name,
            profile_version=self._profile.version, model_id=self._model_id,
            sealed=MemoryBody(text=text, value=value, terms=terms, embedding=embedding),
        )  # fmt: skip
        self._store.put(begun)
        return [*out, update(begun), self._decided(f, name, reason, begun)]

    def _decided(self, f: Feedback, name: str, reason: Reason, record: MemoryUpdate | None) -> Emit:
        return plain_decision(self._owner, f"{f.feedback_id}/trait/{name}", "preference", reason, record, self._at)
