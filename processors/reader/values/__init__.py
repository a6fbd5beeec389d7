"""Reads fields by their values: what in a clause may be a value of which field, and whether the speaker says it."""
