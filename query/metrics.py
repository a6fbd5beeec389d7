"""The metrics of the query service, and those of the workers as they report them."""

from __future__ import annotations

import time
from collections import Counter as Counts
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from query import workers
from query.pipeline.state import Pipeline
from query.search.executor import request_begins
from query.workers import gauge, histogram
from schemas import metrics
from schemas.heartbeat import FRESHNESS_BUCKETS
from schemas.metrics import Metric

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.5, 5.0, 30.0)
_RATIOS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0, 1.5)


class Metrics:
    """One registry a service, so that tests do not meet."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._counter(metrics.HTTP_REQUESTS)
        self.seconds = self._histogram(metrics.HTTP_SECONDS, _SECONDS)
        self.produced = self._counter(metrics.PRODUCED)
        self.produce_failed = self._counter(metrics.PRODUCE_FAILED)
        self.accesses = self._counter(metrics.ACCESSES)
        self.limited = self._counter(metrics.LIMITED)
        self.degraded = self._counter(metrics.DEGRADED)
        self.unconfirmed = self._counter(metrics.UNCONFIRMED)
        self.fresh_wait = self._histogram(metrics.FRESH_WAIT, _SECONDS)
        self.stale = self._counter(metrics.STALE)
        self.token_ratio = self._histogram(metrics.TOKEN_RATIO, _RATIOS)
        self.session_seconds = self._histogram(metrics.SESSION_SECONDS, _SECONDS)
        self._scopes = Gauge(metrics.SCOPES.name, metrics.SCOPES.help, registry=self.registry)
        self._accesses = Gauge(
            metrics.ACCESSES_WAITING.name, metrics.ACCESSES_WAITING.help, registry=self.registry
        )
        self._documents = Gauge(metrics.SCOPE_DOCUMENTS.name, metrics.SCOPE_DOCUMENTS.help, registry=self.registry)

    def watch_scopes(self, size: Callable[[], tuple[int, int]]) -> None:
        """`size`: scopes and documents held."""
        self._scopes.set_function(lambda: size()[0])
        self._documents.set_function(lambda: size()[1])

    def watch_circuits(self, is_open: Callable[[], Mapping[str, bool]]) -> None:
        """`is_open`: store -> whether its circuit is."""
        self.registry.register(_CircuitCollector(is_open))

    def watch_accesses(self, waiting: Callable[[], int]) -> None:
        """`waiting`: access records not acknowledged yet."""
        self._accesses.set_function(waiting)

    def watch_pipeline(self, current: Callable[[], Pipeline | None]) -> None:
        """Export the last picture of the pipeline at each scrape."""
        self.registry.register(_PipelineCollector(current))

    def _counter(self, m: Metric) -> Counter:
        return Counter(m.name, m.help, m.labels, registry=self.registry)

    def _histogram(self, m: Metric, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(m.name, m.help, m.labels, buckets=buckets, registry=self.registry)


class _CircuitCollector(Collector):
    def __init__(self, is_open: Callable[[], Mapping[str, bool]]) -> None:
        self._is_open = is_open

    def collect(self) -> Iterable[Family]:
        yield gauge(metrics.CIRCUIT, (([store], float(now)) for store, now in sorted(self._is_open().items())))


class _PipelineCollector(Collector):
    def __init__(self, current: Callable[[], Pipeline | None]) -> None:
        self._current = current

    def collect(self) -> Iterable[Family]:
        pipeline = self._current()
        if pipeline is None:
            return
        yield from _lags(pipeline)
        yield gauge(
            metrics.STORE_UP, (([name], float(why is None)) for name, why in sorted(pipeline.stores.items()))
        )
        if pipeline.dead_letters is not None:
            yield gauge(
                metrics.DEAD_LETTERS,
                (([step, reason], float(n)) for (step, reason), n in sorted(pipeline.dead_letters.items())),
            )
        yield gauge(
            metrics.DECISIONS,
            (([gate, o], float(n)) for gate, counts in pipeline.outcomes.items() for o, n in counts.items()),
        )
        yield _freshness(pipeline)
        yield from workers.families({name: beat for name, (_, beat) in pipeline.heartbeats.items()})
        places = Counts(s.step for s in pipeline.stopped)
        yield gauge(metrics.STOPPED, (([g.name], float(places[g.name])) for g in pipeline.groups if g.kind == "step"))
        if pipeline.erasures is not None:
            pending, oldest = pipeline.erasures
            yield gauge(metrics.ERASURES, [([], float(pending))])
            yield gauge(metrics.ERASURE_AGE, [([], oldest)])


def _lags(pipeline: Pipeline) -> Iterable[Family]:
    yield gauge(metrics.LAG, (([g.name], float(g.lag)) for g in pipeline.groups))
    yield gauge(metrics.LAG_SECONDS, (([g.name], g.lag_seconds) for g in pipeline.groups))
    yield gauge(metrics.RATE, (([g.name], g.rate) for g in pipeline.groups))


def _freshness(pipeline: Pipeline) -> Family:
    family = histogram(metrics.FRESHNESS)
    bounds = [*(str(b) for b in FRESHNESS_BUCKETS), "+Inf"]
    for process, (_, beat) in sorted(pipeline.heartbeats.items()):
        for name, stats in sorted(beat.freshness.items()):
            store, _, topic = name.partition(":")
            buckets = [(bound, float(n)) for bound, n in zip(bounds, accumulate(stats.buckets), strict=True)]
            family.add_metric([process, store, topic], buckets, stats.total_seconds)
    return family


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Measured:
    """ASGI middleware: counts and times requests by route pattern, never by path, and says when each began."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500
        request_begins()

        async def noting(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            route = getattr(scope.get("route"), "path", "unknown")
            self._metrics.requests.labels(scope["method"], route, str(status)).inc()
            if route != "/v1/updates":  # a stream lasts as long as its reader
                self._metrics.seconds.labels(scope["method"], route).observe(time.perf_counter() - started)
