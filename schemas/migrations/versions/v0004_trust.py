"""Erasures with their reports, and the keyring (C7, C9, N6)."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import sql_text

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    connection.execute(sql_text("trust"))


def downgrade() -> None:
    raise NotImplementedError("erasures and the keyring are primary data")
