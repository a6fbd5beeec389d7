"""The list of the access log's chains; data keys by their tenant; the scope `documents`, null of the keys there are."""

from __future__ import annotations

from typing import Any, cast

from alembic import op

from schemas.migrations import sql_text
from schemas.migrations.indexes import build_index

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = cast(Any, op.get_bind().connection.dbapi_connection)
    connection.execute(sql_text("audit"))
    # Before the file makes it, which would stop erasures and new keys meanwhile.
    build_index(
        "trust", "data_keys", "data_keys_tenant",
        "(split_part(owner, '/', 1), owner, generation) WHERE wrapped IS NOT NULL",
    )  # fmt: skip
    connection.execute(sql_text("trust"))
    op.execute("ALTER TABLE auth.keys ADD COLUMN IF NOT EXISTS documents boolean")


def downgrade() -> None:
    op.execute("ALTER TABLE auth.keys DROP COLUMN documents")
    op.execute("DROP INDEX trust.data_keys_tenant")
    op.execute("DROP TABLE audit.roster")
