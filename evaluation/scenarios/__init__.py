"""Long natural talk, and whether what was said is in its right place."""
