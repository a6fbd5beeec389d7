"""Does one serve another in a Chinese talk: a doctor a patient, a clerk a customer? The words are data."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from processors.reader.rules.protocol import TurnView

DATA: dict[str, str] = tomllib.loads((files(__package__) / "served_zh.toml").read_text(encoding="utf-8"))


def either(name: str) -> str:
    """A pattern of the words of a list."""
    return "|".join(sorted(DATA[name].split(), key=len, reverse=True))


def lines(name: str) -> str:
    """A pattern of the patterns of a list."""
    return "|".join(line for line in DATA[name].strip().splitlines() if line)


_SERVES = re.compile(DATA["serves"].strip())
_SPOKEN_TO = re.compile(DATA["spoken_to"])
_DOCTORS_WORDS = re.compile(DATA["with_doctor"])
_CALLS = re.compile(DATA["calls_doctor"])
_CASE = 3
"""Different words of a case by which a speaker's own turns tell a talk with a doctor."""
_SERVE = re.compile(rf"(?:{either('who_serves')})$")
_SERVED = re.compile(rf"(?:{either('who_is_served')})$")
_TREATED = re.compile(rf"(?:{either('who_is_treated')})$")


def serves(turn: TurnView) -> bool:
    """Does whoever spoke just before serve the speaker, whom they ask, advise or call by what they come for?"""
    if not turn.previous or turn.previous[-1][0] != "assistant" or speaks_to_serve(turn):
        return False
    if any(_SPOKEN_TO.search(own) for role, own in (*turn.previous, ("user", turn.content)) if role == "user"):
        return True
    phrase = " ".join(text for role, text in turn.previous if role == "assistant")
    return (turn.speaker is not None and turn.speaker in phrase) or _SERVES.search(phrase) is not None


def with_doctor(turn: TurnView) -> bool:
    """Is the speaker in a talk with a doctor, whom they call so or who speaks as one?"""
    if turn.language != "zh" or speaks_to_serve(turn):
        return False
    if turn.speaker is not None and _TREATED.search(turn.speaker) is not None:
        return True
    phrase = [text for role, text in turn.previous if role == "user"]
    heard = [text for role, text in turn.previous if role == "assistant"]
    if not heard and turn.previous:
        return False
    own = (*phrase, turn.content)
    if any(_CALLS.search(each) for each in own) or any(_DOCTORS_WORDS.search(each) for each in heard):
        return True
    answers = bool(turn.previous) and turn.previous[-1][0] == "assistant"
    return answers and len({word for each in own for word in _DOCTORS_WORDS.findall(each)}) >= _CASE


def is_served(name: str) -> bool:
    """Is this what one is called whom others serve: a patient, a customer?"""
    return _SERVED.search(name) is not None


def speaks_to_serve(turn: TurnView) -> bool:
    """Is the speaker named by what they serve as?"""
    return turn.speaker is not None and _SERVE.search(turn.speaker) is not None
