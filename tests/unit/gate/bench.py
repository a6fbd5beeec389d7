"""The gate alone under the runner: ledger events in, the view that a sink would hold out, invariants checked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pytest

from inference.terms import terms
from processors.memory.step import Gate
from processors.ports import Models, ProfileBook, vectors
from schemas.events.documents import ProjectCandidate, TurnDigest
from schemas.events.envelope import SourceTurn, UserEvent
from schemas.events.memory import (
    Candidate,
    Decision,
    Extraction,
    ExtractionBody,
    Feedback,
    FeedbackBody,
    MemoryCommand,
    MemoryCommandBody,
    MemoryUpdate,
)
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.ids import content_hash
from schemas.profile.model import Profile, load_profile
from streams.driver import TopologyDriver, inline
from streams.faults import Faults
from streams.runner import Observer, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
LANGUAGES = pytest.mark.parametrize(
    ("text", "other", "value", "new"),
    [("Lives in Leeds", "Lives in York", "Leeds", "York"), ("住在杭州", "住在上海", "杭州", "上海")],
)
DAY = timedelta(days=1)


def candidate(text: str, field: str | None = None, value: Any = None, **kw: Any) -> Candidate:
    """A fact where a field is named, an episode where none is."""
    kind = kw.pop("kind", "fact" if field or kw.get("fields") else "episode")
    source = kw.pop("source", "explicit")
    confidence = Decimal(str(kw.pop("confidence", "0.6" if source == "inferred" else "1.0")))
    return Candidate(
        ordinal=kw.pop("ordinal", 0), kind=kind, text=text, field=field, value=value,
        importance=kw.pop("importance", 0.5), confidence=confidence, source=source, **kw,
    )  # fmt: skip


def study(university: str, degree: str, major: str) -> Candidate:
    value = {"education": degree, "university": university, "major": major}
    return candidate(f"{degree} in {major} at {university}", value=value, fields=tuple(value))


class GateBench:
    def __init__(
        self, models: Models, *, profile: str | Profile = "general", batch: int = 64, cache_bytes: int = 2**30,
        faults: Faults | None = None, ask_model: bool = False, observer: Observer | None = None,
    ) -> None:  # fmt: skip
        self.models = models
        self.driver = TopologyDriver([], START, batch=batch)
        self.store = MemoryStateStore()
        self.driver.store = self.store
        book = ProfileBook(load_profile(profile) if isinstance(profile, str) else profile)
        step = Gate(models, book, ask_model=ask_model)
        self.driver.runners["gate"] = StepRunner(
            step, self.store, self.driver.log, self.driver.codec, RunnerConfig(8, cache_bytes), compute=inline,
            faults=faults, observer=observer,
        )  # fmt: skip
        self._read: dict[str, int] = {}
        self._sources: set[tuple[str, bytes | None]] = set()
        self._turns = 0
        self.view: dict[str, MemoryUpdate] = {}
        self.log: list[MemoryUpdate] = []
        self.decisions: list[Decision] = []
        self.nulls: list[str] = []
        self.to_project: list[ProjectCandidate | TurnDigest] = []

    # -- in -------------------------------------------------------------------------------------------------------

    def pipe(self, event: UserEvent) -> None:
        self.driver.pipe(topics.LEDGER, event)

    async def run(self) -> list[MemoryUpdate]:
        """Take in what was piped; the updates that came of it."""
        await self.driver.run()
        assert not self.driver.dead_letters(), [m.headers for m in self.driver.dead_letters()]
        new = self._new(topics.UPDATES)
        for u in new:
            self._take(u)
        self.decisions += self._new(topics.DECISIONS)
        self.to_project += self._new(topics.PROJECT_EVENTS)
        self.check()
        return new

    async def say(self, *candidates: Candidate, turn: str | None = None, **kw: Any) -> list[MemoryUpdate]:
        """A turn of which the extractor said this."""
        self.pipe(self.extraction(*candidates, turn=turn, **kw))
        return await self.run()

    def extraction(
        self, *candidates: Candidate, turn: str | None = None, at: datetime | None = None,
        accepted: datetime | None = None, version: int = 1, user: str = "ann", **kw: Any,
    ) -> Extraction:  # fmt: skip
        self._turns += 1
        name = turn or f"turn-{self._turns}"
        occurred = at or self.driver.now
        made = [
            c.model_copy(update={"ordinal": i, "embedding": embedding(self.models, c.text), "terms": words(c.text)})
            for i, c in enumerate(candidates)
        ]
        return Extraction(
            tenant="acme", user_id=user, session_id="s1",
            turn=SourceTurn(turn_id=name, session_id="s1", occurred_at=occurred, content_hash=content_hash(name)),
            role="user", accepted_at=accepted or max(occurred, self.driver.now), language=kw.pop("language", "en"),
            extractor=kw.pop("extractor", "rules"), extractor_version=version,
            model_id=self.models.embedder.model_id, profile="general",
            profile_version=1, sealed=ExtractionBody(candidates=tuple(made), content=kw.pop("content", ""),
                                  dropped=kw.pop("dropped", ())), **kw,
        )  # fmt: skip

    def command(self, command: Any, memory_id: str | None = None, user: str = "ann", **kw: Any) -> MemoryCommand:
        self._turns += 1
        body = MemoryCommandBody(text=kw.pop("text", None), value=kw.pop("value", None))
        command_id = kw.pop("command_id", f"command-{self._turns}")
        return MemoryCommand(
            tenant="acme", user_id=user, command=command, command_id=command_id, memory_id=memory_id,
            accepted_at=kw.pop("accepted_at", self.driver.now), sealed=body, **kw,
        )  # fmt: skip

    async def do(self, command: Any, memory_id: str | None = None, **kw: Any) -> list[MemoryUpdate]:
        self.pipe(self.command(command, memory_id, **kw))
        return await self.run()

    def judgement(self, *memory_ids: str, correction: str | None = None, **kw: Any) -> Feedback:
        self._turns += 1
        return Feedback(
            tenant="acme", user_id="ann", feedback_id=kw.pop("feedback_id", f"feedback-{self._turns}"),
            memory_ids=memory_ids, accepted_at=self.driver.now, sealed=FeedbackBody(correction=correction), **kw,
        )  # fmt: skip

    async def feedback(self, *memory_ids: str, **kw: Any) -> list[MemoryUpdate]:
        """What became of memories; the record of the feedback itself is not among it."""
        self.pipe(self.judgement(*memory_ids, **kw))
        return [u for u in await self.run() if u.kind != "feedback"]

    def later(self, by: timedelta) -> datetime:
        self.driver.advance(by)
        return self.driver.now

    def restart(self) -> None:
        self.driver.restart()

    # -- out ------------------------------------------------------------------------------------------------------

    def active(self, field: str | None = None) -> list[MemoryUpdate]:
        found = [u for u in self.view.values() if u.state == "active" and u.kind != "feedback"]
        return [u for u in found if field is None or field in (u.field, *u.fields)]

    def values(self, field: str) -> list[Any]:
        return [u.sealed.value if u.field else u.sealed.value[field] for u in self.active(field)]

    def history(self, record: str) -> list[MemoryUpdate]:
        return sorted((u for u in self.view.values() if u.record_id == record), key=lambda u: u.version)

    def as_of(self, when: datetime, field: str) -> list[Any]:
        """What the log says was true at a time (N8), as the query service asks it."""
        out = []
        for u in self.view.values():
            values = {u.field: u.sealed.value} if u.field else u.sealed.value if u.fields else {}
            start = u.valid_from or u.occurred_at
            if u.op == "upsert" and start <= when and (u.valid_to is None or u.valid_to > when) and field in values:
                out.append(values[field])
        return out

    def outcomes(self) -> list[tuple[str, str]]:
        return [(d.reason.outcome, d.reason.rule) for d in self.decisions]

    def rows(self) -> dict[str, dict[str, bytes]]:
        return {o: dict(r) for table in self.store.rows.values() for o, r in table.items()}

    # -- what always holds ----------------------------------------------------------------------------------------

    def _new(self, topic: topics.Topic) -> list[Any]:
        """Read on in every partition; what a restart delivers again is known by its source."""
        out: list[Any] = []
        for p in range(8):
            log = self.driver.log.partitions[topic.name, p]
            place = f"{topic.name}/{p}"
            for m in log[self._read.get(place, 0) :]:
                source = (topic.name, header(m.headers, "src"))
                if source in self._sources:
                    continue
                self._sources.add(source)
                if m.value is None:
                    self.nulls.append((m.key or b"").decode())
                    continue
                event = self.driver.codec.decode(topic.name, m.value)
                if isinstance(event, MemoryUpdate | Decision | ProjectCandidate | TurnDigest):
                    out.append(event)
            self._read[place] = len(log)
        return out

    def _take(self, u: MemoryUpdate) -> None:
        old = self.view.get(u.row_key)
        assert old is None or u.revision > old.revision, f"revisions of a row go up: {brief(old)} -> {brief(u)}"
        newest = max((v.revision for v in self.view.values() if v.record_id == u.record_id), default=0)
        assert u.revision > newest, f"revisions of a record go up: {newest} -> {brief(u)}"
        self.view[u.row_key] = u
        self.log.append(u)

    def check(self) -> None:
        by_record: dict[str, list[MemoryUpdate]] = {}
        for u in self.view.values():
            by_record.setdefault(u.record_id, []).append(u)
            assert u.valid_to is None or u.valid_from is None or u.valid_from <= u.valid_to, brief(u)
            if u.op == "delete":
                assert u.state == "deleted", brief(u)
                assert not u.sealed.text, brief(u)
                assert u.sealed.value is None, brief(u)
                assert not u.sources, brief(u)
        for versions in by_record.values():
            active = [u for u in versions if u.state in ("active", "observed")]
            assert len(active) <= 1, f"one version of a record stands: {[brief(u) for u in active]}"
            times = sorted(
                (u.valid_from, u.valid_to or datetime.max.replace(tzinfo=UTC))
                for u in versions
                if u.valid_from is not None
                and u.op == "upsert"
                and u.kind in ("fact", "preference")
                and u.valid_from != u.valid_to  # what was withdrawn spans no time (processors.memory.restate)
            )
            ends = [t[1] for t in times]
            starts = [t[0] for t in times[1:]]
            assert all(end <= start for end, start in zip(ends, starts, strict=False)), (
                f"times overlap: {[brief(u) for u in versions]}"
            )


def brief(u: MemoryUpdate | None) -> str:
    if u is None:
        return "nothing"
    return (
        f"{u.record_id[:6]}/{u.version} r{u.revision} {u.kind} {u.state} {u.reason.rule} {u.field or u.fields}="
        f"{u.sealed.value!r} {u.sealed.text!r} {u.valid_from} to {u.valid_to}"
    )


@lru_cache(maxsize=10_000)
def _embedding(models_id: int, text: str, models: Any) -> bytes:
    return vectors(models.embedder, [text])[0]


def words(text: str) -> tuple[str, ...]:
    return tuple(terms(text))


def embedding(models: Models, text: str) -> bytes:
    return _embedding(id(models), text, models)


async def put(gate: GateBench, namespace: str, key: str, **value: Any) -> list[MemoryUpdate]:
    return await gate.do("put_item", namespace=(namespace, "ann"), key=key, value=value)


def rows(gate: GateBench, kind: str = "table") -> dict[str | None, Any]:
    return {u.key: u.sealed.value for u in gate.active() if u.kind == kind}
