"""The session step: one whole session value a revision."""
