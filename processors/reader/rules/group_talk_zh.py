"""Chinese statements of talk among named people that are better left in their turn: banter, the rest of a sentence, the
moment, what holds for all, and of two of whom one is named.

Who speaks to an assistant speaks of themselves; people speak of the talk, of others, and of nothing as well. The test
is of the wording with `{owner}` for the speaker, whichever rule found it; values stay.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from processors.reader.rules.clauses_zh import ACQUAINTANCES
from processors.reader.rules.found import Found
from processors.reader.rules.persons_zh import PARTNER
from processors.reader.rules.served_zh import is_served

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "group_talk_zh.toml").read_text(encoding="utf-8"))
_POST = {name: _DATA.pop(name) for name in ("lasting", "of_the_hour", "to_all", "asks_advice", "of_a_life")}
for _name in ("opener", "opener_short", "greets", "joins", "as_one", "speaks_as"):
    del _DATA[_name]
_IN_THREAD = _DATA.pop("in_thread")
_REFUSED = [re.compile("|".join(line for line in lines.splitlines() if line)) for lines in _DATA.values()]
_LASTING, _OF_THE_HOUR, _TO_ALL, _ASKS_ADVICE, _OF_A_LIFE = (
    re.compile("|".join(line for line in lines.splitlines() if line)) for lines in _POST.values()
)
LONGEST_SENTENCE = 48
"""Characters of one sentence that may open a talk."""
LONGEST_POST = 200
"""Characters of a post; what is longer is a letter, which tells of its writer's life."""
_OWNER = re.compile(r"\{(?:owner|of)\}")
_WE = re.compile(
    r"^(?P<when>[^，{}]{0,6})\{owner\}等人(?:[两俩]个?人?)?"
    r"(?=也|都|就|已经|刚|现在|一直|后来|又|是在|[在分结吵和复认异谈])"
)
_WRITER = re.compile(r"^\{owner\}(?:[dl]z|[DL]Z)(?![A-Za-z])")
_PARTNER = re.compile(rf"{PARTNER.pattern}|[男女]票|(?<![A-Za-z])(?:npy|bf|gf)(?![A-Za-z])")


_SOMEONES = re.compile(rf"\{{owner\}}的(?:{ACQUAINTANCES}|兄弟|姐妹|哥|姐|叔|姨)们?(?!\{{)")
_LIVES_WITH = re.compile(r"\{owner\}的(?:室友|舍友|同屋|同桌|闺蜜|导师|老板)们?(?!\{)")
"""Who opens a talk speaks of their own by such a word."""
_STRANGERS = re.compile(r"\{owner\}的(?P<who>阿姨|叔叔|大爷|大妈|师傅|小哥)")
"""Whoever is met is called so: only behind 我 are they one's own."""
_SAYS_I = re.compile(r"[我俺咱]")
_THREAD = re.compile(_IN_THREAD)
_YOU = re.compile(r"[你您]")
_AT_WORK = re.compile(r"医生|大夫|护士|药师|客服|店家|商家|卖家|助手|管理员")


@dataclass(frozen=True, slots=True)
class Talker:
    """Who speaks by name, and their turns before this one."""

    name: str
    before: tuple[str, ...] = ()
    opens: bool = False
    """Is nothing said before the turn? Then it may be a post, which is written for nobody who answers."""


def sifted(found: Sequence[Found], turn: str, talker: Talker, *, in_project: bool) -> tuple[list[Found], list[Found]]:
    """Return those to tell, and those to leave in their turn. Nobody posts in a project."""
    named = {name for text in (*talker.before, turn) for name in _PARTNER.findall(text)}
    partner = named.pop() if len(named) == 1 else None
    finding = [_of_both(f, partner) for f in found]
    alone = talker.opens and not (in_project or is_served(talker.name) or _THREAD.search(f"{talker.name}\n{turn}"))
    kept = [is_of_life(f) and _of_whom(f, turn, talker) and not (alone and _posted(f, turn)) for f in finding]
    left = [replace(f, dropped="light") for f, keep in zip(finding, kept, strict=True) if not keep]
    return [f for f, keep in zip(finding, kept, strict=True) if keep], left


def _of_whom(found: Found, turn: str, talker: Talker) -> bool:
    """Is it known of whom a statement is? Who speaks for their work speaks of whom they serve, and a doctor, a teacher
    or a mate that nobody calls their own may be anybody's, or spoken to."""
    if (stranger := _STRANGERS.match(found.text)) is not None:
        return re.search(rf"[我俺咱]们?家?的?{stranger['who']}", turn) is not None
    if _AT_WORK.search(talker.name) and not found.slots:
        return False
    own = _SAYS_I.search(turn, found.start, found.end) is not None
    if talker.opens and _SAYS_I.search(turn) is not None and not _YOU.search(turn):
        own = own or _LIVES_WITH.match(found.text) is not None
    return own or not (_AT_WORK.search(talker.name) or _SOMEONES.match(found.text))


def is_of_life(found: Found) -> bool:
    """Is a statement one of its speaker's life, told whole? A question that was asked is only observed."""
    if found.slots or "问过“" in found.text:
        return True
    phrase = _OWNER.sub("◇", found.text)
    return not any(pattern.search(phrase) for pattern in _REFUSED)


def _posted(found: Found, turn: str) -> bool:
    """Is a statement of a post only, and does not last: where its writer is, what they feel? In a post that is shown to
    all, with whom it names and its topic, only values are told; of several sentences only what lasts. One sentence by
    itself may open a talk."""
    if found.slots:
        return False
    phrase = _OWNER.sub("◇", found.text)
    if _TO_ALL.search(turn) or _OF_THE_HOUR.search(phrase):
        return True
    several = len(turn) > LONGEST_SENTENCE or _SEVERAL.search(turn.strip()) is not None
    if len(turn) > LONGEST_POST or not several or _is_letter(turn):
        return False
    return not phrase.startswith("◇") or _LASTING.search(phrase) is None


def _is_letter(turn: str) -> bool:
    """Does a turn ask for advice, or tell of its writer's life without what posts are adorned with?"""
    if _ASKS_ADVICE.search(turn):
        return True
    return not _ADORNED.search(turn) and len(set(_OF_A_LIFE.findall(turn))) > 2


_ADORNED = re.compile(r"//|\[[\u4e00-\u9fff]{1,4}\]|[\U0001f300-\U0001faff]|[!！~～]|哈{2,}")
_SEVERAL = re.compile(
    r"\.{3}|哈{2,}|啊{3,}|[。！!？?~～…\n\]](?=.)|[。，]{2,}|\[[\u4e00-\u9fff]{1,4}\]|[\U0001f300-\U0001faff]"
)
"""More than one sentence, or one with a face or laughter."""


def _of_both(found: Found, partner: str | None) -> Found:
    """The same with the partner's name for 我们 where the talk speaks of one: they are two."""
    found = replace(found, text=_WRITER.sub("{owner}", found.text))
    if partner is None or partner in found.text or not _WE.match(found.text):
        return found
    return replace(found, text=_WE.sub(rf"\g<when>{{owner}}和{partner}", found.text))
