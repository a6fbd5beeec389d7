"""How versions of a record end and go on (N8): at most one is active, and their times do not overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from processors.memory.emit import because, changed, update
from processors.memory.index import since, values_of
from processors.memory.store import UserMemoryStore
from processors.step import Emit
from schemas.base import JsonValue
from schemas.events.memory import MemoryUpdate, Reason
from schemas.profile.model import Profile

VERSIONED = frozenset({"fact", "preference", "intent"})
"""Bitemporal kinds: every value that was ever true keeps its key (N8)."""
FIELDS_LEFT = "fields_left"
"""Rule of what goes on of a statement of several fields, one of which has changed or is withdrawn."""
Encode = Callable[[str], tuple[tuple[str, ...], bytes]]
"""Text -> search terms and unit embedding."""


class Versions:
    """Ends records of one user. `encode` is needed rarely: for a text that the gate has to word itself. `model_id`: of
    its embeddings."""

    def __init__(self, store: UserMemoryStore, profile: Profile, encode: Encode, model_id: str) -> None:
        self._store = store
        self._profile = profile
        self._encode = encode
        self.model_id = model_id

    def end(
        self, old: MemoryUpdate, when: datetime, known: datetime, reason: Reason, leaving: Iterable[str] | None = None
    ) -> list[Emit]:
        """The standing version is true until `when`. `leaving`: fields that changed; those of a statement of several
        fields that still hold go on as its next version. None: all of it ends."""
        old = self._store.get(old.record_id) or old  # it may have been renewed by the same candidate
        closed = changed(old, state="superseded", valid_to=max(when, old.valid_from or when), reason=reason)
        self._store.remove(closed)
        left = {} if leaving is None else {n: v for n, v in values_of(old).items() if n not in set(leaving)}
        return [update(closed), *(self._rest(old, closed, left, known) if left else ())]

    def _rest(self, old: MemoryUpdate, closed: MemoryUpdate, left: dict[str, JsonValue], known: datetime) -> list[Emit]:
        text = self.worded(left, old.language)
        terms, embedding = self._encode(text)
        attributes = {**old.sealed.attributes, "since": since(old).isoformat()}
        one = next(iter(left)) if len(left) == 1 else None
        body = {
            "text": text, "terms": terms, "embedding": embedding, "attributes": attributes,
            "value": left[one] if one else left,
        }  # fmt: skip
        rest = changed(
            closed, version=old.version + 1, state=old.state, valid_from=closed.valid_to, valid_to=None,
            known_at=known, field=one, fields=() if one else tuple(left), model_id=self.model_id,
            reason=because("kept", "dedupe", FIELDS_LEFT), sealed=old.sealed.model_copy(update=body),
        )  # fmt: skip
        self._store.put(rest)
        return [update(rest)]

    def reworded(self, old: MemoryUpdate, value: JsonValue) -> dict[str, JsonValue]:
        """Body of a record whose value was corrected without a new text."""
        named = values_of(old)
        values = value if old.fields and isinstance(value, Mapping) else dict.fromkeys(named, value)
        text = self.worded(values, old.language) if values else f"{value}"
        terms, embedding = self._encode(text)
        return {"text": text, "terms": terms, "embedding": embedding}

    def encoded(self, text: str) -> dict[str, object]:
        """A text that the gate words itself, with its terms and vector."""
        terms, embedding = self._encode(text)
        return {"text": text, "terms": terms, "embedding": embedding}

    def worded(self, values: Mapping[str, JsonValue], language: str) -> str:
        """`label: value` for each field, with the catalogue's labels."""
        zh = language == "zh"
        parts = []
        for name, value in values.items():
            spec = self._profile.field(name)
            label = (spec.label.get("zh" if zh else "en") if spec else None) or name
            parts.append(f"{label}：{value}" if zh else f"{label}: {value}")
        return ("；" if zh else "; ").join(parts)
