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
from schemas.security.sealing import Bound, Place, SealedError

ALG = "A256GCM"
"""Bound to its owner and the key's generation."""
ALG_PLACE = "A256GCM-P"
"""To its place, too."""
NONCE_BYTES = 12
MAGIC, _MAGIC_PLACE = b"\x00sealed1", b"\x00sealed2"
"""Before a sealed state row of either form: no JSON begins with a null byte."""
_ELSEWHERE = "does not open under its owner's key at this place"


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
    """`Cipher` of schemas.security.sealing, and the same for bytes. Owner, generation of the key and place are
    authenticated with the text, so a value that is moved does not open. `to`: what is written, and whether texts that
    are bound to their owner alone, as they were written before, still open."""

    def __init__(self, keys: Keys, to: Bound = "place") -> None:
        self._keys = keys
        self._placed, self._opens_older = to != "owner", to != "place_only"

    def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
        generation, raw = self._sealed(owner, orjson.dumps(plain), place)
        alg = ALG_PLACE if self._placed else ALG
        return {"alg": alg, "kid": str(generation), "ct": base64.b64encode(raw).decode()}

    def open(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]:
        """Raises SealedError; KeyDestroyed where the owner was erased."""
        alg = sealed.get("alg")
        if alg not in (ALG, ALG_PLACE):
            raise SealedError(f"alg: expected {ALG_PLACE} or {ALG}")
        try:
            generation = int(sealed["kid"])
            raw = base64.b64decode(sealed["ct"], validate=True)
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise SealedError("expected alg, kid and ct in base64") from None
        opened: Any = orjson.loads(self._opened(owner, generation, raw, place if alg == ALG_PLACE else None))
        if not isinstance(opened, dict):
            raise SealedError("holds no JSON object")
        return opened

    def seal_bytes(self, owner: Owner, plain: bytes, place: Place) -> bytes:
        generation, raw = self._sealed(owner, plain, place)
        return (_MAGIC_PLACE if self._placed else MAGIC) + generation.to_bytes(4, "big") + raw

    def open_bytes(self, owner: Owner, raw: bytes, place: Place) -> bytes:
        """What was stored before encryption was switched on comes back as it is."""
        if not raw.startswith((MAGIC, _MAGIC_PLACE)):
            return raw
        at = len(MAGIC) + 4
        generation = int.from_bytes(raw[len(MAGIC) : at], "big")
        return self._opened(owner, generation, raw[at:], place if raw.startswith(_MAGIC_PLACE) else None)

    def _sealed(self, owner: Owner, plain: bytes, place: Place) -> tuple[int, bytes]:
        generation, key = self._keys.current(owner.key)
        nonce = os.urandom(NONCE_BYTES)
        associated_data = at_place(owner, generation, place) if self._placed else bound(owner, generation)
        return generation, nonce + AESGCM(key).encrypt(nonce, plain, associated_data)

    def _opened(self, owner: Owner, generation: int, raw: bytes, place: Place | None) -> bytes:
        """`place` None: bound to its owner alone."""
        if place is None and not self._opens_older:
            raise SealedError("is bound to its owner alone, which MEMSTREAM_SEALED_TO refuses")
        key = self._keys.key(owner.key, generation)
        associated_data = bound(owner, generation) if place is None else at_place(owner, generation, place)
        try:
            return AESGCM(key).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], associated_data)
        except (InvalidTag, ValueError):
            raise SealedError("does not open under its owner's key" if place is None else _ELSEWHERE) from None


def bound(owner: Owner, generation: int) -> bytes:
    """What is authenticated with every text: whose, and under which of their keys."""
    return f"{owner.key}#{generation}".encode()


def at_place(owner: Owner, generation: int, place: Place) -> bytes:
    """The same with where it belongs. As JSON, so that no part can imitate another; no owner's key begins with `[`.
    Raises SealedError where the place is not known."""
    if not place:
        raise SealedError("its place is not known")
    return orjson.dumps([owner.key, generation, *place])
