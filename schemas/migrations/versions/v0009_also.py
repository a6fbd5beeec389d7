"""Memories know the ids that callers were told for the same said again."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import generations
from schemas.migrations.indexes import build_index
from schemas.storage.layouts import postgres_schema

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        schema = postgres_schema(generation)
        op.execute(f"ALTER TABLE {schema}.memories ADD COLUMN IF NOT EXISTS also text[] NOT NULL DEFAULT '{{}}'")
        build_index(schema, "memories", "memories_also", "USING gin (also) WHERE also <> '{}'")


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
