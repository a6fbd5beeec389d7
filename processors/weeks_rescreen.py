"""A project's weeks under a PII policy that was tightened (rescreen): what they hold is masked where it lies, and a
report that stands is written again from it (D5, A6).

A text is screened beside the statements that came from it, as a turn is; the report beside all of them, whose words it
quotes. An open week without a report has its own written at its time, from what is masked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from processors import weeks
from processors.pii.gone import Gone
from processors.pii.redact import Redaction
from processors.redaction import replaced, strings
from processors.rollup import bounds
from processors.step import Out, OwnerState, Reads, StateSpace
from schemas.base import Json
from schemas.documents import ProjectCommand
from schemas.profile import Profile

Screen = Callable[[Sequence[str]], Sequence[Redaction]]


def reads(e: ProjectCommand, at: datetime, profile: Profile) -> Iterator[Reads]:
    for place in weeks.held(e.owner, at, profile):
        yield Reads(place.key)
        yield Reads(weeks._DUE, (place.key,))


def screened_again(
    e: ProjectCommand, at: datetime, profile: Profile, state: StateSpace, screen: Screen, book: weeks.Weeks
) -> list[Out]:
    """Nothing for weeks that hold nothing to mask."""
    out: list[Out] = []
    for place in weeks.held(e.owner, at, profile):
        rows = state.of(place.key)
        meta = cast("dict[str, Any] | None", rows.get("meta"))
        if meta is None:
            continue
        gone = bounds(place.monday, profile.zone_of(e.owner.id))[1] + timedelta(days=profile.retention.aggregates_days)
        if not _masked(rows, screen, gone):
            continue
        rows.put("meta", {**meta, "dirty": True}, gone)
        if rows.get("report") is not None:
            out += book.report(place, at, weeks.RESCREENED, f"{e.command_id}/{place.monday}")
    return out


def _masked(rows: OwnerState, screen: Screen, gone: datetime) -> bool:
    """Whether a row has changed."""
    said = {name.removeprefix("t/"): cast("dict[str, Any]", row) for name, row in rows.items("t/")}
    noted = {name.removeprefix("k/"): cast("dict[str, Any]", row) for name, row in rows.items("k/")}
    report, extract = cast("dict[str, Any] | None", rows.get("report")), str(rows.get("extract") or "")
    told = {name: [*_texts(said.get(name)), *_kept(noted.get(name))] for name in sorted({*said, *noted})}
    of_report = [] if report is None else list(strings([report["sealed"]["text"], report["sealed"]["value"]]))
    pool = list(dict.fromkeys([*(t for texts in told.values() for t in texts), *of_report, extract]))
    clean = dict(zip(pool, screen(pool), strict=True))
    everything = Gone.of(clean.values())
    changed = False
    for name, texts in told.items():
        mine = Gone.of(clean[t] for t in texts)

        def shown(text: str, mine: Gone = mine) -> str:
            return mine.text(clean[text].text) if text in clean else text

        if name in said:
            old = said[name]
            row = {**old, "c": shown(old["c"]), "p": old["p"] and shown(old["p"])}
            changed |= _put(rows, f"t/{name}", old, row, datetime.fromisoformat(old["x"]))
        if name in noted:
            old = noted[name]
            kept: list[Json] = [[k[0], k[1], shown(k[2]), k[3]] for k in old["k"]]
            changed |= _put(rows, f"k/{name}", old, {**old, "k": kept}, gone)
    changed |= bool(extract) and _put(rows, "extract", extract, everything.text(clean[extract].text), gone)
    if report is not None:
        plain = {t: r.text for t, r in clean.items()}
        sealed = report["sealed"]
        masked = {name: replaced(sealed[name], plain, everything) for name in ("text", "value")}
        changed |= _put(rows, "report", report, {**report, "sealed": {**sealed, **masked}}, gone)
    return changed


def _put(rows: OwnerState, name: str, old: Json, new: Json, gone: datetime) -> bool:
    if new == old:
        return False
    rows.put(name, new, gone)
    return True


def _texts(row: dict[str, Any] | None) -> list[str]:
    return [] if row is None else [t for t in (row["c"], row["p"]) if t]


def _kept(row: dict[str, Any] | None) -> list[str]:
    return [] if row is None else [k[2] for k in row["k"] if k[2]]
