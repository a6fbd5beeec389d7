"""A package beside memstream: a step that counts turns by day, and a sink that fills a SQLite file."""
