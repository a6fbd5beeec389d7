"""Rows of structured tables are found by tenant and table: the sink makes tables of tenants that have rows already.
The wall leaves out the tables in tenants' spaces."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import generations, wall_function
from schemas.migrations.indexes import build_index
from schemas.storage.layouts import postgres_schema

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        build_index(
            postgres_schema(generation), "memories", "memories_tables",
            "(tenant, category) WHERE kind = 'table' AND state = 'active' AND NOT deleted",
        )  # fmt: skip
    wall_function(connection)


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
