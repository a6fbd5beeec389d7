"""Rows of structured tables are found by tenant and table: the sink makes tables of tenants that have rows already. The
wall between tenants leaves out tables in their spaces."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import generations, sql_text
from schemas.storage.layouts import postgres_schema

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    connection.execute(sql_text("wall"))
    for generation in generations(connection):
        op.execute(
            f"CREATE INDEX IF NOT EXISTS memories_tables ON {postgres_schema(generation)}.memories "
            "(tenant, category) WHERE kind = 'table' AND state = 'active' AND NOT deleted"
        )


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
