"""Which outboxes hold no erasure; erasures by age and by user, and the records that they name."""

from __future__ import annotations

from alembic import op

from schemas.migrations.indexes import build_index

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE stream.positions ADD COLUMN IF NOT EXISTS no_erasure_at bigint")
    op.execute("ALTER TABLE trust.erasures ADD COLUMN IF NOT EXISTS record_ids text[] NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE trust.erasures ADD COLUMN IF NOT EXISTS named_at timestamptz")
    build_index("trust", "erasures", "erasures_begun", "(tenant, started_at, erasure_id)")
    build_index("trust", "erasures", "erasures_open", "(started_at, erasure_id) WHERE state = 'under_way'")
    build_index("trust", "erasures", "erasures_user", "(tenant, user_id)")


def downgrade() -> None:
    op.execute("ALTER TABLE trust.erasures DROP COLUMN named_at")
    op.execute("ALTER TABLE trust.erasures DROP COLUMN record_ids")
    op.execute("DROP INDEX trust.erasures_user")
    op.execute("DROP INDEX trust.erasures_open")
    op.execute("DROP INDEX trust.erasures_begun")
    op.execute("ALTER TABLE stream.positions DROP COLUMN no_erasure_at")
