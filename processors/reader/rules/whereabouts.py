"""Where something is, as one tells an assistant who is to know it later: "the spare key is under the mat",
车停在地下二层.

Among people such sentences speak of what all see. The places are those in which people keep their things (data).
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from processors.reader.rules.clauses_zh import KIN

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "whereabouts.toml").read_text(encoding="utf-8"))


def _any(name: str) -> str:
    return "|".join(sorted((word.replace("_", " ") for word in _DATA[name].split()), key=len, reverse=True))


_PLACE_EN = (
    r"(?:in|on|under|underneath|behind|beside|above|below|inside|at|by|near|outside|next to|on top of|in front of"
    rf"|at the (?:back|bottom|top) of) (?:(?:the|my|our) )?(?:[\w'-]+ ){{0,3}}?(?:{_any('en')})"
    r"(?: (?:in|on|under|at|of|by|behind|upstairs|downstairs) (?:the |my |our )?[\w'-]+(?: [\w'-]+)?| upstairs"
    r"| downstairs)?$"
)
_IS_EN = rf"(?: (?:is|are)|'s)(?: (?:now|still|always|usually))?(?: (?:{_any('put_en')}))? {_PLACE_EN}"
_THING_EN = r"(?:(?!(?:who|which|that|and|but|or|if|when|not|no|is|are|was)\b)[\w'-]+ ){0,3}?"
_NOUN_EN = rf"(?!(?:{_any('not_kept_en')})\b)[\w'-]+"
_NOT_REAL = rf"(?!.*\bin (?:the|my|our) (?:[\w'-]+ )?(?:tables?|{_any('shown_en')})\b)"
"""A table in which something is, is one of figures."""
_OF_A_THING = re.compile(rf"{_NOT_REAL}the {_THING_EN}{_NOUN_EN}{_IS_EN}", re.I)
_OF_THE_SPEAKERS = re.compile(
    rf"{_NOT_REAL}(?:(?:my|our) {_THING_EN}{_NOUN_EN}{_IS_EN}|(?:I|we) (?:always |usually |have )?(?:{_any('put_en')})"
    rf" (?:the|my|our|an?|some) {_THING_EN}{_NOUN_EN} {_PLACE_EN})",
    re.I,
)
_AT_ZH = "|".join((_any("zh"), *(line for line in _DATA["zh_at"].splitlines() if line)))
_NOT_KEPT_ZH = (
    rf"(?!.{{0,6}}(?:{_any('shown_zh')})[里中上]|.{{0,8}}(?:{_any('not_kept_zh')})(?:{_any('put_zh')})?在"
    r"|.{0,20}[A-Za-z]文件夹|.{0,12}图标)"
)
_IS_ZH = re.compile(
    rf"{_NOT_KEPT_ZH}(?![我俺咱你您他她它这那哪谁人大有没不问])[^，:：我你您他她它这那此]{{1,10}}?(?<![正现存实自所不没])(?:{_any('put_zh')})?在[^，你您他她它]{{0,10}}?"
    rf"(?:{_AT_ZH})[^，]{{0,6}}(?<![的着过])$"
    rf"|(?:我的?)?[^，我你您他她它]{{1,8}}(?<![正现存实自所不没])(?:{_any('put_zh')})?在我?(?:的|家)?(?:{KIN})(?:那[儿里边]|家里?|手里)了?$"
)


def is_of_a_thing(text: str) -> bool:
    """Does an English sentence say where a thing is?"""
    return _OF_A_THING.fullmatch(text) is not None


def is_of_the_speakers(text: str) -> bool:
    """The same of something of its speaker's, or of what they put there."""
    return _OF_THE_SPEAKERS.fullmatch(text) is not None


def is_where_zh(text: str) -> bool:
    """Does a Chinese clause say where a thing is?"""
    return _IS_ZH.match(text) is not None
