"""Profiles: one domain as data."""
