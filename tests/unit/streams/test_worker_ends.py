"""A worker that cannot go on ends at once: half of it would wait for ever (N2)."""

from __future__ import annotations

import logging
import os
from typing import Any

import pytest

from memstream.workers.worker import CrashedError, dying
from streams.faust.app import DIED


class Ended(BaseException):
    """The process is over."""


def test_n2_an_exception_while_apps_run_ends_the_process(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def end(status: int) -> Any:
        raise Ended(status)

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(logging, "shutdown", lambda: None)
    for exc in (OSError(24, "Too many open files"), CrashedError("a Faust service crashed")):
        with pytest.raises(Ended) as ended, dying():
            raise exc
        assert ended.value.args == (DIED,)
    assert [getattr(r, "error", None) for r in caplog.records] == ["OSError", "CrashedError"]
    with dying():
        pass
