"""What a week's turns amount to (A6): decisions, tasks with owner and day, problems with what solved them, figures of
the profile's catalogue, and the sentences that are left to sum up. Pure.

It is read from the turns' own sentences, persons by name. What the gate kept as a decision or task counts where the
turn's sentences do not show one: a model may have read it, or the turn's text is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

from processors.memory.values import iso
from processors.project.report_value import ReportFigure, ReportLists, ReportProblem, ReportStatement
from processors.project.rollup import Noted, Problem, Spoken, units
from processors.project.week_decisions import decides, decisions
from processors.project.week_due import due
from processors.project.week_figures import figures
from processors.project.week_lines import Line, Terms, is_reaction, lines, named, small_talk, who
from processors.project.week_problems import problem_in, problems, solves
from processors.project.week_tasks import Task, Tasks, endings, ends, is_opinion, is_task, names_of, says_done, settled
from schemas.base import JsonValue
from schemas.profile.model import HotKey, Profile

_ANSWER = 4
"""Words of what only answers a question, at most."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`rest`: sentences that stand in none of the lists. `done`: tasks that a later sentence says are done."""

    decisions: tuple[ReportStatement, ...] = ()
    tasks: tuple[ReportStatement, ...] = ()
    done: tuple[ReportStatement, ...] = ()
    problems: tuple[ReportProblem, ...] = ()
    figures: tuple[ReportFigure, ...] = ()
    rest: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Where figures come from. `current_value`: what hot memory has of a key. `before`: of the week before, by key."""

    profile: Profile
    current_value: Callable[[HotKey], JsonValue]
    before: Mapping[str, ReportFigure]


def read(turns: Sequence[Spoken], notes: Sequence[Noted], terms: Terms, zone: str, catalogue: Catalogue) -> Reading:
    """Oldest first. `zone`: of the project's days."""

    def day(at: datetime) -> date:
        return at.astimezone(ZoneInfo(zone)).date()

    all_lines, chat = lines(_in_talks(turns, day), terms), small_talk(turns)
    notes = [n for n in notes if not chat(n.text)]
    reads = Tasks(all_lines, names_of(turns, who), day)
    decided = decisions(all_lines)
    of_decisions = {d.line.text for d in decided}
    open_tasks = [t for t in reads.found() if t.text not in of_decisions]
    own = {line.text for line in all_lines if reads.owner(line) is not None}
    ending = {line.text for line in endings(all_lines)}
    found = problems(
        all_lines, turns, lambda line: line.text in own and not _names_twice(line.text),
        lambda line: line.text in ending and any(ends(t, line) for t in open_tasks),
    )  # fmt: skip
    open_tasks += _kept_tasks(notes, open_tasks, day, terms)
    tasks = settled(open_tasks, all_lines, found, turns)
    noted = [_statement(n, "decision") for n in _kept(notes, "decision", {d.line.turn.turn_id for d in decided})]
    statements = [_report_statement("decision", d.line, d.text) for d in decided]
    told_of = [*(d.text for d in decided), *(t.text for t in open_tasks), *own]
    told_of += [x for p in found for x in (p.text, p.solution) if x]
    done_by = {t.done_by for t in tasks if t.done_by}
    numbers = figures(all_lines, catalogue.profile, catalogue.current_value, catalogue.before)
    return Reading(
        decisions=tuple(sorted([*statements, *noted], key=lambda s: s.occurred_at)),
        tasks=tuple(_task(t) for t in tasks if t.done_by is None),
        done=tuple(_task(t) for t in tasks if t.done_by is not None),
        problems=tuple(_problem(p) for p in found),
        figures=tuple(numbers),
        rest=tuple(
            line for n, line in enumerate(all_lines)
            if not line.asks and not _answers(all_lines, n) and not is_reaction(line.text) and not is_opinion(line.text)
            and not any(line.text in t for t in told_of)
            and not (line.turn.turn_id in done_by and says_done(line.text) and not any(c.isdigit() for c in line.text))
        ),
    )  # fmt: skip


def _in_talks(turns: Sequence[Spoken], day: Callable[[datetime], date]) -> list[Spoken]:
    """The turns with one session a day for people who talk to each other: a service may keep a session for each of
    them, and what one asks another answers. A session of several people, or with an assistant, stays."""
    persons: dict[str | None, set[str]] = {}
    for t in turns:
        persons.setdefault(t.session_id, set()).add(who(t) if t.role == "user" else "")
    alone = {s for s, of_it in persons.items() if s is not None and len(of_it) == 1 and "" not in of_it}
    return [replace(t, session_id=f"talk/{day(t.at)}") if t.session_id in alone else t for t in turns]


