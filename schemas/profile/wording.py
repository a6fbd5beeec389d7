"""How people of a domain say something of themselves, as data: what to look for, what it fills, how it is told.

A field's own `patterns` fill that field of the catalogue. A wording fills slots, with or without a field that lists
them: several of one match, amounts in the unit of the slot, names of the profile's lexicon, and what a denial means.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from schemas.base import CleanText, Frozen, Id
from schemas.profile.patterns import MOST_CHARS, Pattern, groups, in_order

Person = Literal["I", "we", "my", "none"]
OfTime = Literal["told", "said"]
END = "{end}"
"""In an English pattern: where a phrase ends, before a stop or a word that leads on (and, because, in, ...)."""
_LEXICON = re.compile(r"\{lexicon\.(\w{1,64})\}")
_PLACE = re.compile(r"\{(?P<name>[a-z][\w.]{0,80})\}")
STATEMENT_SLOT = "said"
ABOUT = frozenset({"about", "or_so"})
"""Groups for the words before and behind a value that make it approximate."""
_CORE_SLOTS = frozenset({"owner", "of", STATEMENT_SLOT})


class Wording(Frozen):
    """One way to say it. A named group is a slot, unless `numbers` or `words` make a slot of it; the groups `said`,
    `about` and `or_so` are none. In the pattern `{lexicon.SLOT}` stands for the names of that table in the
    wording's language (without any, the wording finds nothing) and `{end}`, in English, for where a phrase ends.
    Case does not count."""

    language: Literal["en", "zh"]
    pattern: Pattern
    of: tuple[Person, ...] = Field(default=("I", "we"), min_length=1)
    """Clauses that it is looked for in: of the speaker (I, 我), the speaker and others (we, 我们). `my`: of something
    of the speaker's; then the clause is read as it stands, denied or not. `none`, in English: of nobody that it names
    ("Blood pressure 128/82"), read so, too."""
    says: CleanText | None = None
    """The statement to keep: `{owner}` (in Chinese `{of}`: left out where the owner has no name), slots and groups.
    None, in English: the pattern is a predicate from its verb on, told in the third person."""
    says_not: CleanText | None = None
    """What is kept when it is denied, as no longer so; None: nothing."""
    numbers: dict[Id, dict[Id, float]] = Field(default_factory=dict)
    """Slot -> groups and what one of each is in the slot's unit; they add up. Empty: the slot's own group, as it is."""
    plus: dict[Id, float] = Field(default_factory=dict)
    """Slot of `numbers` -> what is added to it in its unit (degrees that begin elsewhere)."""
    digits: int = Field(default=3, ge=0, le=6)
    """Decimals of `numbers`."""
    words: dict[Id, tuple[Id, ...]] = Field(default_factory=dict)
    """Slot -> groups that, one behind the other, are its value."""
    canonical: dict[CleanText, CleanText] = Field(default_factory=dict)
    """What a group of `words` says, in lower case -> what stands for it."""
    many: bool = False
    """Several values stand beside each other where no field of the catalogue says."""
    of_time: OfTime | None = None
    """It is of its time: the statement has it behind it as a date, and it holds from then. `told`: where one is told;
    `said`: else the day on which it was said (a reading)."""
    ends: bool = False
    """It says that the value holds no more ("the cough is gone")."""
    unless: tuple[Pattern, ...] = ()
    """It finds nothing in a clause in which one of these is found, nor in one that does not name the speaker itself
    where what its sentence says before holds one."""
    behind: Pattern | None = None
    """Has to be found in what its sentence says before the clause ("I took my pressure: 150/95")."""
    opens: Pattern | None = None
    """In a clause that does not name the speaker: all that may stand before it."""
    within: dict[Id, tuple[float, float]] = Field(default_factory=dict)
    """Slot of `numbers` -> the least and most that it can be, in its unit; beyond, nothing is kept."""
    less_than: dict[Id, Id] = Field(default_factory=dict)
    """Slot of `numbers` -> another that it has to be less than; else nothing is kept: 120 to 130 is a range."""

    @model_validator(mode="after")
    def _consistent(self) -> Wording:
        for key, problem in self._problems():
            raise ValueError(f"{key}: {problem}")
        return self

    def slots(self) -> tuple[str, ...]:
        """What it fills, in the order of the pattern, then of `numbers` and `words`."""
        own = [name for name in in_order(self.pattern) if name not in self._used()]
        return (*own, *self.numbers, *self.words)

    def lexicons(self) -> tuple[str, ...]:
        return tuple(_LEXICON.findall(self.pattern))

    def _used(self) -> set[str]:
        """Groups that are no slots by themselves."""
        parts = {name for names in self.words.values() for name in names} | {STATEMENT_SLOT} | ABOUT
        return parts | {name for slot, names in self.numbers.items() for name in names or (slot,)}

    def _problems(self) -> Iterator[tuple[str, str]]:
        named = groups(self.pattern)
        known = ", ".join(sorted(named)) or "none"
        for place in _PLACE.finditer(self.pattern):
            if not _LEXICON.fullmatch(place.group()) and (place.group() != END or self.language != "en"):
                yield "pattern", f"no such place {place.group()}; allowed: {{lexicon.SLOT}}, and in English {END}"
        if not self.slots():
            yield "pattern", "captures nothing: name a group after the slot it fills, as in (?P<age>...)"
        for key, made in (("numbers", self.numbers), ("words", self.words)):
            for slot, parts in made.items():
                if missing := set(parts or ((slot,) if key == "numbers" else ())) - named:
                    yield f"{key}.{slot}", f"no group {min(missing)!r} in the pattern; there are: {known}"
                if not parts and key == "words":
                    yield f"words.{slot}", f"name the groups that it is made of: {known}"
        bounded = {*self.less_than, *self.less_than.values()}
        for key, of_slots in (("plus", set(self.plus)), ("within", set(self.within)), ("less_than", bounded)):
            if unknown := of_slots - set(self.numbers):
                known_slots = ", ".join(sorted(self.numbers)) or "none"
                yield f"{key}.{min(unknown)}", f"expected a slot of numbers: {known_slots}"
        yield from self._untold(named)

    def _untold(self, named: frozenset[str]) -> Iterator[tuple[str, str]]:
        if self.says is None:
            if self.language != "en" or {"my", "none"} & set(self.of):
                yield "says", "is required; only an English predicate (of: I, we) is told in its own words"
            if self.numbers or self.words or self.says_not or self.ends or STATEMENT_SLOT in named:
                yield "says", "is required beside numbers, words, says_not, ends and a group said"
        allowed = named | set(self.slots()) | _CORE_SLOTS
        for key, text in (("says", self.says), ("says_not", self.says_not)):
            for place in _PLACE.finditer(text or ""):
                if place["name"] not in allowed:
                    yield key, f"nothing is called {place['name']!r}; allowed: {', '.join(sorted(allowed))}"


WORDINGS_FROM = "wordings_from"
"""Key of a profile's file alone: profiles whose wordings it understands, too. What is loaded holds them."""
PARTS = "wording_parts"
"""Key of a profile's file alone: name -> text that stands for `{part.NAME}` in the patterns of its wordings and of
`habits.said`, and of the parts after it. What is loaded has the patterns whole."""
_PART = re.compile(r"\{part\.(?P<name>\w{1,64})\}")


