"""Ranking mathematics of the read path: pure functions and one in-memory index, over numpy arrays."""
