"""Feedback that is kept as such (C6): ratings of answers, functions and performance, suggestions, bug reports. What it
does to memories is `processors.memory.feedback`, to cases `processors.memory.tables`, to preferences
`processors.memory.learned`.

A correction's text is not kept here: it may hold what the user wants to be forgotten.
"""

from __future__ import annotations

from datetime import datetime

from processors.memory.emit import because
from processors.memory.store import UserMemoryStore
from schemas.base import Json
from schemas.events.memory import Feedback, KeptFeedback, MemoryBody
from schemas.log.ids import record_id
from schemas.log.owner import OwnerKind
from schemas.profile.model import Profile


def kept(f: Feedback, store: UserMemoryStore, profile: Profile, at: datetime) -> KeptFeedback:
    """One record a feedback, of kind `feedback`; nothing of it stays in the gate's state but its id."""
    name = record_id(f.owner, "feedback", f.feedback_id)
    value: dict[str, Json] = {
        "about": f.about, "feature": f.feature, "by": f.by, "rating": f.rating, "score": f.score, "adopted": f.adopted,
        "record_id": f.record_id, "interaction_id": f.interaction_id, "context_id": f.context_id,
        "memory_ids": list(f.memory_ids), "corrects": bool(f.sealed.correction), "outcome": f.sealed.outcome,
        "traits": dict(f.sealed.traits),
    }  # fmt: skip
    reason = because("kept", "feedback", f"about_{f.about}")
    record = KeptFeedback(
        tenant=f.tenant, owner_kind=OwnerKind.USER, owner_id=f.user_id, record_id=name,
        revision=store.next_numbers(name)[1], state="active", reason=reason, category=f.about,
        namespace=("feedback", f.user_id), key=f.feedback_id, user_id=f.user_id, interaction_id=f.interaction_id,
        occurred_at=at, valid_from=at, known_at=at, last_accessed_at=at, extractor="feedback", profile=profile.name,
        profile_version=profile.version,
        sealed=MemoryBody(
            text=f.sealed.comment or "",
            value={k: v for k, v in value.items() if v is not None and not (isinstance(v, list | dict) and not v)},
        ),
    )  # fmt: skip
    store.remove(record)  # its version and revision stay: it can be forgotten, and ends with its class
    return record
