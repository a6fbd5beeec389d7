"""Chinese statements of talk among named people that are better left in their turn: banter, the rest of a sentence, the
moment, what holds for all, and of two of whom one is named.

Who speaks to an assistant speaks of themselves; people speak of the talk, of others, and of nothing as well. The test
is of the wording with `{owner}` for the speaker, whichever rule found it; values stay.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

from processors.reader.rules.found import Found
from processors.reader.rules.persons_zh import PARTNER

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "among_zh.toml").read_text(encoding="utf-8"))
_REFUSED = [re.compile("|".join(line for line in lines.splitlines() if line)) for lines in _DATA.values()]
_OWNER = re.compile(r"\{(?:owner|of)\}")
_WE = re.compile(r"^(?P<when>[^，{}]{0,6})\{owner\}等人(?:[两俩]个?人?)?(?=也|都|就|已经|刚|现在|一直|后来|又|是在|[在分结吵和复认异谈])")
_WRITER = re.compile(r"^\{owner\}(?:[dl]z|[DL]Z)(?![A-Za-z])")
_PARTNER = re.compile(rf"{PARTNER.pattern}|[男女]票|(?<![A-Za-z])(?:npy|bf|gf)(?![A-Za-z])")


def sifted(found: Sequence[Found], talk: str) -> tuple[list[Found], list[Found]]:
    """Return those to tell, and those to leave in their turn; `talk` is the turn, behind those of its speaker before."""
    named = set(_PARTNER.findall(talk))
    partner = named.pop() if len(named) == 1 else None
    told = [_of_both(f, partner) for f in found]
    return [f for f in told if told_of_life(f)], [replace(f, dropped="light") for f in told if not told_of_life(f)]


def told_of_life(found: Found) -> bool:
    """Is a statement one of its speaker's life, told whole?"""
    if found.slots:
        return True
    said = _OWNER.sub("◇", found.text)
    return not any(pattern.search(said) for pattern in _REFUSED)


def _of_both(found: Found, partner: str | None) -> Found:
    """The same with the partner's name for 我们 where the talk speaks of one: they are two."""
    found = replace(found, text=_WRITER.sub("{owner}", found.text))
    if partner is None or partner in found.text or not _WE.match(found.text):
        return found
    return replace(found, text=_WE.sub(rf"\g<when>{{owner}}和{partner}", found.text))
