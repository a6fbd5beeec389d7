"""conversation.turns and conversation.history: what the chat service sent, and the same, screened."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import orjson
from pydantic import Field

from schemas.base import CleanText, Content, Frozen, Id, JsonObject, JsonValue, Timestamp
from schemas.events.amendments import Amendment
from schemas.events.envelope import Marker, Tick, UserEvent
from schemas.events.erasure import Erasure
from schemas.security.encrypted_values import Originals

Role = Literal["user", "assistant", "system", "tool"]
Language = Literal["en", "zh", "und"]
MAX_METADATA_BYTES = 65_536
"""Of a turn's metadata as JSON, and of each part of a session's state in one command: each text in it goes through the
recognisers, at about half a second for 20 kB, and all partitions of a worker wait for it. Not a rule of the schema:
what the log holds stays readable."""
MAX_HELD = 200
"""Values of one field in `existing_info`: each statement of the turn is compared with them."""


class Recalled(Frozen):
    """A memory that was given to the model: renewed by its id, never learned from."""

    id: Id
    text: CleanText = Field(default="", max_length=20_000)


class TurnBody(Frozen):
    """What a turn says. `metadata` feeds habits; `llm_context` and `recalled` are never learned from. `existing_info`:
    catalogue fields with the values that the caller holds: what is said of them again is skipped."""

    content: Content
    speaker: CleanText | None = Field(default=None, max_length=200)
    llm_context: CleanText | None = Field(default=None, max_length=400_000)
    recalled: tuple[Recalled, ...] = Field(default=(), max_length=200)
    metadata: JsonObject = Field(default_factory=dict)
    existing_info: JsonObject | None = None


class TurnEvent(UserEvent):
    """One turn as the chat service sent it. Turn key = (tenant, user, turn_id)."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "session_id", "turn_id", "role", "occurred_at")
    type: Literal["turn"] = "turn"
    session_id: Id
    turn_id: Id | None = None
    role: Role
    occurred_at: Timestamp
    accepted_at: Timestamp | None = None
    project_id: Id | None = None
    agent_id: Id | None = None
    interaction_id: Id | None = None
    context_id: Id | None = None
    """The context that its model was given: its memories count as cited (D7)."""
    intent: Id | None = None
    language: Language | None = None
    reaches: tuple[Id, ...] | None = None
    """Projects that a name in the text may stand for: the caller's credential reaches no others. None: all."""
    sealed: TurnBody


class SessionCommandBody(Frozen):
    """Free JSON that the caller keeps with a session; absent keys change nothing."""

    global_state: JsonObject | None = None
    current_agent_key: CleanText | None = Field(default=None, max_length=256)
    user_snapshot: JsonObject | None = None
    anchors: dict[CleanText, JsonValue] | None = None
    summary: CleanText | None = Field(default=None, max_length=100_000)


class SessionCommand(UserEvent):
    """A logged change of a session by its caller: create on an existing session is a reset."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "session_id", "command", "command_id")
    type: Literal["session_command"] = "session_command"
    session_id: Id
    command: Literal["create", "reset", "close", "patch", "anchors", "checkpoint"]
    command_id: Id
    accepted_at: Timestamp | None = None
    recent_turns: int | None = Field(default=None, ge=1, le=100)
    sealed: SessionCommandBody = SessionCommandBody()


class CheckpointResultBody(Frozen):
    summary: CleanText = Field(max_length=100_000)


class CheckpointResult(UserEvent):
    """The answer to a summary job. Applies only while its segment is open: `segment` and
    `last_revision` name it. `extractive`: made without a model."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "session_id", "job_id")
    type: Literal["checkpoint_result"] = "checkpoint_result"
    session_id: Id
    segment: int = Field(ge=0)
    last_turn_id: Id
    recent_turns: int = Field(ge=1, le=100)
    status: Literal["done", "failed"]
    extractive: bool
    job_id: Id
    model: CleanText | None = None
    asked_at: Timestamp | None = None
    """When its job was asked for: an erasure after that refuses the answer, however late it comes."""
    accepted_at: Timestamp | None = None
    sealed: CheckpointResultBody


