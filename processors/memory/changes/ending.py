"""What a statement says has ended, or was replaced, by naming it: "User has given up tennis", 用户把健身卡退了. The
older statement of the same person that names the same thing ends by it. The words are those of `ending.toml`. Pure.

A thing in common is not enough: what the newer statement names stands whole in the older one, with nothing before or
behind it that makes it another thing (a dog walker for a dog), and the older one was not over when it was said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from processors.dedupe.features import HAN, NAME, Features, extract_features, is_function, is_number, stem
from processors.memory.changes.signs import Language, language_of_statement


class _Words(BaseModel):
    """The words of a language, as the file explains them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    who: str
    between: str
    until: str
    ended: list[str]
    by_itself: list[str]
    moved: list[str]
    role: list[str]
    held: str
    many: str
    leaver: list[str]
    held_by: str
    empty: str
    past: list[str]
    beside: list[str]
    once: list[str]
    part: list[str]
    ordinal: str
    goal: str
    day: str
    frame: str
    follows: str
    before: str


class _Patterns:
    def __init__(self, language: Language) -> None:
        w = _Words.model_validate(_DATA[language])
        edge = r"(?<![\w-])(?:{})(?![\w-])" if language == "en" else "(?:{})"
        self.ended = [re.compile(f"(?P<who>{w.who}){w.between}(?:{p}){w.until}") for p in w.ended]
        self.by_itself, self.moved = ([re.compile(f"(?:{p}){w.until}") for p in of] for of in (w.by_itself, w.moved))
        self.held = [
            *((re.compile(f"(?:{p})"), "role", w.held) for p in w.role),
            *((re.compile(f"(?:{p})"), "leaver", w.held_by) for p in w.leaver),
        ]
        self.many = frozenset(w.many.split())
        self.past = re.compile(edge.format("|".join(w.past)))
        self.beside = re.compile(edge.format("|".join(w.beside)), re.IGNORECASE)
        self.once, self.part = (re.compile(edge.format("|".join(words)), re.IGNORECASE) for words in (w.once, w.part))
        self.ordinal, self.goal, self.day = (re.compile(p) for p in (w.ordinal, w.goal, w.day))
        self.frame = frozenset(map(stem, w.frame.split()))
        self.owner = frozenset(("user", "others", "用", "户", "戶"))
        self.empty = frozenset(map(stem, w.empty.split()))
        self.follows, self.before = frozenset(w.follows.split()), frozenset(w.before.split())


_DATA = tomllib.loads((files(__package__) / "ending.toml").read_text(encoding="utf-8"))
_OF: dict[Language, _Patterns] = {"en": _Patterns("en"), "zh": _Patterns("zh")}
_OWNER = re.compile(r"^(?:用[户戶](?:的|家的?)?|User(?:'s)? ?)")
_THING = re.compile(r"用[户戶]的(?P<zh>[^，。]{2})|User's (?P<en>[\w-]+)")
_LEAD = re.compile(r"(?:Since|After|As of|From|With|Because of|In) [^,]*?,? (?=User\b)")
_MEANT = re.compile(r"the |th(?:is|at) ")
"""Before a thing that is known by a name (the marathon, of the Loch Ness marathon)."""
MOST_READ = 300
"""Characters of a statement in which an ending is looked for."""
MOST_NAMED = 8
"""Words of a thing that is looked for in an older statement; what is longer is no name."""
MOST_PARTS = 3
"""Parts in which a Chinese name may lie in an older statement, in its order."""


def patterns_of(language: Language) -> _Patterns:
    return _OF[language]


@dataclass(frozen=True, slots=True)
class Named:
    """A thing that a statement says has ended; `who` of whom it is said, `when` words that stand beside it; `led`: it
    begins with a verb; `moved`: it has another time or number, and goes on."""

    language: Language
    who: str
    what: str
    when: str
    led: bool
    words: tuple[str, ...]
    moved: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """What a statement says has ended. `once`: it says so of one day only, or as a thought, and ends nothing."""

    named: tuple[Named, ...]
    once: bool
    held: tuple[re.Pattern[str], ...] = ()
    """Older statements of who held a place that another one holds now, or that its holder left."""

    def tells(self) -> bool:
        return bool(self.named or self.held)


def ending_of(text: str) -> Ending:
    read = _LEAD.sub("", _read(text), count=1)
    language = language_of_statement(read)
    patterns = _OF[language]
    once = patterns.once.search(read) is not None
    if once or patterns.beside.search(read):
        return Ending((), once)
    clauses = _clauses(language, read)
    named = tuple(n for clause in clauses for n in _found(patterns, language, clause))
    return Ending(named, once, tuple(h for clause in clauses for h in _held(patterns, clause)))


def _held(patterns: _Patterns, clause: str) -> Iterator[re.Pattern[str]]:
    for pattern, group, older in patterns.held:
        match = pattern.fullmatch(clause)
        if match is not None and match[group] not in patterns.many:
            yield re.compile(older.replace("{" + group + "}", re.escape(match[group])))


def _read(text: str) -> str:
    return text[:MOST_READ].rstrip(".。！! ")


def _clauses(language: Language, read: str) -> list[str]:
    """The whole and its clauses, each with the one of whom the statement speaks; an English statement is one."""
    if language == "en":
        return [read]
    clauses = [c for c in re.split("[，；]", read) if c]
    owner = read[:2] if _OWNER.match(read) else ""
    bare = [f"{owner}{c}" for c in clauses[1:] if owner and not _OWNER.match(c)]
    return [*dict.fromkeys((read, *clauses, *bare))]


