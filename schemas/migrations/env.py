"""Alembic's entry: runs the migrations on the connection that `upgrade` holds, each in a transaction of its own: locks
are given back after each, and a migration may build an index outside of one."""

from __future__ import annotations

from alembic import context

from schemas.migrations import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], version_table=VERSION_TABLE, transaction_per_migration=True
)
context.run_migrations()
