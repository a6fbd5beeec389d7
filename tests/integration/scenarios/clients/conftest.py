"""The running memstream, for the tests of what programs hold in their hands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from memstream.client import HttpOptions, Memstream
from memstream.stack import Addresses
from tests.integration.scenario import World
from tests.pages import Shell, shell
from tests.patience import PATIENCE, eventually

PATIENT = HttpOptions(wait_ms=30_000, require_fresh=True, timeout=60, retry_seconds=PATIENCE)
"""A loaded machine is slow; a read that is never fresh fails the test."""


class PatientTransport(httpx.AsyncHTTPTransport):
    """Asks again while an answer is not fresh or the service is away: every call of the client may be repeated."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        send = super().handle_async_request

        async def ask() -> httpx.Response:
            answer = await send(request)
            if not _whole(answer):
                await answer.aread()
                await answer.aclose()
            return answer

        return await eventually(f"{request.method} {request.url.path}", ask, _whole)


def _whole(answer: httpx.Response) -> bool:
    return answer.status_code != 503 and answer.headers.get("Memstream-Fresh") != "false"


@dataclass(frozen=True, slots=True)
class Live:
    url: str
    addresses: Addresses
    data: Path


@pytest.fixture(scope="package")
def live(running: World) -> Live:
    running.run_on("health")
    return Live(str(running.http.base_url).rstrip("/"), running.stack.addresses, running.stack.stack.data_dir)


@pytest.fixture(scope="package")
def memory(live: Live) -> Iterator[Memstream]:
    with Memstream(live.url, options=PATIENT, transport=PatientTransport()) as client:
        yield client


@pytest.fixture(scope="package")
def sh(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Where the pages' commands are typed."""
    with shell(tmp_path_factory.mktemp("shell"), live.data, live.url) as here:
        yield here
