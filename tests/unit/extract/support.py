"""A turn in, candidates out: what every test of the extractor needs."""

from __future__ import annotations

from datetime import UTC, datetime

from inference.language import language_of
from processors.reader.rules.protocol import Role, TurnView, values_of
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import Profile, load_profile

GENERAL = load_profile("general")
IMMIGRATION = load_profile("immigration")
THURSDAY = datetime(2026, 2, 5, 3, 0, tzinfo=UTC)


def extract(
    text: str,
    profile: Profile = GENERAL,
    *,
    question: str | None = None,
    speaker: str | None = None,
    project: str | None = None,
    role: Role = "user",
    at: datetime = THURSDAY,
) -> list[Candidate]:
    """Read one turn; `question` is what the assistant said just before."""
    previous: tuple[tuple[Role, str], ...] = (("assistant", question),) if question else ()
    turn = TurnView(
        text, role, language_of(text), at, profile.time_zone, speaker=speaker, project_id=project, previous=previous
    )
    return RuleExtractor().extract(turn, profile)


def values(text: str, profile: Profile = GENERAL, *, question: str | None = None) -> dict[str, object]:
    """Return the asserted field values of one turn."""
    return {n: v for c in extract(text, profile, question=question) if not c.negated for n, v in values_of(c).items()}
