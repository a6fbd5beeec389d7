"""D5: whatever policy is tightened, no original is left in any part of what is stored, nor in the steps' state."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from memstream.reprocess.rescreen import Found
from memstream.reprocess.rescreen_run import PASSES, until_clean
from processors.memory.restate import LEARNED
from processors.ports import Models, ProfileBook
from schemas.events.memory import MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn, SessionCommand, SessionCommandBody
from schemas.log import topics
from schemas.profile.model import Profile, load_profile
from schemas.profile.pii_policy import PiiAction
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from tests.unit.rebuild.test_rescreen import NOW, a_pass, stored, text_of, turn_of, under

STATEMENTS = {
    "LOCATION": (("I live in Ghent.", "Ghent"), ("我住在苏州。", "苏州"), ("I moved to Leuven in Belgium.", "Leuven")),
    "PERSON": (("My name is Ann Smith.", "Ann Smith"), ("我叫张伟。", "张伟"), ("My sister Maria likes tea.", "Maria")),
    "ORGANIZATION": (("I work at Siemens.", "Siemens"), ("我在腾讯工作。", "腾讯")),
    "PHONE_NUMBER": (("My phone number is 202-555-0143.", "202-555-0143"), ("我的电话是13812345678。", "13812345678")),
    "EMAIL_ADDRESS": (("My e-mail is ann@example.org.", "ann@example.org"),),
    "AGE": (("I am 34 years old.", "34 years old"),),
    "URL": (("My site is https://ann.example.org/me.", "https://ann.example.org/me"),),
    "CREDIT_CARD": (("My card is 4111 1111 1111 1111.", "4111 1111 1111 1111"),),
}
TIGHTENED = [(entity, PiiAction.MASK) for entity in STATEMENTS] + [
    (entity, action) for entity in ("LOCATION", "PERSON") for action in (PiiAction.TOKENISE, PiiAction.REFUSE)
]


def policy(**actions: PiiAction) -> Profile:
    plain = load_profile("general")
    return plain.model_copy(update={"pii": {**dict.fromkeys(STATEMENTS, PiiAction.ALLOW), **actions}})


def state_of(d: TopologyDriver) -> str:
    """What the steps hold, as text."""
    assert isinstance(d.store, MemoryStateStore)
    kept = [value for rows in d.store.rows.values() for mine in rows.values() for value in mine.values()]
    return "".join(value.decode("utf-8", "replace") for value in kept)


async def talked(models: Models, profile: Profile, entity: str, *, bare: bool = True) -> TopologyDriver:
    """Turns, what they teach, and the same values beside them: in metadata, a caller's memory, and `bare`, with no
    sentence around them, in a session's state."""
    d = under(models, profile)
    for n, (text, value) in enumerate(STATEMENTS[entity]):
        turn = turn_of(n, text)
        sealed = turn.sealed.model_copy(update={"metadata": {"seen": value, "list": [value]}})
        d.pipe(topics.TURNS, turn.model_copy(update={"sealed": sealed}))
        at = NOW + timedelta(minutes=10 + n)
        d.pipe(topics.LEDGER, MemoryCommand(
            tenant="t", user_id="ann", command="remember", command_id=f"c{n}", kind="fact", field=f"own{n}",
            occurred_at=at, accepted_at=at, sealed=MemoryCommandBody(text=text, value={"it": value}),
        ))  # fmt: skip
    values = [value for _, value in STATEMENTS[entity]]
    if bare:
        d.pipe(topics.TURNS, SessionCommand(
            tenant="t", user_id="ann", session_id="s", command="patch", command_id="p",
            accepted_at=NOW + timedelta(minutes=9),
            sealed=SessionCommandBody(anchors={"told": values}, global_state={"shared": {"it": values}}),
        ))  # fmt: skip
    d.now = NOW + timedelta(minutes=30)
    await d.run()
    assert d.dead_letters() == []
    return d


@pytest.mark.parametrize(("entity", "action"), TIGHTENED)
async def test_d5_no_original_is_left_in_any_part(models: Models, entity: str, action: PiiAction) -> None:
    values = [value for _, value in STATEMENTS[entity]]
    d = await talked(models, policy(), entity)
    before = stored(d)
    spoken = [e for e in before if any(value in text_of([e]) for value in values)]
    assert all(any(isinstance(e, kind) for e in spoken) for kind in (ScreenedTurn, MemoryUpdate, SessionState))
    tight = policy(**{entity: action})
    d = under(models, tight, d)
    d.now = NOW + timedelta(hours=1)
    found = a_pass(d, models, ProfileBook(tight))
    await d.run()
    assert d.dead_letters() == []
    assert not found.left
    held = state_of(d)
    for value in values:
        assert [e for e in stored(d) if value in text_of([e])] == []
        assert value not in held
    assert not a_pass(d, models, ProfileBook(tight)).records


