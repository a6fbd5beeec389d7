"""A running memstream that seals, and a shell beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.scenario import World, world
from tests.pages import Shell, shell


@pytest.fixture(scope="package")
def here() -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMSTREAM_ENCRYPTION", "sealed")
        patch.setenv("MEMSTREAM_TICK_SECONDS", "5")
        with world() as running:
            yield running


@pytest.fixture(scope="package")
def sh(here: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Where the pages' commands are typed."""
    url = str(here.http.base_url).rstrip("/")
    with shell(tmp_path_factory.mktemp("shell"), here.stack.stack.data_dir, url) as typed:
        yield typed
