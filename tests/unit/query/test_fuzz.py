"""The short form of tests/fuzz.py: a few calls of every operation, no server behind it."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
import schemathesis

from query.app import create_app
from query.config import Limits, QueryConfig
from query.deps import Deps
from tests.fuzz import fault, run

CASES = 2


@pytest.mark.slow
async def test_no_input_is_a_bug_of_the_service(deps: Deps) -> None:
    app = create_app(QueryConfig(limits=Limits(writes_per_second=0, reads_per_second=0)), deps)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    loop = asyncio.get_running_loop()
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

        def send(case: Any) -> tuple[int, str]:
            given = case.as_transport_kwargs(base_url="http://127.0.0.1")
            request = {k: given[k] for k in ("method", "url", "params", "headers", "json", "data") if k in given}
            if isinstance(request.get("data"), bytes | str):
                request["content"] = request.pop("data")
            request["headers"] = {k: v for k, v in (request.get("headers") or {}).items() if k.isascii()}
            answer = asyncio.run_coroutine_threadsafe(client.request(**request), loop).result(30)
            return answer.status_code, answer.headers.get("content-type", "")

        schema = schemathesis.openapi.from_dict(app.openapi())
        statuses, faults = await asyncio.to_thread(run, schema, CASES, send, set())
    assert faults == []
    assert sum(statuses.values()) > 100
    assert statuses[422] > 10
    assert statuses[202] > 5


def test_what_counts_as_a_fault() -> None:
    assert fault(200, "application/json") is None
    assert fault(503, "application/problem+json") is None
    assert fault(500, "application/problem+json") == "status 500"
    assert fault(422, "application/json") == "status 422 as application/json"
