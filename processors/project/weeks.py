"""A project's weeks as the project step keeps them, and the reports that come of them (A6).

State, a place a project and week (`processors.project.rows`): counts, a row a held text (swept when its turn expires,
A1), a row a turn with kept statements, the report and its extract. Bounds of a week: `MOST_TEXTS` texts of at most
`TEXT_CHARS` characters (when full, the one that adds least leaves), `NOTES` turns with statements, `USERS` users by
name; what is beyond is counted only.

A turn is of the week that it lies in by the zone in force when it comes; a zone that changes moves the ends of weeks,
and no turn. A week is closed by the first tick an hour after its end, so that stragglers are in; a late turn makes the
next tick write the report again. Everything goes `aggregates_days` after the week: later turns are counted as too late.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np

from processors.memory.emit import because, plain_decision, update
from processors.memory.rules import MAX_SOURCES
from processors.ports import Models
from processors.project.report_job import job_id, report_job, reworded
from processors.project.report_text import Week, Written, sunday, write
from processors.project.report_value import (
    ReportFigure,
    ReportLists,
    ReportMetrics,
    ReportStatement,
    ReportValue,
    lists_of,
    with_values,
)
from processors.project.rollup import Language, Noted, Spoken, units
from processors.project.rows import (
    DUE_WEEKS,
    EXTRACT,
    HOT,
    LATE_TURNS,
    REPORT,
    STATEMENTS,
    TEXTS,
    WEEK,
    HeldText,
    HotName,
    WeekCounts,
)
from processors.project.week_figures import label
from processors.project.week_held import TEXT_CHARS, count_turn, counts_of, noted, put_statements, spoken
from processors.project.week_places import DUE, Place, Span, note_due, place_of, span
from processors.project.week_reading import Catalogue, Reading, event_of, read, weight, with_lists_of
from processors.state_tables import OwnerTable
from processors.step import Emit, Out, OwnerState, StateSpace
from schemas.base import JsonValue
from schemas.events.documents import ReportResult, TurnDigest
from schemas.events.memory import MemoryBody, MemoryUpdate, WeeklyReport
from schemas.log import topics
from schemas.log.ids import record_id
from schemas.log.owner import OwnerKind
from schemas.profile.model import HotKey, Profile

MOST_TEXTS = 120
RESCREENED = "rescreened"
"""Rule of a report that was written again because policy masks more now."""
EVENTS = 20
"""Key events of a report."""
STRAGGLERS = timedelta(hours=1)
LATE_EVERY = timedelta(minutes=10)
"""Late turns have a report written again at most so often: while old turns came in, every tick wrote it."""
_BY = re.compile(r"^[^:：]{1,40}(?:: |：)")
"""Who said a line of a report."""
_EVER = datetime.min.replace(tzinfo=UTC)


class Weeks:
    """Keeps and writes the weeks of one project. `models` encode a report's lines and count its words' stems."""

    def __init__(self, models: Models, profile: Profile, state: StateSpace, *, ask_model: bool = False) -> None:
        self._models = models
        self._profile = profile
        self._state = state
        self._ask = ask_model

    def add(self, d: TurnDigest) -> list[Out]:
        place = place_of(d, self._profile, self._state)
        _, end, ends_at = self._span(place)
        if d.accepted_at > ends_at:
            return self._too_late(d)
        rows = self._state.of(place.key)
        texts, statements = rows.table(TEXTS), rows.table(STATEMENTS)
        name = d.turn.turn_id
        counts = counts_of(rows)
        if not d.restated and name not in texts and name not in statements:
            count_turn(counts, d)
        put_statements(d, counts, statements, ends_at)
        self._hold(d, counts, texts)
        counts.dirty = True
        counts.late += counts.closed and not d.restated
        rows.single(WEEK).put(counts, ends_at)
        self._due(place, max(d.accepted_at, _again(counts) if counts.closed else end + STRAGGLERS))
        return []

    def _too_late(self, d: TurnDigest) -> list[Out]:
        late = self._state.of(d.owner.key).single(LATE_TURNS)
        late.put((late.get() or 0) + 1)
        reason = because("skipped", "retention", "too_late_for_report")
        return [plain_decision(d.owner, f"late/{d.turn.turn_id}", "report", reason, None, d.accepted_at, d.turn)]

    def _hold(self, d: TurnDigest, counts: WeekCounts, texts: OwnerTable[HeldText]) -> None:
        text = d.sealed.content[:TEXT_CHARS]
        if not text.strip():
            return
        held, name = counts.texts, d.turn.turn_id
        held[name] = weight(text, len(d.sealed.kept))
        if len(held) > MOST_TEXTS:
            least = min(held, key=lambda n: (held[n], n))
            del held[least]
            counts.left_out += 1
            texts.delete(least)
            if least == name:
                return
        expires = d.accepted_at + timedelta(days=self._profile.retention.turns_days)
        row = HeldText(
            text=text, role=d.role, speaker=d.sealed.speaker, source=d.turn, user_id=d.user_id, expires_at=expires,
            position=d.position,
        )  # fmt: skip
        texts.put(name, row, expires)

    def close(self, place: Place, now: datetime) -> list[Out]:
        """A tick's: the week's time has come. Where the zone has moved its end on meanwhile, it has not."""
        end = self._span(place).end
        closed = counts_of(self._state.of(place.key)).closed
        if now < end or (not closed and now < end + STRAGGLERS):
            self._due(place, end + STRAGGLERS)
            return []
        return self.report(place, now, "week_closed")

    def report(self, place: Place, now: datetime, rule: str, cause: str = "") -> list[Out]:
        """Write a week's report, or say why not. A week that ended is closed by it."""
        rows = self._state.of(place.key)
        due = self._state.of(DUE).table(DUE_WEEKS)
        counts = counts_of(rows)
        of = self._span(place)
        ended = now >= of.end
        old = rows.single(REPORT).get()
        if not counts.turns or (old is not None and not counts.dirty and counts.closed == ended):
            reason = because("skipped", "command", "no_turns" if not counts.turns else "nothing_new")
            if ended:
                due.delete(place.key)
            return [plain_decision(place.owner, cause, "report", reason, old, now)] if cause else []
        if rule == RESCREENED:
            pass
        elif not ended:
            rule = "asked_for"
        elif counts.closed:
            rule, counts.late_at = "late_turns", now
        counts.closed, counts.dirty = ended, False
        new = self._written(place, rows, counts, old, now, rule, of)
        rows.single(WEEK).put(counts, of.ends_at)
        rows.single(REPORT).put(new, of.ends_at)
        if ended:
            due.delete(place.key)
        elif place.key not in due:  # it was closed where its days end earlier
            self._due(place, of.end + STRAGGLERS)
        decided = plain_decision(place.owner, cause or f"{place.monday}/{new.revision}", "report", new.reason, new, now)
        jobs = [Emit(topics.JOBS, report_job(new, spoken(rows, now)[0], self._profile))] if self._ask else []
        return [update(new), decided, *jobs]

    def answered(self, place: Place, r: ReportResult, now: datetime) -> list[Out]:
        """A model's summary, unless the report has changed since it was asked for."""
        row = self._state.of(place.key).single(REPORT)
        old = row.get()
        result = r.sealed.result
        summary = result.get("summary")
        if old is None or r.job_id != job_id(old) or r.status != "done" or r.model is None or not summary:
            rule = "report_changed_since" if r.status == "done" else str(result.get("reason") or "no_answer")
            reason = because("skipped", "extraction", rule)
            return [plain_decision(place.owner, r.job_id, "report", reason, old, now)]
        text = reworded(old, str(summary), r.model)
        value = with_values(old, {"extractive": False, "written_by": r.model})
        body = old.sealed.model_copy(update={"text": text, "value": value, **self._found_by(text)})
        reason = because("superseding", "extraction", "report_by_model")
        new = old.model_copy(
            update={"revision": old.revision + 1, "sealed": body, "reason": reason, "extractor": "model"}
        )
        row.put(new, self._span(place).ends_at)
        return [update(new), plain_decision(place.owner, r.job_id, "report", reason, new, now)]

    def _span(self, place: Place) -> Span:
        return span(place, self._profile)

    def _due(self, place: Place, when: datetime) -> None:
        note_due(place, when, self._state)

    def _written(
        self, place: Place, rows: OwnerState, counts: WeekCounts, old: MemoryUpdate | None, now: datetime, rule: str,
        of: Span,
    ) -> WeeklyReport:  # fmt: skip
        turns, sources = spoken(rows, now)
        notes = noted(rows, sources)
        truncated = len(turns) < len(counts.texts)
        extract = rows.single(EXTRACT)
        before = extract.get() if truncated and old is not None else None
        was = lists_of(old) if old is not None and truncated else None
        week = self._week(place, counts, turns, notes, was, before or "")
        written = write(week, self._models.embedder.embed)
        extract.put(written.summary, of.ends_at)
        named = list(dict.fromkeys(t for t in _cited(week.reading, written) if t in sources))[:MAX_SOURCES]
        kept_sources = () if old is None or not truncated else old.sources
        all_sources = {s.turn_id: s for s in (*kept_sources, *(sources[t] for t in named))}
        reason = because("kept" if old is None else "superseding", "extraction", rule)
        return WeeklyReport(
            tenant=place.owner.tenant, owner_kind=OwnerKind.PROJECT, owner_id=place.owner.id,
            record_id=record_id(place.owner, "report", place.monday.isoformat()),
            revision=1 if old is None else old.revision + 1, state="active", reason=reason,
            key=place.monday.isoformat(), scope=place.owner.id, importance=0.7, project_id=place.owner.id,
            language=week.language, sources=tuple(all_sources.values())[:MAX_SOURCES], occurred_at=min(of.end, now),
            valid_from=of.start, known_at=now, last_accessed_at=now, extractor="extractive",
            profile=self._profile.name, profile_version=self._profile.version,
            model_id=self._models.embedder.model_id, sealed=self._body(week, written, counts.closed),
        )  # fmt: skip

    def _week(
        self, place: Place, counts: WeekCounts, turns: list[Spoken], notes: list[Noted], old: ReportLists | None,
        before: str,
    ) -> Week:  # fmt: skip
        """`old`: of the report that stood, where texts that it came from are gone."""
        language: Language = "zh" if counts.zh > counts.turns / 2 else "en"
        zone = self._profile.zone_of(place.owner.id)
        found = read(turns, notes, self._models.terms, zone, self._catalogue(place))
        if old is not None:
            found = with_lists_of(old, found)
        metrics = ReportMetrics(
            turns=counts.turns, users=len(counts.users) + counts.more_users, turns_by_user=counts.users,
            memories={k: n for k, n in sorted(counts.memories.items()) if n > 0}, decisions=len(found.decisions),
            open_tasks=len(found.tasks), done_tasks=len(found.done), problems=len(found.problems),
            solved=sum(p.solution is not None for p in found.problems), late_turns=counts.late,
            texts_left_out=counts.left_out,
        )  # fmt: skip
        keys = {k.key: k for k in self._profile.hot_keys}
        spoken_units = sum(units(t.text) for t in turns)
        return Week(
            place.monday,
            language,
            found,
            metrics,
            lambda key: _label(keys.get(key), key, language),
            before,
            spoken_units,
        )

    def _catalogue(self, place: Place) -> Catalogue:
        hot = self._state.of(place.owner.key).table(HOT)

        def current_value(key: HotKey) -> JsonValue:
            held = hot.get(HotName(key.type, key.key).name)
            return held.sealed.value if held is not None and held.state == "active" else None

        last = self._state.of(place.next(-1).key).single(REPORT).get()
        before: dict[str, ReportFigure] = {}
        if last is not None and last.state == "active":
            before = {f.key: f for f in lists_of(last).figures}
        return Catalogue(self._profile, current_value, before)

    def _body(self, week: Week, written: Written, closed: bool) -> MemoryBody:
        found = week.reading
        quoted = [event_of(line) for line in written.quoted]
        notable = sorted((*found.decisions, *found.tasks, *found.done, *quoted), key=lambda s: s.occurred_at)
        value = ReportValue(
            week_start=week.monday.isoformat(), week_end=sunday(week.monday).isoformat(),
            key_events=tuple(notable[: 2 * EVENTS]), decisions=found.decisions[: 2 * EVENTS],
            open_tasks=found.tasks[: 2 * EVENTS], problems=found.problems[: 2 * EVENTS],
            figures=found.figures[:EVENTS], metrics=week.metrics, extractive=True, closed=closed,
        )  # fmt: skip
        body = MemoryBody(text=written.markdown, value=value.json_value())
        return body.model_copy(update=self._found_by(written.markdown))

    def _found_by(self, markdown: str) -> dict[str, object]:
        """Fields of a body by which search finds it."""
        return {"terms": tuple(self._models.terms(markdown)), "embedding": self._vector(lines_of(markdown))}

    def _vector(self, lines: list[str]) -> bytes:
        """The mean of the lines' vectors, of length 1: a long text as one would be cut by the encoder."""
        mean = np.asarray(self._models.embedder.embed(lines), dtype=np.float32).mean(axis=0)
        norm = float(np.linalg.norm(mean))
        unit = np.asarray(mean / norm if norm else mean, dtype=np.float16)
        return unit.tobytes()


def lines_of(markdown: str) -> list[str]:
    """The lines of a report whose mean is its vector: what was said, without headings, marks and who said it."""
    lines = [x.strip("- ") for x in markdown.splitlines() if not x.startswith(("#", "*"))]
    return [text for x in lines for part in x.split(" → ") if (text := _BY.sub("", part).strip())] or [markdown]


def _label(key: HotKey | None, name: str, language: Language) -> str:
    """A figure that an older report hands down may be of a key that the profile has no more."""
    return name.replace("_", " ") if key is None else label(key, language)


def _again(counts: WeekCounts) -> datetime:
    """When a closed week may be written again for late turns: at once, where it was not lately."""
    return _EVER if counts.late_at is None else counts.late_at + LATE_EVERY


def _cited(found: Reading, written: Written) -> list[str]:
    """Turns that a report tells of."""
    statements: tuple[ReportStatement, ...] = (*found.decisions, *found.tasks, *found.done)
    cited = [t for s in statements for t in s.source_turn_ids] + [f.turn_id for f in found.figures]
    cited += [t for p in found.problems for t in (p.turn_id, p.solved_by) if t]
    return [*cited, *(line.turn.turn_id for line in written.quoted)]
