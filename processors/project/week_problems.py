"""Problems that were named in a week, each with the sentence that solved it (A6). Pure.

What solves says so (fixed, back up, 修好了), of something that an open problem before it is about: the one with which
it shares most words, else one named at most `_NEAR` turns before in the same session. Weaker signs (now, found, 现在)
count only with enough words shared. A problem that is told again while it is open is the same one.
An assistant names no problem: it tells of what may happen; it may say that the one it is told of is solved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from processors.project.rollup import Problem, Spoken
from processors.project.week_decisions import decides, topic
from processors.project.week_lines import Line, is_reaction, unquoted, who
from processors.project.week_words import words

_NEAR = 4
_TERSE = 12
"""Characters of a sentence that only says that what the one before it tells of is right again."""
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
_PARTS = re.compile(r"[,，;；]\s?|\sbut\s|但是?|不过")
"""What is told as an end: "until it works again" is none."""
_STILL = words("still")
_WAS = words("was")
_RECURRING = words("anew")
_REQUEST = words("request")
_MENDS = words("mends")
_LOOKED_INTO = words("looked_into")
_POINTS = re.compile(
    r"\b(?:it|that|this|them|those|why)\b|(?:看|查|问|催|修)(?:一下|下|看|一看)|这个|这事|那个|原因", re.I
)
_BAD = words("bad")
_SUSPECTED = words("suspected")
_FOLLOW = 2
"""Turns behind a problem in which somebody says what they do about it."""
_LABEL = re.compile(
    r"\b(?!(?:minus|plus|above|below|about|over|under|the|all|these|those|our|some|just|now|have|has|are|were|was|got|with"
    r"|for|takes?|after|and|than|only|another|from|until|till|after|before|least)\b)"
    r"[a-z]{3,12} (?P<one>\d{1,6})\b(?! ?(?:%|°|\w{2,12}s\b))|\b[a-z]{1,4}-?(?P<two>\d{2,8})\b|\b(?P<three>0\d{1,5})\b"
    r"|(?P<four>[\d一二三四五六七八九十]{1,6})\s?(?:[号楼床线班层栋组期店室区]|中心|车间|教室|仓)",
    re.I,
)
"""A number that says which of several: "site 4", P-031, 12床."""

_ENDED = words("ended")


class _Named(NamedTuple):
    """A problem, the place of its turn, what it is about, and which of several it says that it means."""

    problem: Problem
    place: int
    about: frozenset[str]
    labels: frozenset[str]


class _Line(NamedTuple):
    """A sentence, with what it is about and its labels."""

    line: Line
    about: frozenset[str]
    labels: frozenset[str]


def problems(
    lines: Sequence[Line], turns: Sequence[Spoken], taken: Callable[[Line], bool], ends_task: Callable[[Line], bool]
) -> list[Problem]:
    """In order. The turns of `lines` are in sessions of people who talk together, `turns` in their own: where no word
    tells what was solved, only the latter do. `taken`: of a sentence that says what somebody will do: neither a problem
    nor the end of one. `ends_task`: of one that says that a task is done: it ends no problem with which it shares no
    word."""
    found: list[_Named] = []
    talks = {line.place: line.turn.session_id for line in lines}
    for n, line in enumerate(lines):
        if line.asks:
            continue
        before = lines[n - 1] if n and lines[n - 1].place == line.place else None
        terse = before is not None and len(line.text) <= _TERSE and solves(line.text) and not before.asks
        before = before if terse or _POINTS.search(line.text) else None
        about = _about(line) if before is None else _about(line) | _about(before)
        named = _Line(line, about, _labels(line.text))
        names, planned = problem_in(line.text), taken(line)
        if planned or (not names and _SUSPECTED.search(line.text)):
            _follow(found, talks, named)
        if not names and not planned and _is_called_bad(lines, n):
            names = line.text.casefold()
        if not names and not planned and not solves(line.text) and _is_looked_into(found, lines, n, taken):
            names = line.text.casefold()
        at = None if planned else _solves(found, turns, named, names, ends_task)
        if at is not None:
            old = found[at].problem
            solution = line.text if before is None else topic(lines, n)
            solution = f"{before.text}{_stop(line)}{line.text}" if terse and before is not None else solution
            solved = Problem(old.text, old.turn_id, solution, line.turn.turn_id, old.by, who(line.turn))
            found[at] = found[at]._replace(problem=solved)
        elif _goes_on(found, line):
            continue
        elif names and line.who and not decides(line.text) and not planned and not _is_repeated(found, named):
            itself = _solves_itself(line.text)
            problem = Problem(
                line.text, line.turn.turn_id, itself, line.turn.turn_id if itself else None, who(line.turn),
                who(line.turn) if itself else "",
            )  # fmt: skip
            found.append(_Named(problem, line.place, named.about, named.labels))
    return [f.problem for f in found]


def _stop(line: Line) -> str:
    """What stands between a sentence and the one before it."""
    return ". " if line.text[:1].isascii() else "。"


def _about(line: Line) -> frozenset[str]:
    """Its words without those that say of anything that it is wrong, or right again."""
    return frozenset(w for w in line.words if _ENDED.fullmatch(w) is None)


def _labels(text: str) -> frozenset[str]:
    return frozenset(next(g for g in m.groups() if g) for m in _LABEL.finditer(text))


def _follow(found: list[_Named], talks: Mapping[int, str | None], named: _Line) -> None:
    """What somebody does about an open problem says with what it may end: its words are the problem's, too. The problem
    is the one with which it shares most words, else the last."""
    if not found:
        return
    line = named.line
    open_ = [(i, f) for i, f in enumerate(found) if f.problem.solution is None]
    at, best = max(open_, key=lambda o: (_shared(o[1], named), o[1].place), default=(-1, found[-1]))
    near = 0 <= line.place - best.place <= _FOLLOW and talks[best.place] == line.turn.session_id
    if near and best.problem.solution is None:
        found[at] = best._replace(about=best.about | named.about)


def _is_looked_into(found: Sequence[_Named], lines: Sequence[Line], n: int, taken: Callable[[Line], bool]) -> bool:
    """Whether the next turn takes on to look into what a statement says: something is wrong, in whatever words."""
    line = lines[n]
    if n + 1 == len(lines) or not line.who or is_reaction(line.text) or decides(line.text):
        return False
    after = lines[n + 1]
    if re.search(r"[\u4e00-\u9fff]的(?:事|问题|情况)", after.text):
        return False  # it names what it is about
    near = after.place == line.place + 1 and after.turn.session_id == line.turn.session_id
    return (
        near
        and not after.asks
        and taken(after)
        and _LOOKED_INTO.search(after.text) is not None
        and _POINTS.search(after.text) is not None
    )


def _is_called_bad(lines: Sequence[Line], n: int) -> bool:
    """Whether the next sentence of the turn, or the next part of it, calls bad what a sentence says: "it takes 9 s.
    that's awful"."""
    after = lines[n + 1] if n + 1 < len(lines) else None
    if any(_BAD.search(part) for part in _PARTS.split(lines[n].text)[1:]):
        return True
    return after is not None and after.place == lines[n].place and _BAD.search(after.text) is not None


