"""Events as the steps emit them, made short; used by the unit and the integration tests of the sinks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np

from schemas.events.envelope import SourceTurn
from schemas.events.memory import Decision, DecisionBody, MemoryBody, MemoryUpdate, Reason, parse
from schemas.events.sessions import Checkpoint, CheckpointBody, SessionBody, SessionState, WindowMessage
from schemas.events.turns import ScreenedBody, ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Codec, Event, Headers
from schemas.log.owner import OwnerKind
from schemas.log.progress import dump_progress
from schemas.security.encrypted_values import Originals
from sinks.collapse import collapse
from sinks.protocol import Item, Message, SinkBatch
from tests.dates import fixed

NOW = fixed(2026, 11, 21, 8)
CODEC = Codec()
TEXTS = ("I moved to Lisbon in 2024.", "我 2024 年搬到了里斯本。")


def embedding(seed: int, dimensions: int = 512) -> bytes:
    vector = np.random.default_rng(seed).normal(size=dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float16).tobytes()


def turn(n: int = 0, revision: int = 1, text: str = TEXTS[0], **changes: Any) -> ScreenedTurn:
    values: dict[str, Any] = {
        "tenant": "t1",
        "user_id": "u1",
        "session_id": "s1",
        "turn_id": f"turn-{n}",
        "revision": revision,
        "role": "user",
        "occurred_at": NOW + timedelta(seconds=n),
        "accepted_at": NOW + timedelta(seconds=n),
        "expires_at": NOW + timedelta(days=30),
        "language": "en",
        "tokens": 7,
        "content_hash": "h",
        "profile": "p",
        "profile_version": 1,
        "position": n,
        "pii": {"PERSON:mask": 1},
        "sealed": ScreenedBody(
            content=text, metadata={"action": "visit"}, terms=("move", "lisbon"), embedding=embedding(n),
            originals=(Originals(entity="PHONE_NUMBER", alg="A256SIV", kid="1", ct="3q2+7w=="),),
        ),
    }  # fmt: skip
    return ScreenedTurn(**{**values, **changes})


def memory(n: int = 0, revision: int = 1, text: str = TEXTS[0], **changes: Any) -> MemoryUpdate:
    values: dict[str, Any] = {
        "tenant": "t1",
        "owner_kind": OwnerKind.USER,
        "owner_id": "u1",
        "user_id": "u1",
        "record_id": f"record-{n}",
        "revision": revision,
        "kind": "fact",
        "state": "active",
        "field": "city",
        "reason": Reason(outcome="kept", gate="confidence", rule="explicit", score=0.9),
        "sources": (SourceTurn(turn_id="turn-1", session_id="s1", occurred_at=NOW, content_hash="h"),),
        "occurred_at": NOW,
        "known_at": NOW,
        "last_accessed_at": NOW,
        "sealed": MemoryBody(
            text=text, value="Lisbon", attributes={"since": 2024}, terms=("move", "lisbon"), embedding=embedding(n)
        ),
    }
    return parse({**values, **changes})


def hot(n: int = 0, revision: int = 1, text: str = TEXTS[0], **changes: Any) -> MemoryUpdate:
    """A row of a project's hot memory (A3): its type is the category."""
    values: dict[str, Any] = {
        "owner_kind": OwnerKind.PROJECT,
        "owner_id": "p1",
        "project_id": "p1",
        "user_id": None,
        "record_id": f"hot-{n}",
        "kind": "hot",
        "category": "decision",
        "key": f"k{n}",
        "field": None,
        "sealed": MemoryBody(text=text, value=text),
    }
    return memory(n, revision, **{**values, **changes})


def session(n: int = 0, revision: int = 1, text: str = TEXTS[0], **changes: Any) -> SessionState:
    window = tuple(
        WindowMessage(role="user", content=f"{text} {i}", timestamp=NOW + timedelta(seconds=i), turn_id=f"turn-{i}")
        for i in range(3)
    )
    values: dict[str, Any] = {
        "tenant": "t1",
        "user_id": "u1",
        "session_id": f"s{n}",
        "revision": revision,
        "turn_count": 3,
        "current_agent_key": "guide",
        "updated_at": NOW,
        "sealed": SessionBody(
            window=window, summary=text, summaries=(text,), anchors={"language": "german"}, last_bot_message=text
        ),
    }
    return SessionState(**{**values, **changes})


def checkpoint(n: int = 0, **changes: Any) -> Checkpoint:
    values: dict[str, Any] = {
        "tenant": "t1",
        "user_id": "u1",
        "session_id": "s1",
        "message_id": f"m{n}",
        "segment": 1,
        "position": 9,
        "created_at": NOW,
        "extractive": True,
        "sealed": CheckpointBody(summary=TEXTS[1]),
    }
    return Checkpoint(**{**values, **changes})


def decision(n: int = 0, **changes: Any) -> Decision:
    values: dict[str, Any] = {
        "tenant": "t1",
        "owner_id": "u1",
        "decision_id": f"d{n}",
        "turn_id": "turn-1",
        "kind": "fact",
        "reason": Reason(outcome="kept", gate="confidence", rule="explicit"),
        "accepted_at": NOW,
        "sealed": DecisionBody(text=TEXTS[1], value=True),
    }
    return Decision(**{**values, **changes})


def topic_of(event: Event) -> str:
    match event:
        case MemoryUpdate():
            return topics.UPDATES.name
        case SessionState() | Checkpoint():
            return topics.SESSION_STATE.name
        case Decision():
            return topics.DECISIONS.name
        case _:
            return topics.HISTORY.name


def message(
    event: Event,
    offset: int = 0,
    partition: int = 0,
    *,
    topic: str | None = None,
    step: str = "gate",
    progress: Mapping[str, int] | None = None,
) -> Message:
    """As the runtime sends it, with its headers `src` and, where given, `progress`."""
    extra: Headers = [("src", f"{step}/{partition}:{offset}:0".encode())]
    if progress is not None:
        extra.append(("progress", dump_progress(progress)))
    encoded = CODEC.encode(event, f"memstream/{step}", f"e{offset}", extra)
    stamp = int(NOW.timestamp() * 1000)
    return Message(topic or topic_of(event), partition, offset, encoded.key, encoded.value, encoded.headers, stamp)


def batch(*events: Event, **changes: Any) -> SinkBatch:
    """Collapsed, as the worker hands it on."""
    items = [Item(e, message(e, n)) for n, e in enumerate(events)]
    return SinkBatch(collapse(items), **changes)
