"""Originals that the PII policy `encrypt` took out, under their user's data key (D5, N6).

AES-SIV (RFC 5297) under a key that is derived from the data key (HKDF, RFC 5869): deterministic, so that a step that is
run again writes the same bytes, and safe without a nonce. Owner, generation, turn and entity are authenticated, so
equal values of two turns differ, and nothing opens in another place.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from memstream.keyring.cipher import Keys, bound
from schemas.log.owner import Owner
from schemas.security.encrypted_values import Original, Originals
from schemas.security.sealing import SealedError

ALG = "A256SIV"
_SIV_BYTES = 64
_PURPOSE = b"memstream originals"


class Vault:
    """`Keeper`, and the way back. Both raise KeysAway."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def keep(self, owner: Owner, turn_id: str, taken: Sequence[Original]) -> tuple[Originals, ...]:
        """By entity, in their order; each spelling of a value once."""
        values_by_owner: dict[str, dict[tuple[str, str], None]] = {}
        for entity, placeholder, value in taken:
            values_by_owner.setdefault(entity, {})[placeholder, value] = None
        if not values_by_owner:
            return ()
        generation, key = self._keys.current(owner.key)
        siv = _siv(key)
        out = []
        for entity, values in values_by_owner.items():
            ct = siv.encrypt(orjson.dumps([list(v) for v in values]), _place(owner, generation, turn_id, entity))
            out.append(Originals(entity=entity, alg=ALG, kid=str(generation), ct=base64.b64encode(ct).decode()))
        return tuple(out)

    def open(self, owner: Owner, turn_id: str, kept: Originals) -> list[Original]:
        """Raises SealedError; KeyDestroyed where the owner was erased."""
        if kept.alg != ALG:
            raise SealedError(f"alg: expected {ALG}")
        try:
            generation, raw = int(kept.kid), base64.b64decode(kept.ct, validate=True)
        except (ValueError, binascii.Error):
            raise SealedError("expected kid, and ct in base64") from None
        siv = _siv(self._keys.key(owner.key, generation))
        try:
            plain = siv.decrypt(raw, _place(owner, generation, turn_id, kept.entity))
        except (InvalidTag, ValueError):
            raise SealedError("does not open under its owner's key") from None
        return [Original(kept.entity, str(placeholder), str(value)) for placeholder, value in orjson.loads(plain)]


def _siv(data_key: bytes) -> AESSIV:
    return AESSIV(HKDF(algorithm=SHA256(), length=_SIV_BYTES, salt=None, info=_PURPOSE).derive(data_key))


def _place(owner: Owner, generation: int, turn_id: str, entity: str) -> list[bytes]:
    return [bound(owner, generation), turn_id.encode(), entity.encode()]
