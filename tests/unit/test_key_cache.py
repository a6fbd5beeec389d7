"""The keyring's copy of data keys in a process: bounded whatever fills it, and cheap to bring up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from memstream.keyring import statements
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.store import Keyring
from schemas.security.sealing import KeyDestroyed

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
BOUND = 10
Row = tuple[object, ...]


class Rows:
    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def fetchall(self) -> list[Row]:
        return self.rows

    def fetchone(self) -> Row | None:
        return self.rows[0] if self.rows else None


class KeyTable:
    """A connection to a `trust.data_keys` where every owner has the generations 1 and 2."""

    closed = False

    def __init__(self, masters: LocalMasterKeys) -> None:
        self.masters = masters
        self.changed: list[str] = []
        self.destroyed: set[str] = set()
        self.opened: list[tuple[object, object]] = []
        """Owner and generation of each key that was read, in order."""
        self.newest_of: list[object] = []
        self.of_tenant: list[Row] = []
        """Owner and generation of its keys that stand."""

    def execute(self, query: str, values: tuple[object, ...] = ()) -> Rows:
        if query == statements.DESTROY_PAGE:
            *_, behind, generation, page_size = values
            page = [k for k in self.of_tenant if k > (behind, generation)][: int(str(page_size))]
            self.of_tenant = [k for k in self.of_tenant if k not in page]
            return Rows(list(page))
        if "UNION ALL" in query:
            most = int(str(values[1]))
            return Rows([*((owner, NOW) for owner in self.changed[:most]), (None, NOW)])
        if "generation = %s" in query:
            owner, generation = values
            self.opened.append((owner, generation))
            wrapped = self.masters.wrap(b"k" * 32, f"{owner}#{generation}".encode())
            return Rows([(self.masters.current, None if owner in self.destroyed else wrapped)])
        self.newest_of.append(values[0])
        return Rows([(2, self.masters.current, b"wrapped")])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        yield


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> KeyTable:
    """What a keyring connects to. It looks for changes at every call and keeps `BOUND` keys."""
    table = KeyTable(LocalMasterKeys.of_environment("11" * 32))
    monkeypatch.setattr("memstream.keyring.store.postgres_connections.connect", lambda *_, **__: table)
    monkeypatch.setattr("memstream.keyring.store.GRACE_SECONDS", 0.0)
    monkeypatch.setattr("memstream.keyring.store.MOST_KEYS", BOUND)
    return table


@pytest.fixture
def keyring(table: KeyTable) -> Keyring:
    return Keyring("", table.masters)


def test_keys_that_are_only_opened_are_bounded(table: KeyTable, keyring: Keyring) -> None:
    for n in range(BOUND + 1):
        keyring.key(f"acme/user/u{n}", 1)
    table.opened.clear()
    for n in range(BOUND, 0, -1):
        keyring.key(f"acme/user/u{n}", 1)
    assert table.opened == [], "the ones used last are kept"
    keyring.key("acme/user/u0", 1)
    assert table.opened == [("acme/user/u0", 1)]


def test_keys_to_seal_with_are_bounded(table: KeyTable, keyring: Keyring) -> None:
    for n in range(BOUND + 1):
        keyring.current(f"acme/user/u{n}")
    table.opened.clear()
    table.newest_of.clear()
    keyring.current("acme/user/u0")
    assert table.newest_of == ["acme/user/u0"]
    assert table.opened == [("acme/user/u0", 2)]


def test_many_generations_of_one_owner_are_bounded(table: KeyTable, keyring: Keyring) -> None:
    for generation in range(1, BOUND + 2):
        keyring.key("acme/user/ann", generation)
    table.opened.clear()
    keyring.key("acme/user/ann", 1)
    assert table.opened == [("acme/user/ann", 1)]


def test_a_change_forgets_every_generation_of_its_owner_and_no_other(table: KeyTable, keyring: Keyring) -> None:
    for owner in ("acme/user/ann", "acme/user/bob"):
        keyring.key(owner, 1)
        keyring.current(owner)
    table.opened.clear()
    table.newest_of.clear()
    table.changed, table.destroyed = ["acme/user/ann", "acme/user/new"], {"acme/user/ann"}
    keyring.key("acme/user/bob", 1)
    keyring.current("acme/user/bob")
    assert (table.opened, table.newest_of) == ([], [])
    for generation in (1, 2):
        with pytest.raises(KeyDestroyed):
            keyring.key("acme/user/ann", generation)


def test_keys_that_were_evicted_and_read_again_are_forgotten_with_their_owner(
    table: KeyTable, keyring: Keyring
) -> None:
    for n in range(BOUND + 1):
        keyring.key(f"acme/user/u{n}", 1)
    keyring.key("acme/user/u0", 1)
    table.changed, table.destroyed = ["acme/user/u0", "acme/user/u1"], {"acme/user/u0", "acme/user/u1"}
    for owner in table.changed:
        with pytest.raises(KeyDestroyed):
            keyring.key(owner, 1)


class CountedName(str):
    """An owner's key that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedName.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_a_look_does_not_go_through_all_keys_for_each_changed_owner(
    table: KeyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memstream.keyring.store.MOST_KEYS", 500)
    keyring = Keyring("", table.masters)
    names = [CountedName(f"acme/user/u{n}") for n in range(200)]
    for name in names:
        keyring.key(name, 1)
    table.changed = [f"acme/user/u{n}" for n in range(100, 300)]
    CountedName.compared = 0
    keyring.key(names[0], 1)
    assert CountedName.compared < 10 * len(table.changed), "200 keys times 200 owners would be 40,000"


def test_h8_keys_of_a_tenant_are_destroyed_a_page_at_a_time(
    table: KeyTable, keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One statement over a million keys was cancelled at each try, and the tenant's erasure never ended."""
    monkeypatch.setattr("memstream.keyring.store.PAGE", 3)
    table.of_tenant = [(f"acme/user/u{n}", 1) for n in range(8)]
    keyring.key("acme/user/u0", 1)
    table.destroyed = {"acme/user/u0"}
    assert keyring.destroy_tenant("acme") == 8
    assert table.of_tenant == []
    with pytest.raises(KeyDestroyed):
        keyring.key("acme/user/u0", 1)


def test_h9_a_look_reads_no_more_than_its_bound_and_then_forgets_all(
    table: KeyTable, keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the erasure of a tenant of a million keys each process read a million names a second, for seconds."""
    monkeypatch.setattr("memstream.keyring.store.MOST_CHANGED", 3)
    keyring.key("acme/user/ann", 1)
    table.opened.clear()
    table.changed = ["other/user/u0", "other/user/u1"]
    keyring.key("acme/user/ann", 1)
    assert table.opened == []
    table.changed = [f"other/user/u{n}" for n in range(5)]
    keyring.key("acme/user/ann", 1)
    assert table.opened == [("acme/user/ann", 1)]
