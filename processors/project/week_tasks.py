"""What is to be done, by whom and until when, as a week's turns say it (A6). Pure.

Found are what somebody takes on ("I'll do that by Thursday", DNS我明天配), what is asked of a person by name or of the
one who says yes to it (小陈你催一下), what a person is named for (王磊负责), and what a team has to do. A task is done
where a later sentence says so with a third of its words, and with the problem that it follows up where that is solved.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from processors.project.rollup import Problem, Spoken
from processors.project.week_due import due
from processors.project.week_lines import Line, is_reaction, plain
from processors.project.week_problems import solves
from processors.project.week_words import words

_FOLLOW = 2
"""Turns behind a question in which it is answered, and behind a problem in which it is followed up."""
_SELF_EN = words("self_en")
_TEAM_EN = words("team_en")
_ASK_EN = words("ask_en")
_NAME_EN = r"[A-Z][\w'-]{1,24}(?: [A-Z][\w'-]{1,24})?"
_ASKED_EN = re.compile(rf"(?:^|[,.] ?)@?(?P<name>{_NAME_EN})(?=[,:]? (?:can|could|would|will|please)\b|$)")
_ASKED_LOW_EN = re.compile(r"@?(?P<name>[a-z][\w'-]{1,24})[,:]? (?:can|could|would|will|please|pls) ")
"""A name as it is typed in a hurry."""
_THIRD_EN = re.compile(
    rf"(?:^|[,;] ?|\band )@?(?P<name>{_NAME_EN}) (?:will|is going to|to|has to|needs to|must|should"
    r"|takes? (?:over|care of)?|handles|owns|does|is responsible for|is in charge of|is on)(?! be\b) (?:the )?\w+"
)
_SELF_ZH = words("self_zh")
_SELF_ZH_DUE = re.compile(
    r"我(?!们|这边没)[^，。；]{1,16}[，,]?[^，。；]{0,12}(?:能|可以|之前|前|给|交|搞定|弄好|弄完|完成|出来)"
)
_TEAM_ZH = words("team_zh")
_ASK_ZH = words("ask_zh")
_NO_TASK_ZH = words("no_task_zh")
_TO_NAMED_ZH = words("to_named_zh")
_NICK_ZH = r"[小老阿][\u4e00-\u9fff]"
_DONE = words("done")
_NOT_DONE = words("not_done")
_POINTS = words("points")
_YES = words("yes")
_EMPTY = words("empty")
_FEW = 4
"""Words of a task of which one is enough for anybody to say that it is done."""
_POINTS_EN = re.compile(r"\b(?:it|that|this|them|those|him|her)\b|这个|那个|这事|这件|它", re.I)
_GIVES = re.compile(
    r"\b(?:you(?:'ll| will) (?:have|get)|(?:it|they|that|this)(?:'ll| will| should) be|ready|done|by)\b"
    r"|给[你您大他她]|之?前|弄好|完成|搞定",
    re.I,
)
"""Of a sentence behind a task: by when it is done."""
_POINTING = 6
"""Words of a sentence that says little without the one that it points at: fewer."""
_TAKES = re.compile(
    r"(?:我来|我去|交给我|归我|我[\u4e00-\u9fff]{1,2}吧|I (?:can|do)\b|I'll (?:take|do)\b|mine\b|leave|give)", re.I
)
_WHO = re.compile(r"\bwho(?:'ll| will| can)?\b|谁|哪位", re.I)
"""A question after who does something."""
_OPINION = re.compile(r"\b(?:'d|would) (?:rather|prefer|love|like)\b|倾向|宁愿|建议", re.I)
_NOT_NAMES = words("not_names")
_REQUEST = words("request")
_ASSISTANT = re.compile(r"please\b|[请帮]", re.I)
"""How one begins who asks an assistant for something."""


@dataclass(frozen=True, slots=True)
class Task:
    """`owner` empty: nobody is named. `done_by`: the turn that says it is done."""

    turn_id: str
    at: datetime
    position: int
    text: str
    owner: str
    due: date | None
    words: frozenset[str]
    place: int = -1
    done_by: str | None = None
    about: frozenset[str] = field(init=False)
    """Its words that say what it is about."""

    def __post_init__(self) -> None:
        about = frozenset(w for w in self.words if _EMPTY.fullmatch(w) is None)
        object.__setattr__(self, "about", about)


def names_of(turns: Sequence[Spoken], who: Callable[[Spoken], str]) -> dict[str, str]:
    """How the week's persons may be called -> their name: also the first of their names, 小陈 for 陈芳. Empty where it
    may be one of several."""
    whole = sorted({who(t) for t in turns} - {""})
    out: dict[str, str] = {}
    for name in whole:
        for form in _short_names(name):
            out[form] = name if out.get(form, name) == name else ""
    return out | {name.casefold(): name for name in whole}


def _short_names(name: str) -> set[str]:
    first = re.split(r"[\s._@-]", name)[0]
    out = {first.casefold()} if len(first) > 1 else set()
    if re.fullmatch(r"[\u4e00-\u9fff]{2,4}", name):
        out |= {f"小{name[0]}", f"老{name[0]}", f"{name[0]}工", f"{name[0]}老师"}
        out |= {name[1:]} if len(name) > 2 else set()
    return out


class Tasks:
    """Reads the tasks of a week's lines. `names`: as `names_of`; `day`: of a time, in the project's zone."""

    def __init__(self, lines: Sequence[Line], names: dict[str, str], day: Callable[[datetime], date]) -> None:
        self._lines = lines
        persons: dict[str | None, set[str]] = {}
        for line in lines:
            persons.setdefault(line.turn.session_id, set()).add(line.who)
        self._alone = {session for session, names_ in persons.items() if len(names_ - {""}) < 2}
        self._places = [line.place for line in lines]
        self._names = names
        self._day = day
        zh = [re.escape(n) for n in names if not n.isascii()]
        han = "|".join([*sorted(zh, key=len, reverse=True), _NICK_ZH])
        self._named_zh = re.compile(
            rf"(?:麻烦|请|让|由|@|交给|安排|派|归)\s?(?P<a>{han})"
            rf"|(?:^|[，,。；：: ])@?(?P<b>{han})"
            rf"(?:{_TO_NAMED_ZH.pattern})"
            rf"|(?P<c>{han})(?:来|去)?(?:负责|跟进|牵头|落实|[\u4e00-\u9fff]{{1,3}}一下)"
        )

    def found(self) -> list[Task]:
        out: list[Task] = []
        for n, line in enumerate(self._lines):
            owner = self.owner(line)
            if owner is None or (line.asks and not self._is_request(line.text)):
                continue
            task = self._task(n, owner)
            if out and self._answers(out[-1], line, owner):
                last = out[-1]
                more = "" if is_reaction(line.text) and task.due is None else f" – {line.text}"
                out[-1] = replace(last, due=task.due or last.due, text=last.text + more, words=last.words | line.words)
            elif all(t.text != task.text for t in out):
                out.append(task)
        return [t for t in out if t.owner or t.due or _TEAM_EN.search(t.text) or _TEAM_ZH.search(t.text)]

    def owner(self, line: Line) -> str | None:
        """Whose task a sentence is: a person's name, "" for nobody's by name, None where it is no task."""
        text = line.text
        if not line.who or _OPINION.search(text):
            return None
        if line.turn.session_id in self._alone and (_REQUEST.match(text) or _ASSISTANT.match(text)):
            return None
        if (is_request := self._third(line)) is not None:
            return is_request
        if not line.asks and (_SELF_EN.search(text) or self._self_zh(line)):
            return line.who
        if self._is_request(text):
            return self._accepted(line) or ("" if _TEAM_ZH.search(text) or _TEAM_EN.search(text) else None)
        if not line.asks and (_TEAM_EN.search(text) or _TEAM_ZH.search(text)):
            return self._accepted(line) or ""
        return None

    def _self_zh(self, line: Line) -> bool:
        for clause in re.split(r"[。；;]", line.text):
            if _NO_TASK_ZH.search(clause):
                continue
            match = _SELF_ZH.search(clause)
            if match is None and (match := _SELF_ZH_DUE.search(clause)) is not None:
                match = match if due(clause, self._day(line.turn.at)) is not None else None
            if match is not None and not re.search(r"(?:了|过|过了)(?:[，,]|$)", clause[match.start() :]):
                return True
        return False

    @staticmethod
    def _is_request(text: str) -> bool:
        return _ASK_EN.search(text) is not None or _ASK_ZH.search(text) is not None

    def _third(self, line: Line) -> str | None:
        """The person that a sentence names for a task."""
        text = line.text
        if (match := self._named_zh.search(text)) is not None:
            name = next(g for g in match.groups() if g)
            past = re.search(r"了(?:[，,]|$)|过(?:[，,了]|$)", text[match.end() :]) is not None
            is_request = self._is_request(text) or re.search(r"负责|跟进|牵头", text) is not None
            is_request = is_request or due(text, self._day(line.turn.at)) is not None
            return self._person(name, line, addressed=match["b"] is not None) if is_request and not past else None
        typed = _ASKED_LOW_EN.match(text)
        if typed is not None and typed["name"] in self._names:
            return self._person(typed["name"], line)
        if _ASK_EN.search(text):
            for match in _ASKED_EN.finditer(text):
                name = match["name"]
                other = _NOT_NAMES.fullmatch(name.split()[0]) is None and match.end() != len(text)
                if name.casefold() in self._names or other:
                    return self._person(name, line)
            return None
        match = re.match(rf"@?(?P<name>{_NAME_EN})[,:] (?:please )?(?!I\b|we\b|the\b|it\b)[a-z]+", text)
        if match is not None and match["name"].casefold() in self._names:
            person = self._person(match["name"], line)
            return None if person == line.who else person  # who gives their own name introduces themselves
        for match in _THIRD_EN.finditer(text):
            name = match["name"]
            if name.casefold() in self._names:
                return self._person(name, line)
            if _NOT_NAMES.fullmatch(name.split()[0]) is None and re.search(r"\bresponsible for|in charge of", text):
                return name
        return None

    def _person(self, called: str, line: Line, *, addressed: bool = False) -> str:
        """Who is called so: of several the one who says yes to it, else as they are called. `addressed`: a sentence
        opens with the name, which may be none under which anybody writes."""
        form = called.casefold()
        known = self._names.get(form)
        if known:
            return known
        accepted = self._accepted(line)
        unknown = addressed and known is None
        return accepted if accepted is not None and (unknown or form in _short_names(accepted)) else called

    def _accepted(self, line: Line) -> str | None:
        """Who says yes to a sentence that asks nobody by name."""
        for other in self._lines[bisect_right(self._places, line.place) :]:
            if other.place - line.place > _FOLLOW:
                break
            if other.turn.session_id == line.turn.session_id and other.who not in ("", line.who):
                raw = other.turn.text.strip()
                return other.who if _YES.search(raw) else None
        return None

    def _answers(self, last: Task, line: Line, owner: str) -> bool:
        """Whether a sentence takes on the task that was just asked of its speaker."""
        return owner == last.owner == line.who and 0 < line.place - last.place <= _FOLLOW and " – " not in last.text

    def _task(self, n: int, owner: str) -> Task:
        line = self._lines[n]
        text, of_it, turn = _unaddressed(line.text, owner), line.words, line.turn
        before = self._lines[n - 1] if n else None
        day = due(text, self._day(turn.at))
        gap = ""
        if before is not None and before.place == line.place and not is_reaction(before.text) and self._points(line):
            gap = ". " if text[:1].isascii() else "。"
        elif before is not None and line.place - before.place == 1 and before.turn.session_id == turn.session_id:
            first = re.split(r"[,，]", line.text)[0]
            points = self._points(line) and _POINTS_EN.search(first) is not None
            takes = points or (before.asks and (_TAKES.match(text) or _WHO.search(before.text)) is not None)
            gap = (("? " if text[:1].isascii() else "？") if before.asks else " – ") if takes else ""
        if before is not None and gap:
            text, of_it = f"{before.text}{gap}{text}", of_it | before.words
            day = day or self._due_behind(n) or due(before.text, self._day(before.turn.at), latest=True)
        day = day or self._due_behind(n)
        return Task(turn.turn_id, turn.at, turn.position, text, owner, day, of_it, line.place)

    def _due_behind(self, n: int) -> date | None:
        """The day that the next sentence of the turn gives: "I can draft that. You'll have it on Tuesday." """
        line = self._lines[n]
        after = self._lines[n + 1] if n + 1 < len(self._lines) else None
        if after is None or after.place != line.place or after.asks or not _GIVES.search(after.text):
            return None
        return due(after.text, self._day(line.turn.at))

    @staticmethod
    def _points(line: Line) -> bool:
        return len(line.words) < _POINTING and _POINTS_EN.search(line.text) is not None


def _unaddressed(text: str, owner: str) -> str:
    """A request without the name of whom it asks, where that stands first."""
    first = re.split(r"[\s._@-]", owner)[0]
    if not owner:
        return text
    match = re.match(rf"@?(?:{re.escape(owner)}|{re.escape(first)})(?:[,，:： ]\s?(?=\S)|(?=你))", text, re.I)
    if match is None:
        return text
    is_request = plain(text[match.end() :])
    return is_request[:1].upper() + is_request[1:]


def settled(
    tasks: Sequence[Task], lines: Sequence[Line], problems: Iterable[Problem], turns: Sequence[Spoken]
) -> list[Task]:
    """The tasks, those that are done with the turn that says so."""
    places = {t.turn_id: n for n, t in enumerate(turns)}
    found, ending = list(problems), endings(lines)
    return [_done(task, ending, found, places) for task in tasks]


def endings(lines: Sequence[Line]) -> list[Line]:
    """The sentences that say that something is done."""
    return [line for line in lines if not line.asks and says_done(line.text)]


def _done(task: Task, lines: Sequence[Line], problems: Sequence[Problem], places: dict[str, int]) -> Task:
    for line in lines:
        if ends(task, line):
            return replace(task, done_by=line.turn.turn_id)
    if not _POINTS.search(task.text):
        return task
    for p in problems:
        named, solved = places.get(p.turn_id, -1), places.get(p.solved_by or "", -1)
        if named >= 0 and 0 <= task.place - named <= _FOLLOW and solved > task.place:
            return replace(task, done_by=p.solved_by)
    return task


def is_task(text: str) -> bool:
    """Whether a part of a sentence says by itself what is to be done."""
    return any(p.search(text) for p in (_ASK_EN, _ASK_ZH, _SELF_EN, _SELF_ZH, _TEAM_EN, _TEAM_ZH))


def is_opinion(text: str) -> bool:
    return _OPINION.search(text) is not None


def ends(task: Task, line: Line) -> bool:
    """Whether a sentence of `endings` is of a task before it."""
    if (line.turn.at, line.turn.position) < (task.at, task.position) or line.turn.turn_id == task.turn_id:
        return False
    third = max(1, round(len(task.about) / 3))
    enough = line.who == task.owner or (line.who and len(task.about) < _FEW)  # of an assistant one word never is
    need = third if enough else max(2, third)
    return len(task.about & line.words) >= need


def says_done(text: str) -> bool:
    return any(
        (_DONE.search(c) or solves(c)) and not _NOT_DONE.search(c) for c in re.split(r"[,，;；]\s?|\sbut\s|但", text)
    )
