"""The sentences of a week, who said each, and which of them belong in no report: greetings, thanks, food (A6). Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from processors.language.item_numbers import unnumbered
from processors.project.rollup import Noted, Spoken
from processors.project.week_words import words
from processors.reader.rules.text import prepare, sentences

Terms = Callable[[str], list[str]]

_GREETING = words("greeting")
_PRIVATE = words("private")
_OFTEN, _SHARE = 3, 8
"""What is private is a week's subject from so many turns with one of its words on, if they are one in `_SHARE`."""
_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|good|great|nice|perfect|fine(?: with me)?|works for me|sure|yes|yep|yeah|no problem|right|well"
    r"|so|also|and|but|then|hm+|ugh|oh|ouch|damn|btw|by the way|agreed(?=[,.!])|thanks|(?:quick )?update|fyi|standup)\b"
    r"(?:[,.!:;]| -)?\s{1,3}(?=\w)"
    r"|(?:好[的啊吧]?|行[啊吧]?|嗯+|对了|是的|可以|同意|收到|没问题|另外|还有|哦|唉|早会|顺便说一下)[，,。：:、 ]\s?"
    r"|那(?:么|就)?(?=[我你他她]|[\d一-龥]{2,12}(?:就|我来|你来))|(?:也就是说|话说)[，,]?)",
    re.I,
)
_DIGIT = re.compile(r"\d")
_NUMBER = 7
"""Digits of a name from which it is a number that reaches somebody."""
_SHORT_EN, _SHORT_ZH = 4, 6
"""A statement of fewer words or characters is a reaction."""
_QUOTED = re.compile(r"\"[^\"]{8,400}\"|“[^”]{4,400}”|「[^」]{4,400}」")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of the week. `place`: of its turn in the week. `text`: as it was said, without what only answers."""

    turn: Spoken
    place: int
    text: str
    words: frozenset[str]
    asks: bool

    @property
    def who(self) -> str:
        """Empty: no person said it."""
        return who(self.turn)


def who(entry: Spoken | Noted) -> str:
    """A person by name: the speaker's, else the name under which they write. Empty: no person said it."""
    if isinstance(entry, Spoken) and entry.role != "user":
        return entry.speaker or ""
    return entry.speaker or _shown(entry.user)


def _shown(user: str) -> str:
    """A user's name where nobody told one: of an address its first part, of a long number its end."""
    name = user.split("@")[0]
    return f"…{name[-4:]}" if len(_DIGIT.findall(name)) >= _NUMBER else name


def lines(turns: Sequence[Spoken], terms: Terms) -> list[Line]:
    """In order; small talk is left out."""
    chat = small_talk(turns)
    return [line for place, turn in enumerate(turns) for line in _of(place, turn, terms) if not chat(line.text)]


def _of(place: int, turn: Spoken, terms: Terms) -> Iterable[Line]:
    for s in sentences(unnumbered(prepare(turn.text))):
        text = plain(s.text)
        if text:
            yield Line(turn, place, text, frozenset(terms(text)), s.asks)


def small_talk(turns: Sequence[Spoken]) -> Callable[[str], bool]:
    """Which sentences of a week are small talk. What is private elsewhere is the work of some: of a café its coffee, of
    a kennel its dogs."""
    found = Counter(word for t in turns for word in {m.group().casefold() for m in _PRIVATE.finditer(t.text)})
    is_subject = any(n >= max(_OFTEN, len(turns) / _SHARE) for n in found.values())
    left_out = (_GREETING,) if is_subject else (_GREETING, _PRIVATE)
    return lambda text: any(pattern.search(text) for pattern in left_out)


def plain(text: str) -> str:
    """A sentence without the words at its beginning that only answer or hesitate."""
    whole = text
    for _ in range(3):
        shorter = _FILLER.sub("", text, count=1)
        if shorter == text or not shorter:
            break
        text = shorter
    return text[:1].upper() + text[1:] if text != whole and text[:1].isascii() else text


def is_reaction(text: str) -> bool:
    """Too short to say what happened."""
    if _HAN.search(text):
        return len(_HAN.findall(text)) + len(re.findall(r"[A-Za-z0-9.]{1,40}", text)) < _SHORT_ZH
    return len(text.split()) < _SHORT_EN


def unquoted(text: str) -> str:
    """A sentence without what it quotes."""
    return _QUOTED.sub('""', text)


def named(text: str, name: str) -> str:
    """A kept statement, which calls its owner the user, with the owner's name."""
    if not name:
        return text
    if "用户" in text:
        return text.replace("用户和其他人", f"{name}等").replace("用户", name)
    return re.sub(r"\b[Tt]he user\b|\bUser\b", name, text)
