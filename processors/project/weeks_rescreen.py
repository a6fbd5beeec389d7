"""A project's weeks under a PII policy that was tightened (rescreen): what they hold is masked where it lies, and a
report that stands is written again from it (D5, A6).

A text is screened beside the statements that came from it, as a turn is; the report beside all of them, whose words it
quotes. An open week without a report has its own written at its time, from what is masked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from processors.pii.redact import Redaction
from processors.pii.redacted_values import Gone
from processors.pii.redaction import redact, replaced, strings
from processors.ports import Models, ProfileBook
from processors.project import weeks
from processors.project.week_places import DUE, Place, held, span
from processors.step import Out, OwnerState, Reads, StateSpace
from schemas.base import Json
from schemas.events.documents import ProjectCommand

Row = dict[str, Any]
Found = Mapping[str, Redaction]
"""Each text -> what policy makes of it."""


class WeeksScreened:
    """What `rescreen` does with the weeks of one project. In two steps, since recognisers may take seconds: what is
    found in them where models run, and the change."""

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models, self._book = models, book

    def reads(self, e: ProjectCommand, at: datetime) -> Iterator[Reads]:
        for place in self._places(e, at):
            yield Reads(place.key)
            yield Reads(DUE, (place.key,))

    def found(self, e: ProjectCommand, at: datetime, state: StateSpace) -> Found:
        kept = (_Held(state.of(place.key)) for place in self._places(e, at))
        return self._redacted(e.tenant, {text for week in kept for text in week.texts})

    def again(self, e: ProjectCommand, at: datetime, state: StateSpace, found: Found, book: weeks.Weeks) -> list[Out]:
        """Nothing for weeks that hold nothing to mask. What the records just before brought is not in `found` yet."""
        profile, out = self._book.of(e.tenant), list[Out]()
        for place in self._places(e, at):
            rows = state.of(place.key)
            meta = cast("Row | None", rows.get("meta"))
            if meta is None:
                continue
            week = _Held(rows)
            clean = {**found, **self._redacted(e.tenant, {t for t in week.texts if t not in found})}
            gone = span(place, profile).gone
            if not week.masked(clean, gone):
                continue
            rows.put("meta", {**meta, "dirty": True}, gone)
            if week.report is not None:
                out += book.report(place, at, weeks.RESCREENED, f"{e.command_id}/{place.monday}")
        return out

    def _places(self, e: ProjectCommand, at: datetime) -> list[Place]:
        return held(e.owner, at, self._book.of(e.tenant))

    def _redacted(self, tenant: str, texts: Iterable[str]) -> dict[str, Redaction]:
        told = sorted(texts)
        return dict(zip(told, redact(self._models, self._book, [tenant] * len(told), told), strict=True))


class _Held:
    """What one week holds of what was said."""

    def __init__(self, rows: OwnerState) -> None:
        self._rows = rows
        self._said = {name.removeprefix("t/"): cast(Row, row) for name, row in rows.items("t/")}
        self._noted = {name.removeprefix("k/"): cast(Row, row) for name, row in rows.items("k/")}
        self._extract = str(rows.get("extract") or "")
        self.report = cast("Row | None", rows.get("report"))

        self.texts = self._texts()

    def _texts(self) -> list[str]:
        told = [t for name in sorted({*self._said, *self._noted}) for t in self._told(name)]
        if self.report is not None:
            told += strings([self.report["sealed"]["text"], self.report["sealed"]["value"]])
        return list(dict.fromkeys([*told, *([self._extract] if self._extract else [])]))

    def masked(self, clean: Found, gone: datetime) -> bool:
        """Whether a row has changed. `gone`: when the week goes."""
        changed = False
        for name in sorted({*self._said, *self._noted}):
            mine = Gone.of(clean[t] for t in self._told(name))

            def shown(text: str, mine: Gone = mine) -> str:
                return mine.text(clean[text].text) if text else text

            if (old := self._said.get(name)) is not None:
                row = {**old, "c": shown(old["c"]), "p": old["p"] and shown(old["p"])}
                changed |= self._put(f"t/{name}", old, row, datetime.fromisoformat(old["x"]))
            if (note := self._noted.get(name)) is not None:
                kept: list[Json] = [[k[0], k[1], shown(k[2]), k[3]] for k in note["k"]]
                changed |= self._put(f"k/{name}", note, {**note, "k": kept}, gone)
        everything = Gone.of(clean[t] for t in self.texts)
        if self._extract:
            changed |= self._put("extract", self._extract, everything.text(clean[self._extract].text), gone)
        if self.report is not None:
            plain, sealed = {t: clean[t].text for t in self.texts}, self.report["sealed"]
            anew = {name: replaced(sealed[name], plain, everything) for name in ("text", "value")}
            changed |= self._put("report", self.report, {**self.report, "sealed": {**sealed, **anew}}, gone)
        return changed

    def _told(self, name: str) -> list[str]:
        """A turn's words, who said them, and the statements that came of it."""
        said, noted = self._said.get(name), self._noted.get(name)
        words = [] if said is None else [said["c"], said["p"]]
        return [t for t in [*words, *(k[2] for k in (noted or {"k": ()})["k"])] if t]

    def _put(self, name: str, old: Json, new: Json, gone: datetime) -> bool:
        if new == old:
            return False
        self._rows.put(name, new, gone)
        return True
