"""The structured profile of a user, its completeness and a short narrative (B5, B6). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from query.repo.db import Row
from schemas.profile import FieldSpec, Profile

_UNKNOWN = frozenset({"", "未知", "unknown", "n/a", "无"})


def values_by_field(rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Field -> values, newest first; a statement that fills several fields gives each its own."""
    out: dict[str, list[Any]] = {}
    for row in rows:
        names = list(row["fields"]) or ([row["field"]] if row["field"] else [])
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
        else:
            missing.append(spec.name)
    score = round(100 * have / total) if total else 0
    return {
        "profile": groups,
        "completeness": {"score": score, "filled_fields": filled, "missing_fields": missing},
    }


def _leaf(spec: FieldSpec) -> str:
    assert spec.path is not None  # noqa: S101 - the caller checked
    return spec.path.split(".", 1)[-1].removesuffix("[]")


def _is_list(spec: FieldSpec) -> bool:
    return spec.many or spec.type == "list" or (spec.path or "").endswith("[]")


def narrative(rows: Sequence[Row], language: Literal["en", "zh"]) -> str | None:
    """The standing statements in one sentence, without a model; None when there are none."""
    texts = [r["text"].strip().rstrip("。.;；") for r in rows if r["text"].strip()]
    if not texts:
        return None
    return "；".join(texts) + "。" if language == "zh" else "; ".join(texts) + "."


def main_language(rows: Iterable[Row]) -> Literal["en", "zh"]:
    """Which of the two languages most of the statements are in."""
    zh = sum(1 if r["language"] == "zh" else -1 for r in rows)
    return "zh" if zh > 0 else "en"
