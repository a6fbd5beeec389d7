"""What a user wants to stand no more (B4): "forget that I like tea", "that I live in Porto is not true any more",
不用记我的地址了. The words are those of `withdrawals.toml`.

The statement that is taken back is read as any other, and each value that it gives is denied: the gate ends that value
where it stands. A field that is named alone ends with whatever value it has.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal

from processors.reader.rules.found import Found
from processors.reader.rules.protocol import ENDS
from processors.reader.rules.text import Sentence
from schemas.base import JsonValue

Language = Literal["en", "zh"]
MOST = 300
"""Characters of a sentence that is read for it."""
_WHOLE = 0.6
"""Share of what ended that a value has to be."""
Reads = Callable[[Sentence], list[Found]]
_DATA = tomllib.loads((files(__package__) / "withdrawals.toml").read_text(encoding="utf-8"))
_TEXT: dict[Language, str] = {"en": "{owner} takes back what they said about ", "zh": "{owner}收回说过的"}
_OWNER = re.compile(r"^(?:I'm|I've|I|my|我的?)\s?", re.I)
_ANOTHER = re.compile(r"(?<= and) that(?= (?:I|I'm|I've|my)\b)", re.I)
"""Of "that I smoke and that I drink"."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """A sentence `when` says that the statements `was` hold no longer."""

    when: re.Pattern[str]
    was: tuple[str, ...]
    now: str
    unless: re.Pattern[str]
    named: bool
    """What ends is a name, though it opens the sentence."""


@dataclass(frozen=True, slots=True)
class _Words:
    clause: tuple[re.Pattern[str], ...]
    field: tuple[re.Pattern[str], ...]
    about: re.Pattern[str]
    more: re.Pattern[str]
    request: re.Pattern[str]
    unless: re.Pattern[str]
    slots: dict[str, str]
    """Name of a field as users call it -> slot."""
    ended: tuple[_Ended, ...]


def _words(language: Language) -> _Words:
    data = _DATA[language]

    def whole(pattern: str) -> re.Pattern[str]:
        pattern = pattern.replace("{ago}", data["ago"])
        return re.compile(f"{data['lead']}(?:{pattern}){data['tail']}", re.IGNORECASE)

    slots = {name: slot for slot, names in data["fields"].items() for name in names}
    ended = tuple(
        _Ended(whole(e["when"]), tuple(e["was"]), e["now"], re.compile(e.get("unless", "(?!)")), "named" in e)
        for e in data["ended"]
    )
    return _Words(
        tuple(map(whole, data["clause"])), tuple(map(whole, data["field"])), whole(data["about"]),
        re.compile(data["more"], re.IGNORECASE), re.compile(data["request"], re.IGNORECASE),
        re.compile(data["unless"], re.IGNORECASE), slots, ended,
    )  # fmt: skip


_OF: dict[Language, _Words] = {"en": _words("en"), "zh": _words("zh")}


def withdrawn(sentence: Sentence, language: Language, read: Reads) -> list[Found]:
    """What a sentence takes back; empty where it takes back nothing. `read`: the statements of a sentence."""
    if len(sentence.text) > MOST or _OF[language].unless.search(sentence.text):
        return []
    if _asks(sentence) and _OF[language].request.match(sentence.text) is None:
        return []
    for more in _OF[language].more.finditer(sentence.text):
        if first := _withdrawn(_part(sentence, 0, more.start()), language, read):
            return [*first, *read(_part(sentence, more.end(), len(sentence.text)))]
    return _withdrawn(sentence, language, read)


def _asks(sentence: Sentence) -> bool:
    return sentence.asks or sentence.text.endswith("吗")


def _part(s: Sentence, begin: int, end: int) -> Sentence:
    return Sentence(s.text[begin:end], s.start + begin, s.start + end, asks=False)


def _withdrawn(sentence: Sentence, language: Language, read: Reads) -> list[Found]:
    words, text = _OF[language], sentence.text
    for pattern in words.field:
        match = pattern.fullmatch(text)
        slot = None if match is None else words.slots.get(match["named"].strip().casefold())
        if match is not None and slot is not None:
            return [_made(sentence, "fact", _TEXT[language] + match["named"], ((slot, None),))]
    if (match := words.about.fullmatch(text)) is not None:
        return [_free(sentence, language, match["what"])]
    for pattern in words.clause:
        if (match := pattern.fullmatch(text)) is not None:
            return _denied(sentence, language, match, read)
    return []


def ended(sentence: Sentence, language: Language, read: Reads) -> list[Found]:
    """Values that hold no longer since something ended: they end where they stand, and are news nowhere else. What is
    read of a smaller part of what ended, or only follows from it, is none."""
    if _asks(sentence) or len(sentence.text) > MOST:
        return []
    out: list[Found] = []
    for rule in _OF[language].ended:
        if (match := rule.when.fullmatch(sentence.text)) is None:
            continue
        what = next(g for g in match.groups() if g)
        if rule.unless.fullmatch(what):
            continue
        # What opens its sentence has a capital that is no name's.
        if language == "en" and not rule.named and sentence.text.startswith(what):
            what = what[:1].lower() + what[1:]
        now, seen = rule.now.replace("{what}", what), {slot for f in out for slot in f.slots}
        for was in rule.was:
            phrase = was.replace("{what}", what)
            for f in read(Sentence(phrase, sentence.start, sentence.end, asks=False)):
                whole = all(_is_whole(str(v), what) for _, v in f.slots) and not f.attributes.get("implied")
                if f.slots and whole and not f.negated and seen.isdisjoint(f.slots):
                    seen |= set(f.slots)
                    made = _made(sentence, "fact", now, f.slots)
                    out.append(replace(made, kind=f.kind, attributes={ENDS: True}))
    return out


def _is_whole(value: str, what: str) -> bool:
    """Is a value what ended? In Chinese what is done with it may stand before it (喝茶)."""
    return len(value) >= _WHOLE * len(what) or (what[0] > "\u2e7f" and what[1:] == value)


def _denied(sentence: Sentence, language: Language, match: re.Match[str], read: Reads) -> list[Found]:
    begin, end = match.span("what")
    phrase = match["what"] if language == "en" or match["what"].startswith("我") else "我" + match["what"]
    phrase = _ANOTHER.sub("", phrase)
    inner = Sentence(phrase, sentence.start + begin, sentence.start + end, asks=False)
    denied_findings = [f for f in read(inner) if f.slots and not f.negated]
    if not denied_findings:
        return [_free(sentence, language, _OWNER.sub("", match["what"]))]
    about = _TEXT[language] + _OWNER.sub("", match["what"])
    return [
        replace(
            f, start=sentence.start, end=sentence.end, text=about if n == 0 else f"{about} ({n + 1})", negated=True,
            hot=None, dangling=False, taken_back=True,
        )
        for n, f in enumerate(denied_findings)
    ]  # fmt: skip


def _free(sentence: Sentence, language: Language, what: str) -> Found:
    """Of what no field holds: the gate ends what was said in the same words."""
    return Found(sentence.start, sentence.end, "episode", _TEXT[language] + what.strip(), episode_type="fact")


def _made(sentence: Sentence, kind: Literal["fact"], text: str, slots: tuple[tuple[str, JsonValue], ...]) -> Found:
    return Found(sentence.start, sentence.end, kind, text, slots, negated=True, taken_back=True)
