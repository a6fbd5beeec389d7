"""The hops with spans around them, used where tracing is configured and nowhere else: the plain classes pay nothing.

Names and attributes follow OpenTelemetry's conventions for messaging, HTTP, databases and gen_ai. A record's spans are
children of the span that produced it (its creation context), so a turn's way stands in one trace in the order of time.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

from query.producer import Log, Outgoing
from schemas.log.tracing import TRACEPARENT, Span, Spans, TraceContext, Value, begin, context_of, parse
from sinks.protocol import Item, Message, SinkBatch
from sinks.worker import Worker
from streams.batch import Message as StepMessage
from streams.runner import StepRunner, Upcoming, nothing
from streams.topology import group_of

now = time.time_ns
UNTRACED = ("/livez", "/readyz", "/metrics", "/ops/panels", "/ops/series")


def messaging(operation: str, topic: str, partition: int, more: Mapping[str, Value]) -> dict[str, Value]:
    return {
        "messaging.system": "kafka",
        "messaging.operation.name": operation,
        "messaging.operation.type": operation,
        "messaging.destination.name": topic,
        "messaging.destination.partition.id": str(partition),
        **more,
    }


class TracedRunner(StepRunner):
    """A span for each record that carries a trace; all records of a batch are worked on together."""

    def __init__(self, spans: Spans, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.spans = spans

    async def process(self, messages: Sequence[StepMessage], ahead: Upcoming = nothing) -> None:
        started = now()
        await super().process(messages, ahead)
        ended, name = now(), self.step.name
        out = []
        for m in messages:
            parent = context_of(m.headers)
            if parent is not None:
                about = messaging(
                    "process", m.topic, m.partition,
                    {"messaging.kafka.offset": m.offset, "messaging.consumer.group.name": group_of(name),
                       "messaging.batch.message_count": len(messages), "memstream.step": name},
                )  # fmt: skip
                context = parent.child(os.urandom)
                out.append(Span(f"process {m.topic}", "consumer", context, parent, started, ended, about))
        if out:
            self.spans.export(out)


class TracedWorker(Worker):
    """A sink's loop that says when each traced record became readable in its store."""

    def __init__(self, spans: Spans, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.spans = spans

    def _write(self, batch: SinkBatch) -> int:
        started = now()
        refused = super()._write(batch)
        ended, store, out = now(), self._sink.name, []
        for m in _messages(batch.items):
            parent = context_of(m.headers)
            if parent is not None:
                about = messaging(
                    "process", m.topic, m.partition,
                    {"messaging.kafka.offset": m.offset, "db.system.name": _DB.get(store, store),
                       "db.operation.name": "upsert", "db.operation.batch.size": len(batch.items),
                       "memstream.step": self.step_name},
                )  # fmt: skip
                context = parent.child(os.urandom)
                out.append(Span(f"store {store}", "consumer", context, parent, started, ended, about))
        if out:
            self.spans.export(out)
        return refused


_DB = {"postgres": "postgresql"}


def _messages(items: Iterable[Item]) -> Iterable[Message]:
    for item in items:
        yield item.message
        yield from (older.message for older in item.older)


class TracedLog:
    """A `Log` whose records carry the context of the span that sent them."""

    def __init__(self, log: Log, spans: Spans) -> None:
        self._log, self._spans = log, spans

    async def send(self, records: Sequence[Outgoing]) -> list[int | None]:
        started = now()
        found = [_own(r) for r in records]
        offsets = await self._log.send([r for r, _, _ in found])
        ended = now()
        self._spans.export(
            [
                Span(
                    f"send {r.topic}", "producer", context, parent, started, ended,
                    messaging("send", r.topic, r.partition, _offset(offset)), "broker" if offset is None else None,
                )
                for (r, context, parent), offset in zip(found, offsets, strict=True)
                if context is not None
            ]
        )  # fmt: skip
        return offsets

    def close(self) -> None:
        self._log.close()


def _own(record: Outgoing) -> tuple[Outgoing, TraceContext | None, TraceContext | None]:
    parent = context_of(record.headers)
    if parent is None:
        return record, None, None
    context = parent.child(os.urandom)
    headers = [(k, str(context).encode() if k == TRACEPARENT else v) for k, v in record.headers]
    return replace(record, headers=headers), context, parent


def _offset(offset: int | None) -> dict[str, Value]:
    return {} if offset is None else {"messaging.kafka.offset": offset}


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class TracedRequests:
    """ASGI middleware: a server span a request, by route pattern. What the request writes carries its context on.

    A caller's own context is followed; without one a trace begins here, for a share of the requests.
    """

    def __init__(
        self, app: Callable[[Scope, Receive, Send], Awaitable[None]], spans: Spans, share: float,
        chance: Callable[[], float] = random.random,
    ) -> None:  # fmt: skip
        self._app, self._spans, self._share, self._chance = app, spans, share, chance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UNTRACED:
            await self._app(scope, receive, send)
            return
        given = next((v for k, v in scope["headers"] if k == TRACEPARENT.encode()), b"")
        parent = parse(given.decode("ascii", "replace"))
        context = parent.child(os.urandom) if parent else begin(os.urandom, self._chance() < self._share)
        kept = [(k, v) for k, v in scope["headers"] if k != TRACEPARENT.encode()]
        scope = {**scope, "headers": [*kept, (TRACEPARENT.encode(), str(context).encode())]}
        started, status = now(), 500
        fresh: str | None = None

        async def noting(message: MutableMapping[str, Any]) -> None:
            nonlocal status, fresh
            if message["type"] == "http.response.start":
                status = message["status"]
                fresh = next((v.decode() for k, v in message["headers"] if k.lower() == b"memstream-fresh"), None)
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            if context.sampled:
                self._spans.export([_request(scope, context, parent, started, status, fresh)])


def _request(
    scope: Scope, context: TraceContext, parent: TraceContext | None, started: int, status: int, fresh: str | None
) -> Span:
    route = getattr(scope.get("route"), "path", "unknown")
    about: dict[str, Value] = {
        "http.request.method": scope["method"], "http.route": route, "http.response.status_code": status,
    }  # fmt: skip
    if fresh is not None:
        about["memstream.fresh"] = fresh == "true"
    error = str(status) if status >= 500 else None
    return Span(f"{scope['method']} {route}", "server", context, parent, started, now(), about, error)
