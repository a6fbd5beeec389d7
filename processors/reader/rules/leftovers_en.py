"""What talk leaves at the ends of an English sentence and a statement by itself does not say: "though", "too"."""

from __future__ import annotations

import re

_BEHIND = re.compile(
    r"(?<![\s,])[\s,]+(?:though|tho|too|also|as well|either|anyways?|actually|personally|honestly|literally|not|na"
    r"|per se|lo+l|haha\w*|lmf?ao"
    r"|I (?:think|guess|believe|suppose|must say))$"
    r"|(?<= )(?:but|and),? (?:not|never|also|too)$",
    re.I,
)
"""It adds to, or sets against, what was said before."""
_WITHIN = re.compile(r"(?<!\s)\s+(?:too|also|though)(?=,? (?:and|but|because|since)\b|,)", re.I)
_ARTICLE = re.compile(r"(?<= )a (?=[aeio][a-z]{2})(?!(?:one|once|eu\w+)\b)")
_ONESELF = re.compile(r"^(?P<taste>(?:I )?(?:[a-z]+ )?(?:like|love|hate|prefer|enjoy)d?\b.{3,}?) myself$", re.I)
"""I like some jazz myself: not what somebody does to themself."""
_TWICE = re.compile(r"\b(?P<word>[a-z]{3,})(?:,? (?P=word)\b)+(?<!\bhad had)(?<!\bthat that)", re.I)


def without_adding(text: str) -> str:
    """Return a sentence without "too" and the like before its next clause."""
    return _WITHIN.sub("", text)


def without_leftovers(text: str) -> str:
    """Return a sentence without what it says to the talk before it, and with each word said once."""
    text = _ARTICLE.sub("an ", _TWICE.sub(r"\g<word>", text))
    for _ in range(3):
        text = _BEHIND.sub("", text.rstrip(" ,;"))
    return _ONESELF.sub(r"\g<taste>", text)
