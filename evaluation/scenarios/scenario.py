"""A scenario: dated turns of one or more people, and labels of what should be where in the end.

A file is TOML: `name`, `profile`, `language`, `project` (none: talk of one user), `offset` of its times from UTC and
`year`; `turns` are [time, who, text] with a time as "11-02 08:52"; `who` is a user or "assistant", who answers the user
before. `labels`: see `Label`.
"""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.events.turns import TurnBody, TurnEvent

ASSISTANT = "assistant"
Place = Literal["field", "hot_memory", "decision", "task", "status", "problem", "report", "reading", "habit"]


class Label(BaseModel):
    """What should be in a place. `key`: the field, the key of hot memory, the habit, the Monday of a report's week;
    none: any. A task is a memory or in a report's list, done or not. `who`: whose memory; none: anyone's.
    `words`: an entry must hold them all, "a|b" one of both; none: only `without` is checked.
    `without`: no entry under the key may hold one of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    place: Place
    key: str | None = None
    who: str | None = None
    words: tuple[str, ...]
    without: tuple[str, ...] = ()


class Scenario(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    profile: str
    language: Literal["en", "zh"]
    project: str | None = None
    offset: str
    year: int
    turns: tuple[tuple[str, str, str], ...] = Field(min_length=1)
    labels: tuple[Label, ...] = Field(min_length=1)

    def events(self) -> list[TurnEvent]:
        """The turns as a chat service would send them; each day is a session of each user."""
        found: list[TurnEvent] = []
        user = self.turns[0][1]
        for n, (time, who, text) in enumerate(self.turns):
            user = user if who == ASSISTANT else who
            at = datetime.fromisoformat(f"{self.year}-{time}{self.offset}")
            found.append(
                TurnEvent(
                    tenant="evaluation", user_id=user, session_id=f"{user}-{time[:5]}", turn_id=f"{self.name}-{n}",
                    role="assistant" if who == ASSISTANT else "user", occurred_at=at, accepted_at=at,
                    project_id=self.project, sealed=TurnBody(content=text),
                )
            )  # fmt: skip
        return found


def read(path: Path) -> Scenario:
    """Raises OSError, tomllib.TOMLDecodeError, pydantic.ValidationError."""
    return Scenario.model_validate(tomllib.loads(path.read_text("utf-8")))
