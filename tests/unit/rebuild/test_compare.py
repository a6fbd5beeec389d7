"""N1: two sides that are written while they are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memstream.reprocess.compare import Comparison, RevisionSide, behind, by_revision, compare
from memstream.reprocess.offsets import Eta
from sinks.contents import Bucket, Digest, Token, digests, hash64, part_of
from sinks.protocol import Mark

Rows = dict[tuple[str, str], tuple[int, str]]
"""(tenant, key) -> (revision, content)."""


class Held:
    """Rows of one view, as a side and as a store's contents."""

    def __init__(self, rows: Rows) -> None:
        self.rows_now = rows
        self.read = 0

    def _all(self) -> list[tuple[Bucket, str, Token]]:
        return [
            (Bucket("turns", t, part_of(k)), k, Token(revision, hash64(k, revision, content)))
            for (t, k), (revision, content) in self.rows_now.items()
        ]

    def buckets(self, generation: int = 1) -> dict[Bucket, Digest]:
        return digests((b, token) for b, _, token in self._all())

    def rows(self, *args: object) -> dict[str, Token]:
        self.read += 1
        return {k: token for b, k, token in self._all() if b == args[-1]}

    def part(self, key: str) -> str:
        return part_of(key)

    def progress(self, generation: int) -> dict[Mark, int]:
        return {}

    def drop(self, generation: int) -> None:
        self.rows_now.clear()

    def close(self) -> None:
        """Nothing to close."""


def rows(count: int, revision: int = 1) -> Rows:
    return {(f"t{n % 3}", f"k{n}"): (revision, f"text {n}") for n in range(count)}


def compared(a: Held, b: Held, catch_up: Callable[[], None] = lambda: None) -> Comparison:
    return compare(a, b, catch_up)


def test_n1_equal_sides_agree_without_reading_a_row() -> None:
    a, b = Held(rows(100)), Held(rows(100))
    found = compared(a, b)
    assert found.agrees
    assert found.rows == {"turns": (100, 100)}
    assert a.read == b.read == 0


def test_n1_a_row_that_one_side_lacks_or_has_otherwise_is_counted_by_what_it_is() -> None:
    a, b = Held(rows(50)), Held(rows(50))
    del b.rows_now["t0", "k0"]
    del a.rows_now["t1", "k1"]
    b.rows_now["t2", "k2"] = (1, "changed")
    found = compared(a, b)
    assert not found.agrees
    assert found.different == {("turns", "missing"): 1, ("turns", "extra"): 1, ("turns", "differs"): 1}
    assert "k0" not in str(found.as_json())


def test_n1_what_is_only_late_on_one_side_is_no_difference() -> None:
    a, b = Held(rows(50, revision=2)), Held(rows(50))

    def catch_up() -> None:
        b.rows_now = rows(50, revision=2)

    assert compared(a, b, catch_up).agrees


def test_n1_a_row_that_is_written_all_the_time_is_no_difference() -> None:
    a, b = Held(rows(20)), Held(rows(20))
    a.rows_now["t0", "k0"] = (2, "newer")
    turn = 2

    def catch_up() -> None:
        nonlocal turn
        turn += 1
        b.rows_now["t0", "k0"] = a.rows_now["t0", "k0"]
        a.rows_now["t0", "k0"] = (turn, "newer still")

    assert compared(a, b, catch_up).agrees


def test_n1_a_loss_is_found_among_rows_that_are_only_late() -> None:
    a, b = Held(rows(200, revision=2)), Held(rows(200))

    def catch_up() -> None:
        b.rows_now = {k: v for k, v in rows(200, revision=2).items() if k != ("t0", "k3")}

    assert compared(a, b, catch_up).different == {("turns", "missing"): 1}


def test_n1_beside_the_log_rows_are_compared_by_key_and_revision() -> None:
    held = Held(rows(30))
    side = RevisionSide(held, 7)
    wanted = digests(
        (Bucket("turns", t, part_of(k)), by_revision(k, revision)) for (t, k), (revision, _) in rows(30).items()
    )
    assert side.buckets() == wanted


def test_n1_a_marker_that_moved_with_a_tick_is_late_only_if_it_stays_so() -> None:
    mark, other = Mark("memory", 0, "turns/0"), Mark("memory", 1, "turns/1")
    new = {mark: 5, other: 3}

    def catch_up() -> None:
        new[mark] = 7

    assert behind({mark: 6, other: 3}, lambda: new, catch_up) == []
    assert behind({mark: 7, other: 4}, lambda: new, catch_up) == [other]


def test_eta_is_told_from_what_went() -> None:
    eta = Eta()
    assert eta.update(0.0, 1_000) is None
    assert eta.update(10.0, 600) == 15.0
    assert eta.update(11.0, 600) is not None
    assert eta.update(20.0, 0) == 0.0


def test_n1_a_marker_that_is_missed_while_it_is_replaced_is_looked_for_again() -> None:
    """A store that replaces by deleting and inserting shows a row in one look and not in the next."""
    mark = Mark("gate>memory.updates.v1", 1, "turns/1")
    looks: Iterator[dict[Mark, int]] = iter([{}, {mark: 6}])
    assert behind({mark: 6}, lambda: next(looks), lambda: None) == []
