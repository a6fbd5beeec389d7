"""What logs have lost, as recovery found it."""

from __future__ import annotations

from alembic import op

from schemas.migrations import sql_text

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(sql_text("recovery"))


def downgrade() -> None:
    op.execute("DROP TABLE ops.log_losses")
