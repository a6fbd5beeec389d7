"""Structured tables go into a space of each tenant's. The Postgres sink makes them there, and fills them from
`memories`; those that tenants shared are dropped."""

from __future__ import annotations

from typing import Any, cast

from alembic import op
from psycopg import errors, sql

from schemas.migrations import generations
from schemas.storage.layouts import postgres_schema
from schemas.storage.relations import HOME

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None
_OURS = ("turns", "memories", "decisions", "sessions", "checkpoints", "progress", "archive")
_SHARED = """
SELECT t.table_name FROM information_schema.tables t
JOIN information_schema.columns c USING (table_schema, table_name)
WHERE t.table_schema = %s AND t.table_type = 'BASE TABLE' AND t.table_name <> ALL(%s) AND strpos(t.table_name, '/') = 0
  AND c.column_name IN ('tenant', 'record_id', 'user_id', 'key', 'revision', 'created_at', 'updated_at')
GROUP BY 1 HAVING count(*) = 7
"""


def upgrade() -> None:
    """A transaction a table: all in one would take more locks than a server has, and meet the sinks' in another order.
    A run that was ended finds those that are left."""
    with op.get_context().autocommit_block():
        connection = cast(Any, op.get_bind().connection.dbapi_connection)
        for generation in generations(connection):
            schema = postgres_schema(generation)
            for (name,) in connection.execute(_SHARED, (schema, list(_OURS))).fetchall():
                place = sql.Identifier(schema, name)
                try:
                    connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(place))
                except errors.DependentObjectsStillExist:  # a view of the operator's: it shows the home tenant's rows
                    connection.execute(sql.SQL("DELETE FROM {} WHERE tenant <> %s").format(place), (HOME,))


def downgrade() -> None:
    raise NotImplementedError("views are rebuilt from the log, not migrated back")
