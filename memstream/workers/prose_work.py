"""Narratives and weekly reports in a model's words (A6, B6). What comes back stands in the ledger of the user or of the
project, so that a replay calls nothing; without an answer the text by rules stands, and the ledger says why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import orjson

from inference.openai_compatible import Malformed
from inference.prompts import prompt
from inference.protocols import Completion, LanguageModel
from memstream.workers.asking import Asking, GaveUp
from processors.step import Emit
from schemas.base import JsonObject
from schemas.events.documents import Job, ReportResult, ReportResultBody
from schemas.events.memory import JobResult, JobResultBody
from schemas.log import topics

MAX_TOKENS = 1_000
"""Of an answer (B7)."""


class Complete(Protocol):
    """One call, counted. Raises Away, Malformed."""

    def __call__(
        self, llm: LanguageModel, messages: Sequence[Mapping[str, str]], schema: JsonObject, max_tokens: int,
        read: Callable[[Completion], str],
    ) -> Awaitable[tuple[str, Completion]]: ...  # fmt: skip


class Prose:
    """Runs a job to one text, or to the reason why there is none."""

    def __init__(self, llm: LanguageModel | None, complete: Complete, asking: Asking) -> None:
        self._llm = llm
        self._complete = complete
        self._asking = asking

    async def narrative(self, job: Job) -> list[Emit]:
        p = job.sealed.payload
        payload = {"STATEMENTS": p["statements"], "MISSING": p["missing"]}
        text, model, prompt_hash, reason = await self._ask(
            "narrative", job, payload, {"tokens": str(p["max_tokens"])}, "narrative"
        )
        result = JobResult(
            tenant=job.tenant, user_id=job.owner_id, job_id=job.job_id, job=job.job, asked_at=job.accepted_at,
            status="done" if text else "failed", model=model, prompt_hash=prompt_hash, reason=reason,
            sealed=JobResultBody(result={"narrative": text}),
        )  # fmt: skip
        return [Emit(topics.LEDGER, result)]

    async def report(self, job: Job) -> list[Emit]:
        p = job.sealed.payload
        payload = {
            "DECISIONS": p["decisions"], "TASKS": p["tasks"], "PROBLEMS": p["problems"], "CONVERSATION": p["turns"],
        }  # fmt: skip
        text, model, prompt_hash, reason = await self._ask(
            "report", job, payload, {"words": str(p["words"])}, "summary"
        )
        report_fields = {"summary": text, "revision": p["revision"], "prompt_hash": prompt_hash, "reason": reason}
        result = ReportResult(
            tenant=job.tenant, project_id=job.owner_id, job_id=job.job_id, week_start=p["week_start"],
            status="done" if text else "failed", model=model, sealed=ReportResultBody(result=report_fields),
        )  # fmt: skip
        return [Emit(topics.PROJECT_EVENTS, result)]

    async def _ask(
        self, task: Literal["narrative", "report"], job: Job, payload: Mapping[str, Any],
        parts: Mapping[str, str], key: str,
    ) -> tuple[str, str | None, str | None, str | None]:  # fmt: skip
        """Text, model, hash of the prompt, and why there is none."""
        llm = self._llm
        if llm is None:
            return "", None, None, "no_model"
        language: Literal["en", "zh"] = "zh" if job.sealed.payload["language"] == "zh" else "en"
        system, prompt_hash = prompt(task, language).filled(**parts)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": orjson.dumps(payload).decode()}]
        schema: JsonObject = {
            "type": "object", "properties": {key: {"type": "string"}}, "required": [key], "additionalProperties": False,
        }  # fmt: skip

        def read(answer: Completion) -> str:
            value = orjson.loads(answer.text)
            text = value.get(key) if isinstance(value, dict) else None
            if not isinstance(text, str) or not text.strip():
                raise Malformed("not_of_the_form")
            return text.replace("\x00", "").strip()

        try:
            text, answer = await self._asking.patiently(
                lambda: self._complete(llm, messages, schema, MAX_TOKENS, read), job.accepted_at
            )
        except GaveUp as exc:
            return "", None, prompt_hash, exc.reason
        return text, answer.model, prompt_hash, None
