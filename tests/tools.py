"""Programs that are no Python packages and that some tests need. A laptop without them skips those tests and says so;
where MEMSTREAM_REQUIRE names a program (`.ci/run` does for all that Debian has), its absence ends the run at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping

import pytest

REQUIRE = "MEMSTREAM_REQUIRE"
PROGRAMS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "promtool": ("promtool",)}
"""What a tool is called by tests -> the commands that are it."""
PACKAGES = {"chromium": "chromium", "promtool": "prometheus"}
"""Of Debian."""


def program(tool: str, which: Callable[[str], str | None] = shutil.which) -> str | None:
    """Where the tool is."""
    return next((found for name in PROGRAMS[tool] if (found := which(name))), None)


def needs(tool: str) -> pytest.MarkDecorator:
    """The test is skipped without the tool."""
    return pytest.mark.skipif(program(tool) is None, reason=_absent(tool))


def missing(environment: Mapping[str, str], which: Callable[[str], str | None] = shutil.which) -> list[str]:
    """What MEMSTREAM_REQUIRE asks for and cannot be had, a sentence each."""
    requests = [word.strip() for word in environment.get(REQUIRE, "").split(",") if word.strip()]
    unknown = [f"{tool} is none of {', '.join(PROGRAMS)}" for tool in requests if tool not in PROGRAMS]
    return unknown + [_absent(tool) for tool in requests if tool in PROGRAMS and program(tool, which) is None]


def _absent(tool: str) -> str:
    return f"no {tool} on this machine (Debian: apt-get install {PACKAGES[tool]})"
