"""One running memstream for all scenarios; each file runs on its own profile and its own users, in any order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.scenario import World, world


@pytest.fixture(scope="package")
def running() -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMSTREAM_TICK_SECONDS", "5")  # what a tick closes is closed soon
        with world() as caller:
            yield caller
