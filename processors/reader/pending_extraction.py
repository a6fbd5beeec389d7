"""A turn that waits for a language model, as policy has it now (D5).

A job holds its turn as it was screened. Where the tenant's profile changed while the endpoint was away, a rescreen has
masked the turn that is stored, but does not reach the job: it would tell the model, and remember, what is masked now.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from processors.pii.redacted_values import RedactedValues
from processors.pii.redaction import counts, redact
from processors.pii.stored_texts import record_of, texts_of
from processors.ports import Models, ProfileBook
from processors.reader.rules.protocol import TurnView
from processors.reader.step import view_of
from schemas.events.turns import ScreenedTurn
from schemas.profile.model import Profile


@dataclass(slots=True)
class HeldTurn:
    """A turn and the reply to it."""

    turn: ScreenedTurn
    reply: str

    def is_under(self, profile: Profile) -> bool:
        """Was it screened under this profile?"""
        return (self.turn.profile, self.turn.profile_version) == (profile.name, profile.version)

    def view(self, profile: Profile) -> TurnView:
        return view_of(self.turn, profile, self.reply)

    def screen(self, models: Models, book: ProfileBook) -> None:
        """Under the policy of now, which may refuse it. Its vector and marked entities are not made anew: an extraction
        needs neither."""
        turn, profile = self.turn, book.of(self.turn.tenant)
        texts = list(dict.fromkeys([*texts_of(turn), self.reply]))
        clean = dict(zip(texts, redact(models, book, [turn.tenant] * len(texts), texts), strict=True))
        redacted_values, pii = RedactedValues.of(clean.values()), Counter(turn.pii)
        pii.update({name: n for name, n in counts([*clean.values()]).items() if not name.endswith(":allow")})
        record = {
            **record_of(turn, {text: r.text for text, r in clean.items()}, redacted_values),
            "pii": dict(pii), "refused": turn.refused or any(r.refused for r in clean.values()),
            "profile": profile.name, "profile_version": profile.version,
        }  # fmt: skip
        self.turn = ScreenedTurn.model_validate(record)
        self.reply = redacted_values.text(clean[self.reply].text)
