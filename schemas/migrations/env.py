"""Alembic's entry: runs the migrations on the connection (and in the transaction) that `upgrade` holds."""

from __future__ import annotations

from alembic import context

from schemas.migrations import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
