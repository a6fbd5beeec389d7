"""N1: a tightened policy reaches what is stored, through the log and each record's one writer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inference.protocols import EntitySpan
from memstream.keyring.originals import Vault
from memstream.profiles import ProfileFollower
from memstream.reprocess import rescreen_run
from memstream.reprocess.rescreen import READ, Found, Keeping, rescreened
from memstream.settings import Settings
from processors.pii.redaction import policy_of, redact
from processors.ports import EntityAnalyzer, Models, ProfileBook, TextLanguage
from processors.reader.rules.rules import RuleExtractor
from schemas.events.documents import ProfileVersion
from schemas.events.memory import MemoryCommand
from schemas.events.turns import ScreenedTurn, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec, Event
from schemas.log.owner import user
from schemas.profile.model import Profile, load_profile
from schemas.profile.pii_policy import PiiAction
from schemas.security.encrypted_values import NoKeeper
from sinks.collapse import collapse
from sinks.decode import decode
from sinks.memory import MemorySink
from sinks.protocol import Message, SinkBatch
from streams.driver import TopologyDriver
from streams.ports import in_thread
from streams.state.memory import MemoryStateStore
from streams.topology import TOPOLOGY, Parts
from tests.blocking import on_loop
from tests.unit.test_keyring import MemoryKeys

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
CODEC = Codec()
PHONES = ("13812345678", "202-555-0143")


def profile(action: PiiAction) -> Profile:
    plain = load_profile("general")
    return plain.model_copy(update={"pii": {**plain.pii, "PHONE_NUMBER": action}})


class WhereAsked:
    """Notes whether a loop stood still for it: others may have the recognisers, and load them for seconds."""

    def __init__(self, inner: EntityAnalyzer) -> None:
        self._inner = inner
        self.on_loop: list[bool] = []

    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]:
        self.on_loop.append(on_loop())
        return self._inner.analyze(texts, languages)


async def test_h4_a_step_asks_the_recognisers_off_the_loop_whatever_it_does(
    models: Models, talked: TopologyDriver
) -> None:
    """A session's decision on an amendment waited for them on the loop, for up to ten minutes."""
    request = WhereAsked(models.analyzer)
    policy = profile(PiiAction.MASK)
    parts = Parts(replace(models, analyzer=request), ProfileBook(policy), RuleExtractor())
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    d = TopologyDriver(steps, talked.now, store=talked.store, compute=in_thread, decide=in_thread)
    d.log.partitions = talked.log.partitions
    await d.run()
    before = len(request.on_loop)
    a_pass(d, models, ProfileBook(policy))
    await d.run()
    assert len(request.on_loop) > before
    assert not any(request.on_loop)


def driver(models: Models, action: PiiAction, before: TopologyDriver | None = None) -> TopologyDriver:
    return under(models, profile(action), before)


def under(models: Models, policy: Profile, before: TopologyDriver | None = None) -> TopologyDriver:
    """The whole topology under a profile; it goes on in the log and the state of the one before, as restarted workers
    do."""
    parts = Parts(models, ProfileBook(policy), RuleExtractor())
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    if before is None:
        return TopologyDriver(steps, NOW)
    new = TopologyDriver(steps, before.now, store=before.store)
    new.log.partitions = before.log.partitions
    return new


def text_of(events: Iterable[Event]) -> str:
    return "".join(CODEC.value(e).decode() for e in events)


def turn_of(n: int, content: str, role: Any = "user") -> TurnEvent:
    at = NOW + timedelta(minutes=n)
    return TurnEvent(
        tenant="t", user_id="ann", session_id="s", turn_id=f"turn-{n}", role=role, occurred_at=at, accepted_at=at,
        sealed=TurnBody(content=content),
    )  # fmt: skip


def stored(d: TopologyDriver) -> list[Event]:
    """What a sink that keeps everything holds."""
    sink = MemorySink()
    for topic in READ:
        for p in range(topics.EMBEDDED_PARTITIONS):
            log = d.log.partitions[topic.name, p]
            messages = [
                Message(topic.name, p, n, m.key, m.value, list(m.headers), int(NOW.timestamp() * 1000))
                for n, m in enumerate(log)
            ]
            decoded = decode(d.codec, messages)
            sink.write(SinkBatch(collapse(decoded.items), {}, None))
    return list(sink.rows.values())


def keeping(book: ProfileBook, models: Models) -> Keeping:
    def action(tenant: str, entity: str) -> PiiAction:
        return policy_of(book, tenant).action(entity)

    return Keeping(action, models.keeper, lambda tenant: int(book.of(tenant).retention.aggregates_days))


