"""Rows of the views may hold their text as the log has sealed it (C7)."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import generations
from schemas.storage.layouts import postgres_schema

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        for table in ("turns", "memories", "decisions", "sessions", "checkpoints"):
            op.execute(
                f"ALTER TABLE {postgres_schema(generation)}.{table}"
                " ADD COLUMN IF NOT EXISTS sealed jsonb, ADD COLUMN IF NOT EXISTS sealed_for text"
            )


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
