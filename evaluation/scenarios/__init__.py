"""Long natural talk, and whether what was said stands in its right place."""
