"""A random key kept beside the data when none is configured."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def key_from(configured: str, data_dir: Path, name: str = "hash.key") -> bytes:
    """The configured key, else the one in `data_dir/name`, made on first use (mode 0600, never overwritten).

    Raises ValueError for a configured key below 16 bytes.
    """
    if configured:
        if len(configured.encode()) < 16:
            raise ValueError("MEMSTREAM_HASH_KEY: must have 16 bytes or more")
        return configured.encode()
    path = data_dir / name
    data_dir.mkdir(parents=True, exist_ok=True)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return bytes.fromhex(path.read_text().strip())
    with os.fdopen(fd, "w") as f:
        f.write(secrets.token_hex(32))
        f.flush()
        os.fsync(f.fileno())
    return bytes.fromhex(path.read_text().strip())
