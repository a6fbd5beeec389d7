"""Every call of the service, once: what the synchronous and the asynchronous client have as methods (CONTRACT)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote
from uuid import uuid4

from memstream.client import answers
from memstream.client.messages import Interaction, Memory
from query.namespaces import owner_of

T = TypeVar("T", bound=answers.Answer)
Kind = Literal["turn", "fact", "preference", "intent", "episode", "report", "chunk", "item", "pattern"]
MemoryState = Literal["active", "observed", "superseded", "refused", "archived"]
HotType = Literal["meta", "status", "decision", "preference"]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request and the model of its answer. `user`: whose newest writes it waits for, and whose it adds to;
    `also`: further users that it writes about."""

    method: str
    path: str
    answer: type[T]
    user: str | None = None
    body: Mapping[str, Any] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    also: frozenset[str] = frozenset()


def _given(**values: Any) -> dict[str, Any]:
    return {k: _json(v) for k, v in values.items() if v is not None}


def _json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _in_path(value: str) -> str:
    return quote(value, safe="")


def _once(key: str | None) -> dict[str, str]:
    """A repeated call must be the same command: the client repeats calls by itself."""
    return {"Idempotency-Key": key or str(uuid4())}


# Reading


def search(
    query: str, *, user_id: str | None = None, project_id: str | None = None, session_id: str | None = None,
    kinds: Sequence[Kind] | None = None, limit: int = 10, filters: Mapping[str, Any] | None = None,
    as_of: datetime | None = None, explain: bool = False, cursor: str | None = None,
    min_relevance: float | None = None,
) -> Call[answers.SearchAnswer]:  # fmt: skip
    """Words and meaning over turns, memories, reports and documents (D13). `cursor`: as the page before has it.
    `min_relevance`: hits below it are left out."""
    body = _given(
        query=query, user_id=user_id, project_id=project_id, session_id=session_id, limit=limit,
        kinds=None if kinds is None else list(kinds), filters=filters, as_of=as_of, explain=explain or None,
        cursor=cursor, min_relevance=min_relevance,
    )  # fmt: skip
    return Call("POST", "/v1/search", answers.SearchAnswer, None if project_id else user_id, body)


def context(
    query: str, *, user_id: str, session_id: str | None = None, project_id: str | None = None,
    intent: str | None = None, budget_tokens: int | None = None, entities: Mapping[str, str] | None = None,
    min_relevance: float | None = None,
) -> Call[answers.ContextAnswer]:  # fmt: skip
    """A cited prompt within a token budget (D15). `entities`: `record_id`, whose state is told, and `query`, what is
    looked for. `min_relevance`: of what is searched, hits below it are left out."""
    body = _given(
        query=query, user_id=user_id, session_id=session_id, project_id=project_id, intent=intent,
        budget_tokens=budget_tokens, entities=entities, min_relevance=min_relevance,
    )  # fmt: skip
    return Call("POST", "/v1/context", answers.ContextAnswer, None if project_id else user_id, body)


def memories(
    user_id: str, *, kind: str | Sequence[str] | None = None, state: MemoryState = "active",
    as_of: datetime | None = None, limit: int = 100, cursor: str | None = None,
) -> Call[answers.MemoryPage]:  # fmt: skip
    """A page of a user's memories, newest known first."""
    kinds = [kind] if isinstance(kind, str) else None if kind is None else list(kind)
    params = _given(kind=kinds, state=state, as_of=as_of, limit=limit, cursor=cursor)
    return Call("GET", f"/v1/users/{_in_path(user_id)}/memories", answers.MemoryPage, user_id, params=params)


def memory(memory_id: str, *, user_id: str | None = None) -> Call[answers.MemoryDetail]:
    """One memory with its history. `user_id`: wait for that user's writes only."""
    return Call("GET", f"/v1/memories/{_in_path(memory_id)}", answers.MemoryDetail, user_id)


def profile(user_id: str, *, as_of: datetime | None = None) -> Call[answers.ProfileAnswer]:
    """The structured profile, how complete it is, and a narrative (B6)."""
    path = f"/v1/users/{_in_path(user_id)}/profile"
    return Call("GET", path, answers.ProfileAnswer, user_id, params=_given(as_of=as_of))


