"""What talk leaves at the ends of an English sentence and a statement by itself does not say: "though", "too"."""

from __future__ import annotations

import re

_BEHIND = re.compile(
    r"(?<![\s,])[\s,]+(?:even though|although|though|tho|too|also|as well|either|anyways?|anyhow|actually"
    r"|personally|honestly|literally"
    r"|per se|[lL][oO]+[lL]|haha\w*|lmf?ao"
    r"|[Ii] (?:think|guess|believe|suppose|must say)|[Ii](?:'m| am) sure)$"
    r"|(?<=\bperson) at all$|,? never (?:could|did|have|was|will|would)$|(?<=[a-z0-9]), not$|(?<= )(?:but"
    r"|and),? (?:not|never|also|too)$"
)
"""It adds to, or sets against, what was said before. With a capital it may be a name: "Tho"."""
_WITHIN = re.compile(r"(?<!\s)\s+(?:too|also|though)(?=,? (?:and|but|because|since)\b|,)", re.I)
_ARTICLE = re.compile(r"(?<= )a (?=[aeio][a-z]{2})(?!(?:one|once|eu\w+)\b)")
_ONESELF = re.compile(
    r"^(?P<taste>(?:I )?(?:[a-z]+ )?(?:like|love|hate|prefer|enjoy)d?(?! to\b)(?:(?! [a-z]+ing )(?! to ).){3,}?)"
    r"(?<!ing)(?<! by)(?<! for)(?<! after)(?<! about)(?<! at)(?<! to)(?<! of)(?<! with)(?<! on)(?<! in) myself$",
    re.I,
)
"""I like some jazz myself: not what somebody does to, for or by themself."""
_TWICE = re.compile(
    r"\b(?P<word>(?:really|very|pretty|super|quite|much|many|never|always|just|the|and|but|with|for|from|was|are|have"
    r"|will|about))(?:,? (?P=word)\b)+|\b(?P<said>[a-z]{3,})(?:, (?P=said)\b)+"
)
"""A word that nothing is named by: Duran Duran is a band."""


def without_adding(text: str) -> str:
    """Return a sentence without "too" and the like before its next clause."""
    return _WITHIN.sub("", text)


def without_leftovers(text: str) -> str:
    """Return a sentence without what it says to the talk before it, and with each word said once."""
    text = _ARTICLE.sub("an ", _TWICE.sub(lambda m: m["word"] or m["said"], text))
    for _ in range(3):
        text = _BEHIND.sub("", text.rstrip(" ,;"))
    return _ONESELF.sub(r"\g<taste>", text)
