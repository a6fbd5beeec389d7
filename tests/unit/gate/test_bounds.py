"""What a user may have at most, and what happens at each bound (docs/state-bounds.md)."""

from __future__ import annotations

from typing import Any

import pytest

from processors.memory import marks, retention, rows, store
from processors.ports import Models
from schemas.events.memory import MemoryUpdate
from schemas.profile.model import BoundsSpec, Profile, load_profile
from tests.unit.gate.bench import DAY, GateBench, candidate


def bounded(**bounds: int) -> Profile:
    return load_profile("general").model_copy(update={"bounds": BoundsSpec(**bounds)})


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models, profile=bounded(memories=3, items=2))


def texts(gate: GateBench) -> list[str]:
    return sorted(u.sealed.text for u in gate.view.values() if u.state in ("active", "observed"))


KAYAK, TREE, BOAT, HOUSE = "Bought a red kayak", "Planted an oak tree", "Sold the old boat", "Painted the house"


async def test_the_least_important_episode_makes_room_and_says_so(gate: GateBench) -> None:
    [low] = await gate.say(candidate(TREE, importance=0.3))
    await gate.say(candidate(KAYAK, importance=0.5))
    await gate.say(candidate(BOAT, importance=0.4))
    removed, kept = await gate.say(candidate(HOUSE, importance=0.5))
    assert (removed.record_id, removed.op, removed.state, removed.reason.rule) == (
        low.record_id,
        "delete",
        "deleted",
        "made_room",
    )
    assert (removed.sealed.text, kept.sealed.text) == ("", HOUSE)
    assert texts(gate) == sorted([KAYAK, BOAT, HOUSE])
    assert gate.outcomes()[-2:] == [("retired", "made_room"), ("kept", "new")]
    assert (gate.decisions[-2].record_id, gate.decisions[-2].turn_id) == (low.record_id, "turn-4"), "in its outcome"


async def test_of_equal_ones_the_longest_unused_leaves(gate: GateBench) -> None:
    [first] = await gate.say(candidate(TREE))
    gate.later(DAY)
    await gate.say(candidate(KAYAK), candidate(BOAT))
    gate.later(DAY)
    await gate.say(recalled_ids=(first.record_id,))
    await gate.say(candidate(HOUSE))
    assert TREE in texts(gate)
    assert len(texts(gate)) == 3


async def test_what_is_observed_leaves_before_what_is_read(gate: GateBench) -> None:
    await gate.say(candidate(TREE, importance=0.1), candidate("May like tea", "likes", "tea", source="inferred"))
    await gate.say(candidate(KAYAK))
    await gate.say(candidate(BOAT))
    assert texts(gate) == sorted([TREE, KAYAK, BOAT])


async def test_what_was_stated_confirmed_or_remembered_stays_and_the_new_one_is_refused(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    [guess] = await gate.say(candidate("May like tea", "likes", "tea", source="inferred"))
    await gate.feedback(guess.record_id, adopted=True)
    await gate.do("remember", kind="episode", text=TREE)
    held = texts(gate)
    assert await gate.say(candidate(KAYAK)) == []
    assert gate.outcomes()[-1] == ("refused", "full")
    assert await gate.say(candidate("Works at Acme", "employer", "Acme")) == []
    assert await gate.do("remember", kind="fact", text="Likes jazz") == []
    assert gate.outcomes()[-2:] == [("refused", "full")] * 2
    assert texts(gate) == held


async def test_at_the_bound_what_stands_goes_on_changing(gate: GateBench) -> None:
    facts = [("residence", "Leeds"), ("employer", "Acme"), ("age", 32)]
    await gate.say(*(candidate(f"{n} {v}", n, v) for n, v in facts))
    gate.later(DAY)
    await gate.say(candidate("Lives in York", "residence", "York"), candidate("Is 32", "age", 32))
    await gate.do("remember", kind="fact", field="employer", text="Works at Bolt", value="Bolt")
    assert [gate.values(f) for f, _ in facts] == [["York"], ["Bolt"], [32]]
    [one] = gate.active("employer")
    await gate.do("forget", one.record_id)
    await gate.say(candidate(KAYAK))
    assert KAYAK in texts(gate)


async def test_a_less_valuable_one_stays_out(gate: GateBench) -> None:
    await gate.say(candidate(TREE), candidate(KAYAK), candidate(BOAT))
    assert await gate.say(candidate("May like tea", "likes", "tea", source="inferred")) == []
    assert gate.outcomes()[-1] == ("refused", "full")


async def test_what_makes_room_is_archived_where_its_class_says_so(models: Models) -> None:
    profile = bounded(memories=1)
    retention = profile.retention.model_copy(update={"on_expiry": {"episode": "archive"}})
    gate = GateBench(models, profile=profile.model_copy(update={"retention": retention}))
    [first] = await gate.say(candidate(TREE))
    removed, _ = await gate.say(candidate(KAYAK))
    assert (removed.record_id, removed.state, removed.op, removed.sealed.text) == (
        first.record_id,
        "archived",
        "upsert",
        TREE,
    )


async def test_a_contradiction_of_what_made_room_marks_nothing(models: Models) -> None:
    gate = GateBench(models, profile=bounded(memories=1))
    await gate.say(candidate("We agreed to ship the beta on Friday"))
    removed, kept = await gate.say(candidate("We did not agree to ship the beta on Friday"))
    assert (removed.op, kept.op, kept.conflicts_with) == ("delete", "upsert", ())
    assert len(gate.active()) == 1


@pytest.mark.parametrize(("batch", "cache"), [(1, 0), (64, 2**30)])
async def test_who_leaves_does_not_depend_on_what_is_cached(models: Models, batch: int, cache: int) -> None:
    """An order that grew record by record and one built anew after a restart choose alike (N2)."""
    places = ["Oslo", "Lima", "Rome", "Cairo", "Delhi", "Paris", "Kyoto", "Quito"]
    entries = [f"Visited the museum of {p}" for p in places] + [f"去过{p}的美术馆" for p in ("上海", "北京", "广州")]
    seen: list[list[tuple[str, str]]] = []
    for restart in (0, 2):
        gate = GateBench(models, profile=bounded(memories=4), batch=batch, cache_bytes=cache)
        for i, text in enumerate(entries):
            gate.later(DAY / 24)
            await gate.say(candidate(text, importance=round(0.3 + (i * 7 % 5) / 10, 1)), turn=f"t{i}")
            if restart and i % restart:
                gate.restart()
        seen.append([(u.row_key, u.reason.rule) for u in gate.log])
        assert len(texts(gate)) == 4
    assert seen[0] == seen[1]


async def test_store_items_of_a_user_are_bounded(gate: GateBench) -> None:
    async def put(key: str, value: Any) -> list[MemoryUpdate]:
        return await gate.do("put_item", namespace=("memories",), key=key, value=value)

    await put("a", 1)
    await put("b", 1)
    assert await put("c", 1) == []
    assert gate.outcomes()[-1] == ("refused", "store_full")
    await put("a", 2)
    await gate.do("delete_item", namespace=("memories",), key="b")
    await put("c", 3)
    assert {u.key: u.sealed.value for u in gate.active()} == {"a": 2, "c": 3}


async def test_n4_rejected_values_are_bounded_the_oldest_is_forgotten(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_REJECTIONS", 2)
    monkeypatch.setattr(rows, "MAX_REJECTED_TURNS", 1)
    gate = GateBench(models)
    for n, place in enumerate(("Leeds", "York", "Bath", "Bath")):
        [kept] = await gate.say(candidate(f"Lives in {place}", "residence", place), turn=f"t{n}")
        gate.later(DAY)
        await gate.do("forget", kept.record_id)
        gate.later(DAY)
    rejected = [k for r in gate.rows().values() for k in r if k.startswith("r/")]
    assert len(rejected) == 2
    at = gate.driver.now - 30 * DAY
    assert await gate.say(candidate("Lives in York", "residence", "York"), at=at) == []
    assert await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), at=at) != []


