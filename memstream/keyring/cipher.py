"""AES-256-GCM over the sealed part of a value and over state rows, under the keyring's data keys (C7)."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from schemas.log.owner import Owner
from schemas.security.sealing import SealedError

ALG = "A256GCM"
NONCE_BYTES = 12
_MAGIC = b"\x00sealed1"
"""Before a sealed state row: no JSON begins with a null byte."""


class Keys(Protocol):
    def current(self, owner: str) -> tuple[int, bytes]: ...

    def key(self, owner: str, generation: int) -> bytes: ...


class WaitedKeys:
    """`Keys` of which whoever asks says that it waits (`waiting`): they may have to be read from Postgres."""

    def __init__(self, keys: Keys, waiting: Callable[[], AbstractContextManager[None]]) -> None:
        self._keys, self._waiting = keys, waiting

    def current(self, owner: str) -> tuple[int, bytes]:
        with self._waiting():
            return self._keys.current(owner)

    def key(self, owner: str, generation: int) -> bytes:
        with self._waiting():
            return self._keys.key(owner, generation)


class AesCipher:
    """`Cipher` of schemas.security.sealing, and the same for bytes. The owner and the key's generation are
    authenticated with the text, so a value that is moved to another owner does not open."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def seal(self, owner: Owner, plain: dict[str, Any]) -> dict[str, Any]:
        generation, raw = self._sealed(owner, orjson.dumps(plain))
        return {"alg": ALG, "kid": str(generation), "ct": base64.b64encode(raw).decode()}

    def open(self, owner: Owner, sealed: dict[str, Any]) -> dict[str, Any]:
        """Raises SealedError; KeyDestroyed where the owner was erased."""
        if sealed.get("alg") != ALG:
            raise SealedError(f"alg: expected {ALG}")
        try:
            generation = int(sealed["kid"])
            raw = base64.b64decode(sealed["ct"], validate=True)
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise SealedError("expected alg, kid and ct in base64") from None
        opened: Any = orjson.loads(self._opened(owner, generation, raw))
        if not isinstance(opened, dict):
            raise SealedError("holds no JSON object")
        return opened

    def seal_bytes(self, owner: Owner, plain: bytes) -> bytes:
        generation, raw = self._sealed(owner, plain)
        return _MAGIC + generation.to_bytes(4, "big") + raw

    def open_bytes(self, owner: Owner, raw: bytes) -> bytes:
        """What was stored before encryption was switched on comes back as it is."""
        if not raw.startswith(_MAGIC):
            return raw
        at = len(_MAGIC) + 4
        return self._opened(owner, int.from_bytes(raw[len(_MAGIC) : at], "big"), raw[at:])

    def _sealed(self, owner: Owner, plain: bytes) -> tuple[int, bytes]:
        generation, key = self._keys.current(owner.key)
        nonce = os.urandom(NONCE_BYTES)
        return generation, nonce + AESGCM(key).encrypt(nonce, plain, bound(owner, generation))

    def _opened(self, owner: Owner, generation: int, raw: bytes) -> bytes:
        key = self._keys.key(owner.key, generation)
        try:
            return AESGCM(key).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], bound(owner, generation))
        except (InvalidTag, ValueError):
            raise SealedError("does not open under its owner's key") from None


def bound(owner: Owner, generation: int) -> bytes:
    """What is authenticated with every text: whose, and under which of their keys."""
    return f"{owner.key}#{generation}".encode()
