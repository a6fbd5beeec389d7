"""Logs are JSON and say class and place of an error, never its text."""

from __future__ import annotations

import io
import json
import logging

import pytest

from memstream.logs import formatter


def failing() -> None:
    try:
        raise KeyError("Ann Smith, 555 0199")
    except KeyError as exc:
        raise ValueError("the text was: I live in Leeds") from exc


@pytest.mark.parametrize("name", ["streams.faust.app", "mode.services", "uvicorn.error"])
def test_an_exceptions_text_is_not_logged(name: str) -> None:
    log, stream = logging.Logger(name), io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter("worker-1"))
    log.addHandler(handler)
    try:
        failing()
    except ValueError as exc:
        if name == "streams.faust.app":
            log.critical("step %s cannot go on", "gate", extra={"error": type(exc).__name__}, exc_info=True)
        else:
            log.exception("Crashed reason=%r", exc)
    line = stream.getvalue().strip()
    data = json.loads(line)
    assert data["process"] == "worker-1"
    assert data["logger"] == name
    assert "ValueError" in data["exc_info"]
    assert "KeyError" in data["exc_info"]
    assert "test_logs.py" in data["exc_info"]
    for secret in ("Ann", "Smith", "0199", "Leeds"):
        assert secret not in line
    if name == "streams.faust.app":
        assert data["message"] == "step gate cannot go on"
