"""One trace from the request that wrote a turn through every hop; nothing of it where tracing is off."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from inference.protocols import Completion
from memstream.settings import Settings
from memstream.tracing import OtelSpans, spans_of
from memstream.workers.traced import TracedLog, TracedRequests, TracedRunner, TracedWorker
from memstream.workers.traced_jobs import TracedModel, _job
from query.producer import Outgoing
from schemas.log import owner, topics
from schemas.log.codec import Codec, header
from schemas.log.tracing import Span, TraceContext, begin, context_of, parse
from sinks.protocol import Item, Message, SinkBatch
from streams.driver import MemoryLog as TopicLog
from streams.driver import inline
from streams.runner import Message as StepMessage
from streams.runner import RunnerConfig
from streams.state.memory import MemoryStateStore
from tests.unit.query.memory_log import MemoryLog
from tests.unit.streams.toy import START, Counter, turn

HOME = owner.partition(owner.user("acme", "ann"), 8)
GIVEN = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Kept:
    def __init__(self) -> None:
        self.spans: list[Span] = []

    def export(self, spans: Sequence[Span]) -> None:
        self.spans.extend(spans)


def rng(size: int) -> bytes:
    return random.Random(7).randbytes(size)


@pytest.mark.parametrize(
    "bad",
    [None, "", "nonsense", GIVEN[:-1], GIVEN.replace("4bf9", "zzzz"), f"00-{'0' * 32}-00f067aa0ba902b7-01",
     f"00-4bf92f3577b34da6a3ce929d0e0e4736-{'0' * 16}-01"],
)  # fmt: skip
def test_what_is_no_trace_context_is_none(bad: str | None) -> None:
    assert parse(bad) is None


def test_a_context_goes_round_and_has_children() -> None:
    context = parse(GIVEN)
    assert context is not None
    assert str(context) == GIVEN
    child = context.child(rng)
    assert child.trace_id == context.trace_id
    assert child.span_id != context.span_id
    assert context_of([("traceparent", GIVEN.encode())]) == context
    assert context_of([("traceparent", GIVEN[:-1].encode() + b"0")]) is None, "not sampled"


async def request(spans: Kept, headers: list[tuple[bytes, bytes]], share: float = 1.0, path: str = "/v1/turns") -> Any:
    seen: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen["traceparent"] = next((v for k, v in scope["headers"] if k == b"traceparent"), None)
        await send({"type": "http.response.start", "status": 202, "headers": [(b"memstream-fresh", b"true")]})

    async def send(message: Any) -> None:
        seen["status"] = message["status"]

    traced = TracedRequests(app, spans, share, chance=lambda: 0.5)
    await traced({"type": "http", "path": path, "method": "POST", "headers": headers}, None, send)  # type: ignore[arg-type]
    return seen


async def test_a_request_follows_its_callers_trace_or_begins_one() -> None:
    spans = Kept()
    seen = await request(spans, [(b"traceparent", GIVEN.encode())])
    (span,) = spans.spans
    assert span.parent == parse(GIVEN)
    assert seen["traceparent"] == str(span.context).encode()
    assert span.attributes["http.response.status_code"] == 202
    assert span.attributes["memstream.fresh"] is True
    await request(spans, [], share=0.6)
    assert spans.spans[1].parent is None
    unsampled = await request(spans, [], share=0.4)
    assert unsampled["traceparent"].endswith(b"-00")
    await request(spans, [], path="/livez")
    assert len(spans.spans) == 2


async def test_a_turn_is_one_trace_through_every_hop() -> None:
    """Sent, processed by a step, stored by a sink: children of the span that sent it, and nobody's id in them."""
    spans, sent = Kept(), MemoryLog()
    event = turn("I live in Leeds, call 555 0199")
    encoded = Codec().encode(event, "client", "1", [("traceparent", GIVEN.encode())])
    record = Outgoing(topics.TURNS.name, HOME, encoded.key, encoded.value, encoded.headers)
    await TracedLog(sent, spans).send([record])
    (out,) = sent.records
    log = TopicLog(lambda: START)
    runner = TracedRunner(
        spans, Counter(), MemoryStateStore(), log, Codec(), RunnerConfig(8), compute=inline
    )  # fmt: skip
    stamp = int(START.timestamp() * 1000)
    await runner.process([StepMessage(out.topic, HOME, 0, out.key, out.value, out.headers, stamp)])
    (state,) = list(log.partitions[topics.SESSION_STATE.name, HOME])
    worker = TracedWorker.__new__(TracedWorker)
    written = _write(worker, spans, state)
    send, process, store = spans.spans
    assert written == 1
    names = [s.name for s in spans.spans]
    assert names == ["send conversation.turns.v1", "process conversation.turns.v1", "store redis"]
    assert send.parent == parse(GIVEN)
    assert process.parent == store.parent == send.context
    assert {s.context.trace_id for s in spans.spans} == {send.context.trace_id}
    assert process.attributes["messaging.system"] == "kafka"
    assert process.attributes["messaging.consumer.group.name"] == "memstream-counter"
    assert store.attributes["db.operation.batch.size"] == 1
    result = repr([(s.name, s.attributes, s.error) for s in spans.spans])  # ids and times have any digits
    for secret in ("ann", "Leeds", "0199", "acme"):
        assert secret not in result


