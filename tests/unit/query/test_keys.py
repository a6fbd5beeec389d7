"""C7: API keys: whose they are, what they reach, when they end."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from query.errors import ProblemError
from query.search import milvus
from query.search.request import Question
from schemas.log.owner import tenant_owner
from schemas.security.api_keys import PREFIX, key_id
from schemas.security.scope import OwnerScope, TenantScope
from tests.unit.query.keys import ALL, NOW, Rows, book


async def test_c7_a_key_gives_its_tenant_scopes_and_bindings(rows: Rows) -> None:
    key = rows.mint("acme", ["read"], users=["ann"])
    scope = await book(rows).scope(key)
    assert scope is not None
    assert (scope.tenant, scope.permissions) == ("acme", frozenset({"read"}))
    assert (scope.users, scope.projects) == (frozenset({"ann"}), frozenset())
    assert scope.principal == f"key:{key_id(key)}"
    assert key.removeprefix(f"{PREFIX}{key_id(key)}_") not in repr(scope)


async def test_c7_expired_revoked_and_altered_keys_are_nobodys(rows: Rows) -> None:
    over = rows.mint("acme", ALL, expires_at=NOW)
    revoked = rows.mint("acme", ALL, revoked_at=NOW - timedelta(days=1))
    good = rows.mint("acme", ALL, expires_at=NOW + timedelta(seconds=1))
    keys = book(rows)
    assert await keys.scope(good) is not None
    altered = good[:-1] + ("A" if good[-1] != "A" else "B")
    for bad in (over, revoked, altered, good + "x", good.upper(), PREFIX, f"{PREFIX}{'a' * 12}_{'b' * 43}"):
        assert await keys.scope(bad) is None


async def test_c7_a_revocation_is_noticed_and_a_new_key_works_at_once(rows: Rows) -> None:
    first = rows.mint("acme", ALL)
    keys = book(rows)
    assert await keys.scope(first) is not None
    rows.rows[str(key_id(first))]["revoked_at"] = NOW
    second = rows.mint("acme", ALL)
    assert await keys.scope(second) is not None
    assert await keys.scope(first) is None


async def test_c7_guessing_keys_reads_the_table_a_few_times_only(rows: Rows) -> None:
    rows.mint("acme", ALL)
    keys = book(rows, every=60.0)
    for n in range(100):
        assert await keys.scope(f"{PREFIX}{'a' * 12}_{n:043d}") is None
    assert rows.readings == 1


async def test_c7_keys_hold_while_postgres_is_away_but_not_for_ever(rows: Rows) -> None:
    key = rows.mint("acme", ALL)
    patient, strict = book(rows), book(rows, stale=0.0)
    assert await patient.scope(key) is not None
    await strict.read()
    rows.away = True
    assert await patient.scope(key) is not None
    with pytest.raises(ProblemError) as refused:
        await strict.scope(key)
    assert refused.value.status == 503


REACH: dict[str, tuple[list[str] | None, list[str] | None, bool]] = {
    "nothing named": (None, None, True),
    "a user": (["ann"], None, False),
    "a user and the project": (["ann"], ["p1"], True),
    "a user and another project": (["ann"], ["p2"], False),
    "a user and all projects": (["ann"], ["*"], True),
    "the project": (None, ["p1"], True),
}


@pytest.mark.parametrize(("users", "projects", "reached"), REACH.values(), ids=list(REACH))
async def test_c7_a_key_of_users_is_in_the_projects_that_it_names_and_no_others(
    rows: Rows, users: list[str] | None, projects: list[str] | None, reached: bool
) -> None:
    key = rows.mint("acme", ["read"], users=users, projects=projects)
    keys = book(rows)
    await keys.read()
    scope = await keys.scope(key)
    assert scope is not None
    assert scope.in_project("p1") is reached


def test_c7_what_milvus_finds_of_a_user_is_not_narrowed_by_the_keys_projects() -> None:
    """As in the service's own index: the user was asked for by name, and the key reaches them."""
    bound = TenantScope("acme", "key:k", frozenset(), frozenset({"ann"}), frozenset())
    probe: Any = SimpleNamespace(question=Question("q", frozenset({"fact"}), 1, bound))
    row = {"owner_kind": "user", "owner_id": "ann", "user_id": "ann", "project_id": None}
    assert "project_id" not in milvus.condition(probe, bound.user("ann"), ["fact"])
    assert milvus._belongs(row, bound.user("ann"))
    everybody = OwnerScope(bound, tenant_owner("acme"))
    assert "project_id in []" in milvus.condition(probe, everybody, ["fact"])
    assert not milvus._belongs(row, everybody)
