"""C7: what `memstream keys create` refuses before it asks Postgres."""

from __future__ import annotations

import pytest

from memstream import keys
from schemas.security.scope import Permission


@pytest.mark.parametrize("scope", [Permission.OPERATOR, Permission.ADMIN])
@pytest.mark.parametrize(("users", "projects"), [(("ann",), None), (("ann",), ("*",)), (None, ("p1",))])
def test_c7_a_scope_of_the_whole_tenant_is_not_given_to_a_bound_key(
    scope: Permission, users: tuple[str, ...] | None, projects: tuple[str, ...] | None
) -> None:
    with pytest.raises(keys.KeyCommandError, match=f"--scope: `{scope.value}` is about the whole tenant"):
        keys.create("", keys.Grant("acme", "", (Permission.READ, scope), users, projects))
