"""The Markdown of a weekly report, within its length (A6). Pure.

Lists first, a line a decision, problem, task or figure, persons by name; the summary holds of the sentences that stand
in no list those that say most, a third of what was said at most: a small week is no transcript either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from processors.language.summarize import Contribution, Embed, summarise
from processors.project.report_value import ReportFigure, ReportMetrics, ReportProblem, ReportStatement
from processors.project.rollup import MOST_UNITS, Language, shortened, units
from processors.project.week_lines import Line
from processors.project.week_reading import Reading

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "title": "# Week {start} to {end}", "summary": "## Summary", "figures": "## Figures",
        "decisions": "## Decisions", "tasks": "## Open tasks", "problems": "## Problems and solutions",
        "done": "## Done", "open": "open", "nobody": "nobody named", "by": "{who}: {text}", "due": " (by {due})",
        "of": " of {of}", "change": " (last week {before}, {change})",
        "counts": "*{turns} turns, {users} users, {memories} memories, {decisions} decisions, "
        "{open_tasks} open tasks, {problems} problems ({solved} solved).*",
        "mark": "*Extractive: sentences as they were said.*", "model_mark": "*Summary by {model}.*",
    },
    "zh": {
        "title": "# 周报 {start} 至 {end}", "summary": "## 摘要", "figures": "## 指标", "decisions": "## 决策",
        "tasks": "## 待办", "problems": "## 问题与解决", "done": "## 已完成", "open": "未解决",
        "nobody": "未指定负责人", "by": "{who}：{text}", "due": "（截止{due}）",
        "of": "/{of}", "change": "（上周{before}，{change}）",
        "counts": "*{turns}条对话，{users}位用户，{memories}条记忆，{decisions}项决策，{open_tasks}项待办，"
        "{problems}个问题（已解决{solved}个）。*",
        "mark": "*摘录：均为原话。*", "model_mark": "*摘要由{model}撰写。*",
    },
}  # fmt: skip
_SHARES = (("figures", 30), ("decisions", 100), ("problems", 120), ("tasks", 80), ("done", 30))
"""Units that each list has at least, if it needs them; what they leave goes to those that need more."""
_SUMMARY = 70
"""Units that lists leave to the summary, a model's too."""
_NAME = 12
"""Units of a person's name: anybody may be called anything."""
_LINES = (40, 30, 24, 18)
"""Units of a line's sentence: the most with which all lists fit, else the last."""


@dataclass(frozen=True, slots=True)
class Week:
    """What a report tells of."""

    monday: date
    language: Language
    reading: Reading
    metrics: ReportMetrics
    label: Callable[[str], str]
    """How the profile names the key of a figure."""
    before: str = ""
    """The summary as it stood, where the texts that it came from are gone."""
    said: int = 0
    """Units of all that was said."""


@dataclass(frozen=True, slots=True)
class Written:
    """`summary` is the extract alone; `quoted` the sentences that it is made of."""

    markdown: str
    summary: str
    quoted: tuple[Line, ...] = ()


def sunday(monday: date) -> date:
    return monday + timedelta(days=6)


def write(week: Week, embed: Embed) -> Written:
    """At most `MOST_UNITS` words or Chinese characters, headings and figures included."""
    words = WORDS[week.language]
    title = words["title"].format(start=week.monday, end=sunday(week.monday))
    counts = words["counts"].format(**{**dict(week.metrics), "memories": sum(week.metrics.memories.values())})
    fixed = [title, words["summary"], counts, words["mark"]]
    left = MOST_UNITS - sum(map(units, fixed))
    lists = _lists(week, words, left - _SUMMARY)
    left -= sum(map(units, lists))
    summary = _summary(week, embed, left)
    parts = [title, *([f"{words['summary']}\n{summary}"] if summary else []), *lists, counts, words["mark"]]
    quoted = tuple(line for line in week.reading.rest if line.text in summary)
    return Written("\n\n".join(parts), summary, quoted)


def _summary(week: Week, embed: Embed, left: int) -> str:
    contributions = [Contribution(week.before, "summary")] if week.before else []
    contributions += [Contribution(line.text, line.turn.role, line.who or None) for line in week.reading.rest]
    if not contributions:
        return ""
    longest = max((units(line.text) + units(line.who) for line in week.reading.rest), default=0)
    room = max(week.said // 3, longest + 2) + units(week.before)
    return summarise(contributions, embed, units, min(left, room), week.language)


def _lists(week: Week, words: Mapping[str, str], room: int) -> list[str]:
    for most in _LINES:
        lines = _lines(week, words, most)
        needs = {n: units(words[n]) + sum(units(f"- {x}") for x in lines[n]) if lines[n] else 0 for n, _ in _SHARES}
        if sum(needs.values()) <= room:
            break
    share = {name: min(needs[name], least) for name, least in _SHARES}
    spare = room - sum(share.values())
    for name, _ in _SHARES:
        more = max(0, min(needs[name] - share[name], spare))
        share[name] += more
        spare -= more
    return [text for name, _ in _SHARES if (text := _list(words[name], lines[name], share[name]))]


def _lines(week: Week, words: Mapping[str, str], most: int) -> dict[str, list[str]]:
    """`most`: units of each sentence."""
    found = week.reading

    def by(name: str | None, text: str) -> str:
        short = shortened(text, most)
        return words["by"].format(who=shortened(name, _NAME), text=short) if name else short

    def due(t: ReportStatement) -> str:
        return words["due"].format(due=t.due) if t.due else ""

    def end(p: ReportProblem) -> str:
        return by(p.solver, p.solution) if p.solution else words["open"]

    return {
        "figures": [figure(f, week.label(f.key), words) for f in found.figures],
        "decisions": [by(s.by, s.text) for s in found.decisions],
        "problems": [f"{by(p.by, p.text)} → {end(p)}" for p in found.problems],
        "tasks": [by(t.owner or words["nobody"], t.text) + due(t) for t in found.tasks],
        "done": [by(t.owner, t.text) for t in found.done],
    }


def figure(f: ReportFigure, label: str, words: Mapping[str, str]) -> str:
    """As in "currently enrolled: 40 of 60 (last week 38, +2)"."""
    text = _number(f.value) + (words["of"].format(of=_number(f.of)) if f.of is not None else "")
    if f.before is not None:
        change = f.value - f.before
        signed = _number(change) if change < 0 else f"+{_number(change)}"
        text += words["change"].format(before=_number(f.before), change=signed)
    return words["by"].format(who=label, text=text)


def _number(value: float) -> str:
    """In full: a budget of 1250000 is not 1.25e+06."""
    return str(int(value)) if value == int(value) else f"{value:.6f}".rstrip("0")


def _list(heading: str, lines: Sequence[str], most: int) -> str:
    """The first that fit; what is left out is counted."""
    left, out = most - units(heading), [heading]
    for i, line in enumerate(lines):
        item = f"- {line}"
        last = i == len(lines) - 1
        if units(item) > left - (0 if last else 2) and len(out) > 1:
            out.append(f"- +{len(lines) - i}")
            break
        out.append(item)
        left -= units(item)
    return "\n".join(out) if len(out) > 1 else ""
