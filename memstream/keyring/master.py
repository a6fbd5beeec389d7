"""Master keys: what wraps data keys. A file or the environment here; a key service behind the same three methods."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_NONCE_BYTES = 12


class MasterKeyError(Exception):
    """A master key is missing, malformed, or does not fit; the message names the key id, never key bytes."""


class MasterKeys(Protocol):
    """What a key service has to offer. Calls may block; they are made once an owner and process."""

    @property
    def current(self) -> str:
        """Id of the key that wraps from now on."""
        ...

    def look(self) -> None:
        """See whether another key is current by now. Raises MasterKeyError."""
        ...

    def wrap(self, data_key: bytes, context: bytes) -> bytes: ...

    def unwrap(self, key_id: str, wrapped: bytes, context: bytes) -> bytes:
        """Raises MasterKeyError."""
        ...


class LocalMasterKeys:
    """32-byte keys by id. With a file, one that is not known is looked for there again: so a rotation by another
    process needs no restart."""

    def __init__(self, keys: dict[str, bytes], current: str, path: Path | None = None) -> None:
        self._keys, self._current, self._path = keys, current, path

    @classmethod
    def of_environment(cls, text: str) -> LocalMasterKeys:
        """64 hex digits; several, the current one first, separated by commas. Raises MasterKeyError."""
        keys = [_parsed(part.strip()) for part in text.split(",")]
        return cls({fingerprint(k): k for k in keys}, fingerprint(keys[0]))

    @classmethod
    def of_file(cls, path: Path) -> LocalMasterKeys:
        """Made on first use, mode 0600. Raises MasterKeyError."""
        if not path.exists():
            key = secrets.token_bytes(KEY_BYTES)
            _write(path, {fingerprint(key): key}, fingerprint(key), new=True)
        keys, current = _read(path)
        return cls(keys, current, path)

    @property
    def current(self) -> str:
        return self._current

    def look(self) -> None:
        if self._path is not None:
            self._keys, self._current = _read(self._path)

    def wrap(self, data_key: bytes, context: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + AESGCM(self._key(self._current)).encrypt(nonce, data_key, context)

    def unwrap(self, key_id: str, wrapped: bytes, context: bytes) -> bytes:
        try:
            return AESGCM(self._key(key_id)).decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], context)
        except InvalidTag:
            raise MasterKeyError(f"the master key {key_id} does not open a data key that names it") from None

    def rotate(self) -> str:
        """A new current key in the file; the others stay until they are dropped. Raises MasterKeyError."""
        if self._path is None:
            raise MasterKeyError("master keys of the environment are rotated there: put the new one first")
        key = secrets.token_bytes(KEY_BYTES)
        self._keys[fingerprint(key)] = key
        self._current = fingerprint(key)
        _write(self._path, self._keys, self._current)
        return self._current

    def drop_others(self) -> int:
        """Forget every key but the current one; how many."""
        others = [k for k in self._keys if k != self._current]
        for key_id in others:
            del self._keys[key_id]
        if self._path is not None and others:
            _write(self._path, self._keys, self._current)
        return len(others)

    def _key(self, key_id: str) -> bytes:
        if key_id not in self._keys:
            self.look()
        if key_id not in self._keys:
            raise MasterKeyError(f"no master key {key_id}: it is neither in the file nor in the environment")
        return self._keys[key_id]


class LazyMasterKeys:
    """Those of `make`, asked for when a key is first wrapped or unwrapped: where encryption is off most processes never
    need one, and no file is made for nothing."""

    def __init__(self, make: Callable[[], MasterKeys]) -> None:
        self._make = make
        self._made: MasterKeys | None = None

    @property
    def current(self) -> str:
        return self._keys().current

    def look(self) -> None:
        self._keys().look()

    def wrap(self, data_key: bytes, context: bytes) -> bytes:
        return self._keys().wrap(data_key, context)

    def unwrap(self, key_id: str, wrapped: bytes, context: bytes) -> bytes:
        return self._keys().unwrap(key_id, wrapped, context)

    def _keys(self) -> MasterKeys:
        if self._made is None:
            self._made = self._make()
        return self._made


def fingerprint(key: bytes) -> str:
    return hashlib.sha256(b"memstream master key" + key).hexdigest()[:12]


def _parsed(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise MasterKeyError("MEMSTREAM_MASTER_KEY: expected 64 hex digits a key, separated by commas")
    return key


def _read(path: Path) -> tuple[dict[str, bytes], str]:
    try:
        data = orjson.loads(path.read_bytes())
        keys = {str(k): bytes.fromhex(v) for k, v in data["keys"].items()}
        return keys, str(data["current"])
    except (OSError, ValueError, KeyError, AttributeError) as exc:
        raise MasterKeyError(f"{path}: holds no master keys ({type(exc).__name__})") from None


def _write(path: Path, keys: dict[str, bytes], current: str, *, new: bool = False) -> None:
    """Whole or not at all. `new`: the first process to write wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(fd, "wb") as f:
        f.write(orjson.dumps({"current": current, "keys": {k: v.hex() for k, v in keys.items()}}))
        f.flush()
        os.fsync(f.fileno())
    if not new:
        os.replace(name, path)
        return
    try:
        os.link(name, path)
    except FileExistsError:
        return
    finally:
        os.unlink(name)
