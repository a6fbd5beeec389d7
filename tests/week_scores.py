"""Weeks of plain talk with what a reader should find in them (tests/data/weeks), and how much of it is found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from inference.terms import terms
from processors.project.report_value import ReportFigure, ReportProblem, ReportStatement
from processors.project.rollup import Spoken
from processors.project.week_reading import Catalogue, Reading, read
from schemas.profile.model import load_profile

Kind = Literal["decision", "task", "problem", "figure"]
KINDS: tuple[Kind, ...] = ("decision", "task", "problem", "figure")
ZONE = "Asia/Shanghai"
DATA = Path(__file__).parent / "data" / "weeks"
_MONDAY = datetime(2026, 11, 16, 9, tzinfo=ZoneInfo(ZONE))
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
_KINDS: dict[str, Kind] = {"D": "decision", "T": "task", "P": "problem", "F": "figure"}
_TURN = re.compile(r"(?P<day>Mon|Tue|Wed|Thu|Fri) (?P<who>[^:]+): (?P<text>.+)")
_LABEL = re.compile(r"(?P<kind>[DTPSF])(?P<maybe>\?)?(?P<rest>[^:]*): (?P<told>.+)")


@dataclass(slots=True)
class Label:
    """What should be found. `maybe`: neither missed nor wrong. `solution`: words of it; None: the problem is open.
    `owner`: of a task, empty where nobody is named; `due`: its day, empty where none is."""

    kind: Kind
    told: str
    maybe: bool = False
    owner: str = ""
    due: str = ""
    solution: str | None = None


@dataclass(slots=True)
class TalkedWeek:
    name: str
    half: str
    profile: str
    turns: list[Spoken] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)


class Found(NamedTuple):
    """`parts`: owner and day of a task, solution of a problem."""

    kind: Kind
    text: str
    parts: tuple[str | None, ...]


@dataclass(slots=True)
class Scores:
    """By kind: labels, those of them that are found, what is found in all, and what of it is right; `parts`: of those
    that are found, whose owner and day, or solution, is right, too."""

    labelled: Counter[Kind] = field(default_factory=Counter)
    found: Counter[Kind] = field(default_factory=Counter)
    told: Counter[Kind] = field(default_factory=Counter)
    right: Counter[Kind] = field(default_factory=Counter)
    parts: Counter[Kind] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def recall(self, kind: Kind) -> float:
        return self.found[kind] / max(1, self.labelled[kind])

    def precision(self, kind: Kind) -> float:
        return self.right[kind] / max(1, self.told[kind])

    def whole(self, kind: Kind) -> float:
        """Of those that are found, the share with the right owner and day, or solution."""
        return self.parts[kind] / max(1, self.found[kind])


def weeks(language: str, half: str) -> list[TalkedWeek]:
    """`half`: "a", on which rules may be tuned, or "b", which nobody reads who writes them."""
    read_ = [_parsed(path) for path in sorted((DATA / language).glob("*.txt"))]
    return [week for week in read_ if week.half == half]


def read_week(week: TalkedWeek) -> Reading:
    catalogue = Catalogue(load_profile(week.profile), lambda _: None, {})
    return read(week.turns, (), terms, ZONE, catalogue)


def scored(of: Sequence[TalkedWeek]) -> Scores:
    scores = Scores()
    for week in of:
        _score(week, list(_found(read_week(week))), scores)
    return scores


def _score(week: TalkedWeek, found: list[Found], scores: Scores) -> None:
    for label in week.labels:
        match = next((f for f in found if f.kind == label.kind and _is(label, f)), None)
        if label.maybe:
            continue
        scores.labelled[label.kind] += 1
        if match is None:
            scores.notes.append(f"{week.name} missed {label.kind}: {label.told}")
            continue
        scores.found[label.kind] += 1
        if _whole(label, match):
            scores.parts[label.kind] += 1
        else:
            scores.notes.append(f"{week.name} in part {label.kind}: {match.text} {match.parts}")
    for f in found:
        scores.told[f.kind] += 1
        if any(f.kind == label.kind and _is(label, f) for label in week.labels):
            scores.right[f.kind] += 1
        else:
            scores.notes.append(f"{week.name} wrong {f.kind}: {f.text} {f.parts}")


def _is(label: Label, found: Found) -> bool:
    return label.told.casefold() in found.text.casefold()


def _whole(label: Label, found: Found) -> bool:
    match label.kind:
        case "task":
            return found.parts == (label.owner or None, label.due or None)
        case "problem":
            [solution] = found.parts
            if label.solution is None:
                return solution is None
            return solution is not None and label.solution.casefold() in solution.casefold()
    return True


def _found(reading: Reading) -> Iterator[Found]:
    yield from (Found("decision", s.text, ()) for s in reading.decisions)
    yield from (Found("task", *_of_task(t)) for t in (*reading.tasks, *reading.done))
    yield from (Found("problem", *_of_problem(p)) for p in reading.problems)
    yield from (Found("figure", _of_figure(f), ()) for f in reading.figures)


def _of_task(t: ReportStatement) -> tuple[str, tuple[str | None, ...]]:
    return t.text, (t.owner, t.due)


def _of_problem(p: ReportProblem) -> tuple[str, tuple[str | None, ...]]:
    return p.text, (p.solution,)


def _of_figure(f: ReportFigure) -> str:
    return f"{f.key} {f.value:g}" + (f" {f.of:g}" if f.of is not None else "")


def _parsed(path: Path) -> TalkedWeek:
    week = TalkedWeek(f"{path.parent.name}/{path.stem}", "", "")
    heads: dict[str, Callable[[str], None]] = {
        "half": lambda result: setattr(week, "half", result),
        "profile": lambda result: setattr(week, "profile", result),
        "field": lambda _: None,
    }
    problems: dict[str, Label] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if (turn := _TURN.fullmatch(line)) is not None:
            n = len(week.turns)
            at = _MONDAY + timedelta(days=_DAYS.index(turn["day"]), minutes=n)
            week.turns.append(Spoken(f"t{n}", "team", at, "user", turn["who"], turn["text"], n, turn["who"]))
        elif (label := _LABEL.fullmatch(line)) is not None:
            _label(week, label, problems)
        else:
            name, _, result = line.partition(": ")
            heads[name](result)
    return week


def _label(week: TalkedWeek, label: re.Match[str], problems: dict[str, Label]) -> None:
    rest, result = label["rest"].strip(), label["told"]
    if label["kind"] == "S":
        if label["maybe"] is None:
            problems[rest].solution = result
        else:
            problems[rest].maybe = True
        return
    made = Label(_KINDS[label["kind"]], result, label["maybe"] is not None)
    if made.kind == "task":
        owner, _, due = rest.rpartition(" ")
        made.owner, made.due = ("" if part == "-" else part for part in (owner, due))
    if made.kind == "problem":
        problems[rest] = made
    if made.kind == "figure":  # of a key the last that is told stands
        key = result.split()[0]
        week.labels = [old for old in week.labels if old.told.split()[0] != key or old.kind != "figure"]
    week.labels.append(made)