def with_wordings(raw: dict[str, Any], folders: tuple[Path, ...]) -> dict[str, Any]:
    """A profile's file with the wordings of the files that it names, after its own: only those that they state
    themselves, so none can name itself round a corner. A later folder goes before. Raises ValueError naming the key."""
    if WORDINGS_FROM not in raw and PARTS not in raw:
        return raw
    files = {p.stem: p for folder in folders for p in folder.glob("*.toml")}
    names = raw.get(WORDINGS_FROM, [])
    if not isinstance(names, list) or not set(map(str, names)) <= set(files):
        raise ValueError(f"{WORDINGS_FROM}: must be a list of profiles; there are: {', '.join(sorted(files))}")
    wordings = _stated(raw)
    for name in names:
        try:
            wordings += _read(files[name].read_text(encoding="utf-8"))
        except ValueError as exc:
            raise ValueError(f"{WORDINGS_FROM}: {files[name].name}: {exc}") from None
    rest = {k: v for k, v in raw.items() if k not in {WORDINGS_FROM, PARTS}}
    return {**rest, **_habits_of(raw), "wordings": wordings}


@lru_cache(maxsize=32)
def _read(text: str) -> Sequence[Any]:
    """Of a file's text. Most profiles take those of the same few files."""
    return _stated(tomllib.loads(text))


def _stated(raw: dict[str, Any]) -> list[Any]:
    wordings = raw.get("wordings", [])
    if not isinstance(wordings, list):
        raise ValueError("wordings: expected [[wordings]], a table each")
    parts = _parts(raw.get(PARTS, {}))
    return [_whole(wording, parts, f"wordings.{n}") for n, wording in enumerate(wordings)]


def _habits_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The habits of a profile's file with its parts put in; what is none is refused when it is checked."""
    habits = raw.get("habits")
    if not isinstance(habits, dict) or not isinstance(habits.get("said"), list):
        return {}
    parts = _parts(raw.get(PARTS, {}))
    statements = [_whole(statement, parts, f"habits.said.{n}") for n, statement in enumerate(habits["said"])]
    return {"habits": {**habits, "said": statements}}


def _parts(raw: Any) -> dict[str, str]:
    if not isinstance(raw, dict) or not all(isinstance(text, str) for text in raw.values()):
        raise ValueError(f"{PARTS}: expected a table of names and texts")
    parts: dict[str, str] = {}
    for name, text in raw.items():
        parts[name] = _with_parts(text, parts, f"{PARTS}.{name}")
    return parts


def _whole(wording: Any, parts: dict[str, str], where: str) -> Any:
    """A wording with its parts put in; what is none is refused when it is checked."""
    if not isinstance(wording, dict):
        return wording
    made = dict(wording)
    for key in {"pattern", "patterns", "behind", "opens", "unless"} & set(wording):
        wording_text = wording[key]
        each = wording_text if isinstance(wording_text, list) else [wording_text]
        texts = [_with_parts(t, parts, f"{where}.{key}") if isinstance(t, str) else t for t in each]
        made[key] = texts if isinstance(wording_text, list) else texts[0]
    return made


def _with_parts(text: str, parts: dict[str, str], where: str) -> str:
    def put(match: re.Match[str]) -> str:
        if match["name"] not in parts:
            known = ", ".join(parts) or "none"
            raise ValueError(f"{where}: no such part {match['name']!r}; before it there are: {known}")
        return parts[match["name"]]

    whole = _PART.sub(put, text)
    if len(whole) > MOST_CHARS:  # parts of parts double with each line
        raise ValueError(f"{where}: must have at most {MOST_CHARS} characters with its parts")
    return whole
