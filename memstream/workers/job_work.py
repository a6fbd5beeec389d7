"""What a job becomes: the answer of a language model where one is configured and answers in time, else what is there
without one.

Results are a function of the job, so that a job that is run twice says the same id twice: the gate counts an extraction
once a turn and extractor, the session step takes a summary once a segment.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TypeVar, cast

import orjson
from pydantic import ValidationError

from inference.openai_compatible import Away, Malformed
from inference.prompts import prompt
from inference.protocols import Completion, LanguageModel
from memstream.workers.asking import UNUSABLE_TRIES, Asking, Bounds, GaveUp, Sleep
from memstream.workers.prose_work import Prose
from processors.language.summarize import Contribution, Role, summarise
from processors.ports import Models, ProfileBook
from processors.reader.pending_extraction import HeldTurn
from processors.reader.rules import model as by_model
from processors.reader.rules.protocol import Extractor, Reading
from processors.reader.secrets import without_refused
from processors.reader.step import encode, extraction, is_read, reply_of, teaches, turn_of
from processors.step import Emit
from schemas.base import JsonObject
from schemas.events.documents import Job
from schemas.events.memory import Candidate, JobResult, JobResultBody
from schemas.events.turns import CheckpointResult, CheckpointResultBody
from schemas.log import topics
from schemas.profile.model import Profile

T = TypeVar("T")
Compute = Callable[[Callable[[], Any]], Awaitable[Any]]
MAX_TOKENS = 1_000
"""Of an answer (B7)."""
CHECKPOINT_DELAYS = (1.0, 2.0, 3.0)
"""Seconds before each of the three retries of a summary (E3)."""
SUMMARY_BUCKETS = (50, 100, 200, 400, 700, 1_000)
"""Tokens."""
_SUMMARY_SCHEMA: JsonObject = {
    "type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"],
    "additionalProperties": False,
}  # fmt: skip


def _now() -> datetime:
    return datetime.now(UTC)


class UnknownJob(ValueError):  # noqa: N818 - it names an outcome
    """A job that nobody here can do: it becomes a dead letter. The message names the field, never content."""


class Observer(Protocol):
    def outcome(self, step: str, word: str, count: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What jobs are done with. `llm` None: no model is configured. `compute` runs the encoder off the event loop."""

    models: Models
    book: ProfileBook
    extractor: Extractor
    llm: LanguageModel | None
    compute: Compute
    observer: Observer
    sleep: Sleep = asyncio.sleep
    jitter: Callable[[], float] = random.random
    bounds: Bounds = field(default_factory=Bounds)
    clock: Callable[[], datetime] = _now


