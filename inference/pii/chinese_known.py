"""Chinese names that are listed, names by their form, and words that are none: what the network's guesses are put right
by. The lists are in data/chinese_names.toml.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from inference.language import HAN
from inference.protocols import EntitySpan

LISTED = "name list zh"


class TaggedWord(NamedTuple):
    """A word of a clause at `start:end` with the tagger's tag of it."""

    start: int
    end: int
    tag: str


class _Name(NamedTuple):
    text: str
    entity: str


class OrdinaryWord(NamedTuple):
    """What behind and before a word says that it is no name; None: it never is."""

    behind: re.Pattern[str] | None
    before: re.Pattern[str] | None


_PROPER = frozenset({"nz", "ORG", "PER", "nr"})
"""Tags of a word that the ending of a firm makes a name with."""
# "教育部门", "商务部长" are no ministry.
_MINISTRY_GOES_ON = re.compile("部[门門分队署落]")
_BEHIND = r"(?=[的是在说和也来去把给跟与、，。！？：]|\Z)"
"""What follows a name whose length nothing else shows."""
_SHORT = 2
"""Characters; a name of so few must stand as words of its own."""
_NEAR = 8
"""Characters before a word that are looked at."""
_SWALLOWED = 1
"""Characters by which the network runs into the next word."""


def corrected(clause: str, words: Sequence[TaggedWord], guesses: Iterable[EntitySpan]) -> list[EntitySpan]:
    """The network's guesses of a clause (places within the clause), with names that are listed or have the form of one,
    and without what is no name. Sorted; linear in the clause."""
    sure = [*_listed(clause, words), *_by_form(clause, words)]
    blocked = list(_no_names(clause))
    kept = [_cut(clause, g) for g in guesses if not _is_ordinary(clause, g, blocked)]
    sure = [s for s in _longest(sure) if not _is_ordinary(clause, s, blocked)]
    better = [g for g in kept if g.entity == "ADDRESS" or any(_outdoes(g, s) for s in sure)]
    sure = [s for s in sure if not any(_meet(s, g) for g in better)]
    return sorted([*sure, *(g for g in kept if not any(_meet(g, s) for s in sure))], key=lambda span: span.start)


def _cut(clause: str, guess: EntitySpan) -> EntitySpan:
    """An institution without the verb that the network takes for its end ("上海交响乐团拉"); one that it takes for a
    place ("昆明爱乐乐团") is none."""
    if guess.entity == "LOCATION" and forms()["institutional"].search(clause, guess.start, guess.end):
        return replace(guess, entity="ORGANIZATION")
    if guess.entity != "ORGANIZATION":
        return guess
    ending = forms()["ends"].search(clause, guess.start, guess.end)
    return guess if ending is None else replace(guess, end=ending.end())


def _meet(a: EntitySpan, b: EntitySpan) -> bool:
    return a.start < b.end and b.start < a.end


def _outdoes(guess: EntitySpan, listed: EntitySpan) -> bool:
    """Is the guess a longer name that the listed one is part of? Not where it only runs into the next word."""
    if not (guess.start <= listed.start and listed.end <= guess.end):
        return False
    return guess.start < listed.start or guess.end > listed.end + _SWALLOWED


