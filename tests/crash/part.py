"""A part of the owners of a round: a step's state is an owner's own, so a part is decided as in the whole."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.log.codec import header
from schemas.log.owner import Owner, OwnerKind
from streams.runner import Message
from tests.crash.log import Log, source_of


@dataclass(frozen=True, slots=True)
class Part:
    """Every `nth` owner."""

    nth: int = 1

    def has(self, tenant: str, kind: str, name: str) -> bool:
        return self._takes(Owner(tenant, OwnerKind(kind), name).key.encode())

    def takes(self, m: Message) -> bool:
        """Also what has no owner: ticks, markers."""
        owner = header(m.headers, "owner")
        return owner is None or self._takes(owner)

    def of(self, log: Log) -> Log:
        return log if self.nth <= 1 else {place: [m for m in found if self.takes(m)] for place, found in log.items()}

    def _takes(self, owner: bytes) -> bool:
        return self.nth <= 1 or sum(owner) % self.nth == 0


def of_same_sources(log: Log, like: Log) -> Log:
    """What comes from records that `like` comes from, too: where owners meet, a part cannot say what is too much."""
    sources = {source_of(m) for found in like.values() for m in found}
    return {place: [m for m in found if source_of(m) in sources] for place, found in log.items()}
