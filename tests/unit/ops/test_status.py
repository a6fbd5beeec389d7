"""`memstream status`: what is not well stands first; a service that is not ready is not shown as a calm table."""

from __future__ import annotations

from typing import Any

import pytest

from memstream import commands
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

    monkeypatch.setattr(commands, "service", lambda settings: Service())
    commands.status(None)
    lines = capsys.readouterr().out.splitlines()
    table = next(i for i, line in enumerate(lines) if line.startswith("stage"))
    assert len(lines[:table]) == len(says)
    for line, start in zip(lines, says, strict=False):
        assert line.startswith(start)
