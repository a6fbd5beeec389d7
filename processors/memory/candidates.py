"""One candidate against what stands: skipped, merged, superseding, kept, observed or refused (B3, B4, D3, D4)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from processors.memory.changes.forget_requests import NOTHING
from processors.memory.corrected_values import as_correction, corrects, statements_with_wrong_value
from processors.memory.emit import because, decision
from processors.memory.field_values import FieldValues
from processors.memory.marks import marked
from processors.memory.rejections import REJECTED_SOURCE, barred
from processors.memory.versions import VERSIONED
from processors.reader.rules.protocol import ENDS, values_of
from processors.step import Emit
from schemas.events.memory import Candidate, Decision

_STATES_MASKED = re.compile(r"(?:\b(?:is|are|was)|[:=：是为叫])\s*<[A-Z][A-Z0-9_]*(?::[0-9a-f]+)?>")
"""A statement whose point is what policy took out ("her number is <PHONE_NUMBER>") says nothing any more."""


class CandidateGate(FieldValues):
    """Decides the candidates of one extraction against one user's standing records."""

    def decide(self, c: Candidate) -> Iterable[Emit]:
        if _STATES_MASKED.search(c.text):
            return [decision(self._source, c, because("masked", "pii", "states_masked_value"), None)]
        rule = barred(c, self._source, self._store.rejections, self._hash_key)
        if rule is not None:
            if rule == REJECTED_SOURCE and self._again is not None:
                self.spared.update(self._again.read_at(c))
            return [decision(self._source, c, because("refused", "feedback", rule), None)]
        out = self._allowed(c)
        events = (emitted.event for emitted in out)
        self._decided.update(d.record_id for d in events if isinstance(d, Decision) and d.record_id is not None)
        return out

    def _allowed(self, c: Candidate) -> list[Emit]:
        """Neither masked nor rejected."""
        if corrects(c):
            return self._correction(c)
        fields = values_of(c)
        if c.attributes.get(ENDS):
            return self._end(c, fields) or [decision(self._source, c, because("skipped", "dedupe", NOTHING), None)]
        if c.kind in VERSIONED and fields:
            return (self._end(c, fields) or self._by_text(c)) if c.negated else self._by_field(c, fields)
        return self._by_text(c)

    def _correction(self, c: Candidate) -> list[Emit]:
        """Of a value said another time: what it corrects ends. Where it may be one of several, they name each other."""
        found = statements_with_wrong_value(c, self._store, self._profile, self._source.turn)
        if len(found) == 1:
            (one,) = found
            whole = as_correction(c, *one, self._versions)
            rule = barred(whole, self._source, self._store.rejections, self._hash_key)
            if rule is not None:
                return [decision(self._source, c, because("refused", "feedback", rule), None)]
            return self._by_field(whole, values_of(whole))
        out = self._by_text(c)
        kept = self._store.get(self._places.name(c))
        if kept is not None:
            for other, _ in found:
                out += [marked(self._store, kept, other.record_id), marked(self._store, other, kept.record_id)]
        return out
