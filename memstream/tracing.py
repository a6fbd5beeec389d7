"""Spans to an OTLP endpoint by the OpenTelemetry SDK (extra `otel`); None where no endpoint is set."""

from __future__ import annotations

import atexit
import importlib
from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING

from memstream.settings import Settings
from schemas.log.tracing import Span, Spans, TraceContext

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import SpanContext


class TracingError(RuntimeError):
    """Tracing is configured and cannot run; the message says what to install or set."""


class OtelSpans:
    """`Spans` over a processor of the SDK, which batches and sends in a thread of its own."""

    def __init__(self, processor: SpanProcessor, service: str) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope
        from opentelemetry.trace import SpanKind

        version = metadata.version("memstream")
        self._processor, self._span, self._kinds = processor, ReadableSpan, SpanKind
        self._resource = Resource.create(
            {"service.name": "memstream", "service.instance.id": service, "service.version": version}
        )
        self._scope = InstrumentationScope("memstream", version)

    def export(self, spans: Sequence[Span]) -> None:
        from opentelemetry.trace import Status, StatusCode

        for s in spans:
            self._processor.on_end(
                self._span(
                    s.name,
                    context=_context(s.context),
                    parent=None if s.parent is None else _context(s.parent),
                    resource=self._resource,
                    attributes={**s.attributes, **({"error.type": s.error} if s.error else {})},
                    kind=self._kinds[s.kind.upper()],
                    status=Status(StatusCode.ERROR if s.error else StatusCode.UNSET),
                    start_time=s.start_ns,
                    end_time=s.end_ns,
                    instrumentation_scope=self._scope,
                )
            )

    def close(self) -> None:
        """Sends what waits."""
        self._processor.shutdown()


def _context(c: TraceContext) -> SpanContext:
    from opentelemetry.trace import SpanContext, TraceFlags

    return SpanContext(c.trace_id, c.span_id, is_remote=False, trace_flags=TraceFlags(int(c.sampled)))


def require_exporter() -> None:
    """Raises TracingError where the extra is not installed."""
    try:
        for module in ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry.sdk.trace.export"):
            importlib.import_module(module)
    except ImportError:
        raise TracingError(
            "MEMSTREAM_OTLP_ENDPOINT is set and OpenTelemetry is not installed: pip install 'memstream[otel]'"
        ) from None


def spans_of(settings: Settings, service: str) -> Spans | None:
    """None where MEMSTREAM_OTLP_ENDPOINT is empty. Raises TracingError where the extra is not installed."""
    if not settings.otlp_endpoint:
        return None
    require_exporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    endpoint = settings.otlp_endpoint.rstrip("/") + "/v1/traces"
    spans = OtelSpans(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)), settings.instance or service)
    atexit.register(spans.close)
    return spans
