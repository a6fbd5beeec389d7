"""C7: a sealed text opens at its place alone, in the log and in the state; what was sealed before opens as it did."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, get_args

import orjson
import pytest

from memstream.keyring.cipher import AesCipher, at_place
from memstream.keyring.state import SealedStateStore
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from processors.step import Reads
from schemas.events.envelope import Envelope
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError
from schemas.log.places import fields_of_places, place_of, place_of_row
from schemas.profile.pii_policy import PiiAction
from schemas.security.sealing import Bound, SealedError
from sinks.decode import decode
from sinks.postgres.tables import CHECKPOINTS, DECISIONS, MEMORIES, SESSIONS, TURNS
from sinks.protocol import Message
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from streams.state.protocol import PartitionCommit, Position, Write
from streams.topology import TOPOLOGY, Parts
from tests.unit.rebuild.test_rescreen import PHONES, a_pass, profile
from tests.unit.schemas.examples import Example, valid
from tests.unit.sinks.events import checkpoint, decision, memory, session
from tests.unit.sinks.events import turn as screened
from tests.unit.test_keyring import ANN, HERE, NOW, MemoryKeys, turn

TOPIC = {"memory": topics.UPDATES.name, "screened_turn": topics.HISTORY.name, "decision": topics.DECISIONS.name,
         "session_state": topics.SESSION_STATE.name, "checkpoint": topics.SESSION_STATE.name}  # fmt: skip
ELSEWHERE = "does not open under its owner's key at this place"


@pytest.fixture
def keys() -> MemoryKeys:
    return MemoryKeys()


def codec(keys: MemoryKeys, to: Bound = "place") -> Codec:
    return Codec(AesCipher(keys, to))


def test_what_is_authenticated_does_not_change() -> None:
    """Texts that are kept for years open by it: a field more, or written otherwise, and none of them does."""
    assert at_place(ANN, 3, HERE) == b'["acme/user/ann",3,"memory","acme","user","ann","r1","0","1"]'
    assert dict(fields_of_places()) == {
        "turn": ("tenant", "user_id", "session_id", "turn_id", "role", "occurred_at"),
        "session_command": ("tenant", "user_id", "session_id", "command", "command_id"),
        "checkpoint_result": ("tenant", "user_id", "session_id", "job_id"),
        "amendment": ("tenant", "user_id", "amendment_id"),
        "screened_turn": ("tenant", "user_id", "session_id", "turn_id", "revision"),
        "extraction": ("tenant", "user_id", "session_id", "turn.turn_id", "extractor", "extractor_version"),
        "feedback": ("tenant", "user_id", "feedback_id"),
        "memory_command": ("tenant", "user_id", "command", "command_id"),
        "job_result": ("tenant", "user_id", "job_id", "job"),
        "turn_digest": ("tenant", "project_id", "user_id", "turn.turn_id"),
        "project_candidate": ("tenant", "project_id", "user_id", "turn.turn_id", "record_id"),
        "user_memory": ("tenant", "project_id", "user_id", "command_id", "record_id"),
        "project_command": ("tenant", "project_id", "command", "command_id"),
        "report_result": ("tenant", "project_id", "job_id", "week_start"),
        "memory": ("tenant", "owner_kind", "owner_id", "record_id", "version", "revision"),
        "session_state": ("tenant", "user_id", "session_id", "revision"),
        "checkpoint": ("tenant", "user_id", "session_id", "message_id", "revision"),
        "decision": ("tenant", "owner_kind", "owner_id", "decision_id", "revision"),
        "job": ("tenant", "owner_kind", "owner_id", "job_id"),
        "document": ("tenant", "document_id", "version"),
    }


def test_parts_of_a_place_cannot_imitate_each_other() -> None:
    results = [("memory", 'a","b', "c"), ("memory", "a", 'b","c'), ("memory", "a", "b", "c"), ("memory", "a#b", "c")]
    assert len({at_place(ANN, 1, place) for place in results}) == 4
    with pytest.raises(SealedError, match="place is not known"):
        at_place(ANN, 1, ())


def test_the_columns_of_a_row_tell_its_place() -> None:
    for kind, table in (("screened_turn", TURNS), ("memory", MEMORIES), ("decision", DECISIONS),
                        ("session_state", SESSIONS), ("checkpoint", CHECKPOINTS)):  # fmt: skip
        assert set(fields_of_places()[kind]) <= {name for name, _ in table.columns}, kind


@pytest.mark.parametrize("example", [e for e in valid() if b'"sealed"' in e.value], ids=str)
@pytest.mark.parametrize("to", get_args(Bound))
def test_c7_every_kind_of_value_opens_where_it_was_sealed(keys: MemoryKeys, example: Example, to: Bound) -> None:
    event = Codec().decode(example.topic, example.value)
    raw = codec(keys, to).value(event)
    assert orjson.loads(raw)["sealed"]["alg"] == ("A256GCM" if to == "owner" else "A256GCM-P")
    assert codec(keys, to).decode(example.topic, raw) == event


PAIRS: list[tuple[Envelope, Envelope]] = [
    (memory(1, text="an old address"), memory(2, text="the new one")),
    (memory(1, version=0), memory(1, version=1)),
    (memory(1, revision=1), memory(1, revision=2)),
    (screened(1), screened(2)),
    (screened(1, session_id="private"), screened(1, session_id="s1")),
    (screened(1), memory(1)),
    (decision(1), decision(2)),
    (session(1), session(2)),
    (session(1, revision=1), session(1, revision=2)),
    (checkpoint(1), checkpoint(2)),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_c7_a_sealed_part_in_the_place_of_another_of_its_owner_is_a_dead_letter(
    keys: MemoryKeys, one: Any, other: Any
) -> None:
    mine, theirs = (orjson.loads(codec(keys).value(e)) for e in (one, other))
    for value, event, foreign in ((mine, one, theirs), (theirs, other, mine)):
        swapped = orjson.dumps({**value, "sealed": foreign["sealed"]})
        found = decode(codec(keys), [Message(TOPIC[event.type], 0, 0, b"k", swapped, [], 0)])
        assert [(p.reason, p.text) for p in found.poison] == [("sealed", f"sealed: {ELSEWHERE}")]
        assert not found.items
    before = [orjson.loads(codec(keys, "owner").value(e)) for e in (one, other)]
    if one.type == other.type:
        swapped = orjson.dumps({**before[0], "sealed": before[1]["sealed"]})
        assert codec(keys).decode(TOPIC[one.type], swapped), "as it was: what the place is for"


def test_c7_neither_form_opens_by_the_label_of_the_other(keys: MemoryKeys) -> None:
    placed, owned = AesCipher(keys), AesCipher(keys, "owner")
    new, old = placed.seal(ANN, {"a": 1}, HERE), owned.seal(ANN, {"a": 1}, HERE)
    for cipher in (placed, owned, AesCipher(keys, "place_only")):
        for forged in (new | {"alg": "A256GCM"}, old | {"alg": "A256GCM-P"}, new | {"alg": "none"}):
            with pytest.raises(SealedError):
                cipher.open(ANN, forged, HERE)
    rows = placed.seal_bytes(ANN, b"1", HERE), owned.seal_bytes(ANN, b"1", HERE)
    for row, label in zip(rows, (b"\0sealed1", b"\0sealed2"), strict=True):
        with pytest.raises(SealedError):
            placed.open_bytes(ANN, label + row[8:], HERE)


def test_c7_what_is_bound_to_its_owner_alone_opens_unless_it_is_refused(keys: MemoryKeys) -> None:
    event = turn("ann", "My favourite wood is zebrawood.")
    old = codec(keys, "owner").value(event)
    assert codec(keys).decode(topics.TURNS.name, old) == event
    assert codec(keys, "owner").decode(topics.TURNS.name, codec(keys).value(event)) == event, "readers first"
    with pytest.raises(DecodeError, match="MEMSTREAM_SEALED_TO") as refusal:
        codec(keys, "place_only").decode(topics.TURNS.name, old)
    assert refusal.value.reason == "sealed"
    row = AesCipher(keys, "owner").seal_bytes(ANN, b"1", HERE)
    assert AesCipher(keys).open_bytes(ANN, row, HERE) == b"1"
    with pytest.raises(SealedError, match="MEMSTREAM_SEALED_TO"):
        AesCipher(keys, "place_only").open_bytes(ANN, row, HERE)


def test_a_place_is_that_of_the_json_that_is_read(keys: MemoryKeys) -> None:
    event = turn("ann", "zebrawood").model_copy(update={"turn_id": None})
    assert place_of(orjson.loads(codec(keys).value(event))) == (
        "turn", "acme", "ann", "s", "", "user", "2026-11-02T09:01:00Z"
    )  # fmt: skip
    assert place_of_row(MemoryUpdate, memory(3).model_dump()) == ("memory", "t1", "user", "u1", "record-3", "0", "1")
    assert place_of_row(ScreenedTurn, {}) == ("screened_turn", "", "", "", "", "")
    assert place_of({"type": ["memory"]}) == place_of({"type": "tick"}) == ()


SPOTS = [("gate", "acme/user/ann", "t/1"), ("gate", "acme/user/ann", "t/2"), ("gate", "acme/user/ann|s", "t/1"),
         ("session", "acme/user/ann", "t/1"), ("gate", "acme/user/ann", "hot/status/said"),
         ("gate", "acme/user/ann", "hot/status/other")]  # fmt: skip


@pytest.mark.parametrize("at", range(len(SPOTS)))
async def test_c7_a_row_of_state_in_the_place_of_another_does_not_open(keys: MemoryKeys, at: int) -> None:
    inner = MemoryStateStore()
    store = SealedStateStore(inner, AesCipher(keys))
    for step in ("gate", "session"):
        writes = [Write(owner, key, f"zebrawood {n}".encode()) for n, (s, owner, key) in enumerate(SPOTS) if s == step]
        await store.commit([PartitionCommit(step, 0, None, Position(1), writes, ())])
    step, owner, key = SPOTS[at]
    wanted = {0: [Reads(owner, (key,))]}
    assert (await store.load(step, wanted))[0][owner] == {key: f"zebrawood {at}".encode()}
    rows = [(s, o, held) for (s, _), owners in inner.rows.items() for o, held in owners.items()]
    held = {(s, o, k): v for s, o, found in rows for k, v in found.items()}
    assert len(held) == len(SPOTS)
    (mine,) = [place for place, v in held.items() if place[:2] == (step, owner) and _is(place[2], key)]
    for other, value in held.items():
        if other == mine:
            continue
        inner.rows[step, 0][owner][mine[2]] = value
        with pytest.raises(SealedError) as refusal:
            await store.load(step, wanted)
        assert str(refusal.value) == f"a row of the state of {step} {ELSEWHERE}"


def _is(stored: str, key: str) -> bool:
    """Of two keys that are what was said, the store has hashes."""
    from memstream.keyring.state import _hidden

    return stored in (key, _hidden("acme/user/ann", key))


async def _went_on(
    models: Models, keys: MemoryKeys, to: Bound, before: TopologyDriver | None = None,
    phones: PiiAction = PiiAction.ALLOW,
) -> TopologyDriver:  # fmt: skip
    """The topology under one form, over the log and the state of the one before."""
    cipher = AesCipher(keys, to)
    parts = Parts(models, ProfileBook(profile(phones)), RuleExtractor())
    inner = MemoryStateStore() if before is None else before.store._inner  # type: ignore[attr-defined]
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    start = NOW + timedelta(hours=1) if before is None else before.now + timedelta(minutes=1)
    made = TopologyDriver(steps, start, store=SealedStateStore(inner, cipher), codec=Codec(cipher))
    if before is not None:
        made.log.partitions = before.log.partitions
        made._cursor.update(before._cursor)
    return made


def _texts(d: TopologyDriver) -> str:
    return " ".join(e.sealed.text for e in d.read(topics.UPDATES) if isinstance(e, MemoryUpdate))


async def test_c7_a_topology_goes_on_from_one_form_to_the_other_and_back_again(
    models: Models, keys: MemoryKeys
) -> None:
    texts = ["I live in Kurrajong.", "我住在杭州。", "I prefer tea to coffee.", "We decided to use the birch plan."]
    d = None
    for n, to in enumerate(("owner", "place", "owner", "place")):
        d = await _went_on(models, keys, to, d)  # type: ignore[arg-type]
        d.pipe(topics.TURNS, turn("ann", texts[n], "trial-7" if n == 3 else None, n))
        await d.run()
        assert not d.dead_letters()
    assert d is not None
    algs = {orjson.loads(m.value)["sealed"]["alg"] for (t, _), log in d.log.partitions.items()
            if t == topics.UPDATES.name for m in log if m.value and b'"ct"' in m.value}  # fmt: skip
    assert algs == {"A256GCM", "A256GCM-P"}
    assert all(word in _texts(d) for word in ("Kurrajong", "杭州", "tea"))


async def test_c7_where_the_older_form_is_refused_everything_still_opens_through_reprocess_and_a_new_key(
    models: Models, keys: MemoryKeys
) -> None:
    d = await _went_on(models, keys, "place_only")
    d.pipe(topics.TURNS, turn("ann", f"I live in Kurrajong, my phone is {PHONES[1]}.", "trial-7", 1))
    d.pipe(topics.TURNS, turn("ann", "We decided to use the birch plan.", "trial-7", 2))
    await d.run()
    d.tick()
    await d.run()
    assert not d.dead_letters()
    d = await _went_on(models, keys, "place_only", d, PiiAction.MASK)
    a_pass(d, models, ProfileBook(profile(PiiAction.MASK)))
    await d.run()
    assert not d.dead_letters()
    newest = {e.turn_id: e for e in d.read(topics.HISTORY) if isinstance(e, ScreenedTurn)}
    assert max(e.revision for e in newest.values()) == 2, "a turn was written anew"
    keys.destroy(ANN.key)
    d.pipe(topics.TURNS, turn("ann", "I live in Leeds.", n=9))
    await d.run()
    assert not d.dead_letters()


async def test_c7_a_swapped_record_of_the_log_is_a_dead_letter_of_its_step(models: Models, keys: MemoryKeys) -> None:
    d = await _went_on(models, keys, "place")
    for n in (1, 2):
        d.pipe(topics.TURNS, turn("ann", f"I live in Kurrajong {n}.", n=n))
    (log,) = [log for (t, _), log in d.log.partitions.items() if t == topics.TURNS.name and log]
    first, second = (orjson.loads(m.value or b"") for m in log)
    raw = orjson.dumps({**first, "sealed": second["sealed"]})
    d.pipe_raw(topics.TURNS, log[0].partition, raw)
    await d.run()
    (letter,) = d.dead_letters()
    assert letter.value == raw
    result = dict(letter.headers)
    assert result["reason"] == b"sealed"
    assert b"Kurrajong" not in b"".join(v or b"" for v in result.values())


