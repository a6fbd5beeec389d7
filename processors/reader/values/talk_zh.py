"""Clauses of a turn, with what stands around them, and whose each is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from processors.reader.rules.clauses_zh import FAMILY, KIN, Clause, clauses
from processors.reader.rules.irony_zh import without_irony
from processors.reader.rules.making_zh import of_others
from processors.reader.rules.pasted_text_zh import without_given
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.text import sentences, without_quotes
from processors.reader.rules.topic_zh import opens_about
from processors.reader.values.kinds_zh import compiled, guard

_SAYS_I = re.compile(r"[我俺咱]|本人|自己|新来的|报到|自我介绍")
_LISTED, _SHORT = 4, 8
_NONE_YET = re.compile(r"^((?:[^，,。？?]{0,6}?(?:还|暂时|目前|现在|也))?没有?)呢")
"""No question, where it answers one."""
_ANSWERS = 2
"""Clauses that answer what was asked of others."""
_KIN = re.compile(KIN)
_FAMILY = re.compile(FAMILY)
_TOOL_OF = re.compile(rf"[拿用借戴]了?[我俺]?(?:{KIN})[^，]{{0,4}}?(?:仪器?|计|秤|表|机|手环)")
"""What one measures with, whosever it is."""
_BORN = re.compile(rf"生(?:完|了|第一个|老[大二三])?(?:{KIN}|[一二三]胎|头胎|[大小二]宝)?(?:的时候|那年|那会儿?|时)")
"""When one bore a child: who is named then is not whom it is said of."""


@dataclass(frozen=True, slots=True)
class Part:
    """A clause; `before`, `after`: the clauses around it; `question`: what was asked just before, where it opens the
    answer; `says_i`: whether its sentence has named the speaker by then, or nobody else can be meant."""

    clause: Clause
    before: str
    after: str
    question: str
    says_i: bool
    turn: str
    asked_of_people: str = ""
    """What was asked just before of the speaker's people."""

    @property
    def text(self) -> str:
        return self.clause.raw

    @property
    def is_own(self) -> bool:
        """Is it of the speaker?"""
        c = self.clause
        return c.states and self.says_i and c.subject in {"我", "我们", "我的"} and not of_others(c)

    @property
    def is_of_family(self) -> bool:
        c = self.clause
        return c.states and c.subject in {"亲友", "other", "我们", "我"} and _FAMILY.search(c.raw) is not None

    @property
    def opens_with_kin(self) -> bool:
        """Does it begin with one of the family, who is then the speaker's?"""
        return _FAMILY.match(self.clause.raw) is not None


def names_another(lead: str) -> bool:
    """Does what leads to a value name somebody else than the speaker?"""
    lead = _BORN.sub("", _TOOL_OF.sub("", lead))
    return _KIN.search(lead) is not None or guard("others").search(lead) is not None


def is_of_blood(lead: str) -> bool:
    """Is the last person whom it names one of the speaker's blood?"""
    kin = [m.group() for m in _KIN.finditer(lead)]
    return compiled("(?:{words.born_kin})$").search(kin[-1] if kin else lead) is not None


def parts_of(turn: TurnView, text: str, *, in_project: bool) -> list[Part]:
    """The clauses of a prepared turn."""
    text = without_quotes(without_irony(without_given(text, in_project=in_project)))
    alone = turn.speaker is None and not in_project
    if turn.previous:
        text = _NONE_YET.sub(r"\1啊", text)
    about = opens_about(turn) if turn.speaker is not None else "我"
    asked = _asked(turn)
    of_people = _FAMILY.search(asked) is not None
    question = "" if of_people else asked
    found: list[Part] = []
    for sentence in sentences(text):
        parts = _with_own_part(clauses(sentence, about, in_group=not alone))
        about = parts[-1].subject if parts else about
        for at, clause in enumerate(parts):
            spoken = "".join(p.raw for p in parts[: at + 1])
            says_i = alone or _SAYS_I.search(spoken) is not None or (bool(question) and not found)
            before = parts[at - 1].raw if at else ""
            after = parts[at + 1].raw if at + 1 < len(parts) else ""
            opens = question if not found or _lists(parts[:at], found) else ""
            of_theirs = asked if of_people and len(found) < _ANSWERS else ""
            found.append(Part(clause, before, after, opens, says_i, text, of_theirs))
    return found


def _with_own_part(parts: Sequence[Clause]) -> list[Clause]:
    """Clauses of which one says what the speaker is in what they work on, behind their name: it, and what goes on, is
    of the speaker."""
    at = next((n for n, p in enumerate(parts) if guard("own_part").match(p.raw)), None)
    if not at or not re.match("我|本人", parts[0].raw):
        return list(parts)
    own = [replace(p, subject="我") if p.subject == "other" and not names_another(p.raw) else p for p in parts[at:]]
    return [*parts[:at], *own]


def _lists(before: Sequence[Clause], found: Sequence[Part]) -> bool:
    """Do the clauses before only begin a list of what was asked for?"""
    return len(before) == len(found) <= _LISTED and all(len(c.raw) <= _SHORT for c in before)


def _asked(turn: TurnView) -> str:
    """What the assistant asked just before."""
    if turn.speaker is not None or not turn.previous or turn.previous[-1][0] != "assistant":
        return ""
    asked = turn.previous[-1][1]
    if guard("asked_of_once").search(asked):
        return ""
    return asked if re.search(r"[?？吗呢]|什么|多少|哪|几", asked) else ""


def own_parts(parts: list[Part]) -> Iterator[Part]:
    return (p for p in parts if p.is_own)
