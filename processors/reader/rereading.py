"""A stored turn, read once more by the current rules: `memstream reprocess read`
(docs/decisions/2026-11-30-reread.md).

The extract step reads a turn while its reply is still to come. Here the reply is stored as well, so nothing waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from processors.ports import Models, ProfileBook
from processors.reader.pending_extraction import HeldTurn
from processors.reader.pending_replies import WAIT
from processors.reader.rules.confirm import asks_to_confirm, confirms
from processors.reader.rules.protocol import Extractor
from processors.reader.step import AGREED, encode, extraction, narrowed, read_turn, reply_in
from schemas.events.memory import Extraction
from schemas.events.turns import ScreenedTurn

IN_TIME = WAIT + timedelta(minutes=1)
"""Of accepted_at: the wait ends with the first tick after it, and ticks come once a minute."""


def replies(turns: Sequence[ScreenedTurn]) -> dict[str, str]:
    """Turn id of a user's turn -> the assistant's reply to it that came in time. `turns`: of one user, in order."""
    out: dict[str, str] = {}
    waiting: dict[str, ScreenedTurn] = {}
    for turn in turns:
        if turn.role not in ("user", "assistant"):
            continue
        asked = waiting.pop(turn.session_id, None)
        if asked is not None and turn.accepted_at - asked.accepted_at <= IN_TIME:
            out[asked.turn_id] = reply_in(turn, asked.interaction_id)
        if turn.role == "user":
            waiting[turn.session_id] = turn
    return {name: reply for name, reply in out.items() if reply}


@dataclass(frozen=True, slots=True)
class Rereader:
    """Reads stored turns as the extract step would today: the current rules, profile and PII policy. No model is
    asked."""

    extractor: Extractor
    models: Models
    book: ProfileBook

    def read(self, turn: ScreenedTurn, reply: str) -> Extraction:
        """What the ledger is to hold of the turn. The newest revision counts as the turn itself: what a rescreen masked
        stays masked."""
        profile = self.book.of(turn.tenant)
        held = HeldTurn(turn.model_copy(update={"revision": 1}), reply)
        if not held.is_under(profile):
            held.screen(self.models, self.book)
        turn = narrowed(held.turn, profile)
        agreed = bool(held.reply) and asks_to_confirm(turn.sealed.content) and confirms(held.reply)
        reading = read_turn(self.extractor, turn, profile, AGREED if agreed else "")
        (candidates,) = encode([reading.candidates], self.models)
        model_id = self.models.embedder.model_id
        name, version = self.extractor.name, self.extractor.version
        return extraction(turn, candidates, name, version, model_id, dropped=reading.dropped)
