"""Readings of a user, each judged against what is usual for the user and against those before it (C6). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any, Literal, TypeGuard

from query.reading.profile_rows import over
from query.reading.profile_view import values_by_field
from query.views.db import Row
from schemas.profile.model import FieldSpec, MeasureSpec, Profile

BEFORE = 10
"""Readings before one that it is compared with: the newest."""
LEAST = 3
"""Fewer tell nothing of what is usual."""
_READ = frozenset({"field_changed", "older_than_standing"})
"""Rules by which a reading ends or is history; whatever else ends one says that it was none."""
Verdict = Literal["usual", "above", "below"]


@dataclass(frozen=True, slots=True)
class Reading:
    field: str
    value: float
    at: datetime
    row: Row


@dataclass(frozen=True, slots=True)
class Against:
    """How a reading lies to what is `usual`; `count`: of the readings that say so, None where it was stated."""

    usual: float
    difference: float
    verdict: Verdict
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    reading: Reading
    baseline: Against | None
    history: Against | None

    @property
    def verdict(self) -> Verdict | None:
        """What was stated goes before what the readings say; None where there is neither."""
        against = self.baseline or self.history
        return None if against is None else against.verdict


def fields_read(profile: Profile) -> list[FieldSpec]:
    return [f for f in profile.fields if f.reading is not None]


def baselines_of(specs: Iterable[FieldSpec]) -> list[str]:
    return [f.reading.baseline for f in specs if f.reading is not None and f.reading.baseline is not None]


def usual_of(profile: Profile, rows: Iterable[Row], written: Iterable[Row]) -> dict[str, Any]:
    """What readings are compared with, by field: what stands of it in `rows`, the user's facts, or in `written`, the
    user's rows of structured tables, which go before."""
    names = frozenset(baselines_of(fields_read(profile)))
    own = [r for r in rows if not (r.get("attributes") or {}).get("about") and names & set(values_in(r))]
    values = over(profile, values_by_field(own), written)
    return {name: found[0] for name, found in values.items() if name in names and found}


def values_in(row: Row) -> dict[str, Any]:
    """Field -> value of a record."""
    names = list(row["fields"]) or ([row["field"]] if row["field"] else [])
    value = row["value"]
    if len(names) == 1:
        return {names[0]: value}
    return {n: value.get(n) for n in names} if isinstance(value, Mapping) else {}


def readings(rows: Sequence[Row], name: str) -> list[Reading]:
    """Of one field, newest first: without those that were taken back, corrected or of somebody else."""
    corrected = {(r["record_id"], r["version"] - 1) for r in rows if _corrects(r)}
    found = [
        Reading(name, float(value), row["valid_from"] or row["occurred_at"], row)
        for row in rows
        if _was_read(row) and (row["record_id"], row["version"]) not in corrected
        for value in (values_in(row).get(name),)
        if _is_number(value)
    ]
    return sorted(found, key=lambda r: (r.at, r.row["known_at"]), reverse=True)


def _corrects(row: Row) -> bool:
    attributes = row["attributes"] or {}
    return "replaces" in attributes or bool(attributes.get("correction"))


def _was_read(row: Row) -> bool:
    rule = (row["reason"] or {}).get("rule")
    if (row["attributes"] or {}).get("about") or rule == "fields_left":
        return False
    return row["state"] == "active" or rule in _READ


def judged(spec: MeasureSpec, found: Sequence[Reading], baseline: Any) -> Iterator[Judged]:
    """Each of the readings `found` of a field, newest first. `baseline`: what is usual, as it was stated or written."""
    stated = baseline if _is_number(baseline) else None
    for at, reading in enumerate(found):
        before = [r.value for r in found[at + 1 : at + 1 + BEFORE]]
        history = _against(spec, reading.value, float(median(before)), len(before)) if len(before) >= LEAST else None
        own = None if stated is None else _against(spec, reading.value, float(stated))
        yield Judged(reading, own, history)


def _against(spec: MeasureSpec, value: float, usual: float, count: int | None = None) -> Against:
    difference = round(value - usual, 3)
    near = abs(difference) <= spec.within
    return Against(usual, difference, "usual" if near else "above" if difference > 0 else "below", count)


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def beside_the_usual(spec: FieldSpec, value: Any, baseline: Any, language: str) -> str:
    """What a prompt adds to a reading: how far it is from what is usual; empty where that is not known."""
    if spec.reading is None or not (_is_number(value) and _is_number(baseline)):
        return ""
    against = _against(spec.reading, float(value), float(baseline))
    usual, far = f"{against.usual:g}", f"{abs(against.difference):g}"
    if language == "zh":
        label = spec.label.get("zh", spec.name)
        words = {"usual": "与平时相近", "above": f"高出{far}", "below": f"低{far}"}
        return f"{label}平时{usual}，{words[against.verdict]}"
    label = spec.label.get("en", spec.name)
    words = {"usual": "as usual", "above": f"{far} above", "below": f"{far} below"}
    return f"{label}: usually {usual}, {words[against.verdict]}"
