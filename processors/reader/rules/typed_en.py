"""English as people type it: "shes" for she's, "its" for it's where nothing is owned."""

from __future__ import annotations

import re

_QUOTED_I = re.compile(r"(?<=\bI)\"(?=(?:m|ve|ll|d)\b)")
"""I"m: a slip of the keyboard."""
_LAUGH = re.compile(r"(?<=[a-z\d]) (?:lo+l|haha+|lmf?ao)(?= (?:I|i|im|ive|my|we|I'm|I've|i'm|i've)\b)", re.I)
"""What stands between two sentences of those who write no full stops."""
_WITHOUT_APOSTROPHE = (
    (re.compile(r"\b(?P<who>that|there|what|he|she)s (?=[a-z])", re.I), r"\g<who>'s "),
    (re.compile(r"\b(?P<who>they|you)re (?=[a-z])", re.I), r"\g<who>'re "),
    (re.compile(r"\b(?P<who>they|you)ve (?=[a-z])", re.I), r"\g<who>'ve "),
    (re.compile(r"\b(?P<who>they|you|she|he)ll (?!be[a-z])(?=[a-z])(?<!\bshell )(?<!\bhell )", re.I), r"\g<who>'ll "),
    (re.compile(r"\b(?P<verb>wo|ai|must|need)nt\b", re.I), r"\g<verb>n't"),
    (
        re.compile(
            r"\b(?P<it>it)s (?=(?:an?|the|my|our|so|been|now|not|really|very|just|too|also|all|like|gonna|going|getting"
            r"|hard|great|good|fun|nice|cool|amazing|weird|crazy)\b)",
            re.I,
        ),
        r"\g<it>'s ",
    ),
)  # fmt: skip


def typed(text: str) -> str:
    """The text without slips of the keyboard; its length stays."""
    return _LAUGH.sub(lambda m: f".{' ' * (len(m.group()) - 1)}", _QUOTED_I.sub("'", text))


def spelled(text: str) -> str:
    """The text with the apostrophes that were left out."""
    for pattern, full in _WITHOUT_APOSTROPHE:
        text = pattern.sub(full, text)
    return text