def a_pass(d: TopologyDriver, models: Models, book: ProfileBook) -> Found:
    found = Found()

    def clean(tenants: Sequence[str], texts: Sequence[str]) -> Any:
        return redact(models, book, tenants, texts)

    for send in list(rescreened(stored(d), clean, d.now, found, keeping(book, models))):
        d.pipe(send.topic, send.event)
    return found


@pytest.fixture
async def talked(models: Models) -> TopologyDriver:
    """A conversation under a policy that lets phone numbers pass."""
    d = driver(models, PiiAction.ALLOW)
    d.pipe(topics.TURNS, turn_of(1, "My phone number is 202-555-0143."))
    d.pipe(topics.TURNS, turn_of(2, "我的电话是13812345678，我住在杭州。"))
    d.pipe(topics.TURNS, turn_of(3, "Noted: 202-555-0143 and 13812345678.", "assistant"))
    d.now = NOW + timedelta(minutes=5)
    for n, text in enumerate(("Ann's line is 202-555-0143.", "Ann's line is 13812345678 now.")):
        d.pipe(
            topics.LEDGER,
            MemoryCommand(
                tenant="t", user_id="ann", command="remember", command_id=f"c{n}", kind="fact", field="hotline",
                occurred_at=d.now + timedelta(minutes=n), accepted_at=d.now + timedelta(minutes=n),
                sealed={"text": text, "value": PHONES[1 - n]},  # type: ignore[arg-type]
            ),
        )  # fmt: skip
    await d.run()
    assert d.dead_letters() == []
    text = text_of(stored(d))
    assert all(phone in text for phone in PHONES), "the policy let them pass"
    return d


async def test_n1_rescreen_masks_every_stored_record(talked: TopologyDriver, models: Models) -> None:
    tight = ProfileBook(profile(PiiAction.MASK))
    before = {type(e).__name__ for e in stored(talked) if any(phone in text_of([e]) for phone in PHONES)}
    assert before == {"ScreenedTurn", "StatementMemory", "Decision", "SessionState"}
    d = driver(models, PiiAction.MASK, talked)
    d.now = NOW + timedelta(hours=1)
    found = a_pass(d, models, tight)
    await d.run()
    assert d.dead_letters() == []
    assert found.entities["PHONE_NUMBER:mask"] >= 8
    assert found.records["turn"] == 3
    assert not found.left
    after = stored(d)
    text = text_of(after)
    assert not any(phone in text for phone in PHONES)
    assert "<PHONE_NUMBER>" in text
    # In the state as well: what a step writes next does not bring it back.
    assert isinstance(d.store, MemoryStateStore)
    held = str(d.store.rows)
    assert not any(phone in held for phone in PHONES)


async def test_n1_rescreen_runs_twice_and_changes_nothing_more(talked: TopologyDriver, models: Models) -> None:
    tight = ProfileBook(profile(PiiAction.MASK))
    d = driver(models, PiiAction.MASK, talked)
    d.now = NOW + timedelta(hours=1)
    a_pass(d, models, tight)
    await d.run()
    once = sorted(text_of([e]) for e in stored(d))
    again = a_pass(d, models, tight)
    assert not again.records
    await d.run()
    assert sorted(text_of([e]) for e in stored(d)) == once


async def test_n1_a_memory_that_was_forgotten_meanwhile_is_not_brought_back(
    talked: TopologyDriver, models: Models
) -> None:
    d = driver(models, PiiAction.MASK, talked)
    d.now = NOW + timedelta(hours=1)
    rows = stored(d)
    target: Any = next(e for e in rows if getattr(e, "kind", "") == "fact" and getattr(e, "state", "") == "active")
    d.pipe(
        topics.LEDGER,
        MemoryCommand(tenant="t", user_id="ann", command="forget", command_id="f", memory_id=target.record_id,
                      accepted_at=d.now),
    )  # fmt: skip
    await d.run()
    found = Found()
    tight = ProfileBook(profile(PiiAction.MASK))
    def clean(tenants: Sequence[str], texts: Sequence[str]) -> Any:
        return redact(models, tight, tenants, texts)

    for send in rescreened(rows, clean, d.now, found, keeping(tight, models)):
        d.pipe(send.topic, send.event)
    await d.run()
    mine = [e for e in stored(d) if getattr(e, "record_id", "") == target.record_id and hasattr(e, "op")]
    assert mine
    assert all(e.op == "delete" for e in mine)


