"""What a user asks to have confirmed, and the reply that does (B1): "I'm on 10 mg now, right?" - "Yes" states it.

The user's own words are the source; the reply only turns the question into a statement.
"""

from __future__ import annotations

import re
from dataclasses import replace

from processors.reader.rules.protocol import TurnView

_TAG = re.compile(
    r",\s{0,3}(?:right|correct|is that (?:right|correct)|isn['’]t (?:it|that so)|am I not"
    r"|(?:don|didn|haven|wasn|aren)['’]t I)\s{0,2}\?"
    r"|[，,]?\s{0,2}(?:对吧|对吗|对不对|是吧|没错吧|是这样吧)[？?]|[，,]\s{0,2}(?:是吗|是不是)[？?]",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\W{0,3}(?:yes|yep|yeah|correct|exactly|indeed|right(?=\W{0,2}(?:$|[.,!]))|that(?:['’]s| is) (?:right|correct)"
    r"|you(?:['’]re| are) (?:right|correct))\b"
    r"|\W{0,3}(?:是的|对的|没错|正确|确实|的确|[是对嗯](?=$|[，,。.！!]))",
    re.IGNORECASE,
)
_HAN = re.compile("[\u4e00-\u9fff]")
_READ = 4_000
_HEAD = 80


def asks_to_confirm(content: str) -> bool:
    """Does the turn end a statement by asking whether it is so?"""
    return _TAG.search(content[:_READ]) is not None


def confirms(reply: str) -> bool:
    return _YES.match(reply[:_HEAD]) is not None


def apply_confirmation(turn: TurnView) -> TurnView:
    """The turn as its reply leaves it: with a yes, what it asked is stated, else all of it is a question. Its length
    stays, so places stay true."""
    restated = _stated if turn.reply and confirms(turn.reply) else _question
    content = _TAG.sub(restated, turn.content[:_READ]) + turn.content[_READ:]
    return turn if content == turn.content else replace(turn, content=content)


def _question(tag: re.Match[str]) -> str:
    """A Chinese clause before the comma would be read by itself: the comma moves behind the question."""
    phrase = tag.group()
    return phrase[1:] + " " if phrase[0] == "，" or (phrase[0] == "," and _HAN.search(phrase)) else phrase


def _stated(tag: re.Match[str]) -> str:
    stop = "。" if _HAN.search(tag.group()) else "."
    return stop + " " * (len(tag.group()) - 1)
