"""Talk that was labelled turn by turn: windows of it, the memories that were made of it, and how the two compare.

A window holds the turns of one talk. Each speaker of a window is a user of their own; in a talk of two, each hears
the other (role assistant), as a chat service would send it. Texts are arguments of the commands here, and are never
kept in the project.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from evaluation.in_memory import START, remembered
from processors.ports import Models
from processors.reader.rules.protocol import Extractor
from schemas.base import JsonObject
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent

LONG_TURN = {"en": 12, "zh": 25}
"""Words (Chinese: characters) above which a turn is one that a memory must not repeat."""
COPIED = 0.75
"""Share of a long turn's words from which a memory repeats it."""
Speech = Literal["en", "zh"]
_WORD = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]")


class Line(BaseModel):
    """A turn of a window."""

    id: str
    speaker: str
    text: str


class Window(BaseModel):
    """`source` names where the talk is from, for figures by source."""

    window: str
    source: str = ""
    turns: list[Line]

    @property
    def speakers(self) -> list[str]:
        return list(dict.fromkeys(t.speaker for t in self.turns))


class Item(BaseModel):
    """Something worth keeping of a turn: met by one memory that fits every pattern of `must`."""

    about: str
    what: str
    must: list[str]
    optional: bool = False

    def met_by(self, text: str) -> bool:
        return all(re.search(pattern, text, re.IGNORECASE) for pattern in self.must)


class Label(BaseModel):
    window: str
    id: str
    keep: list[Item]


class Made(BaseModel):
    """A memory that stands: of whom, and from which turns of which window. `by` says who worded it."""

    window: str
    who: str
    text: str
    kind: str = ""
    field: str | None = None
    turns: list[str] = Field(default_factory=list)
    by: str = "reader"


def read_windows(path: Path) -> list[Window]:
    """Raises pydantic.ValidationError, OSError."""
    return [Window.model_validate(w) for w in json.loads(path.read_text("utf-8"))]


def read_labels(path: Path) -> dict[tuple[str, str], list[Item]]:
    """What is to be kept, by window and turn. Raises pydantic.ValidationError, OSError."""
    labels = (Label.model_validate_json(line) for line in path.read_text("utf-8").splitlines())
    return {(label.window, label.id): label.keep for label in labels}


def turns_of(window: Window) -> list[TurnEvent]:
    """The window as a service sends it: a turn of its speaker, and, between two, heard by the other."""
    sent = []
    people = window.speakers
    for n, line in enumerate(window.turns):
        at = START + timedelta(minutes=n)
        for person in people:
            own = person == line.speaker
            if not own and len(people) != 2:
                continue
            user = f"{window.window}/{person}"
            sent.append(
                TurnEvent(
                    tenant="evaluation", user_id=user, session_id=user, turn_id=f"{user}/{line.id}",
                    role="user" if own else "assistant", occurred_at=at, accepted_at=at,
                    sealed=TurnBody(content=line.text or ".", speaker=line.speaker),
                )
            )  # fmt: skip
    return sent


def made_of(update: MemoryUpdate) -> Made:
    window, _, person = update.owner_id.partition("/")
    turns = [source.turn_id.rpartition("/")[2] for source in update.sources]
    return Made(
        window=window, who=person, text=update.sealed.text, kind=update.kind, field=update.field, turns=turns
    )  # fmt: skip


async def memories_of(windows: Sequence[Window], models: Models, extractor: Extractor) -> list[Made]:
    """What stands of the windows. Raises RuntimeError for a turn that a step refused."""
    sent = [turn for window in windows for turn in turns_of(window)]
    return [made_of(u) for u in await remembered(sent, models, extractor) if u.state == "active"]


def words(text: str) -> list[str]:
    """English words and Chinese characters."""
    return _WORD.findall(text.lower())


def carried(source: str, text: str) -> float:
    """The share of a turn's words that a memory holds."""
    theirs = Counter(words(source))
    return (theirs & Counter(words(text))).total() / max(1, theirs.total())


def repeats(language: Speech, sources: Iterable[str], text: str) -> bool:
    """Does a memory hold three quarters of the words of a long turn that it is from?"""
    return any(len(words(s)) > LONG_TURN[language] and carried(s, text) >= COPIED for s in sources)


class Tally(BaseModel):
    """Counts of some turns and their memories; figures are shares of them in per cent."""

    turns: int = 0
    memories: int = 0
    required: int = 0
    found: int = 0
    found_clean: int = 0
    """Of the required, those that a memory without a counted fault meets."""
    nothing: int = 0
    nothing_kept: int = 0
    copies: int = 0
    clean: int = 0
    useful: int = 0
    """Memories without a counted fault that meet something labelled, required or optional."""

    def __add__(self, other: Tally) -> Tally:
        mine, theirs = self.model_dump(), other.model_dump()
        return Tally(**{name: mine[name] + theirs[name] for name in mine})

    def figures(self) -> JsonObject:
        return {
            "memories per 100 turns": share(self.memories, self.turns),
            "required things found": share(self.found, self.required),
            "required things found by a memory without a counted fault": share(self.found_clean, self.required),
            "turns with nothing to keep from which something was kept": share(self.nothing_kept, self.nothing),
            "memories with three quarters of a long turn's words": share(self.copies, self.memories),
            "memories without a counted fault": share(self.clean, self.memories),
            "memories without a counted fault that meet a labelled thing": share(self.useful, self.memories),
            "of these per 100 turns": share(self.useful, self.turns),
        }


def share(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def compared(
    window: Window,
    labels: dict[tuple[str, str], list[Item]],
    made: Sequence[Made],
    faulty: dict[int, list[str]],
    language: Speech,
) -> Tally:
    """Count one window. `faulty`: the faults of a memory by its place in `made`. A required thing is found by a memory
    of its window whose turns lie within one turn of it and that is no copy."""
    order = {t.id: n for n, t in enumerate(window.turns)}
    text = {t.id: t.text for t in window.turns}
    mine = [(n, m) for n, m in enumerate(made) if m.window == window.window]
    copied = {n: repeats(language, (text[t] for t in m.turns if t in text), m.text) for n, m in mine}
    tally = Tally(turns=len(window.turns), memories=len(mine), copies=sum(copied.values()))
    tally.clean = sum(not faulty[n] for n, _ in mine)
    useful: set[int] = set()
    for line in window.turns:
        keep = labels[window.window, line.id]
        near = [(n, m) for n, m in mine if any(abs(order[t] - order[line.id]) <= 1 for t in m.turns if t in order)]
        for item in keep:
            meeting = [n for n, m in near if item.met_by(m.text) and not copied[n]]
            clean = [n for n in meeting if not faulty[n]]
            useful.update(clean)
            if not item.optional:
                tally.required += 1
                tally.found += bool(meeting)
                tally.found_clean += bool(clean)
        if not keep:
            tally.nothing += 1
            tally.nothing_kept += any(line.id in m.turns for _, m in mine)
    tally.useful = len(useful)
    return tally
