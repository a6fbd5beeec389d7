"""Fills the catalogue's fields from the value's side, in Chinese: a value is found by its type wherever it stands in a
clause, then whose it is, whether it holds, and of which field."""
