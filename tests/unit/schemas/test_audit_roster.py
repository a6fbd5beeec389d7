"""C10: a chain of the access log that was lost whole, or set back alone, is told by the list of chains."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.security.audit import MARKED, START, UNMARKED, Chain
from schemas.security.audit_roster import WHOLE, Roster, begins_without, faults
from tests.dates import fixed

KEY, OTHER = b"k" * 32, b"x" * 32
BEGUN = fixed(2026, 11, 2, 9)


def chain(number: int, seq: int, kind: str = "listed chain") -> Chain:
    made = Chain(number, 0, START, None, seq, START, b"")
    return replace(made, seal=made.sealed(KEY, kind))


CHAINS = [chain(0, 3), chain(3, 5)]
LISTED = Roster.of(KEY, BEGUN, {3: 5, 0: 3})


def found(roster: Roster | None, *chains: Chain, key: bytes = KEY) -> list[tuple[int, int, str]]:
    return [(f.chain, f.seq, f.what) for f in faults(key, roster, chains)]


def test_c10_chains_that_are_as_listed_have_no_fault() -> None:
    assert found(LISTED, *CHAINS) == []
    assert found(Roster.of(KEY, BEGUN, {})) == [], "a log that was begun and has no entry"


@pytest.mark.parametrize(("chains", "lost"), [
    ([CHAINS[0]], (3, 5, "lost")), ([CHAINS[0], chain(3, 4)], (3, 5, "lost")),
    ([CHAINS[0], chain(3, 4, MARKED)], (3, 5, "lost")), ([*CHAINS, chain(4, 1)], (4, 0, "lost")),
])  # fmt: skip
def test_m7_a_chain_that_was_lost_or_set_back_alone_is_found(chains: list[Chain], lost: tuple[int, int, str]) -> None:
    """Its row and its entries agree with themselves: it verified."""
    assert found(LISTED, *chains) == [lost]


def test_m7_a_list_that_was_set_back_with_its_chain_does_not_fit_the_others() -> None:
    earlier = Roster.of(KEY, BEGUN, {0: 3, 3: 4})
    assert found(earlier, chain(0, 4), chain(3, 4)) == [(0, 3, "lost")]


@pytest.mark.parametrize("changed", [
    replace(LISTED, seqs=[3, 4]), replace(LISTED, chains=[0, 4]), replace(LISTED, seqs=[3]),
    replace(LISTED, begun_at=fixed(2026, 11, 3, 9)), replace(LISTED, seal=b""),
])  # fmt: skip
def test_m7_a_list_that_was_changed_is_found(changed: Roster) -> None:
    assert found(changed, *CHAINS) == [(WHOLE, 0, "list")]
    assert found(LISTED, *CHAINS, key=OTHER) == [(WHOLE, 0, "list")]


def test_m7_an_emptied_log_does_not_verify() -> None:
    assert found(None) == [(WHOLE, 0, "list")]
    assert found(None, *CHAINS) == [(WHOLE, 0, "list")], "the list alone was taken away"


@pytest.mark.parametrize("kind", [MARKED, UNMARKED])
def test_c10_a_log_of_before_there_were_lists_gets_one(kind: str) -> None:
    older = [chain(0, 3, kind), chain(3, 5, kind)]
    assert found(None, *older) == []
    assert begins_without(KEY, older)
    assert not begins_without(KEY, CHAINS), "it would vouch for what is left"
    assert not begins_without(OTHER, older)
    assert found(LISTED, chain(0, 4, kind), older[1]) == [], "a process of before writes to it"