async def test_n8_history_of_a_user_is_bounded_what_ended_longest_ago_is_deleted(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_ENDED", 2)
    gate = GateBench(models)
    names = ["Leeds", "York", "Bath", "Hull"]
    for n, place in enumerate(names):
        await gate.say(candidate(f"Likes {place}", "likes", place), turn=f"t{n}")
    for n, place in enumerate(names):
        gate.later(DAY)
        await gate.say(candidate(f"Does not like {place}", "likes", place, negated=True), turn=f"no{n}")
    ended = {u.sealed.value for u in gate.view.values() if u.state == "superseded"}
    assert ended == {"Bath", "Hull"}
    removed = [u for u in gate.view.values() if u.state == "deleted"]
    assert [(u.reason.rule, u.op) for u in removed] == [("made_room", "delete")] * 2
    assert gate.outcomes().count(("retired", "made_room")) == 2


async def test_numbers_of_deleted_records_are_bounded_and_one_that_comes_back_goes_on_above(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_GONE", 2)
    gate = GateBench(models)
    for key in "abcd":
        await gate.do("put_item", namespace=("memories",), key=key, value=1)
        await gate.do("put_item", namespace=("memories",), key=key, value=2)
        await gate.do("delete_item", namespace=("memories",), key=key)
        gate.restart()
    tails = [k for r in gate.rows().values() for k in r if k.startswith("v/")]
    assert len(tails) == 2
    records = {u.key: u.record_id for u in gate.log}
    assert [n.removeprefix("acme/user/ann/") for n in gate.nulls] == [f"{records['a']}/0", f"{records['b']}/0"]
    [back] = await gate.do("put_item", namespace=("memories",), key="a", value=3)
    assert back.record_id == records["a"]
    assert back.revision > 3, "no redelivery of what it was before comes after it"


async def test_c9_the_list_of_a_sessions_records_forgets_those_that_no_view_holds(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_GONE", 0)
    gate = GateBench(models)
    [first] = await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    [second] = await gate.say(candidate("Bought a red kayak"))
    await gate.do("forget", first.record_id)
    [listed] = [r["s/s1"] for r in gate.rows().values() if "s/s1" in r]
    assert second.record_id.encode() in listed
    assert first.record_id.encode() not in listed
    await gate.do("forget", second.record_id)
    assert not [k for r in gate.rows().values() for k in r if k.startswith(("s/", "v/"))]


async def test_the_marks_of_contradictions_on_a_record_are_bounded(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "MAX_SOURCES", 2)
    gate = GateBench(models)
    [first] = await gate.say(candidate("We agreed to ship the beta on Friday"))
    for day in ("Monday", "Tuesday", "Wednesday", "Thursday"):
        await gate.say(candidate(f"We agreed to ship the beta on {day}"))
    assert max(len(u.conflicts_with) for u in gate.active()) == 2
    assert first.record_id in {u.record_id for u in gate.active()}
