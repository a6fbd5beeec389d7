"""What is to come, said as if it were so: "I'm getting married in June", 我六月结婚."""

from __future__ import annotations

import re

_COMING_EN = re.compile(
    r"(?:\b(?:I'm|I am|we're|we are|is|are)|'s) (?:\w{2,12}ly |not |also |now |just )?(?:getting married|(?:starting"
    r"|moving|flying|going"
    r"|leaving|travell?ing|visiting|having|running|taking|graduating|retiring|returning|coming|joining|hosting|meeting"
    r"|seeing|performing|competing|attending|launching|opening|presenting|speaking|defending|expecting|due)\b)"
    r"|\b(?:is|are|expires?|ends?|starts?|begins?|departs?|arrives?|closes?)(?: due)?(?: at \d{1,2}(?:[:.]\d\d)?"
    r"(?: ?[ap]\.?m\.?)?)?,?(?: on| in)?(?: the)?\s?$"
    r"|\b(?:will|shall|going to|gonna)(?: [\w'-]{1,20}){1,8} (?:on|in|by|until|till)(?: the)?\s?$"
    r"|'ll(?: [\w'-]{1,20}){1,8} (?:on|in|by|until|till)(?: the)?\s?$"
    r"|\b(?:starts?|begins?|leaves?|fly|flies|retires?|graduates?|moves?)"
    r"(?: (?!every\b)[\w'-]{1,20}){0,4} (?:on|in)(?: the)?\s?$"
    r"|\b(?:have|has|'ve got|have got) (?:an?|my|our) (?:[\w'-]{1,20} ){1,4}(?:on|in|this)?\s?$",
    re.I,
)
_YEAR = re.compile(r"\d{4}|年")
_EVERY_YEAR = re.compile(r"birthday|anniversar|\bborn\b|生日|纪念日|出生", re.I)
_PAST_EN = re.compile(
    r"\b(?:was|were|had|did|went|saw|got|took|came|met|left|bought|made|gave|began|won|lost|since|after|from|ago|last"
    r"|\w{2,15}ed)\b",
    re.I,
)
_HOUR_ZH = re.compile(
    r"(?:早上|上午|中午|下午|晚上|凌晨)?(?:[\d一二两三四五六七八九十]{1,3}(?:点半?|[:：]\d\d))?(?:我们?)?"
)
_SET_FOR_ZH = re.compile(r"(?:在|定在|定于|是|到)$")
_COMING_ZH = re.compile(
    r"有[一个场次]{0,2}[\u4e00-\u9fff]{0,4}(?:面试|会议?|课|考试|约)|[\u4e00-\u9fff]{0,4}到期|结婚|去|飞|上(?:大学|幼儿园|小学|初中|高中|学)|(?:准备|打算|计划|得|想)[\u4e00-\u9fff]|搬|开始|要|回|搬|入职|毕业|考|出发|办|参加|开学|生(?:孩子|宝宝|娃)|预产|举行|启程|到期|复查|体检|做?手术|退休|出国|旅[行游]|出差|见|看"
)
_PAST_ZH = re.compile(
    r"了|过|[着的]$|刚|已|曾|时候|那[年天次时个]|昨|当时|以前|之前|去年|上[个次周]|从|自|起|以来|后来"
)

_DONE_ZH = re.compile(r"[\u4e00-\u9fff]{1,2}的[\u4e00-\u9fff]")
"""考的试: so one tells of what was."""


def scheduled(text: str, when: str) -> bool:
    """Does the statement tell of something to come at the time that it names?"""
    at = text.find(when)
    if _YEAR.search(when) or _EVERY_YEAR.search(text):
        return False
    if re.search(r"[\u4e00-\u9fff]", text):
        rest = text[max(at, 0) + len(when) :].rstrip("。.！! ")
        if _DONE_ZH.match(rest) or _PAST_ZH.search(text.rstrip("。.！! ")):
            return False
        hour = _HOUR_ZH.match(rest)
        rest = rest[hour.end() :] if hour else rest
        if not re.match(r"[\u4e00-\u9fff]", rest):
            return _SET_FOR_ZH.search(text[: max(at, 0)]) is not None
        return _COMING_ZH.match(rest) is not None
    lead = text[:at] if at >= 0 else text
    match = _COMING_EN.search(lead)
    return match is not None and _PAST_EN.search(lead[match.end() :]) is None


def comes_again(text: str) -> bool:
    """Is it told of a day that comes each year, or of what is done again and again?"""
    return _EVERY_YEAR.search(text) is not None or _EACH.search(text) is not None


def was(text: str, when: str) -> bool:
    """Does the statement tell of what happened at the time that it names? "since May" counts."""
    at = text.find(when)
    if _YEAR.search(when) or _EVERY_YEAR.search(text) or at < 0:
        return False
    if re.search(r"[\u4e00-\u9fff]", text):
        return _HAPPENED_ZH.search(text[at + len(when) :]) is not None and not _EACH.search(text)
    lead = text[max(0, at - _NEAR) : at]
    return _HAPPENED_EN.search(lead) is not None and not (_LASTS_EN.search(lead) or _EACH.search(text))


_NEAR = 60
"""Characters before a time in which its verb is looked for."""
_HAPPENED_EN = re.compile(
    r"\b(?:was|were|had|did|went|saw|got|took|came|met|left|bought|made|gave|began|won|lost|sold|ran|flew|drove|broke"
    r"|fell|found|built|wrote|became|(?!need|feed|breed|speed)\w{2,15}ed)\b"
    r"(?:(?! (?:will|going|to be|every|each)\b)[^,;])*"
    r"(?:(?:on|in|since|of|during)(?: the)?\s?|\s)$",
    re.I,
)
_LASTS_EN = re.compile(r"\b(?:until|till|by|before)(?: the)?\s$", re.I)
"""It may be behind or ahead: "has rented it until March"."""
_HAPPENED_ZH = re.compile(r"^[^，,。；]{0,20}(?:了|过|[着的]$|[\u4e00-\u9fff]的[\u4e00-\u9fff]{1,2}$)")
_EACH = re.compile(r"\b(?:every|each|always|usually|often|would|used to)\b|每|都|总|一般|通常|经常|常", re.I)
"""Beside these a month or weekday is any of its kind."""
