"""The Markdown of a weekly report, within its length (A6). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from processors.language.item_numbers import unnumbered
from processors.language.summarize import Embed, Said, summarise
from processors.project.report_value import ReportMetrics
from processors.project.rollup import MOST_UNITS, Language, Noted, Problem, Spoken, shortened, units
from processors.reader.rules.text import prepare, sentences

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "title": "# Week {start} to {end}", "summary": "## Summary", "decisions": "## Decisions",
        "tasks": "## Open tasks", "problems": "## Problems and solutions", "events": "## Key events",
        "open": "open", "figures": "{turns} turns, {users} users, {memories} memories, {decisions} decisions, "
        "{open_tasks} open tasks, {problems} problems ({solved} solved)",
        "mark": "*Extractive: sentences as they were said.*", "model_mark": "*Summary by {model}.*",
    },
    "zh": {
        "title": "# 周报 {start} 至 {end}", "summary": "## 摘要", "decisions": "## 决策", "tasks": "## 待办",
        "problems": "## 问题与解决", "events": "## 关键事件", "open": "未解决",
        "figures": "{turns}条对话，{users}位用户，{memories}条记忆，{decisions}项决策，{open_tasks}项待办，"
        "{problems}个问题（已解决{solved}个）",
        "mark": "*摘录：均为原话。*", "model_mark": "*摘要由{model}撰写。*",
    },
}  # fmt: skip
_SHARES = (("decisions", 110), ("problems", 110), ("tasks", 60), ("events", 60))
"""Most units of each list; what they leave is the summary's."""
_LINE = 40


@dataclass(frozen=True, slots=True)
class Week:
    """What a report tells of."""

    monday: date
    language: Language
    turns: Sequence[Spoken]
    decisions: Sequence[Noted]
    tasks: Sequence[Noted]
    events: Sequence[Noted]
    problems: Sequence[Problem]
    metrics: ReportMetrics
    before: str = ""
    """The summary as it stood, where the texts that it came from are gone."""


@dataclass(frozen=True, slots=True)
class Written:
    """`summary` is the extract alone."""

    markdown: str
    summary: str


def sunday(monday: date) -> date:
    return monday + timedelta(days=6)


def write(week: Week, embed: Embed) -> Written:
    """At most `MOST_UNITS` words or Chinese characters, headings and figures included."""
    words = WORDS[week.language]
    title = words["title"].format(start=week.monday, end=sunday(week.monday))
    figures = words["figures"].format(**{**dict(week.metrics), "memories": sum(week.metrics.memories.values())})
    lists = _lists(week, words)
    fixed = [title, words["summary"], *lists, figures, words["mark"]]
    left = MOST_UNITS - sum(map(units, fixed))
    said = [Said(week.before, "summary")] if week.before else []
    said += [Said(t.text, t.role, t.speaker) for t in week.turns]
    summary = summarise(said, embed, units, left, week.language)
    parts = [title, *([f"{words['summary']}\n{summary}"] if summary else []), *lists, figures, words["mark"]]
    return Written("\n\n".join(parts), summary)


def _lists(week: Week, words: Mapping[str, str]) -> list[str]:
    lines = {
        "decisions": [n.text for n in week.decisions],
        "problems": [_problem(p, words["open"]) for p in week.problems],
        "tasks": [n.text for n in week.tasks],
        "events": [n.text for n in week.events],
    }
    return [text for name, most in _SHARES if (text := _list(words[name], lines[name], most))]


def _problem(p: Problem, open_word: str) -> str:
    return f"{shortened(p.text, _LINE)} → {shortened(p.solution, _LINE) if p.solution else open_word}"


def _list(heading: str, lines: Sequence[str], most: int) -> str:
    """The first that fit; what is left out is counted."""
    left, out = most - units(heading), [heading]
    for i, line in enumerate(lines):
        item = f"- {shortened(line, 2 * _LINE + 4)}"
        if units(item) > left - 2 and len(out) > 1:
            out.append(f"- +{len(lines) - i}")
            break
        out.append(item)
        left -= units(item)
    return "\n".join(out) if len(out) > 1 else ""


def quoted(summary: str, turns: Sequence[Spoken]) -> list[Spoken]:
    """The turns that the summary's sentences come from."""
    said = ((t, sentences(unnumbered(prepare(t.text)))) for t in turns)  # as the summary reads them
    return [t for t, found in said if any(len(s.text) > 3 and s.text in summary for s in found)]
