"""The reading role finds the records that a told id leads to by their index."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import create_told, generations, wall_function
from schemas.storage.layouts import postgres_schema

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    wall_function(connection)
    for generation in generations(connection):
        create_told(connection, generation)
        connection.execute("SELECT ops.wall(%s)", (postgres_schema(generation),))


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
