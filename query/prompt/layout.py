"""The prompt within its token budget (A9, D15). Pure: what is known goes in, text with citations comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.profile.model import ContextSpec, PromptSection

HEADINGS: Mapping[PromptSection, str] = {
    "user_profile": "# User Profile",
    "anchors": "# Anchors",
    "conversation_history": "# Conversation History",
    "retrieved_memories": "# Retrieved Memories",
}
SEEDS_ORDER = ContextSpec().sections
SYSTEM = "# System Instructions\nYou are a helpful AI assistant."
REQUEST = "# Current User Request\nUser: "
RULE = "---"


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing to print: it is in whole or not at all. `order`: its place within its section, so that what is
    filled by priority is still printed in its own order. `group`: a heading within the section. `covered_by`: ids
    that say the same; once one of them is in, this piece is not wanted."""

    section: PromptSection
    text: str
    order: tuple[Any, ...]
    citation: dict[str, Any] | None = None
    group: str | None = None
    covered_by: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    tokens: int
    """Of `text`, exactly."""
    sections: Sequence[dict[str, Any]]
    dropped: int
    left_out: Sequence[dict[str, Any]] = field(default=())
    """Of each section what did not fit: how many pieces, and what those cite that cite something."""
    kept: Sequence[Piece] = field(default=())


def compose(
    given: Sequence[Piece], query: str, budget: int, count: Callable[[str], int],
    printed: Sequence[PromptSection] = SEEDS_ORDER,
) -> Prompt:  # fmt: skip
    """Fill pieces, `given` in order of priority, into `budget` tokens; a piece that does not fit is passed over and
    named. The total is counted over the whole text as printed and exceeds the budget only where system instructions
    and request do so alone, which then are all of it. `printed`: the sections that are wanted, in their order on paper;
    pieces of others are not asked for, so that nothing counts them as dropped."""
    pieces = [p for p in given if p.section in printed]
    kept, passed = list[Piece](), list[Piece]()
    ids = set[str]()
    request = REQUEST + query
    used, opened, groups = count(_joined("", request)) + 2, set[str](), set[tuple[str, str | None]]()
    for piece in pieces:
        if piece.covered_by & ids:
            continue
        cost = count(piece.text + "\n") + 1
        if piece.section not in opened:
            cost += count(HEADINGS[piece.section] + "\n\n") + 4
        if (piece.section, piece.group) not in groups and piece.group:
            cost += count(piece.group + "\n")
        if used + cost <= budget:
            kept.append(piece)
            if piece.citation is not None:
                ids.add(piece.citation["id"])
            used += cost
            opened.add(piece.section)
            groups.add((piece.section, piece.group))
        else:
            passed.append(piece)
    # Tokens of joined text are not the sum of its parts', so the sum above is only nearly exact.
    text = _joined(_budgeted(kept, printed), request)
    tokens = count(text)
    while kept and tokens > budget:
        passed.append(kept.pop())
        text = _joined(_budgeted(kept, printed), request)
        tokens = count(text)
    sections = [_section(name, kept, count) for name in printed if any(p.section == name for p in kept)]
    shown = [{"name": "system_instructions", "text": SYSTEM, "tokens": count(SYSTEM), "citations": []}, *sections]
    shown.append({"name": "current_user_request", "text": request, "tokens": count(request), "citations": []})
    left_out = [_left_out(name, passed) for name in printed if any(p.section == name for p in passed)]
    return Prompt(text, tokens, shown, len(passed), left_out, kept)


def _joined(body: str, request: str) -> str:
    return "\n\n".join(part for part in (SYSTEM, body, request) if part)


def _left_out(section: PromptSection, passed: Sequence[Piece]) -> dict[str, Any]:
    mine = sorted((p for p in passed if p.section == section), key=lambda p: p.order)
    return {
        "name": section, "pieces": len(mine), "citations": [p.citation for p in mine if p.citation is not None],
    }  # fmt: skip


def _budgeted(pieces: Sequence[Piece], printed: Sequence[PromptSection]) -> str:
    parts = [_text(name, pieces) for name in printed]
    return "\n\n".join(p for p in parts if p)


def _text(section: PromptSection, pieces: Sequence[Piece]) -> str:
    mine = sorted((p for p in pieces if p.section == section), key=lambda p: p.order)
    if not mine:
        return ""
    lines = [HEADINGS[section]]
    group: str | None = None
    for piece in mine:
        if piece.group != group and piece.group:
            lines.append(piece.group)
        group = piece.group
        if section == "retrieved_memories":
            lines.append(RULE)
        lines.append(piece.text)
    if section == "retrieved_memories":
        lines.append(RULE)
    return "\n".join(lines)


def _section(section: PromptSection, pieces: Sequence[Piece], count: Callable[[str], int]) -> dict[str, Any]:
    text = _text(section, pieces)
    mine = sorted((p for p in pieces if p.section == section), key=lambda p: p.order)
    return {
        "name": section,
        "text": text,
        "tokens": count(text),
        "citations": [p.citation for p in mine if p.citation is not None],
    }