def _longest(spans: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Of spans that meet the longest."""
    kept: list[EntitySpan] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if kept and _meet(kept[-1], span):
            if span.end - span.start > kept[-1].end - kept[-1].start:
                kept[-1] = span
        else:
            kept.append(span)
    return kept


def _listed(clause: str, words: Sequence[TaggedWord]) -> Iterator[EntitySpan]:
    index = _index()
    starts, ends = {w.start for w in words}, {w.end for w in words}
    position = 0
    while position < len(clause) - 1:
        names = index.get(clause[position : position + 2], ())
        name = next((n for n in names if clause.startswith(n.text, position)), None)
        if name is None:
            position += 1
            continue
        end = position + len(name.text)
        own = len(name.text) > _SHORT or (position in starts and end in ends)
        if own and not _MINISTRY_GOES_ON.match(clause, end - 1):
            yield EntitySpan(name.entity, position, end, 0.86, LISTED)
            position = end
        else:
            position += 1


def _by_form(clause: str, words: Sequence[TaggedWord]) -> Iterator[EntitySpan]:
    """Yield offices of a state by what they look after, and firms and institutions by their ending."""
    patterns = forms()
    places = {w.end: w.start for w in words if w.tag == "LOC"}
    for match in patterns["authority"].finditer(clause):
        start = places.get(match.start(), match.start())
        yield EntitySpan("ORGANIZATION", start, match.end(), 0.7, LISTED)
    for form in ("person", "relation", "before", "behind"):
        for match in patterns[form].finditer(clause):
            yield EntitySpan("PERSON", *match.span("name" if form != "person" else 0), 0.86, LISTED)
    for before, word in pairwise(words):
        if before.end != word.start or before.end - before.start < _SHORT:
            continue
        kind = "institution" if before.tag in ("LOC", *_PROPER) else None
        ending = patterns["institution"].match(clause, word.start) if kind else None
        if ending is None and before.tag in _PROPER:
            ending = patterns["firm"].match(clause, word.start)
        if ending is not None and ending.end() in (word.end, word.end + 1, word.end - 1):
            yield EntitySpan("ORGANIZATION", before.start, ending.end(), 0.86, LISTED)


def _no_names(clause: str) -> Iterator[tuple[int, int]]:
    """Yield where a longer word stands that a name is part of."""
    return (match.span() for match in forms()["no_names"].finditer(clause))


def _is_ordinary(clause: str, span: EntitySpan, blocked: Sequence[tuple[int, int]]) -> bool:
    if any(start < span.end and span.start < end for start, end in blocked):
        return True
    ordinary_words = ordinary().get(clause[span.start : span.end])
    if ordinary_words is None:
        return False
    if ordinary_words.behind is None and ordinary_words.before is None:
        return True
    behind = ordinary_words.behind is not None and ordinary_words.behind.match(clause, span.end) is not None
    near = clause[max(0, span.start - _NEAR) : span.start]
    return behind or (ordinary_words.before is not None and ordinary_words.before.search(near) is not None)


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads(files("inference.pii").joinpath("data/chinese_names.toml").read_text("utf-8"))


@lru_cache(maxsize=1)
def _index() -> Mapping[str, tuple[_Name, ...]]:
    """Listed names by their first two characters, the longest first."""
    out: dict[str, list[_Name]] = {}
    for key, entity in (("organizations", "ORGANIZATION"), ("places", "LOCATION"), ("people", "PERSON")):
        for text in _data()[key].split():
            out.setdefault(text[:2], []).append(_Name(text, entity))
    return {first: tuple(sorted(names, key=lambda n: -len(n.text))) for first, names in out.items()}


@lru_cache(maxsize=1)
def forms() -> Mapping[str, re.Pattern[str]]:
    """Patterns of names by their form, by what they are for."""
    levels, subjects = _any_of("authority_levels"), _any_of("authority_subjects")
    words, ordinary_words = _any_of("name_words"), _data()["person"]
    return {
        "authority": re.compile(
            rf"(?:{levels}){{0,2}}(?:{subjects})(?:总局|局|厅|委员会)(?![势部面限促])"
        ),
        "institution": re.compile(_any_of("institutions")),
        "institutional": re.compile(rf"(?<=[{HAN}]{{2}})(?:{_any_of('institutions')}|大学|学院|医院|银行)\Z"),
        "ends": re.compile(
            rf"(?<=[{HAN}]{{2}})(?:{_any_of('institutions')}|大学|学院|医院|银行|公司)(?=[{_any_of('verbs')}]\Z)"
        ),
        "firm": re.compile(rf"(?:{_any_of('firms')}){{1,2}}(?:公司|有限公司|集团)?"),
        "person": re.compile(
            # A Vietnamese woman: "黎氏兰"; a Japanese name where a word of grammar or a mark follows.
            rf"[阮黎裴邓潘范武]氏(?!{_any_of('of_a_clan')})[{HAN}](?:[{HAN}]{_BEHIND})?"
            rf"|(?:{_any_of('japanese_families')})(?!先生|小姐|老师|太太)[{HAN}]{{1,2}}{_BEHIND}"
        ),
        # Names that are words, beside what only people are or do: 我老公建国, 问问高兴, 方圆带孩子.
        "relation": re.compile(rf"(?:{ordinary_words['relation']})(?P<name>{words})(?={ordinary_words['goes_on']}|\Z)"),
        "before": re.compile(rf"(?:{ordinary_words['before']})(?P<name>{words})"),
        "behind": re.compile(rf"(?<![{HAN}])(?P<name>{words})(?={ordinary_words['behind']})"),
        "no_names": re.compile(_any_of("no_names")),
    }


@lru_cache(maxsize=1)
def ordinary() -> Mapping[str, OrdinaryWord]:
    """Names that are ordinary words too."""

    def pattern(ordinary_words: Mapping[str, str], side: str, end: str) -> re.Pattern[str] | None:
        return re.compile(f"(?:{ordinary_words[side]}){end}") if side in ordinary_words else None

    return {
        word: OrdinaryWord(pattern(ordinary_words, "behind", ""), pattern(ordinary_words, "before", "$"))
        for word, ordinary_words in _data()["ordinary"].items()
    }


def _any_of(key: str) -> str:
    return "|".join(sorted(_data()[key].split(), key=lambda word: -len(word)))
