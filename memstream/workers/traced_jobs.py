"""Model work with spans around it, used where tracing is configured: a span a job, and gen_ai spans below it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from inference.protocols import Completion, LanguageModel
from memstream.workers.jobs import GROUP, JobsWorker
from memstream.workers.traced import messaging, now
from schemas.log.tracing import Span, Spans, TraceContext, Value, context_of
from sinks.protocol import Message

_job: ContextVar[TraceContext | None] = ContextVar("job", default=None)


class TracedJobs(JobsWorker):
    """A span a job; calls of the model stand below it."""

    def __init__(self, spans: Spans, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.spans = spans

    async def _one(self, m: Message) -> None:
        parent = context_of(m.headers)
        if parent is None:
            await super()._one(m)
            return
        context, started = parent.child(os.urandom), now()
        token = _job.set(context)
        try:
            await super()._one(m)
        finally:
            _job.reset(token)
            about = messaging(
                "process", m.topic, m.partition,
                {"messaging.kafka.offset": m.offset, "messaging.consumer.group.name": GROUP,
                   "memstream.step": "jobs"},
            )  # fmt: skip
            self.spans.export([Span(f"process {m.topic}", "consumer", context, parent, started, now(), about)])


class TracedModel:
    """A `LanguageModel` with gen_ai spans: tokens and model, never messages."""

    def __init__(self, model: LanguageModel, name: str, spans: Spans) -> None:
        self._model, self._name, self._spans = model, name, spans

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def complete(
        self, messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any], max_tokens: int,
        temperature: float = 0.0,
    ) -> Completion:  # fmt: skip
        parent, started = _job.get(), now()
        about: dict[str, Value] = {
            "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": self._name,
            "gen_ai.request.max_tokens": max_tokens, "gen_ai.request.temperature": temperature,
        }  # fmt: skip
        error: str | None = None
        try:
            answer = await self._model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
            about |= {
                "gen_ai.response.model": answer.model, "gen_ai.usage.input_tokens": answer.prompt_tokens,
                "gen_ai.usage.output_tokens": answer.completion_tokens,
            }  # fmt: skip
            return answer
        except Exception as exc:
            error = type(exc).__name__
            raise
        finally:
            if parent is not None:
                context = parent.child(os.urandom)
                span = Span(f"chat {self._name}", "client", context, parent, started, now(), about, error)
                self._spans.export([span])
