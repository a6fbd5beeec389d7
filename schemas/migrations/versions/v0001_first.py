"""State of the steps, operations, and the first generation of views."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import create_generation, sql_text

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for name in ("stream", "ops"):
        connection.execute(sql_text(name))
    create_generation(connection, 1)


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
