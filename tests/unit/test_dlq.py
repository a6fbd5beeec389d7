"""`memstream dlq` in the words that it prints, without a service."""

from __future__ import annotations

import re
from typing import Any

import pytest
from typer.testing import CliRunner

from memstream.cli import dead_letters
from memstream.cli.dead_letters import dlq_app

LETTER: dict[str, Any] = {
    "id": "3:17", "state": "open", "step": "screen", "reason": "malformed_json", "message": "", "attempts": 1,
    "failed_at": None, "dead_since": "2026-11-21T08:00:00Z", "bytes": 8, "tenant": None, "decided": None,
    "source": {"topic": "memory.turns.v1", "partition": 3, "offset": 9}, "preview": {"form": "text", "value": "8 x"},
}  # fmt: skip


class Answering:
    """In place of the service."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self._answer = answer

    def get(self, path: str) -> dict[str, Any]:
        return dict(self._answer)

    def post(self, path: str, body: Any) -> dict[str, Any]:
        return self._answer


def result_of(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], *argv: str) -> tuple[int, str]:
    monkeypatch.setattr(dead_letters, "service", lambda data, url: Answering(answer))
    result = CliRunner().invoke(dlq_app, list(argv))
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("what", "outcome", "text", "status"),
    [("replay", "dropped_before", "1 dropped before", 1), ("drop", "replayed_before", "1 replayed before", 1),
     ("replay", "already", "1 already", 0)],
)  # fmt: skip
def test_what_was_decided_otherwise_is_said_and_is_no_success(
    monkeypatch: pytest.MonkeyPatch, what: str, outcome: str, text: str, status: int
) -> None:
    answer = {"outcomes": {outcome: 1}, "results": [{"id": "3:17", "outcome": outcome, "target": None}], "left": 0}
    assert result_of(monkeypatch, answer, what, "3:17") == (status, f"{text}\n")


def test_a_letter_shows_what_is_known_of_it_only(monkeypatch: pytest.MonkeyPatch) -> None:
    status, shown = result_of(monkeypatch, LETTER, "show", "3:17")
    assert status == 0
    assert re.search(r"^reason +malformed_json$", shown, re.MULTILINE)
    assert not re.search(r"None|^(tenant|failed_at|message)", shown, re.MULTILINE)
    _, shown = result_of(monkeypatch, {**LETTER, "tenant": "acme"}, "show", "3:17")
    assert re.search(r"^tenant +acme$", shown, re.MULTILINE)