def _goes_on(found: list[_Named], line: Line) -> bool:
    """A sentence behind the one that solved a problem, in its turn, that tells more of how."""
    for at in range(len(found) - 1, -1, -1):
        problem = found[at].problem
        own = problem.turn_id == line.turn.turn_id
        if problem.solved_by == line.turn.turn_id and not own and _adds(problem, line.text):
            gap = " " if line.text[:1].isascii() else ""
            stop = "" if (problem.solution or "")[-1:] in ".。!！" else ("." if gap else "。")
            longer = replace(problem, solution=f"{problem.solution}{stop}{gap}{line.text}")
            found[at] = found[at]._replace(problem=longer)
            return True
    return False


def _adds(problem: Problem, text: str) -> bool:
    """Whether a sentence tells how a problem ended, and of no other one."""
    return solves(text) and problem_in(text) in problem.text.casefold()


def problem_in(text: str) -> str:
    """The word that names a problem in a sentence; empty where it is denied or supposed."""
    without = unquoted(text)
    for clause in _CLAUSES.split(without if _REQUEST.match(without) else text):
        match = None if _NONE.search(clause) or _RATE.search(clause) else _PROBLEM.search(clause)
        if match is not None:
            return match.group().casefold()
    return ""


def solves(text: str) -> bool:
    return any(_SOLVED.search(c) and not _NOT_YET.search(c) for c in _PARTS.split(text))