@pytest.mark.parametrize("entity", ["LOCATION", "PERSON", "ORGANIZATION"])
async def test_d5_of_what_is_said_anew_it_stands_in_no_part_either(models: Models, entity: str) -> None:
    d = await talked(models, policy(**{entity: PiiAction.MASK}), entity, bare=False)
    text = "".join(text_of([e]) for e in stored(d)) + state_of(d)
    assert f"<{entity}>" in text
    assert [value for _, value in STATEMENTS[entity] if value in text] == []


@pytest.mark.parametrize("entity", ["LOCATION", "PERSON", "PHONE_NUMBER"])
async def test_d5_what_was_learned_from_what_policy_refuses_now_ends(models: Models, entity: str) -> None:
    """As nothing is learned from such a turn when it is said (docs/pii.md)."""
    d = await talked(models, policy(), entity)
    d.pipe(topics.TURNS, turn_of(20, "I prefer green tea."))
    await d.run()
    active = {e.record_id: e for e in memories(d) if e.state == "active"}
    tight = policy(**{entity: PiiAction.REFUSE})
    d = under(models, tight, d)
    d.now = NOW + timedelta(hours=1)
    a_pass(d, models, ProfileBook(tight))
    await d.run()
    assert d.dead_letters() == []
    left = [e for e in memories(d) if e.state in ("active", "observed")]
    assert [e.sealed.text for e in left if f"<{entity}" in text_of([e])] == []
    assert any("tea" in e.sealed.text for e in left), "what else was said stays"
    ended = [e for e in memories(d) if e.record_id in active and e.state == "superseded"]
    assert {(e.reason.outcome, e.reason.gate, e.reason.rule) for e in ended} >= {("refused", "pii", entity.lower())}
    assert not a_pass(d, models, ProfileBook(tight)).records
    d.pipe(topics.TURNS, turn_of(40, "I prefer black coffee."))
    await d.run()
    assert any("coffee" in e.sealed.text for e in memories(d) if e.state == "active")


@pytest.mark.parametrize("action", [PiiAction.MASK, PiiAction.TOKENISE])
async def test_d5_keys_of_hot_memory_that_were_made_of_what_was_said(models: Models, action: PiiAction) -> None:
    """No key of the profile names these decisions, so their words are their keys. They are still their user's."""
    d = under(models, policy())
    decided = ("我们决定让张伟去苏州出差。", "我们决定让王建国去苏州出差。", "We decided to ship on Monday.")
    for n, text in enumerate(decided):
        d.pipe(topics.TURNS, turn_of(n, text).model_copy(update={"project_id": "p"}))
    d.now = NOW + timedelta(minutes=30)
    await d.run()
    assert {e.key for e in hot(d)} >= {"团队决定让张伟去苏州出差", "The team decided to ship on Monday"}
    tight = policy(PERSON=action)
    d = under(models, tight, d)
    d.now = NOW + timedelta(hours=1)
    assert a_pass(d, models, ProfileBook(tight)).records["hot"] == 2
    await d.run()
    assert d.dead_letters() == []
    now = [e for e in hot(d) if e.state == "active"]
    assert len(now) == 3, "keys that are masked alike stay two"
    assert {e.user_id for e in now} == {"ann"}
    assert isinstance(d.store, MemoryStateStore)
    names = "".join(name for rows in d.store.rows.values() for mine in rows.values() for name in mine)
    for value in ("张伟", "王建国"):
        assert value not in names
        assert [e for e in hot(d) if value in e.model_dump_json()] == []
    assert not a_pass(d, models, ProfileBook(tight)).records


def hot(d: TopologyDriver) -> list[MemoryUpdate]:
    return [e for e in stored(d) if isinstance(e, MemoryUpdate) and e.kind == "hot"]


def memories(d: TopologyDriver) -> list[MemoryUpdate]:
    return [e for e in stored(d) if isinstance(e, MemoryUpdate) and e.kind in LEARNED]


def test_d5_passes_end_with_the_first_clean_look() -> None:
    def run() -> tuple[Found, Found | None]:
        return Found(5, Counter(memory=left.pop(0)), Counter(a=1)), Found(5, +Counter(memory=left[0]))

    left = [3, 2, 0, 9]
    found, again = until_clean(run)
    assert (found.records["memory"], found.entities["a"], again) == (5, 2, Found(5))
    left = [1] * 9
    found, again = until_clean(run)
    assert found.records["memory"] == PASSES
    assert again is not None
    assert again.records["memory"] == 1
    assert until_clean(lambda: (Found(5), None)) == (Found(5), None)
