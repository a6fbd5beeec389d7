"""D5, `encrypt`: a token in the text, the original kept as ciphertext under its user's data key, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memstream.keyring.originals import Vault
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.owner import user
from schemas.profile.model import Profile, load_profile
from schemas.profile.pii_policy import PiiAction
from schemas.security.encrypted_values import Original
from schemas.security.sealing import KeyDestroyed, SealedError
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from streams.topology import TOPOLOGY, Parts
from tests.unit.test_keyring import ANN, BOB, MemoryKeys

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PHONES = ("202-555-0143", "13812345678")
MAIL = "ann.kurrajong@example.org"
TAKEN = (Original("PHONE_NUMBER", "<PHONE_NUMBER:0123456789ab>", PHONES[0]), Original("EMAIL_ADDRESS", "<E:1>", MAIL))


@pytest.fixture
def keys() -> MemoryKeys:
    return MemoryKeys()


def profile(**actions: PiiAction) -> Profile:
    plain = load_profile("general")
    return plain.model_copy(update={"pii": {**plain.pii, **actions}})


ENCRYPTING = profile(PHONE_NUMBER=PiiAction.ENCRYPT, EMAIL_ADDRESS=PiiAction.ENCRYPT)


def driver(models: Models, keys: MemoryKeys | None) -> TopologyDriver:
    if keys is not None:
        models = replace(models, keeper=Vault(keys))
    parts = Parts(models, ProfileBook(ENCRYPTING), RuleExtractor())
    return TopologyDriver([spec.build(parts) for spec in TOPOLOGY.values()], NOW + timedelta(hours=1))


def turn_of(n: int, content: str, **body: object) -> TurnEvent:
    at = NOW + timedelta(minutes=n)
    return TurnEvent(
        tenant="acme", user_id="ann", session_id="s", turn_id=f"turn-{n}", role="user", occurred_at=at, accepted_at=at,
        sealed=TurnBody(content=content, **body),  # type: ignore[arg-type]
    )  # fmt: skip


def talk(d: TopologyDriver) -> None:
    d.pipe(topics.TURNS, turn_of(1, f"We decided to call {PHONES[0]} on Friday. I live in Kurrajong."))
    d.pipe(topics.TURNS, turn_of(2, f"我的电话是{PHONES[1]}，我住在杭州。"))
    d.pipe(topics.TURNS, turn_of(3, "Write to me.", metadata={"mail": MAIL, "other": f"{PHONES[0]}, or {PHONES[0]}"}))
    d.pipe(topics.TURNS, turn_of(4, "I like tea."))


def turns(d: TopologyDriver) -> dict[str, ScreenedTurn]:
    return {e.turn_id: e for e in d.read(topics.HISTORY) if isinstance(e, ScreenedTurn)}


def behind_the_screen(d: TopologyDriver) -> bytes:
    logs = [m.value or b"" for (t, _), log in d.log.partitions.items() if t != topics.TURNS.name for m in log]
    assert isinstance(d.store, MemoryStateStore)
    return b"".join(logs) + str(d.store.rows).encode()


async def test_d5_originals_are_kept_as_ciphertext_and_nowhere_else(models: Models, keys: MemoryKeys) -> None:
    d = driver(models, keys)
    talk(d)
    await d.run()
    assert not d.dead_letters()
    everything = behind_the_screen(d)
    assert not [v for v in (*PHONES, MAIL, "2025550143") if v.encode() in everything]
    found, vault = turns(d), Vault(keys)
    opened = {
        name: [o for kept in t.sealed.originals or () for o in vault.open(ANN, name, kept)] for name, t in found.items()
    }
    assert {name: [(o.entity, o.value) for o in got] for name, got in opened.items()} == {
        "turn-1": [("PHONE_NUMBER", PHONES[0])],
        "turn-2": [("PHONE_NUMBER", PHONES[1])],
        "turn-3": [("EMAIL_ADDRESS", MAIL), ("PHONE_NUMBER", PHONES[0])],
        "turn-4": [],
    }
    for name, got in opened.items():
        body = found[name].sealed
        assert all(o.placeholder in body.content + str(body.metadata) for o in got)
    assert opened["turn-1"][0].placeholder == opened["turn-3"][1].placeholder, "the token is stable within a tenant"
    kept = [e for e in d.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and "<PHONE_NUMBER:" in e.sealed.text]
    assert kept, "a memory quotes the placeholder"
    named = {s.turn_id for e in kept for s in e.sources}
    assert named <= {"turn-1", "turn-2"}
    assert all(opened[name] for name in named), "its source turn has the original"


async def test_n2_a_replay_writes_the_same_bytes(models: Models, keys: MemoryKeys) -> None:
    once, again = driver(models, keys), driver(models, keys)
    for d in (once, again):
        talk(d)
        await d.run()
    values = [[d.codec.value(t) for t in turns(d).values()] for d in (once, again)]
    assert values[0] == values[1]
    assert b'"ct"' in b"".join(values[0])


async def test_d5_without_a_keyring_a_turn_waits_as_a_dead_letter(models: Models) -> None:
    """Nothing goes on with its original lost."""
    d = driver(models, None)
    d.pipe(topics.TURNS, turn_of(1, f"My phone number is {PHONES[0]}."))
    d.pipe(topics.TURNS, turn_of(2, "I like tea."))
    await d.run()
    assert set(turns(d)) == {"turn-2"}
    [letter] = d.dead_letters()
    assert b"NoDataKeys" in b"".join(v for _, v in letter.headers)
    assert not [v for _, v in letter.headers if PHONES[0].encode() in v]


def test_d5_originals_are_the_same_bytes_again_and_others_elsewhere(keys: MemoryKeys) -> None:
    vault = Vault(keys)
    kept = vault.keep(ANN, "turn-1", TAKEN)
    assert [o.entity for o in kept] == ["PHONE_NUMBER", "EMAIL_ADDRESS"]
    assert kept == Vault(keys).keep(ANN, "turn-1", (*TAKEN, TAKEN[0])), "each spelling once"
    cts = {o.ct for where in ((ANN, "turn-2"), (BOB, "turn-1")) for o in vault.keep(*where, TAKEN)}
    assert not cts & {o.ct for o in kept}
    assert vault.keep(ANN, "turn-1", ()) == ()
    assert [o for k in kept for o in vault.open(ANN, "turn-1", k)] == list(TAKEN)


def test_c7_originals_open_for_their_owner_turn_and_entity_alone(keys: MemoryKeys) -> None:
    vault = Vault(keys)
    phone, mail = vault.keep(ANN, "turn-1", TAKEN)
    keys.current(BOB.key)
    keys.current(user("other", "ann").key)
    elsewhere = [
        (BOB, "turn-1", phone), (user("other", "ann"), "turn-1", phone), (ANN, "turn-2", phone),
        (ANN, "turn-1", phone.model_copy(update={"entity": "EMAIL_ADDRESS"})),
        (ANN, "turn-1", phone.model_copy(update={"ct": mail.ct})),
        (ANN, "turn-1", phone.model_copy(update={"ct": phone.ct[:-8] + "AAAAAAA="})),
        (ANN, "turn-1", phone.model_copy(update={"ct": "no base64"})),
        (ANN, "turn-1", phone.model_copy(update={"alg": "A256GCM"})),
    ]  # fmt: skip
    for owner, turn_id, kept in elsewhere:
        with pytest.raises(SealedError) as refused:
            vault.open(owner, turn_id, kept)
        assert PHONES[0] not in str(refused.value)


def test_n6_originals_are_gone_with_the_key(keys: MemoryKeys) -> None:
    vault = Vault(keys)
    [before] = vault.keep(ANN, "turn-1", TAKEN[:1])
    keys.destroy(ANN.key)
    with pytest.raises(KeyDestroyed):
        vault.open(ANN, "turn-1", before)
    [after] = vault.keep(ANN, "turn-1", TAKEN[:1])
    assert after.kid != before.kid
    assert vault.open(ANN, "turn-1", after) == [TAKEN[0]]
