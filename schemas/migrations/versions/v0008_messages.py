"""Turns and checkpoints as the seed's ai_message (E3)."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import create_messages, generations, wall

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        create_messages(connection, generation)
    wall(connection)


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
