"""The structured profile of a user, its completeness and a short narrative (B5, B6). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from processors.memory.narrative import Statement, language_of, narrative
from query.views.db import Row
from schemas.profile.model import FieldSpec, Profile

_UNKNOWN = frozenset({"", "未知", "unknown", "n/a"})


def _names(row: Row) -> list[str]:
    return list(row["fields"]) or ([row["field"]] if row["field"] else [])


def of_the_user(rows: Iterable[Row]) -> list[Row]:
    """Without what holds in one scope only (D9)."""
    return [r for r in rows if r["scope"] == "global"]


def by_project(profile: Profile, rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Field -> [{project: value}] of those that have values for projects, with that which holds anywhere as `global`;
    `rows` newest first."""
    out: dict[str, list[Any]] = {}
    for spec in profile.fields:
        mine = [r for r in reversed(rows) if r["field"] == spec.name] if spec.by_project is not None else []
        own = {r["scope"]: r["value"] for r in mine if r["value"] is not None}
        if own.keys() - {"global"}:
            out[spec.name] = [own]
    return out


def values_by_field(rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Field -> values, newest first; a statement that fills several fields gives each its own."""
    out: dict[str, list[Any]] = {}
    for row in rows:
        names = _names(row)
        for name in names:
            value = row["value"]
            if len(names) > 1:
                value = value.get(name) if isinstance(value, dict) else None
            if value is None:
                value = row["text"] if len(names) == 1 else None
            if value is not None and value not in out.setdefault(name, []):
                out[name].append(value)
    return out


def is_known(value: Any) -> bool:
    """false and 0 are values; null, blanks and "未知" are not."""
    if value is None:
        return False
    if isinstance(value, str):
        return value.strip().lower() not in _UNKNOWN
    return not (isinstance(value, list | dict) and not value)


def build(profile: Profile, values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """{"profile": {group: {field: value}}, "completeness": {...}} over the profile's catalogue (B6):
    score = round(100 * filled weight / total weight)."""
    groups: dict[str, dict[str, Any]] = {g: {} for g in profile.groups}
    filled, missing = [], []
    have = total = 0.0
    for spec in profile.fields:
        if spec.path is None:
            continue
        known = [v for v in values.get(spec.name, ()) if is_known(v)]
        total += spec.weight
        if known:
            have += spec.weight
            filled.append(_leaf(spec))
            group = groups[spec.path.split(".")[0]]
            group[_leaf(spec)] = list(known) if _is_list(spec) else known[0]
        elif spec.weight > 0:  # what weighs nothing is not missed
            missing.append(spec.name)
    score = round(100 * have / total) if total else 0
    return {
        "profile": groups,
        "completeness": {"score": score, "filled_fields": filled, "missing_fields": missing},
    }


def vague(profile: Profile, rows: Sequence[Row]) -> list[str]:
    """Fields of the profile whose newest value was said as about that much: vagueness is kept (B2)."""
    newest: dict[str, bool] = {}
    for row in rows:
        for name in _names(row):
            newest.setdefault(name, bool(row["approximate"]))
    return [_leaf(spec) for spec in profile.fields if spec.path is not None and newest.get(spec.name)]


def _leaf(spec: FieldSpec) -> str:
    assert spec.path is not None  # noqa: S101 - the caller checked
    return spec.path.split(".", 1)[-1].removesuffix("[]")


def _is_list(spec: FieldSpec) -> bool:
    return spec.many or spec.type == "list" or (spec.path or "").endswith("[]")


def narrative_of(profile: Profile, rows: Sequence[Row], kept: Row | None) -> tuple[str, str | None]:
    """The narrative and who wrote it: the one that was kept, unless something was said since; else by rules, over what
    stands now (B6)."""
    if kept is not None and kept["text"] and all(r["known_at"] <= kept["known_at"] for r in rows):
        return kept["text"], str(kept["attributes"].get("written_by", "rules"))
    statements = [
        Statement(r["kind"], tuple(r["fields"] or ([r["field"]] if r["field"] else [])), r["text"], r["language"],
                  r["known_at"])
        for r in of_the_user(rows) if not r["attributes"].get("about")
    ]  # fmt: skip
    text = narrative(profile, statements, language_of(statements))
    return text, "rules" if text else None
