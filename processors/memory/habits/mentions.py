"""What the plain words of a turn say of habits (C5), by the profile's own patterns. Pure.

A value that belongs to an action (`of`) is also taken from the answer to a question about it: "Book me an appointment"
- "Which department?" - "Cardiology, as always".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from processors.language.profile_patterns import first_match
from schemas.profile.model import HabitSpec, HabitStatement

ANSWER_CHARS = 120
"""An answer to a question about an action is short."""
_QUESTION = re.compile(r"[?？]|[吗呢哪几]")


@dataclass(frozen=True, slots=True)
class HabitMentions:
    """`values` by key; `action_words`: those by which the action was known; `effective_action`: the action, or that of
    the request which this answers a question about."""

    action: str | None
    effective_action: str | None
    action_words: str
    values: dict[str, str]


def habit_mentions(content: str, previous: Sequence[tuple[str, str]], spec: HabitSpec) -> HabitMentions:
    """`previous`: (role, text) of the turns just before, oldest first."""
    if not spec.said:
        return HabitMentions(None, None, "", {})
    action, words = _action(content, spec)
    before = _action(previous[-2][1], spec)[0] if len(content) <= ANSWER_CHARS and _is_asked(previous) else None
    if before is not None and action in (None, before):  # it was asked for once
        return HabitMentions(None, before, "", values_of(content, before, spec, answers=True))
    return HabitMentions(action, action, words, values_of(content, action, spec))


def values_of(content: str, action: str | None, spec: HabitSpec, *, answers: bool = False) -> dict[str, str]:
    """Usual values that a turn with this action (None: with none) names. `answers`: a question about it, so the action
    itself is no value."""
    out: dict[str, str] = {}
    for s in spec.said:
        if s.key not in spec.usual or s.key in out or (s.of and action not in s.of):
            continue
        if answers and s.value is not None and s.value in s.of:
            continue
        if found := _found(content, s):
            out[s.key] = found[0]
    return out


def _action(text: str, spec: HabitSpec) -> tuple[str | None, str]:
    for s in spec.said:
        if s.key == spec.action and (found := _found(text, s)):
            return found
    return None, ""


def _found(text: str, s: HabitStatement) -> tuple[str, str] | None:
    found = first_match(text, s.patterns, s.unless, value=s.value, aliases=s.aliases)
    return found if found is None or not s.is_name else (_capitals(found[0]), found[1])


def _capitals(name: str) -> str:
    return " ".join(w.capitalize() if w.islower() or (w.isupper() and len(w) > 1) else w for w in name.split())


def _is_asked(previous: Sequence[tuple[str, str]]) -> bool:
    """Was the user's turn before answered by a question?"""
    roles = [role for role, _ in previous[-2:]]
    return roles == ["user", "assistant"] and _QUESTION.search(previous[-1][1]) is not None
