"""The tables that wording draws on, one file a language: frames, closed lists, replacements, irregular forms."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["en", "zh"]
MAX_FRAMES = 60
MAX_WORDS = 200
_PART = re.compile(r"(\{\w+\})")


class _File(BaseModel):
    """A table as it stands in its file. Word lists are written as one text, separated by white space; an underscore
    stands for a space."""

    model_config = ConfigDict(extra="forbid")

    user: str
    """What a speaker without a name is called."""
    unnamed: list[str]
    """Speakers who have no name, with what they are called."""
    frames: dict[str, str] = Field(max_length=MAX_FRAMES)
    """Name to template; `{0}`, `{1}` are slots, `{user}` is the name of the turn's speaker."""
    words: str
    verbs: str = ""
    nouns: str
    turns: dict[str, list[str]]
    """Token, lower case, to what it may become."""
    marks: str = ""
    """Marks that a sentence may add, separated by white space."""
    irregular: str = ""
    """Irregular verbs: base third past participle ing, five words each, a line each."""
    plurals: dict[str, str] = {}
    silent_e: str = ""
    """Stems, or ends of stems, that take an e again when -ing or -ed is removed."""
    script: dict[str, str] = {}
    """Simplified to Traditional characters, for the words of the lists."""
    traditional: str = ""
    """Characters by which a Traditional turn is known."""


@dataclass(frozen=True)
class Frame:
    """A sentence with slots."""

    name: str
    parts: tuple[str, ...]
    """Literals, `{user}` for the name of the turn's speaker, and `{0}`, `{1}`, ... for the slots."""

    @property
    def slots(self) -> int:
        return len({part for part in self.parts if is_slot(part)})


def is_slot(part: str) -> bool:
    return part[0] == "{" and part[1].isdigit()


def frame(name: str, template: str) -> Frame:
    """A frame from its template."""
    return Frame(name, tuple(part.strip() for part in _PART.split(template) if part.strip()))


@dataclass(frozen=True)
class Tables:
    """What the wording of one language may add."""

    language: Language
    user: str
    unnamed: frozenset[str]
    frames: dict[str, Frame]
    words: frozenset[str]
    """Closed list, together with `verbs` at most `MAX_WORDS`."""
    verbs: frozenset[str]
    """Closed list of verbs, which may stand in any form."""
    nouns: frozenset[str]
    """Relations between people, and nouns that name the type of a thing, singular."""
    turns: dict[str, tuple[str, ...]]
    irregular: dict[str, dict[str, str]]
    """Any form of an irregular word to its forms by name."""
    silent_e: frozenset[str]
    script: dict[int, str]
    traditional: frozenset[str]

    def in_script(self, text: str, traditional: bool) -> str:
        """A listed text in the script of the turns."""
        return text.translate(self.script) if traditional else text

    def is_traditional(self, texts: Iterable[str]) -> bool:
        return any(char in self.traditional for text in texts for char in text)


def _list(text: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in text.split())


def _irregular(verbs: str, plurals: dict[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line in verbs.splitlines():
        if line.strip():
            base, third, past, participle, ing = line.split()
            forms = {"base": base, "third": third, "past": past, "participle": participle, "ing": ing}
            for form in forms.values():
                found.setdefault(form, {}).update(forms)
    for singular, plural in plurals.items():
        for form in (singular, plural):
            found.setdefault(form, {}).update({"singular": singular, "plural": plural})
    return found


@cache
def tables(language: Language) -> Tables:
    """The tables of a language.

    Raises:
        ValueError: a list is longer than it may be, or a field is unknown or missing.
    """
    source = (files(__package__) / f"{language}.toml").read_text(encoding="utf-8")
    read = _File.model_validate(tomllib.loads(source))
    words, verbs = _list(read.words), _list(read.verbs)
    if len(words) + len(verbs) > MAX_WORDS:
        raise ValueError(f"{language}: {len(words) + len(verbs)} words, at most {MAX_WORDS}")
    return Tables(
        language=language,
        user=read.user,
        unnamed=frozenset(read.unnamed),
        frames={name: frame(name, template) for name, template in read.frames.items()},
        words=words | frozenset(read.marks.split()),
        verbs=verbs,
        nouns=_list(read.nouns),
        turns={token: tuple(targets) for token, targets in read.turns.items()},
        irregular=_irregular(read.irregular, read.plurals),
        silent_e=frozenset(read.silent_e.split()),
        script={ord(simplified): other for simplified, other in read.script.items()},
        traditional=frozenset(read.traditional) | frozenset("".join(read.script.values())),
    )
