"""What the policy `encrypt` took out of a turn, as it is kept: ciphertext under its user's data key (D5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from pydantic import Field

from schemas.base import Frozen, Id
from schemas.log.owner import Owner


class Original(NamedTuple):
    """A value, and the placeholder that stands for it in the text. In memory alone."""

    entity: str
    placeholder: str
    value: str


class Originals(Frozen):
    """Those of one entity in one turn. Opens for its owner, turn and entity alone."""

    entity: Id
    alg: str = Field(max_length=16)
    kid: str = Field(max_length=16)
    """Generation of the owner's data key."""
    ct: str
    """Base64."""


class NoDataKeys(Exception):  # noqa: N818 - it names what is missing
    """The policy says `encrypt`, and whoever applies it was given no keyring: nothing may be lost unsaid."""


class Keeper(Protocol):
    """Keeps originals so that they can be read again. The same originals of the same turn are the same bytes. Raises
    KeysAway."""

    def keep(self, owner: Owner, turn_id: str, taken: Sequence[Original]) -> tuple[Originals, ...]: ...


class NoKeeper:
    """Where there is no keyring."""

    def keep(self, owner: Owner, turn_id: str, taken: Sequence[Original]) -> tuple[Originals, ...]:
        raise NoDataKeys("the PII policy `encrypt` needs data keys, and this process was given no keyring")
