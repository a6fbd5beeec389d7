"""The exported schemas describe what is on the wire, and a breaking change of a version fails."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from memstream.cli.schema import schema_app
from schemas.compatibility.breaking import breaks
from schemas.compatibility.export import (
    PUBLISHED,
    BreakingChangeError,
    asyncapi,
    breaking_changes,
    stale,
    topic_schema,
    write,
)
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import Owner
from schemas.security.sealing import Place
from tests.unit.schemas.examples import Example, valid


def test_contract_no_change_breaks_the_published_schemas() -> None:
    """Additions pass; `memstream schema export schemas/published` then promises them, too."""
    assert any(PUBLISHED.glob("*.schema.json"))
    assert breaking_changes() == []


def test_contract_what_is_published_is_what_the_code_says_now() -> None:
    """What is not published could be taken away again without a word of the comparison above."""
    assert stale() == [], "run `memstream schema export schemas/published`"


@pytest.mark.slow
def test_a_document_that_is_old_left_over_or_missing_is_stale(tmp_path: Path) -> None:
    write(tmp_path)
    assert stale(tmp_path) == []
    name = f"{topics.TURNS.name}.schema.json"
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes().replace(b"title", b"Title"))
    (tmp_path / "memory.moods.v1.schema.json").write_text("{}")
    (tmp_path / "asyncapi.json").unlink()
    assert stale(tmp_path) == ["asyncapi.json", name, "memory.moods.v1.schema.json"]


@cache
def _validator(topic: str) -> Draft202012Validator:
    return Draft202012Validator(topic_schema(topics.BY_NAME[topic]))


@pytest.mark.parametrize("example", valid(), ids=str)
def test_what_is_on_the_wire_fits_the_exported_schema(example: Example) -> None:
    errors = _validator(example.topic).iter_errors(orjson.loads(example.value))
    assert [e.message for e in errors] == []


def test_an_encrypted_part_fits_too() -> None:
    class Sealing:
        def seal(self, owner: Owner, plain: dict[str, Any], place: Place) -> dict[str, Any]:
            return {"alg": "A256GCM", "kid": "1", "ct": "eA=="}

        def open(self, owner: Owner, sealed: dict[str, Any], place: Place) -> dict[str, Any]:
            return sealed

    example = next(e for e in valid() if e.topic == topics.UPDATES.name and "fact" in str(e))
    event = Codec().decode(example.topic, example.value)
    sealed = orjson.loads(Codec(Sealing()).value(event))
    Draft202012Validator(topic_schema(topics.UPDATES)).validate(sealed)


def test_asyncapi_has_every_topic_and_no_reference_that_leads_nowhere() -> None:
    document = asyncapi()
    named = {c["address"] for c in document["channels"].values()}
    assert named == {t.name for t in topics.CATALOGUE} - {topics.DEAD_LETTERS.name}
    text = orjson.dumps(document).decode()
    for ref in {part.split('"')[0] for part in text.split('"$ref":"')[1:]}:
        node: Any = document
        for step in ref.removeprefix("#/").split("/"):
            node = node[step]
        assert node


def changed(where: str, **how: Any) -> list[str]:
    """What is said of memory.updates after an edit of MemoryUpdate."""
    old = topic_schema(topics.UPDATES)
    new = copy.deepcopy(old)
    model = new["$defs"]["MemoryUpdate"]
    if how.get("gone"):
        model["properties"].pop(where)
    else:
        model["properties"][where] = {**model["properties"].get(where, {}), **how.get("field", {})}
    for kind in ("required", "optional"):
        if kind in how:
            model["required"] = [n for n in model["required"] if n != where] + [where] * (kind == "required")
    return breaks(old, new, written=True)


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ({"where": "record_id", "gone": True}, "record_id: the field is gone"),
        ({"where": "revision", "field": {"type": "string"}}, "revision: was integer, is string"),
        ({"where": "scope", "required": True}, "scope: is required now"),
        ({"where": "revision", "optional": True}, "revision: may be missing now"),
        ({"where": "state", "field": {"enum": ["active"]}}, "state: deleted is gone"),
        ({"where": "record_id", "field": {"maxLength": 10}}, "record_id: maxLength 10 is lower"),
    ],
)
def test_what_takes_something_away_is_named(edit: dict[str, Any], text: str) -> None:
    assert any(text in found for found in changed(**edit))


@pytest.mark.parametrize(
    "edit",
    [
        {"where": "mood", "field": {"type": "string"}},
        {"where": "op", "field": {"enum": ["upsert", "delete", "touch"]}},
        {"where": "record_id", "field": {"maxLength": 10_000}},
    ],
)
def test_additions_are_no_break(edit: dict[str, Any]) -> None:
    assert changed(**edit) == []


def test_an_event_type_that_goes_is_a_break_and_a_new_one_is_none() -> None:
    old = topic_schema(topics.UPDATES)
    new = copy.deepcopy(old)
    removed = new["oneOf"].pop()
    assert len(breaks(old, new, written=True)) == 1
    assert removed
    assert breaks(new, old, written=True) == []


def test_an_export_does_not_overwrite_a_promise(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / f"{topics.TURNS.name}.schema.json"
    schema = orjson.loads(path.read_bytes())
    schema["$defs"]["TurnEvent"]["properties"]["once_promised"] = {"type": "string"}
    path.write_bytes(orjson.dumps(schema))
    with pytest.raises(BreakingChangeError, match="once_promised"):
        write(tmp_path)
    run = CliRunner().invoke(schema_app, ["check", str(tmp_path), "--json"])
    assert run.exit_code == 1
    assert "once_promised: the field is gone" in run.stdout