def _found(patterns: _Patterns, language: Language, read: str) -> Iterator[Named]:
    for pattern in (*patterns.ended, *patterns.by_itself, *patterns.moved):
        if (match := pattern.match(read)) is None:
            continue
        groups = match.groupdict()
        what = _OWNER.sub("", groups["what"], count=1)
        capitals = {c.lower() for c in re.findall(r"\b[A-Z]{2,}\b", what)}  # US is no "us"
        stems = (stem(t) for t in extract_features(what).tokens if t in capitals or not is_function(t))
        words = tuple(w for w in stems if w not in patterns.empty)
        who, when = groups.get("who") or "", groups.get("when") or ""
        if when.startswith("的"):  # of whom it is said
            who, when = who + when, ""
        if words and all(map(is_number, words)):
            continue  # a day or a number names no thing
        yield Named(language, who, what, when, "when" in groups, words, pattern in patterns.moved)


def of_another(old: str, new: str) -> bool:
    """Whether two statements are of the first and the second of a kind."""
    first, second = (set(_OF[language_of_statement(t)].ordinal.findall(_read(t))) for t in (old, new))
    return bool(first and second and not first & second)


def of_part(old: str, new: str) -> bool:
    """Whether a newer statement is of a time of the day, or of a share, that the older does not tell of; the time to
    which something moved is none."""
    patterns = _OF[language_of_statement(new)]
    told = patterns.goal.sub("", _read(new))
    return not set(patterns.part.findall(told)) <= set(patterns.part.findall(_read(old)))


def alone_in(text: str, char: str) -> bool:
    """Does a Chinese character stand in a text as a word of its own, not within another one (狗 of 狗粮)?"""
    at = text.find(char)
    behind = text[at + 1 : at + 2]
    return not behind or not HAN <= behind < "\ufffe" or behind in _OF["zh"].follows


def ends(text: str, features: Features, new: Ending) -> bool:
    """Whether an older statement says that what newer words call ended is so."""
    if not new.tells():
        return False
    language, read = language_of_statement(text), _read(text)
    patterns = _OF[language]
    if patterns.past.search(read):
        return False
    if any(older.fullmatch(read) for older in new.held):
        return True
    if not new.named or language != new.named[0].language:
        return False
    valued = patterns.day.search(read) is not None or any(map(is_number, features.tokens))
    found = (named for named in new.named if valued or not named.moved)
    return any(_of_same(read, named) and _names(patterns, read, features, named) for named in found)


def _of_same(read: str, named: Named) -> bool:
    """Is an older statement of the same person?"""
    who = named.who.removesuffix(" and others").removesuffix("和别人")
    if who and not re.match(rf"{re.escape(who)}(?!\w)" if named.language == "en" else re.escape(who), read):
        return False
    thing = _THING.match(read)
    if thing is None or who not in ("", "User", "用户", "用戶"):
        return True
    return thing["zh"] in named.what if thing["zh"] else stem(thing["en"].lower()) in named.words


def _names(patterns: _Patterns, read: str, features: Features, named: Named) -> bool:
    """Does the thing stand whole in an older statement?"""
    if named.language == "zh":
        return _names_zh(patterns, read, named)
    words = named.words
    doing = any(t.endswith("ing") for t in extract_features(named.what).tokens)
    stems = [_doing(stem(t), words) if doing or not t.endswith("ing") else t for t in features.tokens]
    if not words or len(words) > MOST_NAMED or not set(words) <= set(stems):
        return False
    beside = {stem(t) for t in extract_features(named.when).tokens if not is_function(t)} - patterns.empty
    if not beside <= set(stems):
        return False
    at = [stems.index(word) for word in words]
    first, last = min(at), max(at)
    before = features.tokens[first - 1] if first else ""
    behind = features.tokens[last + 1] if last + 1 < len(stems) else ""
    subject = len(extract_features(named.who).tokens)
    led = first <= max(1, subject) or is_function(before) or is_number(before) or before in patterns.before
    led = led or (_MEANT.match(named.what) is not None and bool(features.flags[first - 1] & NAME))
    ended = not behind or bool(features.flags[last + 1]) or is_function(behind) or is_number(behind)
    return led and (ended or behind in patterns.follows or stem(behind) in patterns.empty)


def _doing(word: str, words: tuple[str, ...]) -> str:
    """Who does a thing as the thing (a teacher, teaching)."""
    return word[:-2] if word != "user" and word[-2:] in ("er", "or") and word[:-2] in words else word


def _names_zh(patterns: _Patterns, read: str, named: Named) -> bool:
    what, when = (re.sub(r"[的了在再把]", "", part) for part in (named.what, named.when))
    if not what or (when and when not in read):
        return False
    begin, end = _parts(read, what, 0, MOST_PARTS)
    if end < 0:
        return False
    before, behind = read[begin - 1 : begin], read[end : end + 1]
    led = named.led or begin <= len(named.who) or before in patterns.before or not HAN <= before < "\ufffe"
    return led and (not behind or behind in patterns.follows or not HAN <= behind < "\ufffe")


def _parts(text: str, what: str, start: int, parts: int) -> tuple[int, int]:
    """Where the last part of a name begins and ends, whose parts stand in order; each but the first, which may be a
    verb, has two characters at least. (-1, -1): it does not stand there."""
    if (at := text.find(what, start)) >= 0:
        return at, at + len(what)
    if parts <= 1:
        return -1, -1
    least = 1 if parts == MOST_PARTS else 2
    for size in range(len(what) - 1, least - 1, -1):
        if (at := text.find(what[:size], start)) >= 0:
            found = _parts(text, what[size:], at + size, parts - 1)
            if found[1] >= 0 and (len(what) - size > 1 or size == 1):
                return found
    return -1, -1
