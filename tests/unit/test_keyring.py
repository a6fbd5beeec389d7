"""Sealing under data keys: what opens, what does not, and what is left when a key is destroyed (C7, N6)."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from memstream.erasure.probe import forms
from memstream.erasure.report import ReportError, key_id, public_bytes, signed, signing_key, verify
from memstream.keyring.cipher import AesCipher
from memstream.keyring.master import LocalMasterKeys, MasterKeyError
from memstream.keyring.originals import Vault
from memstream.keyring.state import SealedStateStore, owner_of
from memstream.keyring.wiring import Sealing, sealing_of
from memstream.settings import Settings
from processors.memory.emit import because
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from processors.step import Reads
from schemas.events.documents import ProjectCommand, TurnDigest, TurnDigestBody
from schemas.events.envelope import SourceTurn
from schemas.events.erasure import Erasure
from schemas.events.memory import HotMemory, MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import ERASED, Codec, DecodeError
from schemas.log.owner import Owner, OwnerKind, user
from schemas.profile.model import load_profile
from schemas.profile.pii_policy import PiiAction
from schemas.security.sealing import KeyDestroyed, SealedError
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from streams.state.protocol import PartitionCommit, Position, StateStore, Write
from streams.topology import TOPOLOGY, Parts

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
ANN, BOB = user("acme", "ann"), user("acme", "bob")
HERE = ("memory", "acme", "user", "ann", "r1", "0", "1")


class MemoryKeys:
    """A keyring without a store."""

    def __init__(self) -> None:
        self.keys: dict[tuple[str, int], bytes | None] = {}

    def current(self, owner: str) -> tuple[int, bytes]:
        number = max((g for o, g in self.keys if o == owner), default=1)
        if self.keys.setdefault((owner, number), secrets.token_bytes(32)) is None:
            number += 1
            self.keys[owner, number] = secrets.token_bytes(32)
        return number, self.key(owner, number)

    def key(self, owner: str, generation: int) -> bytes:
        found = self.keys[owner, generation]
        if found is None:
            raise KeyDestroyed("destroyed")
        return found

    def destroy(self, owner: str) -> None:
        for place in [p for p in self.keys if p[0] == owner]:
            self.keys[place] = None


@pytest.fixture
def keys() -> MemoryKeys:
    return MemoryKeys()


def turn(who: str, text: str, project: str | None = None, n: int = 1) -> TurnEvent:
    at = NOW + timedelta(minutes=n)
    return TurnEvent(
        tenant="acme", user_id=who, session_id="s", turn_id=f"{who}-{n}", role="user", occurred_at=at, accepted_at=at,
        project_id=project, sealed=TurnBody(content=text),
    )  # fmt: skip


@pytest.mark.parametrize("text", ["My favourite wood is zebrawood.", "我住在琥珀巷。"])
def test_c7_a_sealed_value_holds_no_text_and_opens_again(keys: MemoryKeys, text: str) -> None:
    codec = Codec(AesCipher(keys))
    raw = codec.value(turn("ann", text))
    assert text.encode() not in raw
    assert orjson.dumps(text) not in raw
    assert codec.decode(topics.TURNS.name, raw) == turn("ann", text)


def test_c7_a_value_does_not_open_under_another_owner_or_when_changed(keys: MemoryKeys) -> None:
    cipher = AesCipher(keys)
    sealed = cipher.seal(ANN, {"text": "zebrawood"}, HERE)
    keys.current(BOB.key)
    with pytest.raises(SealedError):
        cipher.open(BOB, sealed, HERE)
    with pytest.raises(SealedError):
        cipher.open(ANN, {**sealed, "ct": sealed["ct"][:-8] + "AAAAAAA="}, HERE)


def test_n6_a_destroyed_key_passes_for_erased_and_the_next_one_opens(keys: MemoryKeys) -> None:
    codec = Codec(AesCipher(keys))
    before = codec.value(turn("ann", "zebrawood"))
    keys.destroy(ANN.key)
    after = codec.value(turn("ann", "oak"))
    with pytest.raises(DecodeError) as refusal:
        codec.decode(topics.TURNS.name, before)
    assert refusal.value.reason == ERASED
    assert codec.decode(topics.TURNS.name, after) == turn("ann", "oak")


def test_n6_what_a_project_holds_of_a_user_is_under_the_users_key(keys: MemoryKeys) -> None:
    codec = Codec(AesCipher(keys))
    source = SourceTurn(turn_id="t", occurred_at=NOW, content_hash="x")
    digest = TurnDigest(
        tenant="acme", project_id="p", user_id="ann", turn=source, role="user", language="en", accepted_at=NOW,
        sealed=TurnDigestBody(content="zebrawood"),
    )  # fmt: skip
    raw = codec.value(digest)
    assert codec.decode(topics.PROJECT_EVENTS.name, raw) == digest
    assert {o for o, _ in keys.keys} == {ANN.key}


@pytest.mark.parametrize("name", ["Ann decided to use zebrawood", "琥珀巷"])
def test_n6_a_name_made_of_what_was_said_is_sealed_with_it(keys: MemoryKeys, name: str) -> None:
    """The key of a decision in hot memory is its text."""
    codec = Codec(AesCipher(keys))
    update = HotMemory(
        tenant="acme", owner_kind=OwnerKind.PROJECT, owner_id="p", project_id="p", record_id="r", revision=1,
        category="decision",
        state="active", reason=because("kept", "extraction", "hot_memory"), key=name, field=name, fields=(name,),
        user_id="ann", occurred_at=NOW, known_at=NOW, last_accessed_at=NOW,
    )  # fmt: skip
    raw = codec.value(update)
    assert not re.search(b"|".join(map(re.escape, forms([name]))), raw)
    assert codec.decode(topics.UPDATES.name, raw) == update
    clear = Codec().value(update)
    assert codec.decode(topics.UPDATES.name, clear) == update, "as before encryption was on"
    assert orjson.loads(clear)["key"] == name


async def test_n6_the_topology_sealed_remembers_and_forgets_with_the_key(models: Models, keys: MemoryKeys) -> None:
    cipher = AesCipher(keys)
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    inner = MemoryStateStore()
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    store = SealedStateStore(inner, cipher)
    driver = TopologyDriver(steps, NOW + timedelta(hours=1), store=store, codec=Codec(cipher))
    driver.pipe(topics.TURNS, turn("ann", "I live in Kurrajong and I prefer tea to coffee.", n=1))
    driver.pipe(topics.TURNS, turn("bob", "我住在杭州。", n=2))
    await driver.run()
    driver.restart()
    assert not driver.dead_letters()
    known = [e for e in driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate)]
    assert any("Kurrajong" in u.sealed.text for u in known)
    everything = b"".join(m.value or b"" for log in driver.log.partitions.values() for m in log)
    everything += b"".join(v for t in inner.rows.values() for rows in t.values() for v in rows.values())
    assert b"Kurrajong" not in everything
    assert "杭州".encode() not in everything
    keys.destroy(ANN.key)
    driver.pipe(topics.TURNS, turn("ann", "I live in Leeds.", n=3))
    await driver.run()
    assert not driver.dead_letters(), "what was sealed under the destroyed key is passed over"


STATEMENTS = ("We decided to move the moldavite delivery of Mr Kurrajong to Friday.", "我们决定使用琥珀巷方案。")
WORDS = ("moldavite", "Kurrajong", "琥珀巷")


async def _decided(models: Models, store: StateStore, cipher: AesCipher) -> TopologyDriver:
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    driver = TopologyDriver(steps, NOW + timedelta(hours=1), store=store, codec=Codec(cipher))
    for n, text in enumerate(STATEMENTS):
        driver.pipe(topics.TURNS, turn("ann", text, "trial-7", n))
    await driver.run()
    assert not driver.dead_letters()
    return driver


def _hot(driver: TopologyDriver) -> list[MemoryUpdate]:
    """Each once: a restart delivers the last batch again."""
    found = [e for e in driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "hot"]
    return list({(e.record_id, e.revision): e for e in found}.values())


def _names(inner: MemoryStateStore) -> str:
    rows = [(o, k) for t in inner.rows.values() for o, held in t.items() for k in held]
    return str([*rows, *(o for o, _ in rows)])


async def test_c7_no_name_of_a_state_row_tells_what_was_said(models: Models, keys: MemoryKeys) -> None:
    """The key of a decision in hot memory is its text."""
    cipher, inner = AesCipher(keys), MemoryStateStore()
    driver = await _decided(models, SealedStateStore(inner, cipher), cipher)
    results = [u.key or "" for u in _hot(driver)]
    assert all(any(w in key for key in results) for w in WORDS), "there was something to hide"
    assert not [w for w in WORDS if w in _names(inner)]
    driver.restart()
    driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(
            tenant="acme", project_id="trial-7", command="delete_hot", command_id="c1", hot_type="decision",
            key=next(k for k in results if "moldavite" in k), accepted_at=driver.now,
        ),
    )  # fmt: skip
    await driver.run()
    assert [u.op for u in _hot(driver)][len(results) :] == ["delete"], "the row is found by its own name"
    erased = Erasure(tenant="acme", erasure_id="e", scope="user", user_id="ann", accepted_at=driver.now)
    driver.pipe(topics.TURNS, erased)
    await driver.run()
    removed = [u for u in _hot(driver)[len(results) + 1 :] if u.op == "delete"]
    assert len(removed) == len(set(results)) - 1, "and by the user's list of what they wrote"
    assert not driver.dead_letters()


async def test_c7_state_rows_of_before_names_were_hidden_are_read_and_go(keys: MemoryKeys) -> None:
    inner = MemoryStateStore()
    store = SealedStateStore(inner, AesCipher(keys))
    owner, text, other = "acme/project/p", "hot/decision/buy moldavite", "hot@keys"

    def commit(at: int, *writes: Write) -> list[PartitionCommit]:
        return [PartitionCommit("project", 0, at or None, Position(at + 1), writes, ())]

    async def held(*named: str) -> list[dict[str, bytes]]:
        wanted = (Reads(owner, named), Reads(owner))
        return [(await store.load("project", {0: [r]}))[0].get(owner, {}) for r in wanted]

    await inner.commit(commit(0, Write(owner, text, b"1"), Write(owner, other, b"2")))
    assert await held(text, other) == [{text: b"1", other: b"2"}] * 2
    await store.commit(commit(1, Write(owner, text, b"3"), Write("@due", text, b"4")))
    assert await held(text, other) == [{text: b"3", other: b"2"}] * 2
    ends = [Write(owner, text, b"3", NOW), Write(owner, "t/1", b"5", NOW), Write("@due", "x", b"6", NOW)]
    await store.commit(commit(2, *ends))
    rows = (await store.load("project", {0: [Reads(owner, (text, "t/1")), Reads("@due")]}))[0]
    assert rows.expiry == {(owner, text): NOW, (owner, "t/1"): NOW, ("@due", "x"): NOW}, "by their own names"
    removed = [Write(owner, "t/1", None), Write("@due", "x", None)]
    await store.commit(commit(3, Write(owner, text, b"3"), *removed))
    assert "moldavite" not in str(list(inner.rows["project", 0][owner]))
    assert inner.rows["project", 0]["@due"] == {text: b"4"}, "of no owner, as it is"
    await store.commit(commit(4, Write(owner, text, None)))
    assert await held(text, other) == [{other: b"2"}] * 2
    assert list(inner.rows["project", 0][owner]) == [other]


def test_state_owners_name_whose_key_seals_them() -> None:
    assert owner_of(f"{ANN.key}|s1") == ANN
    assert owner_of(f"{ANN.key}/given") == ANN
    assert owner_of("@open") is None
    assert owner_of("acme/project/p|2026-11-02") == Owner("acme", OwnerKind.PROJECT, "p")


def test_c7_master_keys_rotate_in_their_file_and_others_read_it_again(tmp_path: Path) -> None:
    path = tmp_path / "master.keys"
    one = LocalMasterKeys.of_file(path)
    other = LocalMasterKeys.of_file(path)
    assert one.current == other.current
    assert path.stat().st_mode & 0o077 == 0
    old = one.wrap(b"k" * 32, b"o")
    first = one.current
    second = one.rotate()
    new = one.wrap(b"k" * 32, b"o")
    assert other.unwrap(second, new, b"o") == other.unwrap(first, old, b"o") == b"k" * 32
    with pytest.raises(MasterKeyError):
        other.unwrap(second, new, b"another owner")
    assert other.rotate() != second
    one.look()
    assert one.current == other.current, "before something new is wrapped"
    assert one.drop_others() == 2
    with pytest.raises(MasterKeyError):
        LocalMasterKeys.of_file(path).unwrap(first, old, b"o")


def test_a_master_key_of_the_environment_is_refused_by_name() -> None:
    with pytest.raises(MasterKeyError, match="MEMSTREAM_MASTER_KEY: expected 64 hex digits"):
        LocalMasterKeys.of_environment("secret")


def test_n6_a_report_is_verified_by_its_signature_and_key(tmp_path: Path) -> None:
    key = signing_key(tmp_path)
    report = signed({"erasure_id": "e", "removed": {"postgres/1": {"turns": 3}}, "user_id": "安"}, key)
    mine = key_id(public_bytes(signing_key(tmp_path)))
    assert verify(orjson.loads(orjson.dumps(report)), mine) == mine
    digits = (tmp_path / "report.key").read_text()
    assert key_id(public_bytes(signing_key(tmp_path / "elsewhere", digits))) == mine, "the file's key, as a setting"
    assert not (tmp_path / "elsewhere").exists()
    for wrong in ("CHANGE-ME-64-hex-digits", "ab" * 31):
        with pytest.raises(ValueError, match="MEMSTREAM_REPORT_KEY: expected 64 hex digits"):
            signing_key(tmp_path, wrong)
    with pytest.raises(ReportError, match="does not fit"):
        verify({**report, "removed": {}})
    with pytest.raises(ReportError, match="not by"):
        verify(report, "0" * 16)
    with pytest.raises(ReportError, match="expected alg"):
        verify({"erasure_id": "e"})


class Renewing:
    """A keyring of which is asked whether somebody has a key."""

    def __init__(self, known: set[str]) -> None:
        self.known = known

    def renewed(self, owner: Owner) -> timedelta:
        self.known.add(owner.key)
        return timedelta(seconds=1.5)

    def renewed_if_any(self, owner: Owner) -> timedelta:
        return self.renewed(owner) if owner.key in self.known else timedelta(0)


def test_n6_where_encryption_is_off_only_who_has_or_may_have_a_key_gets_a_new_one() -> None:
    ring = Renewing({BOB.key})
    plain = load_profile("general")
    encrypting = plain.model_copy(update={"pii": {"PHONE_NUMBER": PiiAction.ENCRYPT}})
    off = Sealing(Codec(), ring, Vault(MemoryKeys()))  # type: ignore[arg-type]
    assert off.new_keys(lambda _: plain)(ANN) == timedelta(0)
    assert off.new_keys(lambda _: plain)(BOB) > timedelta(0)
    assert ring.known == {BOB.key}
    assert off.new_keys(lambda _: encrypting)(ANN) > timedelta(0), "a turn under way may get one yet"
    sealed = Sealing(Codec(), ring, Vault(MemoryKeys()), AesCipher(MemoryKeys()))  # type: ignore[arg-type]
    assert sealed.new_keys(lambda _: plain)(user("acme", "cy")) > timedelta(0)


def test_c7_where_encryption_is_off_no_master_key_is_made_before_one_is_needed(tmp_path: Path) -> None:
    sealing = sealing_of(Settings(data_dir=tmp_path, encryption="off"))
    masters = sealing.keyring._masters
    assert list(tmp_path.iterdir()) == []
    wrapped = masters.wrap(b"k" * 32, b"context")
    again = sealing_of(Settings(data_dir=tmp_path, encryption="sealed")).keyring._masters
    assert again.unwrap(masters.current, wrapped, b"context") == b"k" * 32
