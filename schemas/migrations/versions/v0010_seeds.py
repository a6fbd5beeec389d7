"""The seeds' tables by their names, read from the views that hold them (A1, A3, A6, D7, D8, D9)."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import create_seeds, generations, wall

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        create_seeds(connection, generation)
    wall(connection)


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