def with_lists_of(old: ReportLists, new: Reading) -> Reading:
    """A week of which texts are gone: what its report said stands on, and what it did not call open is done."""
    decisions = (*old.decisions, *_unless(old.decisions, new.decisions))
    texts = {t.text for t in old.open_tasks}
    done = tuple(e for e in old.key_events if e.type == "task" and e.text not in texts)
    ended = {turn: t.done_by for t in new.done for turn in t.source_turn_ids}
    by = {t: next((ended[turn] for turn in t.source_turn_ids if turn in ended), None) for t in old.open_tasks}
    open_ = tuple(t for t, turn in by.items() if turn is None)
    done += tuple(t.model_copy(update={"done_by": turn}) for t, turn in by.items() if turn is not None)
    solved = {p.text: p for p in new.problems if p.solution}
    problems_ = tuple(p if p.solution else solved.get(p.text, p) for p in old.problems)
    texts = {p.text for p in old.problems}
    keys = {f.key for f in new.figures}
    return Reading(
        decisions=tuple(sorted(decisions, key=lambda s: s.occurred_at)),
        tasks=(*open_, *_unless((*open_, *done), new.tasks)),
        done=(*done, *_unless((*open_, *done), new.done)),
        problems=(*problems_, *(p for p in new.problems if p.text not in texts)),
        figures=(*(f for f in old.figures if f.key not in keys), *new.figures),
        rest=new.rest,
    )


def weight(text: str, kept: int) -> float:
    """How much a turn adds to a report: which texts are held when a week has more than fit."""
    cues = sum(map(bool, (problem_in(text), solves(text), says_done(text), decides(text))))
    return round(2.0 * kept + cues + min(units(text), 60) / 60, 3)


def _unless(known: Sequence[ReportStatement], found: Sequence[ReportStatement]) -> list[ReportStatement]:
    """Those of turns that none of `known` is of."""
    turns = {t for s in known for t in s.source_turn_ids}
    return [s for s in found if turns.isdisjoint(s.source_turn_ids)]


def _kept(notes: Sequence[Noted], episode_type: str, turns: set[str]) -> list[Noted]:
    """Of a turn, the first statement of a type that the gate kept; not of `turns`, which show one themselves."""
    out: dict[str, Noted] = {}
    for n in notes:
        if n.episode_type == episode_type and n.turn_id not in turns and not is_opinion(n.text):
            out.setdefault(n.turn_id, n)
    return list(out.values())


def _kept_tasks(
    notes: Sequence[Noted], open_tasks: Sequence[Task], day: Callable[[datetime], date], terms: Terms
) -> list[Task]:
    return [
        Task(n.turn_id, n.at, n.position, text, "", due(n.text, day(n.at)), frozenset(terms(n.text)))
        for n in _kept(notes, "task", {t.turn_id for t in open_tasks}) for text in [named(n.text, who(n))]
    ]  # fmt: skip


def _answers(all_lines: Sequence[Line], n: int) -> bool:
    """Whether a sentence says nothing without the question before it."""
    return (
        n > 0
        and all_lines[n - 1].asks
        and len(all_lines[n].words) <= _ANSWER
        and not any(c.isdigit() for c in all_lines[n].text)
    )


def _names_twice(text: str) -> bool:
    """Whether a sentence says beside what somebody will do that something is wrong: in a part of its own."""
    first, *more = text.replace("，", ",").split(",")
    if first.endswith("的问题"):
        return False
    stated = [part for part in (first, *more) if not is_task(part)]
    return bool(more) and any(problem_in(part) and not solves(part) for part in stated)


def _statement(n: Noted, kind: str) -> ReportStatement:
    return ReportStatement(
        type=kind, text=named(n.text, who(n)), occurred_at=iso(n.at), source_turn_ids=(n.turn_id,), by=who(n) or None
    )


def _report_statement(kind: str, line: Line, text: str) -> ReportStatement:
    turn = line.turn
    return ReportStatement(
        type=kind, text=text, occurred_at=iso(turn.at), source_turn_ids=(turn.turn_id,), by=line.who or None
    )


def event_of(line: Line) -> ReportStatement:
    return _report_statement("fact", line, line.text)


def _task(t: Task) -> ReportStatement:
    return ReportStatement(
        type="task", text=t.text, occurred_at=iso(t.at), source_turn_ids=(t.turn_id,), owner=t.owner or None,
        due=None if t.due is None else t.due.isoformat(), done_by=t.done_by,
    )  # fmt: skip


def _problem(p: Problem) -> ReportProblem:
    return ReportProblem(
        text=p.text, turn_id=p.turn_id, solution=p.solution, solved_by=p.solved_by, by=p.by or None,
        solver=p.solver or None,
    )  # fmt: skip
