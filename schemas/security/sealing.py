"""The sealed part of a value (DESIGN "Time, tenancy, sealing").

Every topic value has a clear envelope (ids, times, types) and one `sealed` object (text, value,
embedding). Under the identity cipher the object stands there as it is; under any other it is
`{"alg", "kid", "ct"}`. A model in memory always holds the opened part.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

from schemas.log.owner import Owner

ENCRYPTED_KEYS = frozenset({"alg", "kid", "ct"})
Place: TypeAlias = tuple[str, ...]
"""Where a sealed text belongs: of a record its type and what names it (`schemas.log.places`), of a row of state its
step, owner and key."""
Bound: TypeAlias = Literal["owner", "place", "place_only"]
"""What new texts are bound to. `place_only`: and none opens that is bound to its owner alone."""


class SealedError(Exception):
    """The sealed part cannot be opened: unknown algorithm, or the owner's key has been destroyed (N6)."""


class KeyDestroyed(SealedError):  # noqa: N818 - it names what was done
    """The owner was erased: what was sealed under the key is gone, wherever a copy lies."""


class KeysAway(Exception):  # noqa: N818 - it names an outcome
    """The keyring does not answer now: the same call may be repeated. Never a reason to give a record up."""


class MasterKeyAway(KeysAway):
    """The keyring answers, but the master key that is needed is not here: waits for the operator."""


class Cipher(Protocol):
    """Seals and opens the JSON object of one owner, at its place alone. Both raise SealedError and KeysAway, without
    content."""

    def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]: ...

    def open(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]: ...


class IdentityCipher:
    """No encryption: the format is there from the first record, the cipher is a setting."""

    def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
        return plain

    def open(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]:
        if sealed.keys() == ENCRYPTED_KEYS:
            raise SealedError("the value is encrypted and no keyring is configured")
        return sealed
