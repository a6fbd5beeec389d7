"""Items are found by their project."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import generations
from schemas.migrations.indexes import build_index
from schemas.storage.layouts import postgres_schema

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for generation in generations(connection):
        build_index(
            postgres_schema(generation), "memories", "memories_project_items",
            "(tenant, project_id) WHERE kind = 'item' AND project_id IS NOT NULL",
        )  # fmt: skip


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