def _write(worker: Any, spans: Kept, m: StepMessage) -> int:
    """The sink's loop at its one write."""
    event = Codec().decode(m.topic, m.value)

    class Store:
        name = "redis"

        def write(self, batch: SinkBatch) -> int:
            return len(batch.items)

    worker.spans, worker._sink, worker.step_name = spans, Store(), "sink-redis"
    worker._attempt = worker._sink.write
    message = Message(m.topic, m.partition, m.offset, m.key, m.value, m.headers, m.timestamp_ms)
    return int(worker._write(SinkBatch([Item(event, message)])))


async def test_records_without_a_trace_cost_no_span() -> None:
    spans, sent = Kept(), MemoryLog()
    encoded = Codec().encode(turn("hello"), "client", "1")
    await TracedLog(sent, spans).send([Outgoing(topics.TURNS.name, HOME, b"k", encoded.value, encoded.headers)])
    assert spans.spans == []
    assert header(sent.records[0].headers, "traceparent") is None


class Model:
    async def complete(self, messages: Any, *, schema: Any, max_tokens: int, temperature: float = 0.0) -> Completion:
        if schema.get("fail"):
            raise RuntimeError("secret words")
        return Completion("{}", 120, 8, "model-x", "stop")


async def test_a_model_call_is_a_gen_ai_span_below_its_job() -> None:
    spans = Kept()
    model = TracedModel(Model(), "model", spans)
    await model.complete([{"role": "user", "content": "secret words"}], schema={}, max_tokens=10)
    assert spans.spans == [], "no job, no trace"
    parent = begin(rng)
    token = _job.set(parent)
    try:
        await model.complete([{"role": "user", "content": "secret words"}], schema={}, max_tokens=10)
        with pytest.raises(RuntimeError):
            await model.complete([], schema={"fail": 1}, max_tokens=10)
    finally:
        _job.reset(token)
    good, bad = spans.spans
    assert good.parent == parent
    assert good.attributes["gen_ai.usage.input_tokens"] == 120
    assert good.attributes["gen_ai.response.model"] == "model-x"
    assert bad.error == "RuntimeError"
    assert "secret" not in repr(spans.spans)


def test_spans_become_those_of_the_sdk() -> None:
    exporter = InMemorySpanExporter()
    otel = OtelSpans(SimpleSpanProcessor(exporter), "query")
    parent = begin(rng)
    context = TraceContext(parent.trace_id, 5)
    start = time.time_ns()
    otel.export([Span("chat m", "client", context, parent, start, start + 5, {"a": 1}, "Away")])
    span: ReadableSpan
    (span,) = exporter.get_finished_spans()
    assert (span.name, span.kind.name, span.start_time, span.end_time) == ("chat m", "CLIENT", start, start + 5)
    assert span.context is not None
    assert span.parent is not None
    assert (span.context.span_id, span.parent.span_id) == (5, parent.span_id)
    assert span.attributes == {"a": 1, "error.type": "Away"}
    assert span.status.status_code.name == "ERROR"
    assert span.resource.attributes["service.name"] == "memstream"
    otel.close()


def test_off_by_default() -> None:
    assert spans_of(Settings(otlp_endpoint=""), "query") is None
