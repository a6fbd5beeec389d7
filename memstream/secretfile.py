"""Files that hold keys: a random one beside the data when none is configured, and copies of others."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def key_from(
    configured: str, data_dir: Path, name: str = "hash.key", setting: str = "MEMSTREAM_HASH_KEY"
) -> bytes:
    """The configured key, else the one in `data_dir/name`, made on first use (mode 0600, never overwritten).

    Processes that start at once get the same key: the file appears whole, under its name, for the first of them.
    Raises ValueError for a configured key below 16 bytes, and for a file that holds none.
    """
    if configured:
        if len(configured.encode()) < 16:
            raise ValueError(f"{setting}: must have 16 bytes or more")
        return configured.encode()
    path = data_dir / name
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        _make(path)
    key = bytes.fromhex(path.read_text().strip())
    if len(key) < 16:
        raise ValueError(f"{path}: holds no key of 16 bytes or more")
    return key


def _make(path: Path) -> None:
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(fd, "w") as f:
            f.write(secrets.token_hex(32))
            f.flush()
            os.fsync(f.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)


def replace_private(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, mode 0600 whatever the file had that it replaces."""
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(content)
            f.flush()
            os.fsync(f.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
