"""Jobs and what runs them, for tests: real models and real HTTP, time that does not pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from inference.openai_compatible import EndpointConfig, OpenAiCompatible
from memstream.workers.asking import Bounds
from memstream.workers.job_work import JobWork, Parts
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from processors.reader.step import extraction_job
from schemas.events.documents import Job, JobBody
from schemas.events.turns import ScreenedBody, ScreenedTurn
from schemas.log.owner import OwnerKind
from schemas.profile.model import load_profile
from tests.endpoint import Scripted, serving

AT = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
STATEMENTS: dict[str, Any] = {"en": "I am 32 and I live in Lisbon.", "zh": "我今年32岁，住在杭州。"}


class Seen:
    """Counts of outcomes."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def outcome(self, step: str, word: str, count: int) -> None:
        self.counts[word] += count


class Time:
    """Sleeps take no time, are written down, and move the clock on."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.then: Callable[[int], None] = lambda times: None
        self.now = AT

    def clock(self) -> datetime:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += timedelta(seconds=seconds)
        self.then(len(self.slept))


async def inline(call: Callable[[], Any]) -> Any:
    return call()


@asynccontextmanager
async def working(
    models: Models, endpoint: Scripted | None, seen: Seen | None = None, time: Time | None = None,
    book: ProfileBook | None = None, bounds: Bounds | None = None, patience: float = 5,
) -> AsyncIterator[JobWork]:  # fmt: skip
    """Work over the endpoint, or without a model. `patience`: seconds for one answer."""
    book = book or ProfileBook(load_profile("general"))
    seen, time = seen or Seen(), time or Time()

    def work(llm: OpenAiCompatible | None) -> JobWork:
        parts = Parts(
            models, book, RuleExtractor(), llm, inline, seen, time.sleep, lambda: 1.0, bounds or Bounds(), time.clock
        )
        return JobWork(parts)

    if endpoint is None:
        yield work(None)
        return
    async with serving(endpoint):
        llm = OpenAiCompatible(EndpointConfig(endpoint.url, "m", "sk-secret", timeout=patience, tries=1))
        yield work(llm)
        await llm.close()


def turn(language: Any = "en", **changes: Any) -> ScreenedTurn:
    body = ScreenedBody(content=STATEMENTS[language], previous=(("assistant", "Hello!"),))
    t = ScreenedTurn(
        tenant="acme", user_id="ann", session_id="s1", turn_id="t1", role="user", occurred_at=AT, accepted_at=AT,
        expires_at=AT, language=language, tokens=9, content_hash="h", profile="general", profile_version=1,
        interaction_id="i1", sealed=body,
    )  # fmt: skip
    return t.model_copy(update=changes)


def extraction_of(language: str = "en", **changes: Any) -> Job:
    return extraction_job(turn(language, **changes), "extract")


def checkpoint(language: str = "en", **payload: Any) -> Job:
    fields: dict[str, Any] = {
        "segment": 3, "last_turn_id": "t9", "recent_turns": 8, "language": language, "max_tokens": 60, "summary": "",
        "turns": [{"role": "user", "speaker": None, "content": STATEMENTS[language]}],
    }  # fmt: skip
    return Job(
        tenant="acme", owner_kind=OwnerKind.USER, owner_id="ann", job_id="j1", job="checkpoint", asked_by="session",
        session_id="s1", profile="general", profile_version=1, accepted_at=AT,
        sealed=JobBody(payload={**fields, **payload}),
    )  # fmt: skip
