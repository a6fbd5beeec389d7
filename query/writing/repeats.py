"""A turn that was written again: the log's screen keeps the first, and a second one under its id with other content is
refused there (`turn_conflict`). Here it is told from what the views hold. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from query.errors import ProblemError
from query.views.db import Row
from query.writing.publish import Entry
from schemas.events.turns import TurnEvent

_PLACEHOLDER = re.compile(r"<[A-Z][A-Z0-9_]*(?::[0-9a-f]+)?>")
"""What stands in a screened text where policy took a value out."""


def same_text(screened: str, text: str) -> bool:
    """May `screened` be what policy left of `text`? Values that it took out are not compared."""
    if screened == text:
        return True
    first, *middle = _PLACEHOLDER.split(screened)
    if not middle or not text.startswith(first):
        return False
    last = middle.pop()
    end = len(text) - len(last)
    at = len(first) + 1  # no value is empty
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part) + 1
    return at <= end and text.endswith(last)


def is_repeat(entry: Entry, offset: int, stored: Mapping[str, Row], *, in_session: bool) -> bool:
    """Does a turn stand under the id of `entry`, written at `offset`, that was written before? `stored`: turns by id.
    `in_session`: the caller named the session. Raises ProblemError where that turn says something else."""
    row, event = stored.get(entry.id), entry.event
    if row is None or row["position"] == offset or not isinstance(event, TurnEvent):
        return False
    elsewhere = in_session and row["session_id"] != event.session_id
    if elsewhere or row["role"] != event.role or not same_text(row["content"], event.sealed.content):
        raise ProblemError("conflict", "interaction_id: it was used before with other content; send a new one")
    return True
