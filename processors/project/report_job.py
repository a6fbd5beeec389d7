"""A weekly report in a model's words (A6): what the job gets, and how its answer enters the report. Pure.

The lists, figures and citations stay those of the rules: only the summary is the model's, and the report says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from processors.project.report_text import WORDS
from processors.project.report_value import lists_of
from processors.project.rollup import MOST_UNITS, Language, Spoken, shortened, units
from schemas.base import JsonObject
from schemas.events.documents import Job, JobBody
from schemas.events.memory import MemoryUpdate
from schemas.log.ids import record_id
from schemas.profile.model import Profile

_PARTS = 40
"""Decisions, tasks and problems of each kind that go along."""


def job_id(report: MemoryUpdate) -> str:
    return record_id(report.owner, "report-job", report.record_id, report.revision)


def report_job(report: MemoryUpdate, turns: Sequence[Spoken], profile: Profile) -> Job:
    """Asked once a revision of a report whose week is over."""
    lists = lists_of(report)
    payload: JsonObject = {
        "week_start": lists.week_start, "revision": report.revision, "language": report.language,
        "words": _room(report.sealed.text, _language(report)),
        "decisions": [d.text for d in lists.decisions[:_PARTS]],
        "tasks": [t.text for t in lists.open_tasks[:_PARTS]],
        "problems": [{"problem": p.text, "solution": p.solution} for p in lists.problems[:_PARTS]],
        "turns": [{"role": t.role, "speaker": t.speaker, "content": t.text} for t in turns],
    }  # fmt: skip
    return Job(
        tenant=report.tenant, owner_kind=report.owner_kind, owner_id=report.owner_id, job_id=job_id(report),
        job="report", asked_by="project", profile=profile.name, profile_version=profile.version,
        accepted_at=report.known_at, sealed=JobBody(payload=payload),
    )  # fmt: skip


def _language(report: MemoryUpdate) -> Language:
    return "zh" if report.language == "zh" else "en"


def _split(markdown: str, language: Language) -> tuple[list[str], list[str]]:
    """What stands before the summary, and what behind it without the mark."""
    parts = markdown.split("\n\n")
    rest = [p for p in parts[1:-1] if not p.startswith(WORDS[language]["summary"])]
    return parts[:1], rest


def _room(markdown: str, language: Language) -> int:
    before, after = _split(markdown, language)
    words = WORDS[language]
    return max(60, MOST_UNITS - sum(map(units, (*before, *after, words["summary"], words["model_mark"]))) - 4)


def reworded(report: MemoryUpdate, summary: str, model: str) -> str:
    """The report's Markdown with a model's summary, within its length."""
    language = _language(report)
    before, after = _split(report.sealed.text, language)
    room = _room(report.sealed.text, language)
    lines: list[str] = []
    for raw in summary.splitlines():
        line = raw.strip().lstrip("#").strip()
        if not line:
            continue
        if units(line) > room:
            lines.append(shortened(line, room) if room > 3 else "…")
            break
        lines.append(line)
        room -= units(line)
    words = WORDS[language]
    text = f"{words['summary']}\n" + "\n".join(lines)
    return "\n\n".join([*before, text, *after, words["model_mark"].format(model=model)])


def monday(week_start: str) -> date | None:
    try:
        return date.fromisoformat(week_start)
    except ValueError:
        return None
