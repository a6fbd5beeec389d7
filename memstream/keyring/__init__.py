"""Data keys of owners, wrapped by a master key; the cipher that seals topic values and state under them (C7, N6)."""
