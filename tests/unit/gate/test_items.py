"""Store items at the gate (C1): what is searched, when they were made, how reading renews their time."""

from __future__ import annotations

from typing import Any

import pytest

from processors.memory.items import at_path, searched_text
from schemas.events.memory import MemoryCommand
from tests.unit.gate.bench import HOUR, START, GateBench

VALUE = {
    "title": "高血压 hypertension", "tags": ["a", "b"], "score": 3, "none": None,
    "sections": [{"text": "one", "by": {"name": "Ann"}}, {"text": "two"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("title", ["高血压 hypertension"]),
        ("sections[0].by.name", ["Ann"]),
        ("sections[-1].text", ["two"]),
        ("sections[*].text", ["one", "two"]),
        ("tags[*]", ["a", "b"]),
        ("tags", [["a", "b"]]),
        ("sections[7].text", []),
        ("{score,title}", [3, "高血压 hypertension"]),
        ("sections[0].{text, by.name}", ["one", "Ann"]),
        ("{missing,title.deeper}", []),
        ("title.deeper", []),
        ("missing[*].x", []),
    ],
)
def test_paths_lead_where_langgraphs_do(path: str, found: list[Any]) -> None:
    assert at_path(VALUE, path) == found


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (None, "title: 高血压 hypertension\ntags: a\ntags: b\nscore: 3\ntext: one\nname: Ann\ntext: two"),
        (True, "title: 高血压 hypertension\ntags: a\ntags: b\nscore: 3\ntext: one\nname: Ann\ntext: two"),
        (("title", "sections[*].text"), "高血压 hypertension\none\ntwo"),
        (False, ""),
        (("nothing",), ""),
    ],
)
def test_what_is_searched_is_what_index_says(index: Any, text: str) -> None:
    command = MemoryCommand(tenant="t", user_id="u", command="put_item", command_id="c", index=index)
    assert searched_text(command, VALUE) == text


async def test_c1_an_item_is_found_by_its_text_and_one_that_is_not_indexed_by_nothing(gate: GateBench) -> None:
    where: dict[str, Any] = {"namespace": ("memories", "u"), "value": VALUE}
    [plain] = await gate.do("put_item", key="a", **where)
    [silent] = await gate.do("put_item", key="b", index=False, **where)
    assert "hypertens" in " ".join(plain.sealed.terms)
    assert plain.sealed.embedding
    assert (silent.sealed.terms, silent.sealed.embedding) == ((), b"")


@pytest.mark.parametrize("value", [{"city": "Rom"}, {"n": 5}, {"科室": "内科"}, {"ok": True, "tags": ["a"]}])
async def test_c1_an_item_of_short_values_is_found_too(gate: GateBench, value: dict[str, Any]) -> None:
    """They hold no text that the screen would look at."""
    [put] = await gate.do("put_item", key="a", namespace=("memories", "u"), value=value)
    assert put.sealed.value == value
    assert put.sealed.embedding


async def test_c1_an_item_remembers_when_it_was_first_put(gate: GateBench) -> None:
    where: dict[str, Any] = {"namespace": ("n", "u"), "key": "k"}
    await gate.do("put_item", value={"n": "x"}, **where)
    gate.later(HOUR)
    [again] = await gate.do("put_item", value={"n": "y"}, **where)
    assert again.sealed.attributes["created_at"] == START.isoformat()
    assert again.known_at == START + HOUR
    await gate.do("delete_item", **where)
    [renewed] = await gate.do("put_item", value={"n": "z"}, **where)
    assert renewed.sealed.attributes["created_at"] == (START + HOUR).isoformat()


async def test_c1_reading_renews_the_time_to_live(gate: GateBench) -> None:
    where: dict[str, Any] = {"namespace": ("n", "u"), "key": "k"}
    await gate.do("put_item", value={"n": "x"}, ttl_minutes=60, **where)
    gate.later(HOUR / 2)
    [renewed] = await gate.do("touch_item", **where)
    assert renewed.expires_at == START + 1.5 * HOUR
    assert (renewed.known_at, renewed.sealed.value) == (START, {"n": "x"})
    gate.later(2 * HOUR)
    assert await gate.do("touch_item", **where) == [], "what has run out stays out"


async def test_c1_what_has_no_time_to_live_or_does_not_exist_is_not_touched(gate: GateBench) -> None:
    await gate.do("put_item", value={"n": "x"}, namespace=("n", "u"), key="k")
    gate.later(HOUR)
    assert await gate.do("touch_item", namespace=("n", "u"), key="k") == []
    assert await gate.do("touch_item", namespace=("n", "u"), key="none") == []
