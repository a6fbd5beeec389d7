"""How many memories and store items a user may have, and what happens at the bound (docs/state-bounds.md).

A new memory takes the place of the one that is missed least: observed ones first, then what turns told of episodes and
relations and what was inferred; of these the least important, of those the longest unused. It ends as one whose days
are over: deleted, or archived where its class says so, with the reason `made_room`; what it wrote into hot memory
leaves, too. What the user stated as a fact,
preference or intent, confirmed, or had remembered never leaves that way: where nothing else is left, or only what is
worth more than the new one, the new one is refused (`full`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from processors.memory import retention
from processors.memory.index import leaves_by
from processors.memory.project_notices import expired
from processors.memory.store import UserMemoryStore
from processors.step import Emit
from schemas.events.envelope import SourceTurn
from schemas.events.memory import MemoryUpdate
from schemas.log.owner import Owner
from schemas.profile.model import Profile


class Room:
    """For new memories of one user."""

    def __init__(
        self, owner: Owner, store: UserMemoryStore, profile: Profile, at: datetime, turn: SourceTurn | None = None
    ) -> None:
        """`turn`: what comes in was said there, and its outcome tells what left."""
        self._owner = owner
        self._store = store
        self._profile = profile
        self._at = at
        self._turn = turn

    @property
    def crowded(self) -> bool:
        return self._store.memories >= self._profile.bounds.memories

    def made_for(self, new: MemoryUpdate) -> Sequence[Emit] | None:
        """What has to leave before `new` comes in; None where it has to stay out. A record that stands needs none."""
        out: list[Emit] = []
        if self._store.get(new.record_id) is not None:
            return out
        rank = leaves_by(new)
        while self.crowded:
            least = self._store.least()
            if least is None or (rank is not None and rank < (leaves_by(least) or rank)):
                return None
            out += retention.retired(self._owner, self._store, self._profile, least, "made_room", self._at, self._turn)
            out += expired(self._owner, self._store, least.record_id, least, self._at)
        return out

    def no_item(self, name: str) -> bool:
        """No room for a store item that is not there yet."""
        return self._store.get(name) is None and self._store.items >= self._profile.bounds.items
