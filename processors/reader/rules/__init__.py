"""Extraction: what one screened turn says about its owner, as memory candidates (B1-B4, D2)."""
