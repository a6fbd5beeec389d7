"""Published schemas, and whether a change breaks them."""
