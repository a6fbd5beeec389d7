"""Credentials: API keys and bearer tokens of an identity provider, mapped to a tenant's scope (C7)."""
