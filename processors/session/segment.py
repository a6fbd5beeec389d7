"""The open segment of a session: its turns, what of them a summary gets, and what is carried over (E2, E3). Pure.

The turns stand in the session step's own state, one row each, and not only in the turn view: the step then decides
from the log alone, a replay asks for the same summaries, and whoever summarises need not wait for a store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from processors.session.rows import JOB, SEGMENT, SegmentTurn, SummaryJob, position_name
from processors.step import OwnerState
from schemas.base import JsonObject
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log.ids import record_id

_LINE_TOKENS = 3
"""What a line of rendered history costs beside its content, where nobody counted it: the label, a colon, the line
break."""
MAX_TURN_CHARS = 4_000
MAX_JOB_CHARS = 200_000
"""Bounds of what a summary is made from: a turn is cut there, and older turns are left out beyond that many. Six bytes
a character (an escaped control character) and the longest summary before still make a record that topics take."""
_TURN_CHARS = 60
"""Of a turn in a job beside its content."""
JOB_LOST = timedelta(hours=1)
"""A job without an answer for so long is asked for again; the first answer closes the segment."""
KEPT = timedelta(days=30)
"""How long a turn of a segment is kept at most."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn of a segment. `position`: its offset in conversation.turns. `tokens` are those of its whole line."""

    position: int
    turn_id: str
    role: str
    speaker: str | None
    content: str
    tokens: int
    language: str


def cost(t: ScreenedTurn) -> int:
    """Tokens of a turn's line in a rendered history."""
    return t.tokens + _LINE_TOKENS if t.line_tokens is None else t.line_tokens


class Segment:
    """The rows of one session: its open segment's turns, those carried into it, and the job that is open."""

    def __init__(self, rows: OwnerState) -> None:
        self._turns = rows.table(SEGMENT)
        self._job = rows.single(JOB)

    def add(self, t: ScreenedTurn, kept: timedelta) -> None:
        self._turns.put(position_name(t.position), _row(t), t.accepted_at + kept)

    def replace(self, t: ScreenedTurn) -> None:
        """The amended text of a turn, where the turn is among these."""
        name = position_name(t.position)
        held = self._turns.get(name)
        if held is not None and held.turn_id == t.turn_id:
            self._turns.put(name, _row(t), t.accepted_at + KEPT)

    def turns(self) -> list[Kept]:
        """In the order of the log."""
        return [Kept(int(name), *row) for name, row in self._turns.items()]

    def restart(self, turns: Iterable[Kept] = ()) -> None:
        """Forget every other turn, and the job."""
        wanted = {position_name(t.position) for t in turns}
        for name in self._turns.names():
            if name not in wanted:
                self._turns.delete(name)
        if self._job.get() is not None:
            self._job.delete()

    def waits(self, now: datetime) -> bool:
        """Is a job open?"""
        job = self._job.get()
        return job is not None and job.asked_at + JOB_LOST > now

    def note_request(self, job_id: str, now: datetime) -> None:
        self._job.put(SummaryJob(job_id, now), now + JOB_LOST)


def _row(t: ScreenedTurn) -> SegmentTurn:
    return SegmentTurn(t.turn_id, t.role, t.sealed.speaker, t.sealed.content[:MAX_TURN_CHARS], cost(t), t.language)


def pairs(turns: Sequence[Kept], count: int) -> Sequence[Kept]:
    """The last `count` turns in the seed's sense: a user's message with what follows it (E2)."""
    starts = [i for i, t in enumerate(turns) if t.role == "user"]
    if count <= 0:
        return ()
    return turns if len(starts) <= count else turns[starts[-count] :]


def carried(turns: Sequence[Kept], taken: int, count: int, limit: float) -> Sequence[Kept]:
    """What reaches over the boundary: the last `count` turns, fewer of them where they would reach `limit` tokens
    with the `taken` ones of the summary and of what was said since (E2)."""
    for n in range(count, 0, -1):
        last = pairs(turns, n)
        if taken + sum(t.tokens for t in last) < limit:
            return last
    return ()


def newest(turns: Sequence[Kept], chars: int = MAX_JOB_CHARS) -> Sequence[Kept]:
    """The newest turns that take at most `chars` characters of a job together."""
    left = chars
    for i in range(len(turns) - 1, -1, -1):
        left -= len(turns[i].content) + len(turns[i].speaker or "") + _TURN_CHARS
        if left < 0:
            return turns[i + 1 :]
    return turns


def job_id(s: SessionState, last: Kept) -> str:
    return record_id(s.owner, "checkpoint-job", s.session_id, s.segment, last.turn_id)


def job_payload(s: SessionState, turns: Sequence[Kept], recent_turns: int, max_tokens: int) -> JsonObject:
    """What the summariser gets: the summary before, and every turn since (redacted, as all of history is)."""
    return {
        "segment": s.segment,
        "last_turn_id": turns[-1].turn_id,
        "recent_turns": recent_turns,
        "language": language(turns),
        "max_tokens": max_tokens,
        "summary": s.sealed.summary if s.checkpoint_message_id else "",
        "turns": [{"role": t.role, "speaker": t.speaker, "content": t.content} for t in newest(turns)],
    }


def language(turns: Sequence[Kept]) -> Literal["en", "zh"]:
    """The language that most of the text is in; a Han character weighs as much as a word of four letters."""
    weight = sum(len(t.content) * (4 if t.language == "zh" else -1) for t in turns if t.language != "und")
    return "zh" if weight > 0 else "en"
