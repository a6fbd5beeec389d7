"""What callers send in a round, from the seed alone: turns in both languages, late and repeated ones, commands,
erasures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any, Literal

from query.writing.publish import Entry
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.events.memory import Feedback, MemoryCommand, MemoryCommandBody
from schemas.events.turns import SessionCommand, SessionCommandBody, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.topics import Topic
from tests.crash.load import _EN, _WORDS_EN, _WORDS_ZH, _ZH
from tests.simulation.acts import erases_much

What = Literal["turn", "again", "remember", "correct", "forget", "feedback", "patch", "close", "erase"]
TENANT = "acme"
_USERS = ("ann", "bob", "cat", "李雷", "王芳")
PROJECTS = ("project-1", "project-2")
_WEIGHTS: dict[What, float] = {
    "turn": 24, "again": 2, "remember": 1, "correct": 1.5, "forget": 1, "feedback": 1, "patch": 1, "close": 0.5,
    "erase": 0.4,
}  # fmt: skip


_ERASING: dict[What, float] = {**_WEIGHTS, "erase": 2.5}
WORD = re.compile(rb"zebra[0-9]{3}wood")
"""What names a call in its text."""
_TEMPLATES = ("I love {word}.", "My name is {word}.", "We decided to use {word} for the project.", "I live in {word}.")
_SAID_ZH = ("我喜欢吃{word}。", "我叫{word}。", "我们决定用{word}做这个项目。", "我住在{word}。")


@dataclass(frozen=True, slots=True)
class Call:
    """One write. `pause`: virtual seconds before it. `late`: seconds by which a turn happened before it is sent.
    `target`: which of the memories that can be seen then a command is about."""

    number: int
    what: What
    user: str
    text: str = ""
    session: str = ""
    project: str | None = None
    turn: str = ""
    pause: float = 0.0
    late: float = 0.0
    target: int = 0
    word: str = ""
    """One in its text that no other call has, but those that repeat it: where it is found, the text is."""

    def entry(self, accepted: datetime, memory: str | None) -> Entry | None:
        """As a route of the service makes it; None where there is no memory to be about."""
        found = self._event(accepted, memory)
        if found is None:
            return None
        topic, event = found
        named = self.project if self.what in ("turn", "again") else None
        reach = PROJECTS if self.what in ("correct", "forget") else ()
        return Entry(topic, event, "", f"{self.number}", named, project_ids=reach)

    def made(self, event: Event | None) -> bool:
        """Whether an event of the log is the one that this call asks for."""
        match event:
            case TurnEvent():
                return (event.user_id, event.turn_id) == (self.user, self.turn)
            case SessionCommand() | MemoryCommand():
                return event.command_id == f"c{self.number}"
            case Erasure():
                return event.erasure_id.startswith(f"e{self.number}-")
            case Feedback():
                return event.feedback_id == f"f{self.number}"
        return False

    def _event(self, accepted: datetime, memory: str | None) -> tuple[Topic, Envelope] | None:
        if memory is None and self.what in ("feedback", "correct", "forget"):
            return None
        who: dict[str, Any] = {"tenant": TENANT, "user_id": self.user, "accepted_at": accepted}
        match self.what:
            case "turn" | "again":
                happened = accepted - timedelta(seconds=self.late)
                return topics.TURNS, TurnEvent(
                    **who, session_id=self.session, turn_id=self.turn, role="user", occurred_at=happened,
                    project_id=self.project, sealed=TurnBody(content=self.text),
                )  # fmt: skip
            case "patch":
                change = SessionCommandBody(global_state={"step": self.number})
                return topics.TURNS, SessionCommand(
                    **who, session_id=self.session, command="patch", command_id=f"c{self.number}", sealed=change
                )
            case "close":
                return topics.TURNS, SessionCommand(
                    **who, session_id=self.session, command="close", command_id=f"c{self.number}"
                )
            case "erase":
                at = int(accepted.timestamp() * 1e6)  # the service gives each try an id of its own
                return topics.TURNS, Erasure(**who, erasure_id=f"e{self.number}-{at}", scope="user")
            case "feedback":
                return topics.LEDGER, Feedback(
                    **who, feedback_id=f"f{self.number}", memory_ids=(memory or "",), rating="good"
                )
            case _:
                return topics.LEDGER, self._command(who, memory)

    def _command(self, who: dict[str, Any], memory: str | None) -> MemoryCommand:
        name = f"c{self.number}"
        if self.what == "forget":
            return MemoryCommand(**who, command="forget", command_id=name, memory_id=memory, project_ids=PROJECTS)
        statement = MemoryCommandBody(text=self.text)
        if self.what == "correct":
            return MemoryCommand(
                **who, command="correct", command_id=name, memory_id=memory, project_ids=PROJECTS, sealed=statement
            )
        return MemoryCommand(**who, command="remember", command_id=name, kind="fact", sealed=statement)


def calls(seed: int, turns: int, seconds: float) -> list[Call]:
    """So many calls over about so many virtual seconds."""
    return list(_calls(Random(f"load {seed}"), turns, seconds, erases_much(seed)))


def _calls(random: Random, turns: int, seconds: float, erasing: bool) -> Iterator[Call]:
    statement: list[Call] = []
    kinds, weights = list(_WEIGHTS), list((_ERASING if erasing else _WEIGHTS).values())
    burst = 0
    for number in range(turns):
        what = random.choices(kinds, weights)[0]
        user = random.choice(_USERS)
        burst = burst - 1 if burst else (random.randint(2, 12) if random.random() < 0.1 else 0)
        pause = 0.0 if burst else random.expovariate(1.0) * seconds / turns
        if what == "again" and statement:
            old = random.choice(statement)
            yield replace(old, number=number, what="again", pause=pause, target=0)
            continue
        session = f"{user}-{random.randint(1, 2)}"
        about = f"project-{random.randint(1, 2)}" if random.random() < 0.3 else None
        late = random.uniform(60, 7200) if random.random() < 0.1 else 0.0
        text, word = _text(random, user), ""
        if erasing and random.random() < 0.7:
            word = f"zebra{number:03}wood"
            text = random.choice(_TEMPLATES if user.isascii() else _SAID_ZH).format(word=word)
        call = Call(
            number, "turn" if what == "again" else what, user, text, session, about, f"t{number}", pause, late,
            random.randrange(1000), word,
        )  # fmt: skip
        if call.what == "turn":
            statement.append(call)
        yield call


def _text(random: Random, user: str) -> str:
    if random.random() < 0.05:
        return f"My email is {random.choice('abcdef')}@example.com, and I like tea."
    templates, words = (_EN, _WORDS_EN) if user.isascii() else (_ZH, _WORDS_ZH)
    return random.choice(templates).format(**{name: random.choice(found) for name, found in words.items()})
