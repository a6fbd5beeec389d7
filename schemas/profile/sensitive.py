"""What a profile marks sensitive, and whether it is kept encrypted as that asks (C7). Pure."""

from __future__ import annotations

from schemas.profile.model import Profile

_NAMED = 3
"""Fields that a notice names; of the rest it gives the number."""


def sensitive_names(profile: Profile) -> tuple[str, ...]:
    """Catalogue fields, and columns as `table.column`."""
    columns = (f"{t.name}.{c.name}" for t in profile.tables for c in t.columns if c.sensitive)
    return (*(f.name for f in profile.fields if f.sensitive), *columns)


def kept_in_the_clear(profile: Profile, *, sealed: bool) -> str | None:
    """What an operator is told where sensitive fields are not encrypted, without a full stop; None where all is well.
    `sealed`: whether encryption is on (MEMSTREAM_ENCRYPTION)."""
    names = sensitive_names(profile)
    if not names or (sealed and profile.storage.seal != "none"):
        return None
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    marked = f"profile {profile.name} marks fields sensitive ({', '.join(names[:_NAMED])}{rest})"
    if sealed:
        return f'{marked}, and its [storage] seal = "none" keeps them in the clear in Postgres, Milvus and Redis'
    return f"{marked}, and encryption is off: they are kept in the clear"
