"""The subject that a Chinese statement leaves out, put before it: 陪我爸复查, 家里没条件让我留学."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_zh import KIN
from processors.reader.rules.clauses_zh import Subject as About
from processors.reader.rules.own_state_zh import served
from processors.reader.rules.self_contained_zh import OF_KIN, SPEAKER, opens_predicate

_THEIRS = re.compile(rf"[我俺咱]们?(?:的|家的?)?(?:[前老大小])?(?:{KIN})")
_DOES = re.compile(
    r"(?:刚刚?|先|昨[天晚]|上周|去年|今年|每[天周]){0,2}(?:搬|陪|带|送|替|帮|给|跟|和|离|回|去|接|辞|住在)"
)
"""Before a person of the speaker's, the speaker does it: 陪我爸复查."""
_ALWAYS = re.compile(r"每(?:[年天周月]|个?(?:学期|星期|礼拜))(?!的)|从小(?!学|[^，]{0,4}的)|平时|平常|经常|常常")
"""Before a predicate whose subject only a later clause names: 每年暑假都实习，妈妈说我很少回家."""
_NAMES_ONE = re.compile(rf"[我俺咱你您他她它]|(?<![和跟陪给帮带替对])(?:{KIN})|大家|别人|有人")
_SOMEBODY = re.compile(r"[^我，,]{0,6}有(?:一?[个位])?人")
_DOES_AGAIN = re.compile(
    r"(?:[今昨前]天|[今昨]晚|上周|最近|当时|后来|真的?|好|很|太|也)*(?:又|偶然|终于|才|突然|好不容易|后悔|怀念|舍不得)+(?:[^\u4e00-\u9fff]|(?!有|来了|让|叫|被))"
)
"""Before what the speaker does or misses: 今天又偶然回到了我们来过的地方."""
_AT_HOME = re.compile(r"(?:家里(?!人|蹲|的)|家境)(?![^，]*(?:自然|的话|就会|的人))")
"""Whose home it is goes without saying: 家里没条件让我留学."""
BEGINS_AGAIN = re.compile(
    rf"{_AT_HOME.pattern}|(?:[昨前]天|昨晚|上周|上个月|去年|今年|现在|最近|目前)(?:早上|晚上|刚)?[，]?"
    r"(?:[和跟]|在|去|刚|开始|打算|准备|不)|选择了|想要(?:继续|去|换|考|读)|打算|准备|决定|考上|从小|每[天周]都"
)
"""What begins anew behind a clause that does not stand alone: 好穷，家里没条件让我留学."""
_ANYBODY = re.compile(r"[我俺咱你您他她它]")
_DOES_OR_HAS = re.compile(
    r"(?:现在|已经|最近|刚|去年|今年)*(?:有|没有?|是(?!不)|在[^，]+[了着上]|[和跟]|读|住|考|喜欢|养|换)[^，]"
)
"""A clause without its subject, before one that names the speaker as an object: 有对象了，但是喜欢我的人很多."""


def with_subject(text: str, about: About) -> str:
    """A statement without its subject, with the speaker before what only they do to a person of theirs."""
    if about not in {"我", "unnamed"} or OF_KIN.match(text):
        return text
    if text.startswith("自己") and not text.startswith("自己的"):
        return f"我{text[2:]}"
    if SPEAKER.match(text):
        return text
    if _DOES_AGAIN.match(text) or _AT_HOME.match(text):
        return f"我{text}"
    if (with_them := served(text)) != text:
        return with_them
    if _ALWAYS.match(text) and not _NAMES_ONE.search(text.split("，")[0]):
        return f"我{text}"
    head, _, rest = text.partition("，")
    if about == "我" and SPEAKER.search(rest) and not _ANYBODY.search(head) and _DOES_OR_HAS.match(head):
        return f"我{text}"
    if SPEAKER.search(_THEIRS.sub("", text)):
        return text
    does = any(_DOES.match(part) and _THEIRS.search(part) for part in re.split(r"[，,\s]", text))
    return "我" + text if does or (_DOES.match(text) and SPEAKER.search(text)) else text


def of_unknown(text: str) -> bool:
    """Is it unknown whose a statement is: somebody's, or without its subject and first of a person of the speaker's?"""
    if _SOMEBODY.match(text):
        return True
    if SPEAKER.match(text) or OF_KIN.match(text) or opens_predicate(text):
        return False
    named = SPEAKER.search(text)
    apart = named is not None and re.search(r"[，,\s]", text[: named.start()]) is not None
    return apart and named is not None and _THEIRS.match(text, named.start()) is not None
