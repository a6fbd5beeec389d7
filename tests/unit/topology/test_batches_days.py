"""As test_batches, over three months and with what is not a turn: erasures, amendments, answers of models, feedback,
commands, turns told anew; days pass between records, so that much of the state expires (N1, N2)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from processors.ports import Models
from schemas.events.amendments import Amendment, AmendmentBody
from schemas.events.documents import (
    Document,
    DocumentBody,
    Job,
    ProjectCommand,
    ProjectCommandBody,
    ReportResult,
    ReportResultBody,
)
from schemas.events.erasure import Erasure
from schemas.events.memory import (
    Extraction,
    Feedback,
    FeedbackBody,
    Given,
    JobResult,
    JobResultBody,
    MemoryCommand,
    MemoryCommandBody,
    MemoryUpdate,
)
from schemas.events.turns import (
    CheckpointResult,
    CheckpointResultBody,
    ScreenedTurn,
    SessionCommand,
    SessionCommandBody,
    TurnBody,
    TurnEvent,
)
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.topics import Topic
from streams.driver import TopologyDriver
from streams.runner import Message
from streams.topology import TOPOLOGY
from tests.unit.topology.test_batches import SUNDAY, outcome, parts

STATEMENTS = (
    "We decided to move the screening visits to Fridays.", "患者P-102的化验结果从周二起一直缺失。",
    "当前入组人数45人。", "P-102缺失的化验结果已由中心补录。", "I live in Leeds and I prefer tea to coffee.",
    "我们决定把筛选访视改到每周五。", "目前入组人数60人。", "I moved to York last week.", "我住在杭州，我喜欢喝茶。",
    "Do you want me to remember it?", "Yes.",
    "I bought a red kayak in Oslo and I work as a nurse.", "我今年32岁。", "I no longer live in York.",
    "We have to call the site in Bergen about the missing forms.", "下周三提醒我给医生打电话。",
)  # fmt: skip
GAPS = [timedelta(minutes=m) for m in (1, 3, 40, 7 * 60)] + [timedelta(days=d) for d in (1, 3, 9, 31)]
Piped = tuple[Topic, Event]


class Days:
    """One tenant's users, who talk, are answered for, and come back after weeks."""

    def __init__(self, models: Models, seed: int) -> None:
        own = parts(models, ask_model=True)
        self.driver = TopologyDriver([s.build(own) for s in TOPOLOGY.values()], SUNDAY, batch=1)
        self._rng = random.Random(seed)
        self._n = 0
        self._answered: set[str] = set()

    async def pass_by(self, steps: int) -> dict[tuple[str, int], list[Message]]:
        rng = self._rng
        for step in range(steps):
            self.driver.advance(rng.choices(GAPS, (6, 6, 6, 4, 3, 2, 1, 1))[0])
            found: list[Piped | None] = [self._turn() for _ in range(rng.randrange(1, 5))]
            found += [rng.choice(self._others)(self) for _ in range(3)]
            if step % 17 == 16:
                found.append(self._erasure("session" if step % 2 else "user"))
            await self._pipe([p for p in found if p is not None])
            await self._pipe(list(self._answers()))
            if rng.random() < 0.8:
                self.driver.tick()
                await self.driver.run()
        return dict(self.driver.log.partitions)

    async def _pipe(self, found: list[Piped]) -> None:
        for topic, event in found:
            self.driver.pipe(topic, event)
        await self.driver.run()

    def _id(self, what: str) -> str:
        self._n += 1
        return f"{what}-{self._n}"

    def _who(self) -> str:
        return self._rng.choice(("ann", "bob"))

    def _any(self, topic: Topic, kind: type[Any]) -> Any:
        found = [e for e in self.driver.read(topic) if isinstance(e, kind)]
        return self._rng.choice(found) if found else None

    def _turn(self) -> Piped:
        rng, who, now = self._rng, self._who(), self.driver.now
        late = rng.choice((timedelta(), timedelta(), timedelta(hours=2), timedelta(days=8)))
        text = rng.choice(STATEMENTS)
        return topics.TURNS, TurnEvent(
            tenant="acme", user_id=who, session_id=f"{who}-{rng.randrange(3)}", turn_id=self._id("t"),
            role=rng.choice(("user", "user", "assistant")), occurred_at=now - late, accepted_at=now,
            project_id=rng.choice(("trial-7", "trial-7", None)), context_id=rng.choice((None, "c1")),
            sealed=TurnBody(content=text if rng.random() < 0.7 else f"{text} ({self._n})"),
        )  # fmt: skip

    def _same_turn(self) -> Piped | None:
        """Sent again, a while later."""
        turn = self._any(topics.TURNS, TurnEvent)
        return turn and (topics.TURNS, turn)

    def _told_anew(self) -> Piped | None:
        """By a newer extractor, which leaves something out."""
        e: Extraction | None = self._any(topics.LEDGER, Extraction)
        if e is None:
            return None
        left = e.sealed.model_copy(update={"candidates": e.sealed.candidates[1:]})
        fields = {"extractor": "model", "extractor_version": e.extractor_version + 1, "sealed": left}
        return topics.LEDGER, e.model_copy(update=fields)

    def _session_command(self) -> Piped:
        who = self._who()
        name: Any = self._rng.choice(("create", "reset", "close", "patch", "checkpoint", "checkpoint"))
        body = SessionCommandBody(
            global_state={"n": self._n}, summary="said so far" if self._rng.random() < 0.5 else None
        )
        return topics.TURNS, SessionCommand(
            tenant="acme", user_id=who, session_id=f"{who}-{self._rng.randrange(3)}", command=name,
            command_id=self._id("s"), accepted_at=self.driver.now, sealed=body,
        )  # fmt: skip

    def _memory_command(self) -> Piped | None:
        rng, who = self._rng, self._who()
        name = rng.choice(("remember", "correct", "forget", "put_item", "summarize"))
        fields: dict[str, Any] = {"command": name, "accepted_at": self.driver.now, "command_id": self._id("m")}
        if name in ("correct", "forget"):
            u: MemoryUpdate | None = self._any(topics.UPDATES, MemoryUpdate)
            if u is None or u.user_id is None:
                return None
            who, fields["memory_id"] = u.user_id, u.record_id
        elif name == "remember":
            fields |= {"kind": "fact", "field": "residence"}
        elif name == "put_item":
            fields |= {"namespace": ("memories", who), "key": f"k{rng.randrange(4)}", "ttl_minutes": 90.0}
        text = None if name in ("forget", "put_item", "summarize") else f"Lives in {rng.choice(('Mind', 'Oslo'))}"
        body = MemoryCommandBody(text=text, value={"n": self._n} if name == "put_item" else text)
        return topics.LEDGER, MemoryCommand(tenant="acme", user_id=who, sealed=body, **fields)

    def _given(self) -> Piped | None:
        u: MemoryUpdate | None = self._any(topics.UPDATES, MemoryUpdate)
        if u is None or u.user_id is None:
            return None
        return topics.LEDGER, Given(
            tenant="acme", user_id=u.user_id, context_id="c1", interaction_id=self._rng.choice((None, "i1")),
            record_ids=(u.record_id,), accepted_at=self.driver.now,
        )  # fmt: skip

    def _feedback(self) -> Piped:
        return topics.LEDGER, Feedback(
            tenant="acme", user_id=self._who(), feedback_id=f"f{self._rng.randrange(30)}", context_id="c1",
            rating=self._rng.choice(("good", "bad")), accepted_at=self.driver.now,
            sealed=FeedbackBody(traits={"tone": "short"} if self._rng.random() < 0.3 else {}),
        )  # fmt: skip

    def _amendment(self) -> Piped | None:
        u: MemoryUpdate | None = self._any(topics.UPDATES, MemoryUpdate)
        t: ScreenedTurn | None = self._any(topics.HISTORY, ScreenedTurn)
        fields: dict[str, Any] = {"tenant": "acme", "amendment_id": self._id("a"), "rule": "pii"}
        fields["accepted_at"] = self.driver.now
        if t is not None and self._rng.random() < 0.5:
            amended = t.model_copy(update={"revision": t.revision + 1})
            new = amended.model_dump(mode="json", exclude={"sealed": {"embedding", "terms"}})
            new["sealed"]["content"] = "[masked]"
            return topics.TURNS, Amendment(
                user_id=t.user_id, cause="rescreen", what="turn", target=t.turn_id, session_id=t.session_id,
                expected=t.revision, sealed=AmendmentBody(record=new), **fields,
            )  # fmt: skip
        who = self._who()
        if u is None or u.user_id is None or u.op == "delete" or self._rng.random() < 0.3:
            name = f"{who}-{self._rng.randrange(3)}"
            return topics.TURNS, Amendment(
                user_id=who, cause="rescreen", what="session", target=name, session_id=name, **fields
            )
        record = u.model_copy(update={"sealed": u.sealed.model_copy(update={"text": "[masked]"})})
        as_json = record.model_dump(mode="json", exclude={"sealed": {"embedding", "terms"}})
        return topics.LEDGER, Amendment(
            user_id=u.user_id, cause="rescreen", what="memory", target=u.record_id, version=u.version,
            expected=u.revision, sealed=AmendmentBody(record=as_json), **fields,
        )  # fmt: skip

    def _project(self) -> Piped:
        rng = self._rng
        fields: dict[str, Any] = {"command": rng.choice(("put_hot", "put_hot", "delete_hot", "report", "rescreen"))}
        if fields["command"] != "report":
            key = rng.choice(("enrollment_target", "enrolled_count", "street"))
            fields |= {"hot_type": "status" if key == "enrolled_count" else "meta", "key": key}
        if fields["command"] == "put_hot":
            fields |= {"user_id": self._who(), "sealed": ProjectCommandBody(value=100 + self._n)}
        return topics.PROJECT_EVENTS, ProjectCommand(
            tenant="acme", project_id="trial-7", command_id=self._id("p"), accepted_at=self.driver.now, **fields
        )

    def _document(self) -> Piped:
        removed = self._rng.random() < 0.2
        text = f"# Rules\n\n## One\n\nThe rule {self._n % 3} holds.\n\n## Two\n\nYes."
        body = DocumentBody(title="Rules", markdown=text)
        return topics.DOCUMENTS, Document(
            tenant="acme", document_id="rules", version=f"v{self._rng.randrange(4)}", accepted_at=self.driver.now,
            op="delete" if removed else "put", sealed=DocumentBody() if removed else body,
        )  # fmt: skip

    _others = (
        _same_turn, _told_anew, _told_anew, _session_command, _session_command, _memory_command, _memory_command,
        _given, _feedback, _amendment, _project, _document,
    )  # fmt: skip

    def _erasure(self, scope: Any) -> Piped:
        who = self._who()
        return topics.TURNS, Erasure(
            tenant="acme", erasure_id=self._id("e"), scope=scope, user_id=who, accepted_at=self.driver.now,
            session_id=f"{who}-0" if scope == "session" else None,
        )  # fmt: skip

    def _answers(self) -> Iterator[Piped]:
        """Of two jobs out of three, some of them late: the others come never."""
        for job in (e for e in self.driver.read(topics.JOBS) if isinstance(e, Job)):
            if job.job_id in self._answered or self._rng.random() < 0.4:
                continue
            self._answered.add(job.job_id)
            if self._rng.random() < 0.66 and (found := self._answer(job)) is not None:
                yield found

    def _answer(self, job: Job) -> Piped | None:
        fields: dict[str, Any] = {"tenant": "acme", "job_id": job.job_id, "accepted_at": self.driver.now}
        status: Any = self._rng.choice(("done", "done", "failed"))
        payload = job.sealed.payload
        match job.job:
            case "checkpoint":
                return topics.TURNS, CheckpointResult(
                    user_id=job.owner_id, session_id=job.session_id or "", segment=payload["segment"],
                    last_turn_id=payload["last_turn_id"], recent_turns=payload["recent_turns"], status=status,
                    extractive=False, model="m", asked_at=job.accepted_at,
                    sealed=CheckpointResultBody(summary="What was said."), **fields,
                )  # fmt: skip
            case "narrative":
                body = JobResultBody(result={"narrative": "Lives somewhere."})
                return topics.LEDGER, JobResult(
                    user_id=job.owner_id, job="narrative", status=status, model="m", asked_at=job.accepted_at,
                    sealed=body, **fields,
                )  # fmt: skip
            case "report":
                return topics.PROJECT_EVENTS, ReportResult(
                    project_id=job.owner_id, week_start=payload["week_start"], status=status, model="m",
                    sealed=ReportResultBody(result={"summary": "A week."}), **fields,
                )  # fmt: skip
        return None


@pytest.fixture(scope="module")
def days(request: pytest.FixtureRequest) -> dict[int, dict[tuple[str, int], list[Message]]]:
    return {}


async def recorded(models: Models, days: dict[int, Any], seed: int) -> dict[tuple[str, int], list[Message]]:
    if seed not in days:
        days[seed] = await Days(models, seed).pass_by(85)
    return days[seed]  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["screen", "extract", "gate", "session", "project", "chunk"])
async def test_n1_months_are_decided_alike_however_they_are_batched_and_cached(
    models: Models, days: dict[int, Any], name: str, seed: int
) -> None:
    logs = await recorded(models, days, seed)
    want = await outcome(models, name, logs, 1, forgets=True, ask_model=True)
    assert len(want) >= 20, "the talk gives this step something to do"
    for batch, forgets in ((1, False), (7, True), (64, True), (64, False)):
        have = await outcome(models, name, logs, batch, forgets=forgets, ask_model=True)
        assert sorted(map(str, have)) == sorted(map(str, want)), f"batches of {batch}, {forgets}"
        assert [k for k in want if want[k] != have[k]] == [], f"batches of {batch}, {forgets}"
