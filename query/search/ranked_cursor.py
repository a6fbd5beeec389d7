"""Cursors over a ranked order, which moves as time passes and memories come: what was shown, bound to what was asked.

A position would double or pass over hits when the order changes between two pages. Each page is the best of what was
not shown yet, so that within a walk nothing comes twice and nothing that stands is left out.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from query.errors import invalid

MOST = 1_000
"""Hits that one walk shows, all pages together."""
_HEAD, _MARK = 12, 6
"""Bytes of a question, and of a hit: among 20,000 hits one is taken for another in fewer than 1 of 10 million walks."""
LONGEST = -(-(_HEAD + _MARK * MOST) * 4 // 3)
"""Characters of the longest cursor."""


def question(*digest_source: Any) -> bytes:
    """What a walk is bound to: JSON values and times, whose scope included."""
    return blake2b(orjson.dumps(digest_source, option=orjson.OPT_SORT_KEYS), digest_size=_HEAD).digest()


@dataclass(frozen=True, slots=True)
class Walk:
    """A question, and marks of the hits that its pages have shown; a mark does not tell its hit."""

    question: bytes
    shown: frozenset[bytes] = frozenset()

    @classmethod
    def resume(cls, cursor: str | None, digest: bytes, field: str = "cursor") -> Walk:
        """The walk that a cursor goes on with, a new one without. Raises ProblemError for what is no cursor, or one of
        another question or caller."""
        if cursor is None:
            return cls(digest)
        try:
            raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        except (ValueError, binascii.Error):
            raw = b""
        marks = raw[_HEAD:]
        if raw[:_HEAD] != digest or not marks or len(marks) % _MARK or len(marks) >= _MARK * MOST:
            raise invalid(field, "expected the cursor that a page of this search returned")
        return cls(digest, frozenset(marks[i : i + _MARK] for i in range(0, len(marks), _MARK)))

    @property
    def room(self) -> int:
        """Hits that may still be shown."""
        return MOST - len(self.shown)

    def has(self, hit: str) -> bool:
        return self._mark(hit) in self.shown

    def cursor(self, hits: Iterable[str]) -> str | None:
        """Where the next page begins when these were shown too; None where the walk has reached its bound."""
        shown = self.shown | {self._mark(h) for h in hits}
        if not shown or len(shown) >= MOST:
            return None
        return base64.urlsafe_b64encode(self.question + b"".join(sorted(shown))).decode().rstrip("=")

    def _mark(self, hit: str) -> bytes:
        return blake2b(hit.encode(), digest_size=_MARK, key=self.question).digest()
