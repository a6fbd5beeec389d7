"""Closed word classes that decide whether two texts can say the same thing (D3); the words are in words.toml."""

import tomllib
from importlib.resources import files

from schemas.base import JsonValue

_WORDS: dict[str, JsonValue] = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))


def _set(section: str, name: str) -> frozenset[str]:
    return frozenset(_WORDS[section][name].split())


EN_FUNCTION = _set("en", "function")
EN_FILLER = _set("en", "filler")
EN_AUXILIARY = _set("en", "auxiliary")
EN_ATTRIBUTION = _set("en", "attribution")
EN_TITLES = _set("en", "titles")
EN_ADVERBS = _set("en", "adverbs")
EN_NEGATORS = _set("en", "negators")
ZH_FILLER = _set("zh", "filler")
ZH_FUNCTION = ZH_FILLER | _set("zh", "function")
ZH_NEGATORS = _set("zh", "negators")
ZH_NOT_NEGATING = _set("zh", "not_negating")
ZH_HOMOPHONES = frozenset(frozenset(pair) for pair in _WORDS["zh"]["homophones"].split())
COORDINATORS = _set("both", "coordinators")
LIST_JOINERS = _set("both", "list_joiners")
PHRASE_STARTS = _set("both", "phrase_starts")

EN_UNITS, EN_TENS, EN_ORDINALS, MONTHS, WEEKDAYS = (
    tuple(_WORDS["en"][name].split()) for name in ("units", "tens", "ordinals", "months", "weekdays")
)

POLES: dict[str, dict[int, int]] = {}
"""Word to the pole that it stands for in each class it belongs to."""
for _class, _line in enumerate(_WORDS["both"]["exclusive"]):
    for _pole, _members in enumerate(_line.split("|")):
        for _word in _members.split():
            POLES.setdefault(_word, {})[_class] = _pole


def exclude_each_other(x: str, y: str) -> bool:
    """Whether the two words are different members of one closed class (red, blue; 哥哥, 弟弟)."""
    poles = POLES.get(y, {})
    return any(poles.get(kind, pole) != pole for kind, pole in POLES.get(x, {}).items())
