"""What a question limits, as conditions of SQL: a value that is NULL limits nothing. The values are those of
`query.search.limits.postgres`."""

from __future__ import annotations


def _any(column: str, name: str) -> str:
    return f"(%({name})s::text[] IS NULL OR {column} = ANY(%({name})s))"


_EITHER = """(%(since)s::timestamptz IS NULL OR occurred_at >= %(since)s)
      AND (%(until)s::timestamptz IS NULL OR occurred_at < %(until)s)
      AND (%(session)s::text IS NULL OR session_id = %(session)s)"""

TURNS = " AND ".join(
    [
        *(_any(n, n) for n in ("role", "intent", "language")),
        # What is sealed is asked once it is opened.
        f"(sealed IS NOT NULL OR {_any('speaker', 'speaker')})",
        _EITHER,
        # Each wanted key with any of its values: a JSON list contains its members.
        """(%(metadata)s::jsonb IS NULL OR sealed IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) AS wanted(name, any_of)
        WHERE NOT COALESCE(wanted.any_of @> (metadata -> wanted.name), false)))""",
        "(%(within)s::text IS NULL OR project_id = %(within)s)",
        "(%(as_of)s::timestamptz IS NULL OR occurred_at <= %(as_of)s)",
    ]
)
MEMORIES = " AND ".join(
    [
        *(_any(n, n) for n in ("field", "category", "scope", "episode_type", "source", "language")),
        _any("owner_id", "document_id"),
        _EITHER,
        """(%(namespace)s::text[] IS NULL
        OR namespace[1:cardinality(%(namespace)s::text[])] = %(namespace)s::text[])""",
        "(%(within)s::text IS NULL OR project_id IS NULL OR project_id = %(within)s)",
    ]
)
CURRENT = """CASE WHEN %(as_of)s::timestamptz IS NULL
        THEN state = 'active' AND (expires_at IS NULL OR expires_at > %(now)s)
        ELSE (state IN ('active', 'superseded') OR (state = 'archived' AND kind = 'chunk' AND valid_to IS NOT NULL))
          AND COALESCE(valid_from, occurred_at) <= %(as_of)s
          AND (valid_to IS NULL OR valid_to > %(as_of)s OR (kind = 'episode' AND state = 'active')) END"""
"""Versions that stand, or that were true at the time asked for (N8)."""