def _ends_well(text: str) -> bool:
    """Whether the last part of a sentence tells of no problem, and of an end: what stands before is its cause. Or the
    first tells of an end, and what stands behind is what it was."""
    first, *more = _CLAUSES.split(text)
    if not more:
        return False
    last = more[-1]
    ends = not problem_in(last) and (solves(last) or _WEAK.search(last) is not None)
    return ends or (not problem_in(first) and solves(first) and _WAS.search(last) is not None)


def _solves_itself(text: str) -> str | None:
    """Of a sentence that names a problem and its end: the part that says how it ended."""
    parts = [c.strip() for c in _CLAUSES.split(text) if c.strip()]
    for n, part in enumerate(parts):
        end = _SOLVED.search(part)
        if end is None or _NOT_YET.search(part):
            continue
        wrong = _PROBLEM.search(part) if problem_in(part) else None
        own = wrong is None or not (wrong.start() < end.end() and end.start() < wrong.end())  # "stopped working"
        if n or (own and (not _RECURRING.search(part) if wrong else _ends_well(text))):
            return part
    return None


def _solves(
    found: Sequence[_Named], turns: Sequence[Spoken], named: _Line, names: str, ends_task: Callable[[Line], bool]
) -> int | None:
    """`names`: the problem that the sentence names itself. `ends_task`: whether it says that something else is done."""
    line = named.line
    strong = solves(line.text)
    weak = not strong and _WEAK.search(line.text) is not None and not _NOT_YET.search(line.text)
    if not (strong or weak):
        return None
    mends = {word.casefold() for m in _MENDS.finditer(line.text) for word in m["what"].split()}
    open_ = [
        (i, f.place, n) for i, f in enumerate(found) for n in [_shared(f, named)]
        if f.problem.solution is None and (not mends or n <= 0 or _is_of(f, mends))
    ]  # fmt: skip
    best = max(open_, key=lambda o: (o[2], o[1]), default=None)
    if best is None:
        return None
    shared = best[2]
    new = bool(names) and names not in found[best[0]].problem.text.casefold() and not _ends_well(line.text)
    short = len(line.words) <= _SHORT and shared > 0
    if (shared >= (1 if strong else 2) or short) and not new:
        return best[0]
    session = turns[line.place].session_id
    near = [
        i for i, p, n in open_ if n >= 0 and 0 < line.place - p <= _NEAR and turns[p].session_id == session
        and (found[i].labels or not named.labels)
    ]  # fmt: skip
    if not strong or not near or not line.who or (names and not _ends_well(line.text)):
        return None
    return None if ends_task(line) else near[-1]


def _is_of(named: _Named, mends: set[str]) -> bool:
    """Whether a problem is of what a sentence says was mended: "fixed the printer" mends no freezer."""
    text = named.problem.text.casefold()
    return any(what in text for what in mends) or any(what[:4] in word for what in mends for word in named.about)


def _is_repeated(found: Sequence[_Named], named: _Line) -> bool:
    for f in found:
        if f.problem.solution is not None:
            continue
        shared = _shared(f, named)
        same = 3 * shared >= 2 * min(len(f.about), len(named.about)) > 0
        if f.problem.text == named.line.text or same or (shared > 0 and _STILL.search(named.line.text)):
            return True
    return False


def _shared(named: _Named, line: _Line) -> int:
    """What both are about: in number of words; below 0 where each says which of several it means, and they are not the
    same: two records are two."""
    other_one = named.labels and line.labels and not named.labels & line.labels
    return -1 if other_one else len(named.about & line.about)
