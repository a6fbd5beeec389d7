"""Which erasures are looked at next: tenants take turns, and of each its erasures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice, zip_longest

from memstream.erasure.ports import AT_ONCE, Register, UnderWay


class Turns:
    """A thousand requests of one tenant are behind the one of another: of many tenants, those come first that were
    looked at longest ago. Of a tenant each look goes on behind the one before: one that waits, or fails, for ever holds
    up no other."""

    def __init__(self) -> None:
        self._behind: dict[str, UnderWay] = {}
        """The last one of a tenant that was looked at; without: begin with its oldest."""
        self._served: dict[str, int] = {}
        """The look in which a tenant had its last turn."""
        self._looks = 0
        self._ends: set[str] = set()
        """Tenants whose newest erasure is on the page."""

    def page(self, register: Register) -> list[UnderWay]:
        """`AT_ONCE` at most. Raises Away."""
        tenants = register.tenants()
        for known in (self._behind, self._served):
            for tenant in known.keys() - set(tenants):
                del known[tenant]
        first = sorted(tenants, key=lambda t: self._served.get(t, 0))[:AT_ONCE]
        found = {tenant: self._of(register, tenant) for tenant in first}
        by_rank = chain.from_iterable(zip_longest(*found.values()))
        page = list(islice((u for u in by_rank if u is not None), AT_ONCE))
        newest = {u.erasure.tenant: u for u in page}
        self._ends = {t for t, u in newest.items() if found[t][-1] is u and len(found[t]) < AT_ONCE}
        self._looks += 1
        self._served.update(dict.fromkeys(newest, self._looks))
        return page

    def passed(self, page: Sequence[UnderWay], failed: Mapping[str, UnderWay]) -> None:
        """The page was looked at, but for what lies behind an erasure of its tenant that `failed`."""
        for tenant, last in {u.erasure.tenant: u for u in page}.items():
            if tenant in failed or tenant not in self._ends:
                self._behind[tenant] = failed.get(tenant, last)
            else:
                self._behind.pop(tenant, None)

    def _of(self, register: Register, tenant: str) -> Sequence[UnderWay]:
        behind = self._behind.get(tenant)
        return (register.under_way(behind, tenant) if behind is not None else ()) or register.under_way(None, tenant)
