"""Problems that were named in a week, each with the sentence that solved it (A6). Pure.

What solves says so (fixed, back up, 修好了), of something that an open problem before it is about: the one with which
it shares most words, else one named at most `_NEAR` turns before in the same session. Weaker signs (now, found, 现在)
count only with enough words shared. A problem that is told again while it is open is the same one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from processors.project.rollup import Problem, Spoken
from processors.project.week_decisions import decides
from processors.project.week_lines import Line, who
from processors.project.week_words import words

_NEAR = 4
_SHORT = 6
"""Words of a sentence in which one shared word is what it is about."""
_PROBLEM = words("problem")
_NONE = words("none")
_SOLVED = words("solved")
_WEAK = words("weak")
_NOT_YET = words("not_yet")
_RATE = re.compile(r"\d ?% (?:errors?|fail\w{0,5}|loss)\b|(?:error|failure) rate|(?:错误|失败|丢包|误报)率", re.I)
"""A figure of problems, which is none."""
_CLAUSES = re.compile(r"[,，;；]\s?|\s(?:but|until|while)\s|但是?|不过")
_STILL = words("still")


def problems(
    lines: Sequence[Line], turns: Sequence[Spoken], taken: Callable[[Line], bool], ends_task: Callable[[Line], bool]
) -> list[Problem]:
    """In order. `taken`: of a sentence that says what somebody will do: neither a problem nor the end of one.
    `ends_task`: of one that says that a task is done: it ends no problem with which it shares no word."""
    found: list[tuple[Problem, int, frozenset[str]]] = []
    for line in lines:
        if line.asks:
            continue
        names, planned = problem_in(line.text), taken(line)
        at = None if planned else _solves(found, turns, line, names, other=ends_task(line))
        if at is not None:
            old, place, of_it = found[at]
            solved = Problem(old.text, old.turn_id, line.text, line.turn.turn_id, old.by, who(line.turn))
            found[at] = solved, place, of_it
        elif names and not decides(line.text) and not planned and not _told_before(found, line):
            itself = _solves_itself(line.text)
            found.append((
                Problem(
                    line.text, line.turn.turn_id, itself, line.turn.turn_id if itself else None, who(line.turn),
                    who(line.turn) if itself else "",
                ),
                line.place, line.words,
            ))  # fmt: skip
    return [p for p, _, _ in found]


def problem_in(text: str) -> str:
    """The word that names a problem in a sentence; empty where it is denied or supposed."""
    for clause in _CLAUSES.split(text):
        match = None if _NONE.search(clause) or _RATE.search(clause) else _PROBLEM.search(clause)
        if match is not None:
            return match.group().casefold()
    return ""


def solves(text: str) -> bool:
    return any(_SOLVED.search(c) and not _NOT_YET.search(c) for c in _CLAUSES.split(text))


def _ends_well(text: str) -> bool:
    """Whether the last part of a sentence tells of no problem, and of an end: what stands before is its cause."""
    last = _CLAUSES.split(text)[-1]
    return last != text and not problem_in(last) and (solves(last) or _WEAK.search(last) is not None)


def _solves_itself(text: str) -> str | None:
    """Of a sentence that names a problem and its end: the part that says how it ended."""
    parts = [c.strip() for c in _CLAUSES.split(text) if c.strip()]
    for n, part in enumerate(parts):
        if n and _SOLVED.search(part) and not _NOT_YET.search(part):
            return part
    return None


def _solves(
    found: Sequence[tuple[Problem, int, frozenset[str]]], turns: Sequence[Spoken], line: Line, names: str,
    *, other: bool,
) -> int | None:  # fmt: skip
    """`names`: the problem that the sentence names itself. `other`: it says that something else is done."""
    strong = solves(line.text)
    weak = not strong and _WEAK.search(line.text) is not None and not _NOT_YET.search(line.text)
    if not (strong or weak):
        return None
    open_ = [(i, place, of_it) for i, (p, place, of_it) in enumerate(found) if p.solution is None]
    best = max(open_, key=lambda o: (_shared(o[2], line.words), o[1]), default=None)
    if best is None:
        return None
    shared = _shared(best[2], line.words)
    new = bool(names) and names not in found[best[0]][0].text.casefold() and not _ends_well(line.text)
    short = len(line.words) <= _SHORT and shared > 0
    if (shared >= (1 if strong else 2) or short) and not new:
        return best[0]
    session = turns[line.place].session_id
    near = [i for i, p, _ in open_ if 0 < line.place - p <= _NEAR and turns[p].session_id == session]
    return near[-1] if strong and near and not names and not other else None


def _told_before(found: Sequence[tuple[Problem, int, frozenset[str]]], line: Line) -> bool:
    for p, _, of_it in found:
        if p.solution is not None:
            continue
        shared = _shared(of_it, line.words)
        same = 3 * shared >= 2 * min(len(of_it), len(line.words)) > 0
        if p.text == line.text or same or (shared > 0 and _STILL.search(line.text)):
            return True
    return False


def _shared(one: frozenset[str], other: frozenset[str]) -> int:
    """Words of both; fewer where each names other numbers: two records are two."""
    numbers = [{w for w in of_it if w[-1:].isdigit()} for of_it in (one, other)]
    other_one = all(numbers) and not numbers[0] & numbers[1]
    return len(one & other) - (2 if other_one else 0)
