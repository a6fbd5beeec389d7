"""Conversation history for a prompt, with its token count (E2, E4). Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inference.language import language_of
from inference.protocols import TokenCounter
from schemas.events import prompt_lines

Message = dict[str, Any]
"""At least role, content and speaker."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A session since its last checkpoint or reset. `carried`: the turns that reach over the boundary."""

    mode: str
    summary: str = ""
    carried: Sequence[Message] = ()
    turns: Sequence[Message] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """What the caller's model takes (E4)."""

    threshold: float
    recent_turns: int
    window: int


@dataclass(frozen=True, slots=True)
class History:
    history: str
    full_history: str
    tokens: int
    """Of the full history and the query."""
    ratio: float
    should_checkpoint: bool


def line(message: Message) -> str:
    return prompt_lines.line(message["role"], message.get("speaker"), message["content"])


def render(summary: str, messages: Sequence[Message]) -> str:
    """The summary, then one message a line."""
    head = [prompt_lines.summary_line(summary, language_of(summary))] if summary else []
    return "\n".join([*head, *map(line, messages)])


def last_pairs(messages: Sequence[Message], count: int) -> Sequence[Message]:
    """The last `count` turns in the seed's sense: a user message with what follows it (E2)."""
    if count <= 0:
        return []
    starts = [i for i, m in enumerate(messages) if m["role"] == "user"]
    if len(starts) < count:
        return messages
    return messages[starts[-count] :]


def compose(segment: Segment, query: str, budget: Budget, counter: TokenCounter) -> History:
    """FULL_HISTORY: everything of the segment. SUMMARY_N: the summary and the last turns, fewer of them where they
    alone would pass the ratio. The check goes on in both (E2); without a new turn no checkpoint is asked for."""
    everything = [*segment.carried, *segment.turns]
    full = render(segment.summary, everything)
    tokens = counter.count(f"{full}\n{query}" if query else full)
    ratio = tokens / budget.window
    history = full
    if segment.mode == "SUMMARY_N":
        history = _fitting(segment, query, budget, counter.count)
    due = ratio >= budget.threshold and bool(segment.turns)
    return History(history, full, tokens, ratio, due)


def _fitting(segment: Segment, query: str, budget: Budget, count: Callable[[str], int]) -> str:
    everything = [*segment.carried, *segment.turns]
    for pairs in range(budget.recent_turns, 0, -1):
        text = render(segment.summary, last_pairs(everything, pairs))
        if count(f"{text}\n{query}" if query else text) < budget.threshold * budget.window:
            return text
    return render(segment.summary, ())
