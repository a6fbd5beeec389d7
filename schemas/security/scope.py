"""The tenant scope that every read must hold: made at the door from the credential, nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.log import owner as owners
from schemas.log.owner import Owner


class Permission(StrEnum):
    READ = "read"
    WRITE = "write"
    DOCUMENTS = "documents"
    """Write and delete documents, which are cited to every user of the tenant (D8)."""
    EVERYONE = "everyone"
    """Search, and follow, what all users of the tenant said, without naming a user or project."""
    PII = "pii"
    """Read again what the policy `encrypt` took out of turns (D5)."""
    OPERATOR = "operator"
    ADMIN = "admin"


OF_THE_WHOLE = frozenset({Permission.DOCUMENTS, Permission.EVERYONE, Permission.OPERATOR, Permission.ADMIN})
"""What reaches beyond single users and projects."""


class OutOfScopeError(Exception):
    """The credential does not reach this owner. Answered exactly like something that does not exist."""


EVERY = "*"
"""Stands for all projects where a credential names its own."""


def membership(users: frozenset[str] | None, projects: frozenset[str] | None) -> frozenset[str] | None:
    """The projects of a credential as it was made (C7): a project's memory is its members', so one that is bound to
    users, and names no projects, is in none."""
    if projects is None:
        return None if users is None else frozenset()
    return None if EVERY in projects else projects


@dataclass(frozen=True, slots=True)
class TenantScope:
    """What a credential may reach: one tenant, optionally only some of its users or projects. None: all of them;
    `membership` says what a credential that names users and no projects reaches."""

    tenant: str
    principal: str
    permissions: frozenset[Permission]
    users: frozenset[str] | None = None
    projects: frozenset[str] | None = None

    @property
    def bound(self) -> bool:
        """Whether it reaches less than its whole tenant."""
        return self.users is not None or self.projects is not None

    def allows(self, permission: Permission) -> bool:
        """What an operator or an administrator does is about the whole tenant (others' dead letters, the profile, the
        erasure of all), and so are documents: a credential that is bound never may, whatever its scopes (C7)."""
        if self.bound and permission in OF_THE_WHOLE:
            return False
        return permission in self.permissions or Permission.ADMIN in self.permissions

    def user(self, user_id: str) -> OwnerScope:
        """Raises OutOfScopeError for a user that the credential is not bound to."""
        if self.users is not None and user_id not in self.users:
            raise OutOfScopeError("user")
        return OwnerScope(self, owners.user(self.tenant, user_id))

    def project(self, project_id: str) -> OwnerScope:
        """Raises OutOfScopeError for a project that the credential is not bound to."""
        if not self.in_project(project_id):
            raise OutOfScopeError("project")
        return OwnerScope(self, owners.project(self.tenant, project_id))

    def in_project(self, project_id: str) -> bool:
        return self.projects is None or project_id in self.projects

    def document(self, document_id: str) -> OwnerScope:
        return OwnerScope(self, owners.document(self.tenant, document_id))


@dataclass(frozen=True, slots=True)
class OwnerScope:
    """One owner within a tenant scope: what a query of a store takes. `owner.tenant` leads every filter."""

    tenant: TenantScope
    owner: Owner
