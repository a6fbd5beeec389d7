"""Weekly project reports (A6): weeks of a zone, and what a week's turns amount to. Pure.

A report is made of what was said: sentences by `processors.language.summarize`, statements that the gate kept, and
problems paired with what solved them. A model may word it better; nothing here guesses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from processors.language.summarize import Role
from processors.reader.rules.text import prepare, sentences

Language = Literal["en", "zh"]
Terms = Callable[[str], list[str]]
MOST_UNITS = 500
"""A report's Markdown: words, a Chinese character counting as one (A6)."""

_UNIT = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\s\u3400-\u9fff\uf900-\ufaff]+")
_PROBLEM = re.compile(
    r"\b(?:problems?|issues?|bugs?|errors?|fail(?:s|ed|ure|ures|ing)?|missing|delay(?:s|ed)?|broken|stuck|crash\w{0,4}"
    r"|outages?|wrong|blocked|inconsistent|time[sd]? ?out|cannot|can't|won't"
    r"|(?:do(?:es)?(?: not|n't)|not|stopped) work(?:ing)?|out of order)\b"
    r"|坏了|不能用|用不了|失灵|问题|故障|错误|报错|失败|缺失|缺少|延迟|延误|异常|崩溃|卡住|无法|超时|不一致|遗漏",
    re.I,
)
_NONE = re.compile(r"\b(?:no|any|without)\b.{0,12}\b(?:problem|issue|error)s?\b|没有?(?:什么|任何)?(?:问题|异常)", re.I)
_SOLVED = re.compile(
    r"\b(?:fixed|solved|resolved|solution|workaround|corrected|repaired|sorted out|filled in|works? (?:again|now))\b"
    r"|解决|修复|已处理|处理好|补录|补齐|更正|改正|排除了?|恢复",
    re.I,
)
_DONE = re.compile(
    r"\b(?:done|finished|completed|submitted|sent|delivered|uploaded|signed)\b|完成|做完|办完|提交了|已提交|发出|交了|签完",
    re.I,
)
_EAST, _WEST = "Etc/GMT-14", "Etc/GMT+12"
"""Where a day begins first, and last."""
_NEAR = 4
"""Turns after a problem in which what is said to be solved, without naming it, is that problem."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn of the week whose text is still held."""

    turn_id: str
    session_id: str | None
    at: datetime
    role: Role
    speaker: str | None
    text: str
    position: int = 0
    """In the log: which of two turns of one moment came first."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A statement that the gate kept of a turn."""

    turn_id: str
    at: datetime
    kind: str
    episode_type: str | None
    text: str
    position: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """`solution` None: still open when the week ended."""

    text: str
    turn_id: str
    solution: str | None = None
    solved_by: str | None = None


def week_of(when: datetime, zone: str) -> date:
    """The Monday of the week [Monday 00:00, next Monday 00:00) in the zone."""
    local = when.astimezone(ZoneInfo(zone)).date()
    return local - timedelta(days=local.weekday())


def weeks_of(when: datetime) -> tuple[date, ...]:
    """The Mondays of the weeks that it lies in somewhere on earth: one, or two within a day of a Monday."""
    return tuple(dict.fromkeys(week_of(when, zone) for zone in (_WEST, _EAST)))


def bounds(monday: date, zone: str) -> tuple[datetime, datetime]:
    """Start and end of a week in UTC; the end is not part of it. A week of a clock change has 167 or 169 hours."""
    tz = ZoneInfo(zone)
    start, end = (datetime.combine(d, time(), tz) for d in (monday, monday + timedelta(days=7)))
    return start.astimezone(UTC), end.astimezone(UTC)


def units(text: str) -> int:
    """Words of a text, each Chinese character counting as one."""
    return len(_UNIT.findall(text))


def shortened(text: str, most: int) -> str:
    """The longest beginning of at most `most` units, on one line."""
    line = " ".join(text.split())
    for n, match in enumerate(_UNIT.finditer(line)):
        if n == most - 1 and line[match.end() :].strip():
            return line[: match.start()].rstrip() + "…"
    return line


def problems(turns: Sequence[Spoken], terms: Terms) -> list[Problem]:
    """Problems that were named, in order, each with the sentence that solved it.

    What solves shares most words with an open problem before it; where it shares none, it solves the problem named
    at most `_NEAR` turns before it in the same session. One that is told again in the same words while it is open is
    the same.
    """
    found: list[tuple[Problem, int, set[str]]] = []
    for place, turn in enumerate(turns):
        for said in _stated(turn.text):
            words = set(terms(said))
            if _SOLVED.search(said):
                at = _solves(found, turns, place, words)
                if at is not None:
                    old, where, seen = found[at]
                    found[at] = Problem(old.text, old.turn_id, said, turn.turn_id), where, seen
                    continue
            if _PROBLEM.search(said) and not _NONE.search(said):
                if any(p.text == said and p.solution is None for p, _, _ in found):
                    continue
                itself = (said, turn.turn_id) if _SOLVED.search(said) else (None, None)
                found.append((Problem(said, turn.turn_id, *itself), place, words))
    return [p for p, _, _ in found]


def _solves(
    found: Sequence[tuple[Problem, int, set[str]]], turns: Sequence[Spoken], place: int, words: set[str]
) -> int | None:
    open_ = [(i, where, seen) for i, (p, where, seen) in enumerate(found) if p.solution is None]
    best = max(open_, key=lambda o: (len(o[2] & words), o[1]), default=None)
    if best is not None and best[2] & words:
        return best[0]
    session = turns[place].session_id
    near = [i for i, w, _ in open_ if place - w <= _NEAR and turns[w].session_id == session]
    return near[-1] if near else None


def open_tasks(notes: Sequence[Noted], turns: Sequence[Spoken], terms: Terms) -> list[Noted]:
    """Tasks of the week that no later sentence says are done (a third of the task's words, at least one)."""
    done = [((t.at, t.position), t.turn_id, set(terms(s))) for t in turns for s in _stated(t.text) if _DONE.search(s)]
    out = []
    for task in (n for n in notes if n.episode_type == "task"):
        words = set(terms(task.text))
        need = max(1, round(len(words) / 3))
        since = task.at, task.position
        later = (said for at, turn_id, said in done if at >= since and turn_id != task.turn_id)
        if not any(len(words & said) >= need for said in later):
            out.append(task)
    return out


def _stated(text: str) -> Iterable[str]:
    return (s.text for s in sentences(prepare(text)) if not s.asks)


def weight(text: str, kept: int) -> float:
    """How much a turn adds to a report: which texts are held when a week has more than fit."""
    cues = sum(1 for cue in (_PROBLEM, _SOLVED, _DONE) if cue.search(text))
    return round(2.0 * kept + cues + min(units(text), 60) / 60, 3)
