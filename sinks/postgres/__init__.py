"""The Postgres sink."""
