"""Which outboxes hold no erasure, and erasures that are under way by age."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE stream.positions ADD COLUMN IF NOT EXISTS no_erasure_at bigint")
    op.execute("CREATE INDEX IF NOT EXISTS erasures_begun ON trust.erasures (tenant, started_at, erasure_id)")
    op.execute(
        "CREATE INDEX IF NOT EXISTS erasures_open ON trust.erasures (started_at, erasure_id) WHERE state = 'under_way'"
    )


def downgrade() -> None:
    op.execute("DROP INDEX trust.erasures_open")
    op.execute("DROP INDEX trust.erasures_begun")
    op.execute("ALTER TABLE stream.positions DROP COLUMN no_erasure_at")
