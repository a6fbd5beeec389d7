"""Keys, the access log, and the second wall between tenants (C7, C10)."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import sql_text, wall

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    for name in ("auth", "audit"):
        connection.execute(sql_text(name))
    wall(connection)


def downgrade() -> None:
    raise NotImplementedError("keys and the access log are primary data")
