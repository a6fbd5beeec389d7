"""A backup of Postgres: the steps' state and positions, the register of erasures, the access log, the views."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self

from tests.simulation.world import World


@dataclass(frozen=True, slots=True)
class Backup:
    """As of one moment. May be put back more than once."""

    _parts: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, world: World) -> Self:
        return cls(tuple(deepcopy({n: getattr(part, n) for n in names}) for part, names in _held(world)))

    def put_back(self, world: World) -> None:
        """In place: whoever holds a part goes on with it."""
        for (part, _), kept in zip(_held(world), self._parts, strict=True):
            for name, value in kept.items():
                setattr(part, name, deepcopy(value))


def _held(world: World) -> tuple[tuple[Any, tuple[str, ...]], ...]:
    """Objects and the attributes of theirs that Postgres holds."""
    return (
        (world.state.data, ("rows", "_expiry", "_positions", "_former", "_kept")),
        (world.trust.register, ("entries", "found_at", "requests", "forgotten")),
        (world.views.read("postgres"), ("rows", "_progress", "_written_at")),
    )
