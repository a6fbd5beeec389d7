"""Whom a Chinese turn is about before it names anybody: a clause without a subject is about who is spoken of.

To an assistant one speaks of oneself. Among people one may speak of a singer, a patient or a flat: there it is the
speaker only where the turn answers a question about them.
"""

from __future__ import annotations

import re

from processors.reader.rules.answers import person_asked_about_zh
from processors.reader.rules.clauses_zh import ANIMALS, KIN, Subject
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.self_named_zh import opens_thread
from processors.reader.rules.served_zh import serves
from processors.reader.rules.text import prepare, sentences

_YOU = re.compile(rf"[你您](?!们|好|家|的|那|这|{KIN}|{ANIMALS})")
_THINKS = re.compile(
    r"[你您](?:们)?(?:也|还|都|就|肯定|应该|一定|可|有没有|是不是|能不能|可以|能|帮我|给我|来){0,3}"
    r"(?:知(?:不知)?道|记(?:不记)?得|清楚|了解|觉得|认为|感觉|听说|听过|听没听|看过|看|说|猜|告诉|介绍|推荐|查|找|喜(?:不喜)?欢|要不要|想)"
)
"""Who is asked what they know, think or like is not who the question is about: 你知道它多少钱吗."""
_ANOTHER = re.compile(
    r"它|[这那][位个部首本张家座只里儿边种次款套]|其中|该(?!不)|[你您]们?家的?(?![在住离里有是]|地址)|[《<]"
)
_HAS_THEM = re.compile(rf"(?:[有养][^，]{{0,4}}|[和跟与同陪])(?:{KIN}|{ANIMALS})")
"""Whether one has them, or lives with them, is asked of oneself: 家里有宠物吗, 跟父母住吗."""
_SOMEBODY = re.compile(rf"[他她佢]|[这那]位|(?:{KIN})(?!们)|{ANIMALS}")
_IN_GENERAL = re.compile(r"怎么(?!样|了|回事|称呼)|怎样|如何|多少钱")
"""Who asks so without 你 asks what one does: the answer advises."""


def opens_about(turn: TurnView) -> Subject:
    """Return the subject that a turn begins with where its first clause has none."""
    if person_asked_about_zh(turn):
        return "我"  # who is asked about is put in the speaker's place afterwards
    questions = [each.replace(turn.speaker or "你", "你") for each in _questions(turn)]
    if any(_YOU.search(_THINKS.sub("", each)) for each in questions):
        return "我"
    if any(_SOMEBODY.search(_HAS_THEM.sub("", each)) for each in questions):
        return "unnamed"
    if not in_group(turn) or _served(turn) or opens_thread(turn.speaker):
        return "我"
    of_another = any(_ANOTHER.search(text) or _SOMEBODY.search(text) for _, text in turn.previous)
    known = any(_ANOTHER.search(each) or _THINKS.search(each) or _IN_GENERAL.search(each) for each in questions)
    return "unnamed" if not questions or of_another or known else "我"


def _served(turn: TurnView) -> bool:
    return turn.speaker is not None and serves(turn)


def in_group(turn: TurnView) -> bool:
    """Do others speak too: is a speaker named who is not the first to speak?"""
    return turn.speaker is not None and bool(turn.previous)


def _questions(turn: TurnView) -> list[str]:
    """What the other asked just before."""
    if not turn.previous or turn.previous[-1][0] != "assistant":
        return []
    return [s.text for s in sentences(prepare(turn.previous[-1][1])) if s.asks]
