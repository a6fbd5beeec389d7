"""What a profile's own patterns find in the sentences of a turn. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

MOST_CHARS = 2_000
"""Of a text that are looked at: who asks for something says so early."""
_SENTENCES = re.compile(r"(?<=[。！？!?；;\n])|(?<=[a-z\d]{3}[.])\s{1,8}(?=[A-Z])|(?<=\d\d[.])\s{1,8}(?=[A-Za-z])")
_STOPS = re.compile(r"\.(?=\s|$)")


def first_match(
    text: str, patterns: Sequence[str], unless: Sequence[str] = (), *, value: str | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> tuple[str, str] | None:  # fmt: skip
    """The value and the words that say it, in the first sentence that does. `value`: what the patterns mean; without it
    their group `value`, by its canonical name in `aliases`. A sentence with one of `unless` says nothing: what denies
    something in one sentence denies nothing in the next."""
    found = matched(text, patterns, unless)
    if found is None:
        return None
    _, match = found
    named = value or canonical(match["value"] or "", aliases or {})
    return (named, match.group()) if named else None


def matched(text: str, patterns: Sequence[str], unless: Sequence[str] = ()) -> tuple[str, re.Match[str]] | None:
    """The first sentence that one of the patterns is found in, and where."""
    for sentence in _SENTENCES.split(text[:MOST_CHARS]):
        if any(compiled(p).search(sentence) for p in unless):
            continue
        for pattern in patterns:
            if match := compiled(pattern).search(sentence):
                return sentence, match
    return None


def canonical(found: str, aliases: Mapping[str, Sequence[str]]) -> str:
    """One way to write it: "Dr. Zhang" is "Dr Zhang"."""
    value = " ".join(_STOPS.sub("", found).split())
    low = value.casefold()
    return next((name for name, others in aliases.items() if low in map(str.casefold, (name, *others))), value)


@lru_cache(maxsize=1_024)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
