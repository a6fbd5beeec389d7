"""What the plain words of a turn say of habits (C5), by the profile's own patterns. Pure.

Sentences are looked at one by one, so that what denies an action in one says nothing of the next. A value that belongs
to an action (`of`) is also taken from the answer to a question about it: "Book me an appointment" - "Which
department?" - "Cardiology, as always".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemas.profile.model import HabitSpec, HabitStatement

MOST_CHARS = 2_000
"""Of a turn that are looked at: who asks for something says so early."""
ANSWER_CHARS = 120
"""An answer to a question about an action is short."""
_SENTENCES = re.compile(r"(?<=[。！？!?；;\n])|(?<=[a-z\d]{3}[.])\s{1,8}(?=[A-Z])")
_QUESTION = re.compile(r"[?？]|[吗呢哪几]")


@dataclass(frozen=True, slots=True)
class SaidHere:
    """`values` by key; `action_words`: those by which the action was known."""

    action: str | None
    action_words: str
    values: dict[str, str]


def said_of(content: str, previous: Sequence[tuple[str, str]], spec: HabitSpec) -> SaidHere:
    """`previous`: (role, text) of the turns just before, oldest first."""
    if not spec.said:
        return SaidHere(None, "", {})
    text = content[:MOST_CHARS]
    action, words = _action(text, spec)
    meant = action
    if action is None and len(content) <= ANSWER_CHARS and _is_asked(previous):
        meant = _action(previous[-2][1], spec)[0]
    return SaidHere(action, words, values_of(text, meant, spec))


def values_of(content: str, action: str | None, spec: HabitSpec) -> dict[str, str]:
    """Usual values that a turn with this action (None: with none) names."""
    out: dict[str, str] = {}
    for s in spec.said:
        if s.key == spec.action or s.key in out or (s.of and action not in s.of):
            continue
        if found := next(_found(content[:MOST_CHARS], s), None):
            out[s.key] = found[0]
    return out


def _action(text: str, spec: HabitSpec) -> tuple[str | None, str]:
    for s in spec.said:
        if s.key == spec.action and (found := next(_found(text, s), None)):
            return found
    return None, ""


def _is_asked(previous: Sequence[tuple[str, str]]) -> bool:
    """Was the user's turn before answered by a question?"""
    roles = [role for role, _ in previous[-2:]]
    return roles == ["user", "assistant"] and _QUESTION.search(previous[-1][1]) is not None


def _found(text: str, s: HabitStatement) -> Iterator[tuple[str, str]]:
    """(value, the words that say it) of each sentence that says it."""
    for sentence in _SENTENCES.split(text):
        if any(_compiled(p).search(sentence) for p in s.unless):
            continue
        for pattern in s.patterns:
            if match := _compiled(pattern).search(sentence):
                value = s.value or _canonical(match["value"], s)
                if value:
                    yield value, match.group()
                    break


def _canonical(said: str, s: HabitStatement) -> str:
    """One way to write it: "Dr. Zhang" is "Dr Zhang"."""
    value = " ".join(said.replace(".", " ").split())
    low = value.casefold()
    return next((name for name, others in s.aliases.items() if low in map(str.casefold, (name, *others))), value)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