class ScreenedBody(Frozen):
    """The redacted turn with what is computed once: search terms and the unit embedding (float16 bytes)."""

    content: CleanText
    """May be longer than a turn's: a mask is often longer than what it stands for. The output's size bounds it."""
    speaker: CleanText | None = None
    metadata: JsonObject = Field(default_factory=dict)
    recalled_ids: tuple[Id, ...] = ()
    terms: tuple[str, ...] = ()
    embedding: bytes = b""
    entities: tuple[tuple[str, int, int], ...] = ()
    """Allowed entities in the redacted text: (type, start, end) in characters."""
    previous: tuple[tuple[Role, CleanText], ...] = ()
    """The turns just before in the session, shortened, oldest first: context for a bare "yes" (B1)."""
    originals: tuple[Originals, ...] | None = None
    """What the policy `encrypt` took out: ciphertext of its own, whatever seals the rest (D5)."""
    existing_info: JsonObject | None = None


class ScreenedTurn(UserEvent):
    """A turn behind the screen: nothing that policy masks is in it."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "session_id", "turn_id", "revision")
    type: Literal["screened_turn"] = "screened_turn"
    session_id: Id
    turn_id: Id
    revision: int = Field(default=1, ge=1)
    role: Role
    occurred_at: Timestamp
    accepted_at: Timestamp
    expires_at: Timestamp
    project_id: Id | None = None
    agent_id: Id | None = None
    interaction_id: Id | None = None
    context_id: Id | None = None
    intent: Id | None = None
    reaches: tuple[Id, ...] | None = None
    language: Language
    tokens: int = Field(ge=0)
    line_tokens: int | None = Field(default=None, ge=0)
    """Of its line in a rendered history (`schemas.events.prompt_lines`), the line break included."""
    content_hash: str = Field(max_length=64)
    """Hash of the redacted content."""
    pii: dict[str, int] = Field(default_factory=dict)
    """`ENTITY:action` -> count."""
    refused: bool = False
    """A credential stood in the text; nothing is learned from this turn."""
    profile: str
    profile_version: int
    model_id: str = ""
    position: int = Field(default=0, ge=0)
    """Offset in conversation.turns: the order of the user's turns (segments are cut by it, E3)."""
    sealed: ScreenedBody

    @property
    def subject(self) -> str:
        return self.turn_id


TurnsEvent = Annotated[
    TurnEvent | SessionCommand | CheckpointResult | Amendment | Erasure | Tick, Field(discriminator="type")
]
HistoryEvent = Annotated[
    ScreenedTurn | SessionCommand | CheckpointResult | Amendment | Erasure | Tick | Marker, Field(discriminator="type")
]


def metadata_value(metadata: dict[str, Any], key: str) -> str | None:
    """A metadata entry as text, None where absent or not a scalar."""
    value = metadata.get(key)
    return str(value) if isinstance(value, str | int | float) and value != "" else None


def metadata_fits(metadata: dict[str, Any]) -> bool:
    return len(orjson.dumps(metadata)) <= MAX_METADATA_BYTES


def crowded_field(info: dict[str, Any]) -> str | None:
    """A field of `existing_info` with more values than what is said is compared with."""
    return next((name for name, held in info.items() if isinstance(held, list) and len(held) > MAX_HELD), None)


def oversized(body: TurnBody) -> str | None:
    """The free JSON of a turn that is too large to be looked through, and why, in an error's words."""
    parts = {"metadata": body.metadata, "existing_info": body.existing_info}
    for name, part in parts.items():
        if part and not metadata_fits(part):
            return f"{name}: must not pass {MAX_METADATA_BYTES} bytes of JSON"
    if crowded_field(body.existing_info or {}) is not None:
        return f"existing_info: must have at most {MAX_HELD} values of a field"
    return None


def outgrown(body: SessionCommandBody) -> str | None:
    """The part of a session's state that is too large for one command."""
    parts = {"global_state": body.global_state, "user_snapshot": body.user_snapshot, "anchors": body.anchors}
    return next((name for name, part in parts.items() if part and not metadata_fits(part)), None)