def preferences(
    user_id: str, *, scope: str | None = None, as_of: datetime | None = None
) -> Call[answers.PreferencesAnswer]:
    """Preferences in the order in which they win (D9)."""
    path = f"/v1/users/{_in_path(user_id)}/preferences"
    return Call("GET", path, answers.PreferencesAnswer, user_id, params=_given(scope=scope, as_of=as_of))


def patterns(
    user_id: str, *, action: str | None = None, at: datetime | None = None
) -> Call[answers.PatternsAnswer]:
    """Habits with support and confidence (C5)."""
    path = f"/v1/users/{_in_path(user_id)}/patterns"
    return Call("GET", path, answers.PatternsAnswer, user_id, params=_given(action=action, at=at))


def readings(user_id: str, *, field: str | None = None, limit: int = 50) -> Call[answers.ReadingsAnswer]:
    """Readings of measured fields, the newest first, each judged against the user's usual and its history (C6)."""
    path = f"/v1/users/{_in_path(user_id)}/readings"
    return Call("GET", path, answers.ReadingsAnswer, user_id, params=_given(field=field, limit=limit))


def load_context(user_id: str, query: str = "", *, limit: int = 50) -> Call[answers.LoadedContext]:
    """Memories by relevance and importance, with a summary of the profile (B5)."""
    path = f"/v1/users/{_in_path(user_id)}/load-context"
    return Call("POST", path, answers.LoadedContext, user_id, {"query": query, "limit": limit})


def messages(
    session_id: str, *, user_id: str, segment: Literal["open", "all"] = "all", limit: int = 100,
    cursor: str | None = None,
) -> Call[answers.MessagesAnswer]:  # fmt: skip
    """A conversation's messages in their order, of the open segment or all (E1)."""
    path = f"/v1/sessions/{_in_path(session_id)}/messages"
    params = _given(user_id=user_id, segment=segment, limit=limit, cursor=cursor)
    return Call("GET", path, answers.MessagesAnswer, user_id, params=params)


def turn(turn_id: str, *, user_id: str) -> Call[answers.TurnAnswer]:
    """A turn of the last days, as screened."""
    path = f"/v1/turns/{_in_path(turn_id)}"
    return Call("GET", path, answers.TurnAnswer, user_id, params={"user_id": user_id})


def outcome(turn_id: str, *, user_id: str) -> Call[answers.OutcomeAnswer]:
    """What was taken from a turn, stored and skipped (B3)."""
    path = f"/v1/turns/{_in_path(turn_id)}/outcome"
    return Call("GET", path, answers.OutcomeAnswer, user_id, params={"user_id": user_id})


def originals(turn_id: str, *, user_id: str) -> Call[answers.OriginalsAnswer]:
    """What the PII policy `encrypt` took out of a turn; needs the permission `pii` (D5)."""
    path = f"/v1/turns/{_in_path(turn_id)}/originals"
    return Call("GET", path, answers.OriginalsAnswer, user_id, params={"user_id": user_id})


def session(session_id: str, *, user_id: str) -> Call[answers.SessionAnswer]:
    """The session value (E1)."""
    path = f"/v1/sessions/{_in_path(session_id)}"
    return Call("GET", path, answers.SessionAnswer, user_id, params={"user_id": user_id})


def memory_context(
    session_id: str, *, user_id: str, query: str = "", token_threshold_ratio: float | None = None,
    recent_turns: int | None = None, model_context_window: int | None = None,
) -> Call[answers.MemoryContext]:  # fmt: skip
    """The history that fits the model, and whether a summary is due (E2)."""
    body = _given(
        user_id=user_id, query=query, token_threshold_ratio=token_threshold_ratio, recent_turns=recent_turns,
        model_context_window=model_context_window,
    )  # fmt: skip
    path = f"/v1/sessions/{_in_path(session_id)}/memory-context"
    return Call("POST", path, answers.MemoryContext, user_id, body)


def checkpoints(
    session_id: str, *, user_id: str, limit: int = 100, cursor: str | None = None
) -> Call[answers.CheckpointsAnswer]:
    """Past checkpoints, newest first (E3)."""
    path = f"/v1/sessions/{_in_path(session_id)}/checkpoints"
    params = _given(user_id=user_id, limit=limit, cursor=cursor)
    return Call("GET", path, answers.CheckpointsAnswer, user_id, params=params)


