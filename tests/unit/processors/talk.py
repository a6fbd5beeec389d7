"""Users who talk through the whole topology (screen, extract, gate, project), in accelerated time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from processors.knowledge.step import ChunkStep
from processors.memory.step import Gate
from processors.ports import Models, ProfileBook
from processors.project.step import Project
from processors.reader.rules.rules import RuleExtractor
from processors.reader.step import Extract
from processors.screen.step import Screen
from processors.session.step import Session
from processors.step import Step
from schemas.events.documents import ProjectCommand
from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.profile.model import Profile
from streams.driver import TopologyDriver


class NoNames:
    """The recognisers of names are stateless, slow to load, and not what is tested here."""

    def analyze(self, texts: Any, languages: Any) -> list[list[Any]]:
        return [[] for _ in texts]


class Talk:
    """One tenant on one profile. `ann` and `bob` are as good as any users."""

    def __init__(
        self, models: Models, profile: Profile, start: datetime, project: str | None = None, *, whole: bool = False
    ) -> None:
        """`whole`: with sessions and documents."""
        own = Models(NoNames(), models.embedder, models.counter, models.language_of, models.terms, models.hash_key)
        self._book = book = ProfileBook(profile)
        extract = Extract(RuleExtractor(), own, book)
        steps: list[Step] = [Screen(own, book), extract, Gate(own, book), Project(own, book)]
        steps += [Session(own, book), ChunkStep(own, book)] if whole else []
        self.driver = TopologyDriver(steps, start, partitions=2)  # a tick goes through each of them
        self.project = project
        self._number = 0

    def changes(self, profile: Profile) -> None:
        """The tenant's profile from now on, as between two batches."""
        self._book.default = profile

    async def say(
        self, text: str, at: datetime | None = None, *, user: str = "ann", role: Any = "user", session: str = "s1",
        intent: str | None = None, turn_id: str | None = None, **metadata: Any,
    ) -> str:  # fmt: skip
        """A turn that happened `at` (now, if not said) and comes in now."""
        self._number += 1
        name = turn_id or f"turn-{self._number}"
        event = TurnEvent(
            tenant="acme", user_id=user, session_id=session, turn_id=name, role=role, project_id=self.project,
            intent=intent, occurred_at=at or self.driver.now, accepted_at=self.driver.now,
            sealed=TurnBody(content=text, metadata=metadata),
        )  # fmt: skip
        self.driver.pipe(topics.TURNS, event)
        await self.driver.run()
        return name

    async def ask_report(self) -> None:
        self._number += 1
        command = ProjectCommand(
            tenant="acme", project_id=self.project or "", command="report", command_id=f"ask-{self._number}",
            accepted_at=self.driver.now,
        )  # fmt: skip
        self.driver.pipe(topics.PROJECT_EVENTS, command)
        await self.driver.run()

    async def until(self, when: datetime, step: timedelta | None = None) -> None:
        """Time passes, with a tick at its end (or at every `step`)."""
        while step is not None and self.driver.now + step < when:
            await self._tick(self.driver.now + step)
        await self._tick(when)

    async def _tick(self, when: datetime) -> None:
        self.driver.advance(when - self.driver.now)
        self.driver.tick()
        await self.driver.run()

    def updates(self, kind: str) -> list[MemoryUpdate]:
        assert not self.driver.dead_letters()
        return [u for u in self.driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate) and u.kind == kind]

    def decisions(self, kind: str) -> list[Decision]:
        return [d for d in self.driver.read(topics.DECISIONS) if isinstance(d, Decision) and d.kind == kind]
