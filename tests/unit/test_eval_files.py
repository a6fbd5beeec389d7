"""`memstream eval` on files that are not there, or not of the shape: one line that says so, exit status 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memstream.cli.app import main
from memstream.evaluation.retrieval import Question, ask_all


@pytest.mark.parametrize("name", ["pii", "dedup", "extraction", "retrieval"])
def test_a_missing_file_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["memstream", "eval", name, str(tmp_path / "gone.json")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    result = capsys.readouterr().err
    assert "gone.json" in result
    assert "Traceback" not in result


@pytest.mark.parametrize("name", ["pii", "dedup", "extraction", "retrieval"])
@pytest.mark.parametrize("content", ["[1, 2", '[{"nothing": 1}]'])
def test_a_file_of_another_shape_is_named(
    name: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "other.json"
    file.write_text(content)
    monkeypatch.setattr("sys.argv", ["memstream", "eval", name, str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "other.json" in capsys.readouterr().err


class Answering:
    """Two hits for every question."""

    def post(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
        return {"results": [{"id": "a", "text": "I moved to Leeds"}, {"id": "b", "text": "我搬到了上海"}]}


def test_retrieval_tells_what_its_hits_cost_a_prompt() -> None:
    result = ask_all(Answering(), [Question("ann", "Where?", frozenset({"b"}), "all kinds")], "run-")
    figures = result["rankings"]["adaptive"]
    assert figures["MRR"] == 0.5
    assert figures["tokens@10"] == len(["I", "moved", "to", "Leeds"]) + 1 + 4, "four words, a line, four of the Chinese"