class JobWork:
    """Runs one job to its results. Calls may overlap."""

    STAGE = "jobs"

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._asking = Asking(parts.bounds, parts.sleep, parts.jitter, parts.clock, self._count)
        self._prose = Prose(parts.llm, self._complete, self._asking)

    async def run(self, job: Job) -> list[Emit]:
        """Returns what is to be sent. An endpoint that is away is asked again within the bounds (B7); a summary has
        tries of its own (E3). Raises UnknownJob."""
        try:
            match job.job:
                case "extraction":
                    return await self._extraction(job)
                case "checkpoint":
                    return await self._checkpoint(job)
                case "narrative":
                    return await self._prose.narrative(job)
                case "report":
                    return await self._prose.report(job)
        except (KeyError, TypeError, ValidationError) as exc:
            raise UnknownJob(f"payload: not of a job of this kind ({type(exc).__name__})") from None
        raise UnknownJob("job: expected extraction, checkpoint, narrative or report")

    # -- extraction

    async def _extraction(self, job: Job) -> list[Emit]:
        """The model's reading of a turn that the rules have read; without candidates and with the reason where it gave
        up (docs/decisions/2026-11-28-model-refines.md)."""
        held = HeldTurn(turn_of(job), reply_of(job))
        before = [] if is_read(job) else [await self._by_rules(held)]
        candidates: list[Candidate] = []
        reason = model = prompt_hash = None
        try:
            candidates, model, prompt_hash = await self._ask_of_turn(held, job.accepted_at)
            candidates = await self._without_refused(held, candidates)
        except GaveUp as exc:
            reason = exc.reason
            await self._of_now(held)
        [encoded] = await self._parts.compute(lambda: encode([candidates], self._parts.models))
        name, version, embedder = by_model.NAME, by_model.VERSION, self._parts.models.embedder.model_id
        event = extraction(
            held.turn, encoded, name, version, embedder, model=model, prompt_hash=prompt_hash, reason=reason
        )
        self._count("extraction")
        return [*before, Emit(topics.LEDGER, event)]

    async def _without_refused(self, held: HeldTurn, candidates: list[Candidate]) -> list[Candidate]:
        """Without statements that give what policy refuses: the turn was screened, what a model makes of it was not."""
        parts, tenant = self._parts, held.turn.tenant
        kept: list[Candidate] = await parts.compute(
            lambda: without_refused(candidates, tenant, parts.models, parts.book)
        )
        if len(kept) < len(candidates):
            self._count("dropped_secret", len(candidates) - len(kept))
        return kept

    async def _by_rules(self, held: HeldTurn) -> Emit:
        """Of a job that was asked for before the rules read every turn."""
        extractor, profile, found = self._parts.extractor, await self._of_now(held), Reading([])
        if teaches(held.turn):
            found = await self._parts.compute(lambda: extractor.read(held.view(profile), profile))
        [encoded] = await self._parts.compute(lambda: encode([found.candidates], self._parts.models))
        name, version, embedder = extractor.name, extractor.version, self._parts.models.embedder.model_id
        read = extraction(
            held.turn, encoded, name, version, embedder, model_asked=True, dropped=found.dropped
        )
        return Emit(topics.LEDGER, read)

    async def _of_now(self, held: HeldTurn) -> Profile:
        """The profile of now, and `held` under its policy: it may have waited for days."""
        while not held.is_under(profile := self._parts.book.of(held.turn.tenant)):
            await self._parts.compute(lambda: held.screen(self._parts.models, self._parts.book))
            self._count("screened_again")
        return profile

    async def _ask_of_turn(
        self, held: HeldTurn, since: datetime
    ) -> tuple[list[Candidate], str | None, str | None]:
        """Under the policy that still holds when the answer is in. Raises GaveUp."""
        llm = self._parts.llm
        if llm is None:
            self._asking.gave_up("no_model")
            raise GaveUp("no_model")
        while True:
            found = await self._asking.patiently(lambda: self._asked_once(llm, held), since)
            if held.is_under(self._parts.book.of(held.turn.tenant)):
                return found

    async def _asked_once(
        self, llm: LanguageModel, held: HeldTurn
    ) -> tuple[list[Candidate], str | None, str | None]:
        profile = await self._of_now(held)
        if not teaches(held.turn):
            return [], None, None
        view = held.view(profile)
        language: Literal["en", "zh"] = "zh" if view.language == "zh" else "en"
        system, prompt_hash = prompt("extraction", language).filled(**by_model.catalogue(profile, language))
        messages = [{"role": "system", "content": system}, {"role": "user", "content": by_model.question(view)}]

        def read(answer: Completion) -> list[Candidate]:
            try:
                found, dropped = by_model.read_answer(answer.text, view, profile)
            except by_model.NotAnAnswer:
                raise Malformed("not_of_the_form") from None
            for why, count in dropped.items():
                self._count(f"dropped_{why}", count)
            return found

        schema = by_model.schema(profile)
        found, answer = await self._complete(llm, messages, schema, MAX_TOKENS, read)
        return found, answer.model, prompt_hash

    # -- checkpoint

    async def _checkpoint(self, job: Job) -> list[Emit]:
        p = job.sealed.payload
        if job.session_id is None:
            raise UnknownJob("session_id: expected an id")
        made = await self._summary(job, p)
        result = CheckpointResult(
            tenant=job.tenant, user_id=job.owner_id, session_id=job.session_id, segment=p["segment"],
            last_turn_id=p["last_turn_id"], recent_turns=p["recent_turns"], asked_at=job.accepted_at,
            status="done" if made.text else "failed",
            extractive=made.model is None, job_id=job.job_id, model=made.model,
            sealed=CheckpointResultBody(summary=made.text),
        )  # fmt: skip
        self._count(f"checkpoint_{result.status}")
        if made.text:
            self._count_length(job, made.text)
        kept = {"session_id": job.session_id, "segment": p["segment"], "last_turn_id": p["last_turn_id"]}
        record = JobResult(
            tenant=job.tenant, user_id=job.owner_id, job_id=job.job_id, job=job.job, status=result.status,
            session_id=job.session_id, asked_at=job.accepted_at, model=made.model,
            prompt_hash=made.prompt_hash, reason=made.reason,
            sealed=JobResultBody(result={**kept, "summary": made.text}),
        )  # fmt: skip
        return [Emit(topics.TURNS, result), Emit(topics.LEDGER, record)]

    async def _summary(self, job: Job, p: Mapping[str, Any]) -> _Made:
        """One try and three retries; what is refused or malformed three times is extracted instead (E3, B7)."""
        llm, malformed, reason = self._parts.llm, 0, None
        if llm is None:
            return await self._extract_summary(job, p, "no_model")
        for delay in (*CHECKPOINT_DELAYS, None):
            try:
                return await self._ask_for_summary(llm, job, p)
            except Malformed as exc:
                malformed, reason = malformed + 1, exc.reason
                if malformed == UNUSABLE_TRIES:
                    return await self._extract_summary(job, p, exc.reason)
            except Away:
                reason = "away"
                self._count("away")
            if delay is not None:
                await self._parts.sleep(delay)
        return _Made("", None, None, reason)

    async def _ask_for_summary(self, llm: LanguageModel, job: Job, p: Mapping[str, Any]) -> _Made:
        language, limit = _language(p), int(p["max_tokens"])
        system, prompt_hash = prompt("summary", language).filled(tokens=str(limit))
        turns = [{k: v for k, v in t.items() if v} for t in p["turns"]]
        payload = orjson.dumps({"SUMMARY": p["summary"], "CONVERSATION": turns}).decode()
        messages = [{"role": "system", "content": system}, {"role": "user", "content": payload}]

        def read(answer: Completion) -> str:
            value = orjson.loads(answer.text)
            text = value.get("summary") if isinstance(value, dict) else None
            if not isinstance(text, str) or not text.strip():
                raise Malformed("not_of_the_form")
            return text.replace("\x00", "").strip()

        # JSON around the text, and models count otherwise: room, up to the bound of every answer.
        room = min(MAX_TOKENS, 2 * limit + 50)
        text, answer = await self._complete(llm, messages, _SUMMARY_SCHEMA, room, read)
        counter = self._parts.models.counter(self._parts.book.of(job.tenant).encoding)
        return _Made(counter.truncate(text, limit), answer.model, prompt_hash, None)

    async def _extract_summary(self, job: Job, p: Mapping[str, Any], reason: str) -> _Made:
        models, language = self._parts.models, _language(p)
        counter = models.counter(self._parts.book.of(job.tenant).encoding)
        contributions = [Contribution(p["summary"], "summary")] if p["summary"] else []
        contributions += [Contribution(t["content"], cast(Role, t["role"]), t.get("speaker")) for t in p["turns"]]
        text = await self._parts.compute(
            lambda: summarise(contributions, models.embedder.embed, counter.count, int(p["max_tokens"]), language)
        )
        self._count("checkpoint_extractive")
        return _Made(text, None, None, reason)

    # -- the model

    async def _complete(
        self, llm: LanguageModel, messages: Sequence[Mapping[str, str]], schema: JsonObject, max_tokens: int,
        read: Callable[[Completion], T],
    ) -> tuple[T, Completion]:  # fmt: skip
        """One call, counted. Raises Away, Malformed."""
        try:
            answer = await llm.complete(messages, schema=schema, max_tokens=max_tokens)
            self._count("model_calls")
            self._count("prompt_tokens", answer.prompt_tokens)
            self._count("completion_tokens", answer.completion_tokens)
            return read(answer), answer
        except Malformed as exc:
            self._count("prompt_tokens", exc.prompt_tokens)
            self._count("completion_tokens", exc.completion_tokens)
            self._count(f"malformed_{exc.reason}")
            raise

    def _count_length(self, job: Job, summary: str) -> None:
        """The distribution of summary lengths as cumulative buckets (E7)."""
        tokens = self._parts.models.counter(self._parts.book.of(job.tenant).encoding).count(summary)
        self._count("summary_tokens", tokens)
        for bound in SUMMARY_BUCKETS:
            if tokens <= bound:
                self._count(f"summary_tokens_le_{bound}")

    def _count(self, word: str, count: int = 1) -> None:
        if count:
            self._parts.observer.outcome(self.STAGE, word, count)


@dataclass(frozen=True, slots=True)
class _Made:
    """A summary, empty when there is none. `model` None: extracted. `reason`: why not by a model, or why not at all."""

    text: str
    model: str | None
    prompt_hash: str | None
    reason: str | None


def _language(p: Mapping[str, Any]) -> Literal["en", "zh"]:
    return "zh" if p["language"] == "zh" else "en"
