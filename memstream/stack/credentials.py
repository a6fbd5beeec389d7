"""Passwords of the embedded servers: without one every user of the machine could connect, and as Postgres' superuser
run programs under the account of `memstream up`."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from memstream.secretfile import key_from

FILE = "servers.key"


def password(data_dir: Path, server: str) -> str:
    """Of a server on this data folder: 64 hex digits, the same at each start, another one for each server.

    Raises ValueError where the key's file holds none.
    """
    return hmac.new(key_from("", data_dir, FILE), server.encode(), hashlib.sha256).hexdigest()
