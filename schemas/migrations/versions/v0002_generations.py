"""Generations of the views beside the live ones (N1)."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS ops.generations (
        store      text        NOT NULL,
        generation integer     NOT NULL,
        state      text        NOT NULL CHECK (state IN ('building', 'standing', 'dropping', 'dropped')),
        embedder   text        NOT NULL DEFAULT '',
        made_at    timestamptz NOT NULL DEFAULT now(),
        changed_at timestamptz NOT NULL DEFAULT now(),
        report     jsonb,
        PRIMARY KEY (store, generation)
    )
    """,
    """
    INSERT INTO ops.generations (store, generation, state)
    SELECT store, generation, 'standing' FROM ops.live_views ON CONFLICT DO NOTHING
    """,
    "CREATE UNIQUE INDEX IF NOT EXISTS generations_building ON ops.generations (store) WHERE state = 'building'",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
