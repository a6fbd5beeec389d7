"""What Milvus holds: the collections' schema, and events as rows of vectors, terms and filter fields."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt
from pymilvus import DataType, Function, FunctionType, MilvusClient

from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import Event
from schemas.storage.layouts import MilvusLayout
from sinks.protocol import Permanent

Row = dict[str, Any]
ID_BYTES = 1_024
"""256 characters of four bytes (schemas.base.MAX_ID_CHARS)."""
TERMS_BYTES = 65_000
"""Below the 65,535 of a VARCHAR; the terms beyond are not searched."""
TEXT_FIELDS = (
    "id", "tenant", "owner_kind", "owner_id", "user_id", "session_id", "project_id", "kind", "state", "scope",
    "category", "episode_type", "role",
)  # fmt: skip
"""Empty where the record has none: the embedded server knows no null."""
NUMBER_FIELDS = ("version", "revision", "occurred_at", "accepted_at", "expires_at")
"""Times in milliseconds since the epoch, 0 for none."""


def rows_schema(layout: MilvusLayout) -> tuple[Any, Any]:
    """Schema and index parameters of `turns` and `memories`. Works on the embedded 2.5 server and on a cluster: a
    VARCHAR key, nothing nullable, no partition key, BM25 by function over the application's own terms."""
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("pk", DataType.VARCHAR, is_primary=True, max_length=64)
    for name in TEXT_FIELDS:
        schema.add_field(name, DataType.VARCHAR, max_length=ID_BYTES)
    for name in NUMBER_FIELDS:
        schema.add_field(name, DataType.INT64)
    schema.add_field(
        "terms", DataType.VARCHAR, max_length=65_535, enable_analyzer=True, analyzer_params={"tokenizer": "whitespace"}
    )
    schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=layout.dimensions)
    schema.add_function(
        Function(
            name="bm25", function_type=FunctionType.BM25, input_field_names=["terms"], output_field_names=["sparse"]
        )
    )
    index = MilvusClient.prepare_index_params()
    index.add_index("dense", index_type="AUTOINDEX", metric_type="COSINE")
    index.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
    return schema, index


def progress_schema() -> tuple[Any, Any]:
    """A collection must have a vector: this one's means nothing."""
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("pk", DataType.VARCHAR, is_primary=True, max_length=ID_BYTES)
    for name in ("stage", "root"):
        schema.add_field(name, DataType.VARCHAR, max_length=ID_BYTES)
    for name in ("partition", "next_offset", "updated_at"):
        schema.add_field(name, DataType.INT64)
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=2)
    index = MilvusClient.prepare_index_params()
    index.add_index("dense", index_type="AUTOINDEX", metric_type="COSINE")
    return schema, index


def key(event: ScreenedTurn | MemoryUpdate) -> str:
    if isinstance(event, ScreenedTurn):
        return MilvusLayout.key(event.tenant, event.user_id, event.turn_id)
    return MilvusLayout.key(event.tenant, event.record_id, event.version)


def is_row(event: object) -> TypeGuard[ScreenedTurn | MemoryUpdate]:
    return isinstance(event, ScreenedTurn | MemoryUpdate)


def is_held(event: Event) -> bool:
    """Current, readable, and found by meaning: memories that are active, and whatever has an embedding."""
    if isinstance(event, MemoryUpdate):
        return event.op == "upsert" and event.state == "active" and bool(event.sealed.embedding)
    return isinstance(event, ScreenedTurn) and bool(event.sealed.embedding)


def row(event: ScreenedTurn | MemoryUpdate, dimensions: int, *, sealed: bool = False) -> Row:
    """`sealed`: without its words, found by its vector alone (C7). Raises Permanent when the vector is not of the
    collection's dimensions."""
    own = _turn(event) if isinstance(event, ScreenedTurn) else _memory(event)
    texts = {name: cut(str(own.get(name) or ""), ID_BYTES) for name in TEXT_FIELDS}
    return {
        **own,
        **texts,
        "pk": key(event),
        "revision": event.revision,
        "occurred_at": _ms(event.occurred_at),
        "terms": "" if sealed else cut(" ".join(event.sealed.terms), TERMS_BYTES),
        "dense": _vector(event.sealed.embedding, dimensions),
    }


def _turn(e: ScreenedTurn) -> Row:
    return {
        "id": e.turn_id, "tenant": e.tenant, "owner_kind": "user", "owner_id": e.user_id, "user_id": e.user_id,
        "session_id": e.session_id, "project_id": e.project_id, "kind": "turn", "state": "active", "role": e.role,
        "version": 0, "accepted_at": _ms(e.accepted_at), "expires_at": _ms(e.expires_at),
    }  # fmt: skip


def _memory(e: MemoryUpdate) -> Row:
    return {
        "id": e.record_id, "tenant": e.tenant, "owner_kind": e.owner_kind.value, "owner_id": e.owner_id,
        "user_id": e.user_id, "session_id": e.session_id, "project_id": e.project_id, "kind": e.kind, "state": e.state,
        "scope": e.scope, "category": e.category, "episode_type": e.episode_type, "version": e.version,
        "accepted_at": _ms(e.known_at), "expires_at": _ms(e.expires_at),
    }  # fmt: skip


def erased_rows(e: Erasure, topic: str) -> str | None:
    """A filter for the rows that an erasure takes; None where the topic brought none of them."""
    literal = MilvusLayout.literal
    parts = [f"tenant == {literal(e.tenant)}", f"accepted_at <= {_ms(e.accepted_at)}"]
    if e.scope in ("user", "session") and e.stage != "project":
        parts += ['owner_kind == "user"', f"owner_id == {literal(e.user_id or '')}"]
        if e.scope == "session":
            parts.append(f"session_id == {literal(e.session_id or '')}")
    elif e.scope != "tenant":
        return None
    return " and ".join(parts)


def _ms(at: datetime | None) -> int:
    return 0 if at is None else int(at.timestamp() * 1000)


def _vector(raw: bytes, dimensions: int) -> npt.NDArray[np.float32]:
    """As an array: 512 numbers of Python's are eight times the size, for as long as a batch is written."""
    if len(raw) != 2 * dimensions:
        raise Permanent("embedding_dimensions", f"embedding: expected {dimensions} numbers of two bytes")
    vector = np.frombuffer(raw, dtype="<f2").astype(np.float32)
    if not np.isfinite(vector).all():
        raise Permanent("embedding_not_finite", "embedding: expected finite numbers")
    return vector


def cut(text: str, size: int) -> str:
    """The longest start of `text` within `size` bytes, at a character's boundary."""
    raw = text.encode()
    return text if len(raw) <= size else raw[:size].decode(errors="ignore")
