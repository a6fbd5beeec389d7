"""Turns keep what the policy `encrypt` took out of them, as ciphertext (D5)."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import generations
from schemas.storage.layouts import postgres_schema

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        op.execute(f"ALTER TABLE {postgres_schema(generation)}.turns ADD COLUMN IF NOT EXISTS originals jsonb")


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
