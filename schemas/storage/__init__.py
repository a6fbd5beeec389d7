"""Layouts and generations of the stores."""
