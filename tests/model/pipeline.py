"""Every step of the topology beside a language model: turns in, memory out, jobs run when a test says so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from memstream.workers.job_work import JobWork
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.documents import Job
from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.turns import Role, TurnBody, TurnEvent
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts

START = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
LEARNED = ("fact", "preference", "intent", "episode", "relation")


class Pipeline:
    """`ask_model` False: what the rules make of the same turns."""

    def __init__(self, models: Models, *, ask_model: bool = True, profile: str = "immigration") -> None:
        self.book = ProfileBook(load_profile(profile))
        parts = Parts(models, self.book, RuleExtractor(), ask_model=ask_model)
        self.driver = TopologyDriver([spec.build(parts) for spec in TOPOLOGY.values()], START)
        self.said: dict[str, str] = {}
        self._handed_out: set[str] = set()

    async def say(self, *texts: str, person: str = "ann") -> None:
        """A turn each with its reply, taken through all steps."""
        for text in texts:
            turn = f"t{len(self.said)}"
            self.said[turn] = text
            statement: tuple[tuple[Role, str], ...] = (("user", text), ("assistant", f"Noted. ({turn})"))
            for role, content in statement:
                self.driver.advance(timedelta(seconds=1))
                event = TurnEvent(
                    tenant="acme", user_id=person, session_id=f"{person}-1", turn_id=f"{turn}-{role}", role=role,
                    occurred_at=self.driver.now, accepted_at=self.driver.now, sealed=TurnBody(content=content),
                )  # fmt: skip
                self.driver.pipe(topics.TURNS, event)
        await self.driver.run()

    def jobs(self) -> list[Job]:
        """Those that were not handed out before, as the jobs worker finds them in the log."""
        found = [e for e in self.driver.read(topics.JOBS) if isinstance(e, Job) and e.job == "extraction"]
        new = [job for job in found if job.job_id not in self._handed_out]
        self._handed_out |= {job.job_id for job in new}
        return new

    async def answer(self, work: JobWork, jobs: Sequence[Job] | None = None) -> None:
        """Run jobs to their end, and what came of them through the steps."""
        for job in self.jobs() if jobs is None else jobs:
            for emit in await work.run(job):
                self.driver.pipe(emit.topic, emit.event, "memstream/jobs")
        await self.driver.run()
        assert not self.driver.dead_letters()

    def memories(self, person: str = "ann") -> dict[str, MemoryUpdate]:
        """What stands, by record and version."""
        newest: dict[str, MemoryUpdate] = {}
        for u in self.driver.read(topics.UPDATES):
            if isinstance(u, MemoryUpdate) and u.kind in LEARNED and u.user_id == person:
                newest[u.row_key] = u
        return {k: u for k, u in newest.items() if u.state in ("active", "observed") and u.op == "upsert"}

    def texts(self, person: str = "ann") -> set[str]:
        return {u.sealed.text for u in self.memories(person).values()}

    def by_model(self) -> list[MemoryUpdate]:
        return [u for u in self.memories().values() if (u.extractor or "").startswith("model@")]

    def rules_of_turns(self) -> list[str]:
        """What was decided of turns as a whole."""
        result = self.driver.read(topics.DECISIONS)
        return [d.reason.rule for d in result if isinstance(d, Decision) and d.kind == "turn"]


async def by_rules(models: Models, *texts: str) -> Pipeline:
    alone = Pipeline(models, ask_model=False)
    await alone.say(*texts)
    return alone
