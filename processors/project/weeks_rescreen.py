"""A project's weeks under a PII policy that was tightened (rescreen): what they hold is masked where it lies, and a
report that stands is written again from it (D5, A6).

A text is screened beside the statements that came from it, as a turn is; the report beside all of them, whose words it
quotes. An open week without a report has its own written at its time, from what is masked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from processors.pii.redact import Redaction
from processors.pii.redacted_values import RedactedValues
from processors.pii.redaction import redact, replaced, strings
from processors.ports import Models, ProfileBook
from processors.project import weeks
from processors.project.rows import EXTRACT, REPORT, STATEMENTS, TEXTS, WEEK, HeldText, TurnStatements
from processors.project.week_places import DUE, Place, held, span
from processors.step import Out, OwnerState, Reads, StateSpace
from schemas.events.documents import ProjectCommand

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
            counts = rows.single(WEEK).get()
            if counts is None:
                continue
            week = _Held(rows)
            clean = {**found, **self._redacted(e.tenant, {t for t in week.texts if t not in found})}
            ends_at = span(place, profile).ends_at
            if not week.masked(clean, ends_at):
                continue
            counts.dirty = True
            rows.single(WEEK).put(counts, ends_at)
            if week.report is not None:
                out += book.report(place, at, weeks.RESCREENED, f"{e.command_id}/{place.monday}")
        return out

    def _places(self, e: ProjectCommand, at: datetime) -> list[Place]:
        return held(e.owner, at, self._book.of(e.tenant))

    def _redacted(self, tenant: str, texts: Iterable[str]) -> dict[str, Redaction]:
        texts_in_order = sorted(texts)
        return dict(
            zip(
                texts_in_order,
                redact(self._models, self._book, [tenant] * len(texts_in_order), texts_in_order),
                strict=True,
            )
        )


class _Held:
    """What one week holds of what was said."""

    def __init__(self, rows: OwnerState) -> None:
        self._texts, self._statements = rows.table(TEXTS), rows.table(STATEMENTS)
        self._extract, self._report = rows.single(EXTRACT), rows.single(REPORT)
        self._held = dict(self._texts.items())
        self._noted = dict(self._statements.items())
        self._summary = self._extract.get() or ""
        self.report = self._report.get()
        self.texts = self._all_texts()

    def _all_texts(self) -> list[str]:
        found = [text for name in self._turns() for text in self._texts_of(name)]
        if self.report is not None:
            found += strings([self.report.sealed.text, self.report.sealed.value])
        return list(dict.fromkeys([*found, *([self._summary] if self._summary else [])]))

    def _turns(self) -> list[str]:
        return sorted({*self._held, *self._noted})

    def masked(self, clean: Found, ends_at: datetime) -> bool:
        """Whether a row has changed. `ends_at`: when the week goes."""
        changed = [self._masked_turn(name, clean, ends_at) for name in self._turns()]
        everything = RedactedValues.of(clean[text] for text in self.texts)
        return any([*changed, self._masked_report(clean, everything, ends_at)])

    def _masked_turn(self, name: str, clean: Found, ends_at: datetime) -> bool:
        mine = RedactedValues.of(clean[text] for text in self._texts_of(name))

        def shown(text: str) -> str:
            return mine.text(clean[text].text) if text else text

        held, noted = self._held.get(name), self._noted.get(name)
        new_held, new_noted = _shown_text(held, shown), _shown_statements(noted, shown)
        if new_held is not None and new_held != held:
            self._texts.put(name, new_held, new_held.expires_at)
        if new_noted is not None and new_noted != noted:
            self._statements.put(name, new_noted, ends_at)
        return (new_held, new_noted) != (held, noted)

    def _masked_report(self, clean: Found, everything: RedactedValues, ends_at: datetime) -> bool:
        summary = everything.text(clean[self._summary].text) if self._summary else ""
        if summary != self._summary:
            self._extract.put(summary, ends_at)
        if self.report is None:
            return summary != self._summary
        plain, sealed = {text: clean[text].text for text in self.texts}, self.report.sealed
        shown = {
            "text": replaced(sealed.text, plain, everything), "value": replaced(sealed.value, plain, everything),
        }  # fmt: skip
        report = self.report.model_copy(update={"sealed": sealed.model_copy(update=shown)})
        if report != self.report:
            self._report.put(report, ends_at)
        return summary != self._summary or report != self.report

    def _texts_of(self, name: str) -> list[str]:
        """A turn's words, who said them, and the statements that came of it."""
        held, noted = self._held.get(name), self._noted.get(name)
        words = [] if held is None else [held.text, held.speaker]
        return [text for text in [*words, *(s.text for s in (noted.statements if noted else ()))] if text]


def _shown_text(held: HeldText | None, shown: Callable[[str], str]) -> HeldText | None:
    if held is None:
        return None
    return held.model_copy(update={"text": shown(held.text), "speaker": held.speaker and shown(held.speaker)})


def _shown_statements(noted: TurnStatements | None, shown: Callable[[str], str]) -> TurnStatements | None:
    if noted is None:
        return None
    return noted.model_copy(update={"statements": tuple(s._replace(text=shown(s.text)) for s in noted.statements)})
