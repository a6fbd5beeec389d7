"""Of whom a Chinese talk is in which one serves another (a doctor, a clerk): of the speaker, or of who was named as the
patient in the turns before. What a turn says there without naming anybody is of that one."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_zh import clauses
from processors.reader.rules.persons_zh import Persons, of_turns
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.served_zh import either, lines, with_doctor
from processors.reader.rules.text import prepare, sentences

_AGE = r"(?:(?:\d{1,3}|[一二两三四五六七八九十半]{1,3})个?(?:[天月周]|周?岁)(?:半|多)?大?的?)?"
_CHILD = re.compile(
    rf"(?:^|[，,。！!？?\s])(?:医生|大夫|您好|你好|[，,\s]|请问|我家|我们家|我){{0,4}}{_AGE}(?:{either('child')})"
)
_BODY = re.compile(lines("of_a_body"))
_SOMEBODY = re.compile(lines("somebody"))
_NO_PERSON = re.compile(f"{either('doctors')}|{either('any_patient')}")
"""Who is spoken to, and the patient, whoever that is."""
_THIRD = re.compile(r"(?<![吉其倍])[他她](?!汀|嗪|定|滨|昔|唑|洛|克)")
_ASKS_FOR = re.compile(rf"(?:{either('asks_for_them')})")


def patient(turn: TurnView) -> str | None:
    """Who the patient is: a person of the speaker's as they were called, "" for somebody else or where two may be
    meant, None for the speaker, or where nobody serves the speaker."""
    own = [text for role, text in turn.previous if role == "user"]
    of_a_body = with_doctor(turn) or any(_BODY.search(text) for text in own)
    if not turn.previous or turn.previous[-1][0] != "assistant" or not of_a_body:
        return None
    named = _named([*own, turn.content])
    if named is None:
        return None
    return "" if any(_tells_of_self(text) for text in own) else named


def of_the_other(turn: TurnView) -> str:
    """Of which person of theirs the one who is served speaks; empty where it is themselves or not known."""
    return _named([text for role, text in turn.previous if role == "assistant"]) or ""


def _named(own: list[str]) -> str | None:
    """Who is named in the speaker's turns, besides themselves."""
    persons = Persons(tuple(p for p in of_turns(own).spoken_of if not _NO_PERSON.fullmatch(p.word)))
    if (one := persons.patient) is not None:
        return one.kin
    if any(_CHILD.search(prepare(text)) for text in own):
        return "孩子" if _only_children(persons) else ""
    third = any(_THIRD.search(text) or _SOMEBODY.search(text) for text in own)
    return "" if third or any(p.kin for p in persons.spoken_of) else None


def _only_children(persons: Persons) -> bool:
    return all(re.fullmatch(either("child"), p.kin or p.word) for p in persons.spoken_of)


_ACTS_ON_ME = re.compile(r"[让给叫瞒满对跟和带陪着]我(?!家|的|们|爸|妈)")


def _tells_of_self(text: str) -> bool:
    """Does a turn say something of its speaker, who not only asks for another?"""
    if _ACTS_ON_ME.search(text):
        return True
    parts = (part for sentence in sentences(prepare(text)) for part in clauses(sentence, "unnamed"))
    return any(p.subject == "我" and "我" in p.raw and p.states and not _ASKS_FOR.match(p.body) for p in parts)
