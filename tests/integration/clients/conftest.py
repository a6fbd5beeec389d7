"""Everything that `memstream up` starts, once for the tests of what programs hold in their hands."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from memstream.client import HttpOptions, Memstream
from memstream.settings import Settings
from memstream.stack import Addresses
from memstream.up import start
from tests.integration.conftest import BackgroundStack, temporary_folder

PATIENT = HttpOptions(wait_ms=30_000, require_fresh=True, timeout=60, retry_seconds=30)
"""A loaded machine is slow; a read that is not fresh fails the test."""


@dataclass(frozen=True, slots=True)
class Live:
    url: str
    addresses: Addresses


@pytest.fixture(scope="package")
def live() -> Iterator[Live]:
    with temporary_folder() as folder, BackgroundStack(folder) as stack:
        settings = Settings(data_dir=folder, port=0, log_level="WARNING", profile="health")

        async def everything() -> str:
            return await start(stack.stack, settings, lambda name, state: None)

        url = asyncio.run_coroutine_threadsafe(everything(), stack._loop).result(300)
        yield Live(url, stack.addresses)


@pytest.fixture(scope="package")
def memory(live: Live) -> Iterator[Memstream]:
    with Memstream(live.url, options=PATIENT) as client:
        yield client
