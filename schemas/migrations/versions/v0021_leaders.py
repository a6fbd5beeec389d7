"""The leaders of the logs that steps have read, and how many records of a loss nobody sends again."""

from __future__ import annotations

from alembic import op

from schemas.migrations import sql_text

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(sql_text("leaders"))


def downgrade() -> None:
    op.execute("DROP TABLE stream.former_leaders")
    op.execute("ALTER TABLE stream.positions DROP COLUMN leader_epoch, DROP COLUMN leader_offset")
    op.execute("ALTER TABLE ops.log_losses DROP COLUMN lost")
