"""C7: what `memstream keys create` refuses before it asks Postgres."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from memstream import keys
from memstream.cli import keys as command
from schemas.security.api_keys import permissions_of
from schemas.security.scope import Permission


@pytest.mark.parametrize("scope", [Permission.DOCUMENTS, Permission.EVERYONE, Permission.OPERATOR, Permission.ADMIN])
@pytest.mark.parametrize(("users", "projects"), [(("ann",), None), (("ann",), ("*",)), (None, ("p1",))])
def test_c7_a_scope_of_the_whole_tenant_is_not_given_to_a_bound_key(
    scope: Permission, users: tuple[str, ...] | None, projects: tuple[str, ...] | None
) -> None:
    with pytest.raises(keys.KeyCommandError, match=f"--scope: `{scope.value}` is about the whole tenant"):
        keys.create("", keys.Grant("acme", "", (Permission.READ, scope), users, projects))


@pytest.mark.parametrize("exist", [False, True])
def test_d11_the_first_key_says_what_it_shuts(monkeypatch: pytest.MonkeyPatch, exist: bool) -> None:
    """What answered on loopback without a key answered no more, and nothing had said so."""
    monkeypatch.setattr(command, "_dsn", lambda data: "")
    monkeypatch.setattr(keys, "exist", lambda dsn: exist)
    monkeypatch.setattr(keys, "create", lambda dsn, grant: keys.Minted("id", "key"))
    done = CliRunner().invoke(command.app, ["create", "--json"])
    assert done.exit_code == 0, done.output
    assert ("nobody is answered without one" in done.stderr) is not exist
    assert "nobody" not in done.stdout, "a script reads it"


R, W, D = Permission.READ, Permission.WRITE, Permission.DOCUMENTS


@pytest.mark.parametrize(("scopes", "column", "bound", "held"), [
    (["read", "write"], None, False, {R, W, D}), (["read", "write"], None, True, {R, W}),
    (["read"], None, False, {R}), (["read", "write"], False, False, {R, W}), ([], True, False, {D}),
])  # fmt: skip
def test_h5_a_key_of_before_there_was_the_scope_writes_documents_as_it_could(
    scopes: list[str], column: bool | None, bound: bool, held: set[Permission]
) -> None:
    assert permissions_of(scopes, column, bound=bound) == held


def test_a_scope_of_a_later_version_permits_nothing_and_shuts_nobody_out() -> None:
    """One such key in the table, and a service of the version before read no key any more."""
    assert permissions_of(["read", "of-tomorrow"], False, bound=False) == {R}