async def test_d5_each_tenant_is_rescreened_under_its_own_profile(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest that config.profiles names for it; the default for who has none."""

    def read(follower: ProfileFollower, bootstrap: object) -> ProfileFollower:
        for tenant, version, action in (("own", 1, PiiAction.ALLOW), ("own", 2, PiiAction.MASK), ("free", 1, "allow")):
            spec = profile(PiiAction(action)).model_dump(mode="json") | {"name": tenant, "version": version}
            follower.take(CODEC.value(ProfileVersion(tenant=tenant, profile=spec)))
        return follower

    plain = Parts(models, ProfileBook(profile(PiiAction.ALLOW)), RuleExtractor())
    monkeypatch.setattr(ProfileFollower, "start", read)
    monkeypatch.setattr(rescreen_run, "parts_of", lambda settings: plain)
    work = rescreen_run.Rescreen(Settings(), CODEC, NoKeeper(), lambda *_: None)
    texts = ["My phone number is 202-555-0143.", "我的电话是13812345678。"]
    try:
        own, free, none = (
            [r.text for r in work._redact([tenant] * 2, texts)] for tenant in ("own", "free", "nobody's")
        )
    finally:
        work.close()
    assert not any(phone in text for phone in PHONES for text in own)
    assert free == none == texts


def originals(d: TopologyDriver, keys: MemoryKeys) -> dict[str, list[str]]:
    """Turn -> the values that can be read again."""
    newest = [e for e in stored(d) if isinstance(e, ScreenedTurn)]
    return {
        e.turn_id: [o.value for k in e.sealed.originals or () for o in Vault(keys).open(user("t", "ann"), e.turn_id, k)]
        for e in newest
    }


async def test_d5_what_policy_encrypts_now_can_be_read_again_behind_a_rescreen(
    talked: TopologyDriver, models: Models
) -> None:
    keys = MemoryKeys()
    own = replace(models, keeper=Vault(keys))
    book = ProfileBook(profile(PiiAction.ENCRYPT))
    d = driver(own, PiiAction.ENCRYPT, talked)
    d.now = NOW + timedelta(hours=1)
    sends: list[Any] = []

    def clean(tenants: Sequence[str], texts: Sequence[str]) -> Any:
        return redact(own, book, tenants, texts)

    list(rescreened(stored(d), clean, d.now, Found(), replace(keeping(book, own), keeper=None)))
    assert not keys.keys, "a look makes no key"
    for send in rescreened(stored(d), clean, d.now, Found(), keeping(book, own)):
        sends.append(send.event)
        d.pipe(send.topic, send.event)
    assert not any(phone in text_of(sends) for phone in PHONES), "nothing unmasked is written anywhere"
    await d.run()
    assert d.dead_letters() == []
    assert not any(phone in text_of(stored(d)) for phone in PHONES)
    assert originals(d, keys) == {
        "turn-1": [PHONES[1]], "turn-2": [PHONES[0]], "turn-3": [PHONES[1], PHONES[0]],
    }  # fmt: skip
    assert not a_pass(d, own, book).records


@pytest.mark.parametrize("action", [PiiAction.MASK, PiiAction.TOKENISE, PiiAction.REFUSE])
async def test_d5_a_tightened_policy_takes_the_originals_away(models: Models, action: PiiAction) -> None:
    keys = MemoryKeys()
    own = replace(models, keeper=Vault(keys))
    loose = profile(PiiAction.ENCRYPT)
    loose = loose.model_copy(update={"pii": {**loose.pii, "EMAIL_ADDRESS": PiiAction.ENCRYPT}})
    parts = Parts(own, ProfileBook(loose), RuleExtractor())
    d = TopologyDriver([spec.build(parts) for spec in TOPOLOGY.values()], NOW)
    d.pipe(topics.TURNS, turn_of(1, "My phone number is 202-555-0143, my e-mail is ann@example.org."))
    d.pipe(topics.TURNS, turn_of(2, "我的电话是13812345678。"))
    await d.run()
    assert originals(d, keys) == {"turn-1": [PHONES[1], "ann@example.org"], "turn-2": [PHONES[0]]}

    tight = ProfileBook(loose.model_copy(update={"pii": {**loose.pii, "PHONE_NUMBER": action}}))
    found = a_pass(d, own, tight)
    await d.run()
    assert found.records == {"turn": 2}
    assert found.entities == {f"PHONE_NUMBER:{action}": 2}
    assert originals(d, keys) == {"turn-1": ["ann@example.org"], "turn-2": []}
    first = next(e for e in stored(d) if isinstance(e, ScreenedTurn) and e.turn_id == "turn-1")
    assert first.pii == {"EMAIL_ADDRESS:encrypt": 1, "PHONE_NUMBER:tokenise": 1}
    assert not a_pass(d, own, tight).records
