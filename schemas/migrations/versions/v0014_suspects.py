"""Records that held a step too long."""

from __future__ import annotations

from alembic import op

from schemas.migrations import sql_text

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(sql_text("suspects"))


def downgrade() -> None:
    op.execute("DROP TABLE stream.suspects")
