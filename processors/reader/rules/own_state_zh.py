"""What Chinese says of oneself without naming oneself: what one feels in the body, what an examination found, what
one is like, and what befell what one ordered. The words are data (`self_contained_zh.toml`)."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "self_contained_zh.toml").read_text(encoding="utf-8"))


def _any(name: str) -> str:
    return "|".join(sorted(_DATA[name].split(), key=len, reverse=True))


FINDINGS = _any("findings")
"""What says something without being a person."""
HEALED = re.compile(_any("healed"))
HAD = re.compile(_DATA["had"])
"""Opens what the speaker had once, and may have no more."""
_SIGN = re.compile(
    rf"(?![^，]{{0,14}}(?:{_any('sign_of_all')}))(?:(?:就是|觉得|感觉|感到|有点|有些|总是?|老是?|经常|偶尔|有时候?|最近|现在|平时|晚上|白天|[，、])*"
    rf"[^，我你您他她]{{0,12}}?(?:{_any('signs')})"
    rf"|(?:去|做了?|查了?|拍了?|照了?|检查了?|复查了?|曾?做过|的)?(?:(?:{_any('exam_of')})?(?:{_any('exams')})[、，]?){{1,3}}[^，我你您他她的]{{0,3}}(?:(?:{_any('exam_says')})[^，]{{2,}}|都?正常$|都?没问题$|都?没事$)"
    rf"|(?:平时|从来|以前|既往|也|还|并|目前)*(?:没有?|无)(?:{_any('of_any')})*(?:{_any('of_illness')})$)"
)
"""What somebody feels in their body, or what was found there, is theirs where nobody else is named."""
_GOODS = re.compile(rf"(?:{_any('goods')})[^，你您他她]{{0,8}}?(?:{_any('goods_states')})")
_BOUGHT = re.compile(
    rf"(?:[昨前]天|上周|刚刚?|之前|去年|今年|在[^，我你]{{1,8}})*(?:{_any('bought')})的[^，你您他她的]{{1,10}}?(?:{_any('goods_states')})"
)
_SERVING = re.compile(rf"(?:{_any('agents')})[^，你您他她]{{0,6}}?(?:{_any('agent_states')})")
_OF_ONESELF = re.compile(
    r"(?:[我俺]|现在|一直|总是?|[也还又真就])*(?:觉得|感觉)(?:自己|我(?:自己)?(?![们的]))(?:还是|总是|真的|就是|好像|[很太挺就也都真])*"
    r"(?:是(?!对|错|个?傻|个?笨|运气|在)|有(?!点|些|病)|没有?(?!错|事)|不(?!是很|太?对|行)|容易|根本|无法|没法|做不|不能|不会|不够|喜欢(?![上他她])|害怕|讨厌|缺|越来越)[^，]{3,}"
    rf"|(?:[我俺]|现在|一直|总是?|[也还又真就])*(?:觉得|感觉|是|就是)?(?:自己|(?<=我))[也就都真的很太挺特别非常是个]*(?:{'|'.join(_DATA['traits'].split())})"
)
"""What one thinks of oneself as one is: 觉得自己不能独立."""
_ADVISED = re.compile(r"绝对|肯定|应该|应当|可以|最好|必须|建议|需要|要[^求紧我]")


def of_oneself(text: str) -> bool:
    """Does a statement say what its speaker thinks that they are like?"""
    return _OF_ONESELF.match(text) is not None


def felt(text: str) -> bool:
    """Does a statement of its speaker, named or not, say what they feel in their body, or what was found there?"""
    return _SIGN.match(text.removeprefix("我")) is not None


def served(text: str) -> str:
    """A statement without its speaker of what was ordered, or of who is to serve, with them; else as it is."""
    if _ADVISED.search(text):
        return text
    text = text.removeprefix("是") if _SERVING.match(text, 1) else text
    if _BOUGHT.match(text):
        return f"我{text}"
    return f"我的{text}" if _GOODS.match(text) else f"我遇到{text}" if _SERVING.match(text) else text


_OBJECT_FIRST = re.compile(
    rf"(?P<thing>[^，,我俺咱你您他她它这那\s]{{2,12}})我(?P<when>(?:已经|早就|都|刚刚?|上周|昨天|今天|前天|上个月|去年|今年|不小心|全)*)(?P<verb>{_any('handled')})了"
)


def object_last(text: str) -> str:
    """A statement of what its speaker did to a thing that it opens with, with the thing behind the verb: 会员我退了 is
    我退了会员."""
    match = _OBJECT_FIRST.fullmatch(text)
    return text if match is None else f"我{match['when']}{match['verb']}了{match['thing']}"
