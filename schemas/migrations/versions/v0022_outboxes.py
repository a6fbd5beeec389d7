"""Outputs of steps that are kept past the flush of the brokers."""

from __future__ import annotations

from alembic import op

from schemas.migrations import sql_text

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(sql_text("outboxes"))


def downgrade() -> None:
    op.execute("DROP TABLE stream.outboxes")
