"""What the words of a later statement end, and how it comes back: forgotten, corrected, said again, come late (D3)."""

from __future__ import annotations

import pytest

from processors.ports import Models
from schemas.events.memory import CHANGED_ON, MemoryUpdate
from tests.unit.gate.bench import DAY, GateBench, candidate
from tests.unit.gate.changed_pairs import outcomes, pairs_of

PAIRS = pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("User plays tennis on Mondays", "User has given up tennis", "User has given up squash"),
        ("用户每周一打网球", "用户不再打网球了", "用户不再打壁球了"),
    ],
)


def by_text(gate: GateBench) -> dict[str, MemoryUpdate]:
    return {u.sealed.text: u for u in gate.active()}


async def ended(gate: GateBench, old: str, new: str) -> MemoryUpdate:
    """The later one, which has ended the earlier."""
    await gate.say(candidate(old))
    gate.later(2 * DAY)
    [_, *_] = await gate.say(candidate(new))
    assert list(by_text(gate)) == [new]
    return by_text(gate)[new]


@pytest.mark.parametrize(("language", "least"), [("en", 63), ("zh", 53)])
async def test_d3_of_pairs_that_both_hold_none_ends(models: Models, language: str, least: int) -> None:
    """And of 115 that have ended as many as when they were written do. `independent`: by who knew no rule."""
    pairs = [p for name in ("first", "last", "near", "final", "independent") for p in pairs_of(f"{name}_{language}")]
    found = await outcomes(models, pairs)
    wrong = [p for p, o in zip(pairs, found, strict=True) if p.relation == "both" and o == "retired"]
    assert wrong == []
    assert found.count("retired") >= least


@PAIRS
async def test_n4_what_a_forgotten_statement_had_ended_holds_again(
    gate: GateBench, old: str, new: str, other: str
) -> None:
    later = await ended(gate, old, new)
    await gate.do("forget", later.record_id)
    [again] = gate.active()
    assert (again.sealed.text, again.valid_to, again.conflicts_with) == (old, None, ())


@PAIRS
async def test_n4_what_corrected_words_do_not_end_holds_again(gate: GateBench, old: str, new: str, other: str) -> None:
    later = await ended(gate, old, new)
    await gate.do("correct", later.record_id, text=f"{new} ")
    assert old not in by_text(gate), "these words end it, too"
    await gate.do("correct", later.record_id, text=other)
    assert set(by_text(gate)) == {old, other}


@PAIRS
async def test_d3_said_again_it_holds_and_what_had_ended_it_is_marked(
    gate: GateBench, old: str, new: str, other: str
) -> None:
    later = await ended(gate, old, new)
    gate.later(30 * DAY)
    await gate.say(candidate(old))
    found = by_text(gate)
    assert found[new].conflicts_with == (found[old].record_id,)
    assert str(found[new].sealed.attributes[CHANGED_ON])[:10] == gate.driver.now.date().isoformat()
    assert CHANGED_ON not in found[old].sealed.attributes
    assert found[new].record_id == later.record_id


@PAIRS
async def test_d3_what_comes_late_is_ended_by_what_was_said_since(
    gate: GateBench, old: str, new: str, other: str
) -> None:
    now = gate.driver.now
    await gate.say(candidate(new), at=now)
    await gate.say(candidate(old), at=now - DAY)
    assert [(u.sealed.text, u.conflicts_with) for u in gate.active()] == [(new, ())]
    [closed] = [u for u in gate.view.values() if u.sealed.text == old]
    assert (closed.state, closed.reason.rule, closed.valid_to) == ("superseded", "changed", now)
