"""Users who talk and are erased, over the whole topology without servers, and where their words stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import (
    TurnBody,
    TurnEvent,
)
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from streams.topology import TOPOLOGY, Parts

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PLANTED = ("zebrawood", "Kurrajong", "琥珀巷", "quillback")
"""Words of ann, and of nobody else."""


class Bench:
    def __init__(self, models: Models, profile: str = "general", ask_model: bool = False) -> None:
        parts = Parts(models, ProfileBook(load_profile(profile)), RuleExtractor(), ask_model)
        self.store = MemoryStateStore()
        steps = [spec.build(parts) for spec in TOPOLOGY.values()]
        self.driver = TopologyDriver(steps, START, store=self.store)
        self.count = 0

    def say(self, who: str, text: str, session: str = "s1", project: str | None = None, **over: Any) -> TurnEvent:
        self.driver.advance(timedelta(minutes=1))
        self.count += 1
        event = TurnEvent(
            tenant="acme", user_id=who, session_id=f"{who}-{session}", turn_id=f"t{self.count}", role="user",
            occurred_at=self.driver.now, accepted_at=self.driver.now, project_id=project, sealed=TurnBody(content=text),
        ).model_copy(update=over)  # fmt: skip
        self.driver.pipe(topics.TURNS, event)
        return event

    def erase(self, who: str, session: str | None = None) -> Erasure:
        self.driver.advance(timedelta(minutes=1))
        event = Erasure(
            tenant="acme", erasure_id=f"e-{who}", scope="session" if session else "user", user_id=who,
            session_id=f"{who}-{session}" if session else None, accepted_at=self.driver.now,
        )  # fmt: skip
        self.driver.pipe(topics.TURNS, event)
        return event

    def held(self) -> dict[str, list[str]]:
        """Planted words that stand: in state rows, and in the newest value of each key of a compacted topic."""
        out: dict[str, list[str]] = {}

        def look(place: str, raw: bytes | None) -> None:
            text = (raw or b"").decode(errors="ignore")
            found = [w for w in PLANTED if w in text or w.encode("unicode_escape").decode() in text]
            if found:
                out.setdefault(place, []).extend(found)

        for step, table in self.store.rows.items():
            for owner, rows in table.items():
                for key, value in rows.items():
                    look(f"state {step} {owner}", key.encode() + bytes(value))
        for (topic, p), log in self.driver.log.partitions.items():
            if topic in topics.BY_NAME and topics.BY_NAME[topic].cleanup is not topics.Cleanup.DELETE:
                newest = {m.key: m.value for m in log}
                for name, last in newest.items():
                    look(f"{topic}/{p} {name!r}", last)
        return out

    def memories(self, who: str) -> list[MemoryUpdate]:
        newest: dict[str, MemoryUpdate] = {}
        for e in self.driver.read(topics.UPDATES):
            if isinstance(e, MemoryUpdate) and e.owner_id == who:
                newest[e.row_key] = e
        return [u for u in newest.values() if u.op == "upsert"]

    def report(self, project: str) -> MemoryUpdate | None:
        found = [e for e in self.driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "report"]
        return next((e for e in reversed(found) if e.owner_id == project), None)
