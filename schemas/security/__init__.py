"""Sealing, keys, tenant scope and the access log."""
