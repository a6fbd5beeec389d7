"""Decisions and checkpoints have a revision: their texts can be amended (N1, rescreen)."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import generations
from schemas.storage.layouts import postgres_schema

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        for table in ("decisions", "checkpoints"):
            op.execute(
                f"ALTER TABLE {postgres_schema(generation)}.{table}"
                " ADD COLUMN IF NOT EXISTS revision bigint NOT NULL DEFAULT 1"
            )


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
