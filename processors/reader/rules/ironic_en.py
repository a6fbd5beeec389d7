"""English sentences that say the reverse of what is so: "I just LOVE being on hold", "I'm the Queen of Sheba".

A taste for what nobody likes is ironic where it is stressed, or where its turn groans ("Great, another form.").
"""

from __future__ import annotations

import re

from processors.reader.rules.words_en import alternatives

_SAID_SO = re.compile(
    r"\bsaid no(?:body|[- ]?one) ever\b|\boh joy\b"
    rf"|\b(?:I'm|I am) (?:the )?(?:{alternatives('nobody_is')})(?=\s*(?:$|[.,;!?]))"
    rf"|\b(?:and|then|sure|yeah|right),? (?:I'm|I am) (?:{alternatives('long_dead')})(?=\s*(?:$|[.,;!?]))"
    rf"|\b(?:another|more) (?:[a-z]+ ){{0,2}}?(?:{alternatives('nuisances')})(?:, | [-\u2013\u2014] )"
    r"(?:just|exactly) what (?:I|we|(?:my|our) [a-z]+) (?:need|want|order)(?:ed|s)\b",
    re.I,
)
_GROANS = re.compile(
    r"(?:^|[.!?\n] )(?:oh,? )?(?:great|fab|fabulous|lovely|brilliant|wonderful|fantastic|marvellous|super|perfect"
    r"|excellent|joy)(?:\b,?|\.|!) (?:yet )?(?:another|more|a(?:n)?other one of)\b"
    r"|\bhighlight of (?:my|the|our) (?:day|week|month|year|life)\b"
    r"|\b(?:please )?(?:send|give me|bring on) (?:\w+ )?more\b|\bmore of (?:that|this|them|those),? please\b"
    r"|\bjust what (?:I|we|(?:my|our) [a-z]+) (?:need|want|order)(?:ed|s)\b|\blucky me\b|\bhow (?:lovely|delightful)\b",
    re.I,
)
_NUISANCE = (
    r"(?:(?:all |filling (?:in|out) |being (?:put )?|having |[a-z]+ing |the |those |these |some )?"
    rf"(?:more )?(?:[a-z]+ )?(?:{alternatives('nuisances')}))"
)
_AND_NO_MORE = (
    r"(?=\s*(?:$|[.,;!?]|[-\u2013\u2014] )| (?:for|all|on|every|again|when|while|after|before|so|and|in the)\b)"
)
"""Waiting, not waiting tables, nor meetings with one's book club."""
_LOVES = re.compile(
    r"\bI (?:(?:do|really) )?(?P<how>(?:(?:just|absolutely|so|simply) ){0,2})(?P<verb>love|adore|enjoy|live for) "
    rf"{_NUISANCE}{_AND_NO_MORE}",
    re.I,
)
_EXPLAINS = re.compile(r"(?:,| because| since| as) (?:I'm|I am|I work)\b", re.I)
"""Why one means it: "I absolutely love bugs, I'm an entomologist"."""
_READ = 600
"""Characters of a turn in which it groans."""


def sounds_ironic(turn: str) -> bool:
    """Does a turn groan at what it praises?"""
    return _GROANS.search(turn[:_READ]) is not None


def is_ironic(sentence: str, *, among: bool) -> bool:
    """Does a sentence say the reverse of what is so? `among`: its turn sounds ironic."""
    if _SAID_SO.search(sentence):
        return True
    loves = _LOVES.search(sentence)
    if loves is None or _EXPLAINS.match(sentence, loves.end()):
        return False
    return among or bool(loves["how"]) or loves["verb"].isupper()
