"""The operators' page `/ops`, rendered here; its panels are asked for again every few seconds by a small script.

The page holds no data for a caller without a key; panels, series and timeline demand `operator`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import datetime
from functools import lru_cache
from importlib import metadata
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import Field

from query import paging
from query.auth.boundary import Operator, operator, scope_of
from query.body import Route
from query.config import QueryConfig
from query.deadletters.index import Filters, LetterIndex
from query.deps import Deps
from query.errors import ProblemError, not_found
from query.metrics import Metrics
from query.ops import panels, words
from query.pipeline.monitor import Monitor
from query.reading.common import Context, Ctx
from query.views import dashboard
from schemas.base import CleanText, Frozen, Id
from schemas.profile.sensitive import kept_in_the_clear
from schemas.security.scope import TenantScope

router = APIRouter(route_class=Route, tags=["operations"])
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
STATIC = {
    "ops.css": "text/css; charset=utf-8",
    "ops.js": "text/javascript; charset=utf-8",
    "charts.js": "text/javascript; charset=utf-8",
    "theme.js": "text/javascript; charset=utf-8",
    "uplot.min.js": "text/javascript; charset=utf-8",
    "uplot.min.css": "text/css; charset=utf-8",
    "uplot.LICENSE": "text/plain; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
LETTERS_SHOWN = 10
SESSIONS_SHOWN = 6
TIMELINE = 50
_templates = Environment(
    loader=PackageLoader("query.ops"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


class UserAsked(Frozen):
    """`cursor`: as the button for older ones holds it."""

    user_id: Id
    cursor: CleanText | None = Field(default=None, max_length=1_000)


@router.get("/ops", response_class=HTMLResponse)
async def page(request: Request, ctx: Ctx) -> HTMLResponse:
    """The page; whole where no key is needed, else with a form that asks for one."""
    values: dict[str, Any] = {"panels": False, "version": metadata.version("memstream")}
    try:
        scope = await operator(await scope_of(request))
    except ProblemError:
        scope = None
    if scope is not None:
        values |= {"panels": True, **await _panels(request, ctx, scope)}
    return HTMLResponse(_templates.get_template("page.html").render(values), headers=HEADERS)


@router.get("/ops/panels", response_class=HTMLResponse, include_in_schema=False)
async def live(request: Request, ctx: Ctx, scope: Operator) -> HTMLResponse:
    """What the page shows now."""
    values = await _panels(request, ctx, scope)
    return HTMLResponse(_templates.get_template("panels.html").render(values), headers=HEADERS)


@router.get("/ops/series", include_in_schema=False)
async def series(request: Request, scope: Operator) -> dict[str, Any]:
    """The last hour, for the charts."""
    monitor: Monitor = request.app.state.monitor
    now: datetime = request.app.state.deps.clock()
    return {**monitor.history.series(), "gates": monitor.minutes.series(now)}


@router.post("/ops/timeline", response_class=HTMLResponse, include_in_schema=False)
async def timeline(scope: Operator, ctx: Ctx, body: UserAsked) -> HTMLResponse:
    """What was decided of one user, with reasons. The access is logged like every read of memory."""
    owner = scope.user(body.user_id)
    parts = paging.load(body.cursor, datetime, str)
    before, before_id = parts if parts else (None, None)
    rows = await dashboard.timeline(ctx.db, owner, TIMELINE + 1, before, before_id)
    shown = rows[:TIMELINE]
    ctx.saw(owner, list(dict.fromkeys(r["record_id"] for r in shown if r["record_id"])))
    last = shown[-1] if len(rows) > TIMELINE else None
    values = {
        "rows": shown,
        "cursor": paging.dump(last["at"], last["decision_id"]) if last else None,
        "older": body.cursor is not None,
    }
    return HTMLResponse(_templates.get_template("timeline.html").render(values), headers=HEADERS)


@router.get("/ops/static/{name}", include_in_schema=False)
async def static(request: Request, name: Annotated[str, Path(max_length=40)]) -> Response:
    """Style, script and the chart library, as they are in the package."""
    if name not in STATIC:
        raise not_found("file")
    content, tag = _file(name)
    headers = {"ETag": tag, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=STATIC[name], headers=headers)


@lru_cache(maxsize=len(STATIC))
def _file(name: str) -> tuple[bytes, str]:
    content = files("query.ops").joinpath("static", name).read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:16]}"'


async def _panels(request: Request, ctx: Context, scope: TenantScope) -> dict[str, Any]:
    monitor: Monitor = request.app.state.monitor
    config: QueryConfig = request.app.state.config
    metrics: Metrics = request.app.state.metrics
    picture = monitor.current or await monitor.look()
    bounds = panels.Bounds(config.stalled_seconds, config.behind_seconds)
    values = panels.page(picture, bounds, _failures(metrics))
    index: LetterIndex = request.app.state.letters
    letters = [x for x in index.select(Filters()) if x.tenant in (None, scope.tenant)]
    deps: Deps = request.app.state.deps
    notice = kept_in_the_clear(deps.profile_of(scope.tenant), sealed=deps.codec.seals)
    values |= {
        "notices": [] if notice is None else [notice],
        "letters": letters[:LETTERS_SHOWN],
        "letters_open": len(letters) if index.refreshed else values["letters_open"],
        "letter_reasons": index.counts(letters).most_common(),
        "letters_away": not index.refreshed,
    }
    return values | await _sessions(ctx, scope, picture.at)


async def _sessions(ctx: Context, scope: TenantScope, now: datetime) -> dict[str, Any]:
    try:
        found = await dashboard.sessions(ctx.db, scope, SESSIONS_SHOWN)
    except ProblemError:
        return {"sessions": None, "newest": []}
    return {"sessions": found, "newest": panels.session_rows(found["newest"], now)}


def _failures(metrics: Metrics) -> dict[tuple[str, str], int]:
    """Answers that were errors of ours, by route and status, and answers that did without a store."""
    found: Counter[tuple[str, str]] = Counter()
    for family in (*metrics.requests.collect(), *metrics.degraded.collect()):
        for s in family.samples:
            if not s.name.endswith("_total"):
                continue
            if s.labels.get("status", "").startswith("5"):
                found[s.labels["route"], s.labels["status"]] += int(s.value)
            elif "store" in s.labels:
                found[s.labels["store"], f"degraded: {s.labels['reason']}"] += int(s.value)
    return dict(found)


__all__ = ["POLICY", "STATIC", "router", "words"]
