"""Turns that writers labelled, kept or not, one figure a writer: a rule is judged on those whom it was not tuned on.

A file a writer: `en1.jsonl` holds turns with the turns before them, `chats_en1.jsonl` running chats. A turn with a
statement to keep should leave a memory, one without should leave none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel, Field

from evaluation.in_memory import START, remembered
from evaluation.talk import Speech, repeats, share, words
from processors.ports import Models
from processors.reader.rules.protocol import Extractor
from schemas.base import JsonObject
from schemas.events.turns import Role, TurnBody, TurnEvent

ALIKE = 0.6
"""From this share of common words (twice the common over all) a memory says a labelled one."""


class Statement(BaseModel):
    keep: bool
    memory: str


class Utterance(BaseModel):
    """A turn, or a turn before it."""

    speaker: str
    text: str


class Written(Utterance):
    """A labelled turn; `nothing` is why nothing is to be kept, else empty."""

    id: str
    before: list[Utterance] = Field(default_factory=list)
    statements: list[Statement] = Field(default_factory=list)
    nothing: str = ""

    @property
    def memories(self) -> list[str]:
        return [s.memory for s in self.statements if s.keep]


class _Labelled(Utterance):
    statements: list[Statement] = Field(default_factory=list)
    nothing: str = ""


class _Chat(BaseModel):
    id: str
    turns: list[_Labelled]


def read_writer(path: Path) -> list[Written]:
    """The labelled turns of a file; a turn of a chat has up to four before it. Raises pydantic.ValidationError."""
    lines = path.read_text("utf-8").splitlines()
    if "turns" not in json.loads(lines[0]):
        return [Written.model_validate_json(line) for line in lines]
    found = []
    for chat in map(_Chat.model_validate_json, lines):
        for n, turn in enumerate(chat.turns):
            before = [Utterance(speaker=t.speaker, text=t.text) for t in chat.turns[max(0, n - 4) : n]]
            found.append(Written(**turn.model_dump(), id=f"{chat.id}-{n}", before=before))
    return found


def turns_of(turn: Written) -> list[TurnEvent]:
    """The turn and those before it, as one session of an owner of its own; a name speaks as a user with that name."""
    sent = []
    for n, written in enumerate([*turn.before, turn]):
        at = START + timedelta(seconds=20 * n)
        role: Role = "assistant" if written.speaker == "assistant" else "tool" if written.speaker == "tool" else "user"
        named = None if written.speaker in ("user", "assistant", "tool") else written.speaker
        last = n == len(turn.before)
        sent.append(
            TurnEvent(
                tenant="evaluation", user_id=turn.id, session_id=turn.id, turn_id=turn.id if last else f"{turn.id}/{n}",
                role=role, occurred_at=at, accepted_at=at, sealed=TurnBody(content=written.text or ".", speaker=named),
            )
        )  # fmt: skip
    return sent


async def memories_of(turns: Sequence[Written], models: Models, extractor: Extractor) -> dict[str, list[str]]:
    """The texts that stand of each turn, not of those before it. Raises RuntimeError for a turn that a step refused."""
    sent = [event for turn in turns for event in turns_of(turn)]
    got: dict[str, list[str]] = {turn.id: [] for turn in turns}
    for update in await remembered(sent, models, extractor):
        if update.state == "active" and any(s.turn_id == update.owner_id for s in update.sources):
            got[update.owner_id].append(update.sealed.text)
    return got


def figures(turns: Sequence[Written], got: dict[str, list[str]], language: Speech) -> JsonObject:
    """Shares in per cent of one writer's turns; `kept without reason` names what the turns were where nothing was to
    be kept and something was."""
    with_something = [t for t in turns if t.memories]
    nothing = [t for t in turns if not t.memories]
    kept_of_nothing = [t for t in nothing if got[t.id]]
    made = [(t, text) for t in turns for text in got[t.id]]
    wanted = [(t, memory) for t in turns for memory in t.memories]
    found = sum(any(alike(memory, text) for text in got[t.id]) for t, memory in wanted)
    kept = sum(bool(got[t.id]) for t in with_something)
    copies = sum(repeats(language, [t.text], text) for t, text in made)
    reasons: JsonObject = dict(Counter(t.nothing or "other" for t in kept_of_nothing).most_common())
    return {
        "turns": len(turns),
        "memories per 100 turns": share(len(made), len(turns)),
        "turns with something that left a memory": share(kept, len(with_something)),
        "turns with nothing that left one": share(len(kept_of_nothing), len(nothing)),
        "of turns that left one, with something": share(kept, kept + len(kept_of_nothing)),
        "labelled memories found in like words": share(found, len(wanted)),
        "memories with three quarters of a long turn's words": share(copies, len(made)),
        "kept without reason": reasons,
    }


def alike(labelled: str, text: str) -> bool:
    """Do two memories share most of their words? Names of the owner and articles count for nothing."""
    ours, theirs = _content(labelled), _content(text)
    common = (ours & theirs).total()
    return 2 * common >= ALIKE * (ours.total() + theirs.total()) and common > 0


_SMALL_WORDS = "the a an user user's is are was has to of in at for and 用 户 的 了"
_SMALL = frozenset(_SMALL_WORDS.split())


def _content(text: str) -> Counter[str]:
    return Counter(word for word in words(text) if word not in _SMALL)
