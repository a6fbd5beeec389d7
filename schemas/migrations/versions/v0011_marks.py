"""Entries of the access log that an erasure took words out of say so under the log's key (C10)."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for part in ("who", "what"):
        op.execute(f"ALTER TABLE audit.accesses ADD COLUMN IF NOT EXISTS {part}_gone bytea")


def downgrade() -> None:
    raise NotImplementedError("the access log is primary data")