def hot_memory(project_id: str) -> Call[answers.HotMemory]:
    """A project's hot memory (A3)."""
    return Call("GET", f"/v1/projects/{_in_path(project_id)}/hot-memory", answers.HotMemory)


def reports(project_id: str, *, limit: int = 20, cursor: str | None = None) -> Call[answers.ReportsAnswer]:
    """A project's weekly reports, the last written first (A6)."""
    path = f"/v1/projects/{_in_path(project_id)}/reports"
    return Call("GET", path, answers.ReportsAnswer, params=_given(limit=limit, cursor=cursor))


# Writing at once (what is sent through the buffer is `send`)


def interaction(message: Interaction) -> Call[answers.Accepted]:
    """A query and its reply as one message (D1)."""
    body = message.model_dump(mode="json", exclude_none=True)
    return Call("POST", "/v1/interactions", answers.Accepted, message.user_id, body)


def save_info(
    user_id: str, user_message: str, assistant_message: str | None = None, *,
    existing_info: Mapping[str, Any] | None = None, session_id: str | None = None, project_id: str | None = None,
    interaction_id: str | None = None, occurred_at: datetime | None = None,
) -> Call[answers.SavedInfo]:  # fmt: skip
    """A message and its reply, and in the answer what was saved of them (B3). `interaction_id`: a repeated call is the
    same turns."""
    body = _given(
        userMessage=user_message, assistantMessage=assistant_message, session_id=session_id, project_id=project_id,
        existingInfo=None if existing_info is None else dict(existing_info), occurred_at=occurred_at,
        interaction_id=interaction_id or str(uuid4()),
    )  # fmt: skip
    path = f"/v1/users/{_in_path(user_id)}/save-info"
    return Call("POST", path, answers.SavedInfo, user_id, body)


def write_turn(
    session_id: str, *, user_id: str, user_query: str | None = None, agent_response: str | None = None,
    agent_code: str | None = None, project_id: str | None = None, interaction_id: str | None = None,
    occurred_at: datetime | None = None,
) -> Call[answers.WrittenTurn]:  # fmt: skip
    """A query, a reply or both, and in the answer mode and time of the session behind it (E5). `interaction_id`: as of
    `save_info`."""
    body = _given(
        user_id=user_id, user_query=user_query, agent_response=agent_response, agent_code=agent_code,
        project_id=project_id, interaction_id=interaction_id or str(uuid4()), occurred_at=occurred_at,
    )  # fmt: skip
    return Call("POST", f"/v1/sessions/{_in_path(session_id)}/turns", answers.WrittenTurn, user_id, body)


def summarize(user_id: str, *, session_id: str | None = None) -> Call[answers.Accepted]:
    """Have the narrative of the profile written again; `profile` reads it (B6, B9)."""
    body = _given(session_id=session_id)
    return Call("POST", f"/v1/users/{_in_path(user_id)}/summarize", answers.Accepted, user_id, body)


def remember(message: Memory, *, once: str | None = None) -> Call[answers.Accepted]:
    """Remember something at once; the answer names its `memory_id`. `once`: a repeated call is the same command."""
    body = message.model_dump(mode="json", exclude_none=True)
    return Call("POST", "/v1/memories", answers.Accepted, message.user_id, body, headers=_once(once))


def correct(
    memory_id: str, *, user_id: str, text: str | None = None, value: Any = None, once: str | None = None
) -> Call[answers.Accepted]:
    """Correct a memory; what it said is not learned again (N4). Raises NotFoundError where there never was one."""
    body = _given(user_id=user_id, text=text, value=value)
    path = f"/v1/memories/{_in_path(memory_id)}"
    return Call("PATCH", path, answers.Accepted, user_id, body, headers=_once(once))


def forget(memory_id: str, *, user_id: str, once: str | None = None) -> Call[answers.Accepted]:
    """Forget a memory; it is not learned again (N4, C9). Raises NotFoundError where there never was one."""
    path, params = f"/v1/memories/{_in_path(memory_id)}", {"user_id": user_id}
    return Call("DELETE", path, answers.Accepted, user_id, params=params, headers=_once(once))


