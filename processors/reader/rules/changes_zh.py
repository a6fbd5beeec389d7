"""A change told of a thing that stands first, its doer left out (Chinese): 年卡不续了, 吉他送人了, 考研这事我放弃了.

Only one who speaks of themselves leaves such a doer out, so the statement is the speaker's; it is worded with its verb
before the thing (用户不续年卡了, 用户把吉他送人了). What others do, what everybody's day is made of, and what is only
planned or asked is none.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from processors.reader.rules.clauses_zh import FILLER, KIN, STAFF, Clause
from processors.reader.rules.found import Found
from processors.reader.rules.named_subjects_zh import is_name
from processors.reader.rules.places_zh import ORGANISATIONS

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "changes_zh.toml").read_text(encoding="utf-8"))


def _any(name: str) -> str:
    return "|".join(sorted(_DATA[name].split(), key=len, reverse=True))


_THING = r"(?P<thing>[\u4e00-\u9fffA-Za-z0-9+ ]{1,10}?)"
_OWN = r"(?:我(?:自己|也|就|都|早|已经|是)?)?"
_SO = rf"(?P<so>(?:{_any('so')}){{0,2}})"
_GIVEN_UP = re.compile(
    rf"{_THING}{_OWN}{_SO}(?P<no>不(?:想|打算|准备|再|能|让我?)?|没(?:再)?)(?P<verb>{_any('given_up')})了$"
)
_NO_MORE = re.compile(
    rf"(?:我们?)?{_SO}(?P<no>不(?:想|打算|准备|再)?|没再)(?P<verb>{_any('given_up')})"
    r"(?P<thing>[\u4e00-\u9fffA-Za-z0-9+ ]{2,10})了$"
)
"""The thing behind its verb, as it is told."""
_DONE_WITH = re.compile(rf"{_THING}{_OWN}{_SO}(?P<verb>{_any('done_with')})了$")
_DONE_FIRST = re.compile(
    rf"(?:我们?)?{_SO}(?P<verb>{_any('done_first')})"
    r"(?P<thing>[\u4e00-\u9fffA-Za-z0-9+ ]{1,8}?)(?:的(?:念头|想法|打算))?了$"
)
"""The thing behind it: 戒烟了."""
_DROPPED = re.compile(rf"{_THING}(?:{_any('pointing')})(?:我)?{_SO}(?P<verb>算|作罢|拉倒|免)了$")
"""A plan that is named as one: 考研的事算了."""
_NOT_ANY_MORE = re.compile(rf"(?:我(?:也|就)?)?{_SO}(?P<no>不(?:想|打算|准备)(?:再)?)(?P<thing>{_any('bare')})了$")
"""What was spoken of before is left out: 不想申请了."""
_RUN_OUT = re.compile(rf"{_THING}(?<=[{_DATA['runs_out']}]){_SO}(?P<verb>{_any('run_out')})了$")
_CHANGED_TO = re.compile(rf"{_THING}{_OWN}{_SO}(?P<verb>换成|改成|改用|换到|换去)(?P<new>[^，了]{{1,12}})了$")
_REACHED = re.compile(rf"{_THING}{_OWN}{_SO}(?P<verb>{_any('reached')})了$")
_BY_ITSELF = re.compile(rf"{_THING}{_SO}(?P<verb>{_any('by_itself')})了$")
_POINTING = re.compile(rf"(?:{_any('pointing')})$")
_NO_THING = re.compile(
    rf"(?:{_any('no_topic')})$|(?:{_any('begins_no_topic')})"
    r"|[\d一二三四五六七八九十两半几百多]+个?(?:天|年|月|周|次|回|小时|礼拜|星期|块|斤|公里)$"
)
_NOT_WITHIN = re.compile(
    rf"(?<!吉)他|(?<!我)(?<!家里)的|{_any('holds_no_topic')}|(?:{_any('ends_no_topic')}|{KIN}|{STAFF})$"
)


def changed(clause: Clause) -> list[Found]:
    """Return what a clause says is no longer so, is done with or reached, where its doer is the speaker."""
    phrase = _bare(clause.raw)
    if clause.subject != "我" or not clause.states or clause.raw.endswith("吧") or not 3 <= len(phrase) <= 24:
        return []
    for pattern, word in _WORDED:
        if (match := pattern.match(phrase)) is None:
            continue
        for thing, so in _read_as(match):
            if (named := _thing(thing)) and not _somebody(named, match):
                wording = word(match, named, so.lstrip("也都就").replace("全", ""))
                return [Found(clause.start, clause.end, "episode", wording, episode_type="fact")]
    return []


def _read_as(match: re.Match[str]) -> tuple[tuple[str, str], ...]:
    """The thing and what stands before its verb; an adverb may be the end of a name (成都)."""
    thing, so = match["thing"], match["so"]
    return ((thing, so), (thing + so, "")) if len(so) == 1 else ((thing, so),)


def _somebody(thing: str, match: re.Match[str]) -> bool:
    """A name in Latin script is one of a thing where it is used, sold or the like."""
    return is_name(thing) and not thing.endswith("子") and not (thing.isascii() and match["verb"][0] in _OF_THINGS)


def _bare(raw: str) -> str:
    text = raw.strip().rstrip("啊呀哦哈呢吧啦嘛～~。!！ ")
    for _ in range(2):
        filler = FILLER.match(text)
        if filler is None or filler.end() >= len(text) - 2:
            break
        text = text[filler.end() :]
    return text


def _thing(text: str) -> str:
    """The name of the thing; empty where it names none of the speaker's."""
    thing = _POINTING.sub("", text.strip())
    if _NO_THING.match(thing) or _NOT_WITHIN.search(thing) or thing.endswith(ORGANISATIONS):
        return ""
    return thing if len(thing) > 1 or thing in _SHORT else ""


def _given_up(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}{so}{match['no'].removesuffix('我')}{match['verb']}{thing}了"


def _done_with(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}{so}把{thing}{match['verb']}了"


def _done_first(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}{so}{match['verb']}{thing}了"


def _dropped(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}{so}放弃{thing}了"


def _not_any_more(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}{so}{match['no']}{thing}了"


def _changed_to(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}{so}把{thing}{match['verb']}{match['new']}了"


def _reached(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}{so}{match['verb']}了{thing}"


def _by_itself(match: re.Match[str], thing: str, so: str) -> str:
    return f"{{owner}}的{thing}{so}{match['verb']}了"


_OF_THINGS = "卖退换用买租续装玩订停删扔修喝吃学"
_SHORT = frozenset(_DATA["short_topic"].split())
_WORDED = (
    (_NO_MORE, _given_up), (_GIVEN_UP, _given_up), (_CHANGED_TO, _changed_to), (_BY_ITSELF, _by_itself),
    (_RUN_OUT, _by_itself), (_DROPPED, _dropped), (_NOT_ANY_MORE, _not_any_more),
    (_DONE_FIRST, _done_first), (_DONE_WITH, _done_with), (_REACHED, _reached),
)  # fmt: skip
