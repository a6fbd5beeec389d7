"""All that a round is made of, and the line of text that names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import Self

from tests.simulation.acts import Act, acts
from tests.simulation.load import Call, calls

RELEASE = version("memstream")
SECONDS_A_CALL = 0.8
"""Virtual seconds between two calls, on average: 30 calls take longer than two session timeouts."""
LONG_EVERY, SHORT, LONG = 20, 30, 200
"""Every so many-th round has more calls."""


class OtherReleaseError(ValueError):
    """A case of another release: what is drawn from its seed is another world."""


@dataclass(frozen=True)
class Plan:
    """`seed` draws calls, acts, and what happens between them. `kept_calls`, `kept_acts`: numbers of those that are
    left in; None: all. `durable`: topics flush before they acknowledge. `given`: calls and acts that are not drawn."""

    seed: int
    turns: int = SHORT
    kept_calls: tuple[int, ...] | None = None
    kept_acts: tuple[int, ...] | None = None
    durable: bool = True
    given: tuple[tuple[Call, ...], tuple[Act, ...]] | None = None

    @classmethod
    def exactly(cls, seed: int, calls: Sequence[Call], acts: Sequence[Act], durable: bool = True) -> Self:
        """Of these calls and acts, as a written test names them; `seed` draws what happens between them."""
        return cls(seed, len(calls), durable=durable, given=(tuple(calls), tuple(acts)))

    @classmethod
    def of(cls, seed: int, durable: bool = True) -> Self:
        return cls(seed, LONG if seed % LONG_EVERY == 0 else SHORT, durable=durable)

    @cached_property
    def calls(self) -> Sequence[Call]:
        found: Sequence[Call] = (
            self.given[0] if self.given else calls(self.seed, self.turns, self.turns * SECONDS_A_CALL)
        )
        return found if self.kept_calls is None else [found[i] for i in self.kept_calls]

    @cached_property
    def acts(self) -> Sequence[Act]:
        found: Sequence[Act] = (
            self.given[1] if self.given else acts(self.seed, self.turns * SECONDS_A_CALL, 10 * self.turns // SHORT)
        )
        return found if self.kept_acts is None else [found[i] for i in self.kept_acts]

    def keeping(self, calls: Sequence[int], acts: Sequence[int]) -> Plan:
        return replace(self, kept_calls=tuple(calls), kept_acts=tuple(acts))

    def whole(self) -> Plan:
        """With every number named."""
        kept = self.kept_calls, self.kept_acts
        return self.keeping(
            range(len(self.calls)) if kept[0] is None else kept[0],
            range(len(self.acts)) if kept[1] is None else kept[1],
        )

    def __str__(self) -> str:
        """The case, as `parse` reads it; of one that is given by value only words."""
        if self.given is not None:
            return f"seed {self.seed}, {len(self.calls)} calls and {len(self.acts)} acts that a test names"
        kept = ["all" if k is None else ",".join(map(str, k)) for k in (self.kept_calls, self.kept_acts)]
        return ":".join([RELEASE, str(self.seed), str(self.turns), *kept, "flushed" if self.durable else "unflushed"])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises OtherReleaseError, and ValueError for what is no case."""
        parts = text.split(":")
        if len(parts) != 6 or parts[5] not in ("flushed", "unflushed"):
            raise ValueError("expected RELEASE:SEED:TURNS:CALLS:ACTS:flushed|unflushed")
        if parts[0] != RELEASE:
            raise OtherReleaseError(f"this case is of release {parts[0]}, and this is {RELEASE}: run it there")
        kept = [None if k == "all" else tuple(int(i) for i in k.split(",") if i) for k in parts[3:5]]
        return cls(int(parts[1]), int(parts[2]), kept[0], kept[1], parts[5] == "flushed")
