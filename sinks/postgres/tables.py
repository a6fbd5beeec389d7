"""The tables of a generation as the sink writes them: columns, types, keys, and the statements made of them."""

from __future__ import annotations

from dataclasses import dataclass

Columns = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """`columns`: name and type, all of them. With `guard` (the revision column) a row is replaced only by a higher
    one; without it a row that stands stays as it is (its content is a function of its key)."""

    name: str
    key: tuple[str, ...]
    columns: Columns
    guard: str | None = None

    def upsert(self, schema: str) -> str:
        """One statement, one parameter: a JSON array of objects (bytea as base64). Rows affected = rows taken."""
        names = ", ".join(name for name, _ in self.columns)
        reads = ", ".join(f"decode(r.{n}, 'base64')" if t == "bytea" else f"r.{n}" for n, t in self.columns)
        record = ", ".join(f"{n} {'text' if t == 'bytea' else t}" for n, t in self.columns)
        return (
            f"INSERT INTO {schema}.{self.name} AS old ({names}) SELECT {reads} "  # noqa: S608 - names are constants
            f"FROM jsonb_to_recordset(%s::jsonb) AS r({record}) "
            f"ON CONFLICT ({', '.join(self.key)}) {self._on_conflict()}"
        )

    def _on_conflict(self) -> str:
        if self.guard is None:
            return "DO NOTHING"
        sets = ", ".join(f"{n} = EXCLUDED.{n}" for n, _ in self.columns if n not in self.key)
        return f"DO UPDATE SET {sets} WHERE old.{self.guard} < EXCLUDED.{self.guard}"


def _columns(text: str) -> Columns:
    pairs = (part.strip().split(" ", 1) for part in text.strip().split(","))
    return tuple((name, kind.strip()) for name, kind in pairs)


TURNS = Table(
    "turns",
    ("tenant", "user_id", "turn_id"),
    _columns(
        """tenant text, user_id text, turn_id text, revision bigint, session_id text, project_id text, agent_id text,
        interaction_id text, role text, speaker text, content text, intent text, language text, tokens integer,
        position bigint, content_hash text, terms text[], embedding bytea, model_id text, metadata jsonb, pii jsonb,
        refused boolean, profile text, profile_version integer, occurred_at timestamptz, accepted_at timestamptz,
        expires_at timestamptz, originals jsonb,
        sealed jsonb, sealed_for text"""
    ),
    guard="revision",
)
MEMORIES = Table(
    "memories",
    ("tenant", "record_id", "version"),
    _columns(
        """tenant text, record_id text, version integer, revision bigint, owner_kind text, owner_id text, kind text,
        state text, field text, fields text[], scope text, category text, episode_type text, namespace text[],
        key text, text text, value jsonb, attributes jsonb, importance real, confidence numeric, source text,
        priority integer, negated boolean, approximate boolean, user_id text, session_id text, project_id text,
        interaction_id text, language text, sources jsonb, reason jsonb, conflicts_with text[], also text[],
        terms text[],
        embedding bytea, model_id text, extractor text, profile text, profile_version integer,
        occurred_at timestamptz, valid_from timestamptz, valid_to timestamptz, known_at timestamptz,
        last_accessed_at timestamptz, expires_at timestamptz, deleted boolean,
        sealed jsonb, sealed_for text"""
    ),
    guard="revision",
)
DECISIONS = Table(
    "decisions",
    ("tenant", "decision_id"),
    _columns(
        """tenant text, decision_id text, revision bigint, owner_kind text, owner_id text, turn_id text,
        session_id text,
        ordinal integer, kind text, field text, fields text[], category text, record_id text, version integer,
        text text, value jsonb, outcome text, gate text, rule text, score double precision, extractor text,
        profile text, profile_version integer, accepted_at timestamptz,
        sealed jsonb, sealed_for text"""
    ),
    guard="revision",
)
SESSIONS = Table(
    "sessions",
    ("tenant", "user_id", "session_id"),
    _columns(
        """tenant text, user_id text, session_id text, revision bigint, status text, mode text,
        checkpoint_message_id text, segment integer, segment_start bigint, turn_count integer,
        segment_tokens integer, current_agent_key text, project_id text, updated_at timestamptz, body jsonb,
        sealed jsonb, sealed_for text"""
    ),
    guard="revision",
)
CHECKPOINTS = Table(
    "checkpoints",
    ("tenant", "user_id", "session_id", "message_id"),
    _columns(
        """tenant text, user_id text, session_id text, message_id text, revision bigint, segment integer,
        position bigint, summary text, extractive boolean, model text, created_at timestamptz,
        sealed jsonb, sealed_for text"""
    ),
    guard="revision",
)
TABLES = (TURNS, MEMORIES, DECISIONS, SESSIONS, CHECKPOINTS)


def progress_upsert(schema: str) -> str:
    """Parameters: arrays of stage, partition, root and next_offset."""
    return (
        f"INSERT INTO {schema}.progress AS old (stage, partition, root, next_offset, updated_at) "  # noqa: S608
        "SELECT u.*, now() FROM unnest(%s::text[], %s::int[], %s::text[], %s::bigint[]) AS u "
        "ON CONFLICT (stage, partition, root) DO UPDATE "
        "SET next_offset = GREATEST(old.next_offset, EXCLUDED.next_offset), updated_at = now()"
    )
