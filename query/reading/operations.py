"""For operators: liveness, readiness, metrics, the pipeline as JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from query.auth.boundary import Operator
from query.body import Route
from query.config import QueryConfig
from query.errors import ProblemError
from query.freshness import Freshness
from query.metrics import Metrics
from query.pipeline.monitor import Monitor
from query.pipeline.state import Pipeline, as_json, reasons
from schemas.storage.layouts import STAGE_OF_VIEW

router = APIRouter(route_class=Route, tags=["operations"])
OLD_PICTURES = 5
"""A picture older than this many looks says that looking itself does not work."""


def _picture(request: Request) -> Pipeline:
    monitor: Monitor = request.app.state.monitor
    if monitor.current is None:
        raise ProblemError("not-ready", "starting", headers={"Retry-After": "1"}, reasons=["starting"])
    return monitor.current


@router.get("/livez")
async def livez() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(request: Request) -> dict[str, Any]:
    """200 when the whole way from turn to store works; 503 with reasons when a stage is stalled or has not
    joined yet, a sink falls behind, or a store or the brokers do not answer."""
    config: QueryConfig = request.app.state.config
    picture = _picture(request)
    why = reasons(picture, config.stalled_seconds, config.behind_seconds)
    age = (request.app.state.deps.clock() - picture.at).total_seconds()
    if age > OLD_PICTURES * max(config.poll_seconds, 1.0):
        why.append(f"monitor: has seen nothing for {age:.0f} s")
    if why:
        raise ProblemError("not-ready", "; ".join(why), headers={"Retry-After": "2"}, reasons=why)
    return {"status": "ready"}


@router.get("/metrics")
async def export(request: Request, scope: Operator) -> Response:
    """Prometheus text. Names are listed in schemas/metrics.py."""
    metrics: Metrics = request.app.state.metrics
    return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)


@router.get("/v1/pipeline")
async def pipeline(request: Request, scope: Operator, fresh: Freshness) -> dict[str, Any]:
    """Stages, rates, lag, freshness, gate outcomes, dead letters."""
    config: QueryConfig = request.app.state.config
    await fresh.wait(*STAGE_OF_VIEW)
    return as_json(_picture(request), config.stalled_seconds, config.behind_seconds)
