"""API keys without a database."""

from __future__ import annotations

import base64
import secrets
from datetime import UTC, datetime
from typing import Any

from query.auth.book import KeyBook
from query.errors import store_down
from schemas.security.api_keys import PREFIX, digest

NOW = datetime(2026, 11, 22, tzinfo=UTC)
ALL = ["read", "write", "operator", "admin"]


class Rows:
    """Stands for auth.keys."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.away = False
        self.readings = 0

    async def of_system(self, statement: Any, **values: Any) -> list[dict[str, Any]]:
        self.readings += 1
        if self.away:
            raise store_down("postgres")
        return list(self.rows.values())

    def mint(self, tenant: str, scopes: list[str], **over: Any) -> str:
        name = base64.b32encode(secrets.token_bytes(8)).decode().lower()[:12]
        key = f"{PREFIX}{name}_{secrets.token_urlsafe(32)}"
        self.rows[name] = {
            "key_id": name, "tenant": tenant, "digest": digest(key), "scopes": scopes, "users": None, "projects": None,
            "documents": None, "expires_at": None, "revoked_at": None, **over,
        }  # fmt: skip
        return key


def book(rows: Rows, every: float = 0.0, stale: float = 300.0) -> KeyBook:
    return KeyBook(rows, lambda: NOW, every, stale)  # type: ignore[arg-type]