def create_session(session_id: str, *, user_id: str) -> Call[answers.Accepted]:
    """Create a session; one that exists is reset (E5)."""
    body = {"user_id": user_id, "session_id": session_id}
    return Call("POST", "/v1/sessions", answers.Accepted, user_id, body)


def patch_session(
    session_id: str, *, user_id: str, global_state: Mapping[str, Any] | None = None,
    current_agent_key: str | None = None, user_snapshot: Mapping[str, Any] | None = None,
) -> Call[answers.Accepted]:  # fmt: skip
    """Write the caller's own state of a session; absent keys change nothing."""
    body = _given(
        user_id=user_id, global_state=global_state, current_agent_key=current_agent_key, user_snapshot=user_snapshot
    )
    return Call("PATCH", f"/v1/sessions/{_in_path(session_id)}", answers.Accepted, user_id, body)


def set_anchors(session_id: str, *, user_id: str, anchors: Mapping[str, Any]) -> Call[answers.Accepted]:
    """Session-level instructions, whole (D6)."""
    path = f"/v1/sessions/{_in_path(session_id)}/anchors"
    return Call("PUT", path, answers.Accepted, user_id, {"user_id": user_id, "anchors": dict(anchors)})


def checkpoint(
    session_id: str, *, user_id: str, summary: str | None = None, recent_turns: int | None = None
) -> Call[answers.Accepted]:
    """Checkpoint by hand (E5)."""
    body = _given(user_id=user_id, summary=summary, recent_turns=recent_turns)
    return Call("POST", f"/v1/sessions/{_in_path(session_id)}/checkpoint", answers.Accepted, user_id, body)


def close_session(session_id: str, *, user_id: str) -> Call[answers.Accepted]:
    """The conversation has ended."""
    path = f"/v1/sessions/{_in_path(session_id)}/close"
    return Call("POST", path, answers.Accepted, user_id, {"user_id": user_id})


def reset_session(session_id: str, *, user_id: str) -> Call[answers.Accepted]:
    """Working memory starts anew, the turns stay."""
    path = f"/v1/sessions/{_in_path(session_id)}"
    return Call("DELETE", path, answers.Accepted, user_id, params={"user_id": user_id})


def put_hot(
    project_id: str, type: HotType, key: str, value: Any, *, priority: int = 0
) -> Call[answers.Accepted]:
    """Set a value of a project's hot memory (A3)."""
    path = f"/v1/projects/{_in_path(project_id)}/hot-memory/{type}/{_in_path(key)}"
    return Call("PUT", path, answers.Accepted, body={"value": value, "priority": priority})


def put_document(
    document_id: str, version: str, *, title: str, markdown: str, metadata: Mapping[str, Any] | None = None
) -> Call[answers.Accepted]:
    """Add a version of a knowledge document (D8)."""
    body = _given(document_id=document_id, version=version, title=title, markdown=markdown, metadata=metadata)
    return Call("POST", "/v1/documents", answers.Accepted, body=body)


def delete_document(document_id: str, *, version: str | None = None) -> Call[answers.Accepted]:
    """Delete a document, or one version of it: behind the active one none stands until a version is put again."""
    path = f"/v1/documents/{_in_path(document_id)}"
    return Call("DELETE", path, answers.Accepted, params=_given(version=version))


def store(operations: Sequence[Mapping[str, Any]]) -> Call[answers.StoreAnswer]:
    """A batch of store operations: `{"op": "get" | "put" | "delete" | "search" | "namespaces", ...}` (C1)."""
    owners = {_owner(o) for o in operations}
    named = frozenset(o for o in owners if o is not None)
    user = next(iter(named)) if len(owners) == 1 and named else None
    body = {"operations": list(operations)}
    return Call("POST", "/v1/store/batch", answers.StoreAnswer, user, body, also=named)


def _owner(operation: Mapping[str, Any]) -> str | None:
    """Whose items an operation is about; None where it may be several users'."""
    if "namespace" in operation:
        return owner_of(operation["namespace"])
    prefix = operation.get("namespace_prefix", ())
    return owner_of(prefix) if len(prefix) > 1 else None
