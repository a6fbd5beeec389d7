"""N7: the gate is measured by a command, per language and entity, and each release publishes what it measured."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from memstream.cli.formats import FileError
from memstream.evaluation.gates import pii

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "pii.md").read_text("utf-8")
# set, entity, gold, precision, recall, F1, exact F1, stock F1; the set stands in its first row only.
ROW = re.compile(
    r"^\| (?P<set>[^|]*)\| (?P<entity>[A-Z_, ]+) \| (?P<gold>[0-9][^|]*) \|(?P<figures>[^\n]+)\|$", re.MULTILINE
)
LANGUAGE_OF = {"MultiPriv, Chinese": "zh", "MultiPriv, English": "en", "presidio-research": "en"}


def test_n7_the_command_measures_each_language_and_entity(tmp_path: Path) -> None:
    rows = [
        ("en", "My name is Maria, write to maria@example.com", [("PERSON", "Maria"), ("EMAIL", "maria@example.com")]),
        ("en", "Maria left", [("PERSON", "Maria"), ("PERSON", "left")]),  # the second is nobody: recall 2 of 3
        ("zh", "手机13812345678", [("PHONE", "13812345678")]),
    ]
    lines = [
        {"text": text, "lang": language, "spans": [span(text, kind, value) for kind, value in spans]}
        for language, text, spans in rows
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    report = pii(path)
    scores = {
        (language, row["entity"]): (row["gold"], row["precision"], row["recall"])
        for language, part in report["languages"].items()
        for row in part["entities"]
    }
    assert scores == {
        ("en", "EMAIL_ADDRESS"): (1, 1.0, 1.0),
        ("en", "PERSON"): (3, 1.0, pytest.approx(2 / 3)),
        ("zh", "PHONE_NUMBER"): (1, 1.0, 1.0),
    }
    assert all("stock_f1" in row for part in report["languages"].values() for row in part["entities"])


def test_n7_a_file_of_another_shape_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"text": "x", "lang": "fr", "spans": []}', encoding="utf-8")
    with pytest.raises(FileError, match=r"own\.jsonl: line 1 has an unknown language"):
        pii(path)


def test_n7_the_page_is_of_this_release() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.search(rf"[Mm]easured for version {re.escape(version)} on 20[0-9]{{2}}-[0-9]{{2}}-[0-9]{{2}}", PAGE)


def test_n7_precision_and_recall_are_published_for_each_language_and_what_people_have() -> None:
    published: set[tuple[str, str]] = set()
    language = ""
    for row in ROW.finditer(PAGE):
        name = row["set"].strip()
        language = next((lang for start, lang in LANGUAGE_OF.items() if name.startswith(start)), language)
        precision, recall, f1 = (float(figure) for figure in row["figures"].split("|")[:3])
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=0.001), row.group()
        published |= {(language, entity) for entity in row["entity"].split(", ")}
    wanted = {"PERSON", "ADDRESS", "PHONE_NUMBER", "EMAIL_ADDRESS", "ID_NUMBER"}
    assert {(language, entity) for language in ("en", "zh") for entity in wanted} <= published
    assert ("en", "CREDIT_CARD") in published


def span(text: str, kind: str, value: str) -> dict[str, object]:
    start = text.index(value)
    return {"type": kind, "start": start, "end": start + len(value)}
