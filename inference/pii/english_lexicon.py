"""Names and countries in Latin script, and the words of a text as the English name rules see them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from inference.pii.english_words import ALWAYS_GIVEN, OTHERWISE, PLAIN_GIVEN

_LETTERS = r"A-Za-z\u00c0-\u024f"
# Not beside a digit or inside a handle, path or address of the net.
_WORD = re.compile(
    rf"(?<![0-9_@/])[{_LETTERS}]{{1,40}}(?:['’-][{_LETTERS}]{{1,40}}){{0,4}}(?![0-9_@/])(?!\.[{_LETTERS}])"
)
_POSSESSIVE = re.compile(r"['’]s$|['’]$", re.IGNORECASE)

# Endings that only family names have, by language family; the lexicon cannot hold them all.
_FAMILY_ENDING = re.compile(
    r"[a-z\u00df-\u024f]{2,}(?:i[cć]|ov[aáo]|ev[aá]|ová|ovich|evich|wski|wska|cki|cka|czyk|szcz|enko|chuk|shvili|adze|nidze"
    r"|ssen|sson|sen|dóttir|dottir|kvist|qvist|gren|lund|ström|strøm|strom|escu|opoulos|idis|akis|nen|hoff|mann|stein"
    r"|ńsk[ia]|inho|[aeo]glu|oğlu|zadeh|pour|ská|ský|ný|ných|ář|ík|ák|ács|ányi|éry|ösi)"
)


class Word(NamedTuple):
    """A word at `start:end` of its text, without a possessive ending; `flags` are the lexicon's: g, f, w."""

    start: int
    end: int
    low: str
    capital: bool
    flags: str

    @property
    def given(self) -> bool:
        """A given name rather than an ordinary word."""
        if "w" in self.flags and self.low not in (PLAIN_GIVEN if self.capital else ALWAYS_GIVEN):
            return False
        return "g" in self.flags and self.low not in OTHERWISE

    @property
    def family(self) -> bool:
        """A family name and no ordinary word."""
        return "f" in self.flags and "w" not in self.flags and self.low not in OTHERWISE

    @property
    def like_family(self) -> bool:
        """A family name, known or by its ending."""
        return self.family or (self.flags != "w" and len(self.low) > 4 and bool(_FAMILY_ENDING.fullmatch(self.low)))

    @property
    def double_family(self) -> bool:
        """Two family names joined by a hyphen."""
        parts = self.low.split("-")
        return len(parts) == 2 and all("f" in _lexicon().get(part, "") for part in parts)

    @property
    def known(self) -> bool:
        """In the lexicon, ordinary word or not."""
        return bool(self.flags) and self.low not in OTHERWISE


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, str]:
    """Name -> flags: g given, f family, w also an English word."""
    lines = files("inference.pii").joinpath("data/names.txt").read_text("utf-8").splitlines()
    pairs = (line.split(" ") for line in lines if not line.startswith("#"))
    flags = {"f": "f", "fg": "fg", "fgw": "fgw", "fw": "fw", "g": "g", "gw": "gw"}  # one object a kind, not a name
    return {name: flags[kinds] for name, kinds in pairs}


@lru_cache(maxsize=1)
def countries() -> dict[str, tuple[tuple[str, ...], ...]]:
    """First word of a country's name -> the words of each country that starts so, longest first."""
    return listed(files("inference.pii").joinpath("data/countries.txt").read_text("utf-8").splitlines())


def listed(lines: Sequence[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """First word of each name of a list -> the words of each name that starts so, longest first; small letters."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for line in lines:
        if not line.startswith("#"):
            words = tuple(_POSSESSIVE.sub("", match.group()) for match in _WORD.finditer(line.lower()))
            if words:
                by_first.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(names, key=len, reverse=True)) for first, names in by_first.items()}


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of `text` in order; none touches a digit, handle, path or domain name."""
    lexicon = _lexicon()
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        low = word.lower()
        flags = lexicon.get(low, "") or lexicon.get(low.partition("-")[0], "")
        yield Word(match.start(), match.start() + len(word), low, word[:1].isupper(), flags)
