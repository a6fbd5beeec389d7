"""`memstream status`: what is not well stands first; a service that is not ready is not shown as a calm table."""

from __future__ import annotations

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from memstream.cli import service
from memstream.cli.app import app, application
from query.pipeline.state import as_json
from tests.unit.ops.states import picture


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("busy", ["ready: every stage moves"]),
        ("down", ["not well: milvus: unreachable", "not well: sink-milvus"]),
        ("letters", ["ready: every stage moves", "4 dead letters are open: `memstream dlq list`"]),
    ],
)
def test_what_is_not_well_stands_first(
    state: str, says: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Service:
        def get(self, path: str) -> dict[str, Any]:
            return as_json(picture(state), 60.0, 120.0)

    monkeypatch.setattr(service, "service", lambda data, url: Service())
    code = 0
    try:
        service.status(None, as_json=False)
    except typer.Exit as exc:
        code = exc.exit_code
    assert code == (1 if state == "down" else 0), "what a script sees"
    lines = capsys.readouterr().out.splitlines()
    table = next(i for i, line in enumerate(lines) if line.startswith("stage"))
    assert len(lines[:table]) == len(says)
    for line, start in zip(lines, says, strict=False):
        assert line.startswith(start)


@pytest.mark.parametrize(("state", "code"), [("busy", 0), ("down", 1)])
def test_a_script_gets_all_data_and_the_exit_status(
    state: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Service:
        def get(self, path: str) -> dict[str, Any]:
            return as_json(picture(state), 60.0, 120.0)

    application()
    monkeypatch.setattr(service, "service", lambda data, url: Service())
    done = CliRunner().invoke(app, ["status", "--json"])
    assert done.exit_code == code
    assert json.loads(done.stdout)["ready"] is (code == 0)
