"""Dead letters over the topology driver: put back in order, once, for one reader, undoing nothing newer (delivery
rule 2); and the masked look."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from processors.memory.step import Gate
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from processors.reader.step import Extract
from processors.screen.step import Screen
from query.deadletters.index import Filters, LetterIndex
from query.deadletters.preview import preview
from query.deadletters.replay import Replayer
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import owner, topics
from schemas.log.codec import Codec
from schemas.log.topics import Topic
from schemas.profile.model import load_profile
from sinks.decode import decode
from sinks.protocol import Message as SinkMessage
from streams.driver import TopologyDriver
from tests.unit.processors.talk import NoNames
from tests.unit.query.letters import HOME, READERS, counted, opened, records, tools
from tests.unit.streams.toy import START, turn


async def test_replayed_in_the_order_of_the_sources_and_once() -> None:
    d = await counted("reject 1", "fine", "reject 2", "raise 3")
    _, index, replayer = tools(d)
    newest_first = opened(index)
    assert [x.source.offset for x in newest_first] == [3, 2, 0]
    results = await replayer.replay(newest_first)
    assert [r.outcome for r in results] == ["replayed"] * 3
    back = [d.codec.decode(m.topic, m.value).sealed.content for m in records(d)[4:]]  # type: ignore[union-attr]
    assert back == ["reject 1", "reject 2", "raise 3"]
    assert [m.value for m in records(d)[4:]] == [records(d)[n].value for n in (0, 2, 3)]
    again = await replayer.replay(newest_first)
    assert [r.outcome for r in again] == ["already"] * 3
    assert [r.outcome for r in await replayer.drop(newest_first)] == ["replayed_before"] * 3
    assert len(records(d)) == 7
    assert opened(index) == []


async def test_what_fails_again_is_a_new_letter_with_one_attempt_more() -> None:
    d = await counted("reject 1")
    _, index, replayer = tools(d)
    await replayer.replay(opened(index))
    await d.run()
    (letter,) = opened(index)
    assert (letter.attempts, letter.source.offset) == (2, 1)


async def test_letters_of_one_source_are_one() -> None:
    d = await counted("reject 1")
    copy = d.dead_letters()[0]
    d.log.append(topics.DEAD_LETTERS.name, HOME, copy.key, copy.value, copy.headers)
    _, index, replayer = tools(d)
    index.refresh()
    assert len(index.select(Filters())) == 1
    both = [index.get(f"{HOME}:0"), index.get(f"{HOME}:1")]
    results = await replayer.replay([x for x in both if x is not None])
    assert [r.outcome for r in results] == ["replayed"]
    assert len(records(d)) == 2


@pytest.mark.parametrize("taken", [0, 1, 2])
async def test_run_twice_after_a_failure_between_its_writes_puts_it_back_once(taken: int) -> None:
    """0: not even the first mark; 1: the mark; 2: the record, not the second mark."""
    d = await counted("reject 1")
    access, index, replayer = tools(d)
    access.taken = taken
    assert [r.outcome for r in await replayer.replay(opened(index))] == ["failed"]
    access.taken = None
    fresh = LetterIndex(access)  # another service, which knows only the log
    second = Replayer(fresh, access, access, Codec(), 8, READERS)
    assert [r.outcome for r in await second.replay(opened(fresh))] == ["replayed"]
    assert len(records(d)) == 2
    assert opened(fresh) == []


async def test_dropped_letters_are_offered_no_more_and_stay_dropped() -> None:
    d = await counted("reject 1", "reject 2")
    _, index, replayer = tools(d)
    newest, oldest = opened(index)
    await replayer.drop([newest])
    assert opened(index) == [oldest]
    assert [r.outcome for r in await replayer.replay([newest])] == ["dropped_before"]
    assert [r.outcome for r in await replayer.drop([newest])] == ["already"]
    assert [x.id for x in index.select(Filters(state="dropped"))] == [newest.id]
    assert len(records(d)) == 2


async def test_filters_by_step_reason_and_time() -> None:
    d = await counted("reject 1")
    d.advance(timedelta(hours=1))
    d.pipe(topics.TURNS, turn("raise 2"))
    await d.run()
    _, index, _ = tools(d)
    assert [x.reason for x in opened(index)] == ["step_failed", "refused_word"]
    later = START + timedelta(minutes=30)
    for filters, found in (
        (Filters(reason="refused_word"), ["refused_word"]),
        (Filters(step="counter"), ["step_failed", "refused_word"]),
        (Filters(step="gate"), []),
        (Filters(since=later), ["step_failed"]),
        (Filters(until=later), ["refused_word"]),
    ):
        assert [x.reason for x in index.select(filters)] == found


async def test_a_replayed_record_is_for_one_reader() -> None:
    d = await counted("reject 1")
    _, index, replayer = tools(d)
    await replayer.replay(opened(index))
    back = records(d)[-1]
    message = SinkMessage(topics.TURNS.name, HOME, 1, back.key, back.value, back.headers, 0)
    assert decode(Codec(), [message], "sink-postgres").items == []
    assert len(decode(Codec(), [message], "counter").items) == 1


async def test_in_a_compacted_topic_it_stands_beside_the_newest_value_and_goes_again() -> None:
    """Under its own key an older value would be what compaction keeps."""
    d = await counted()
    update = b'{"type": "not an update"}'
    headers = [
        ("step", b"sink-milvus"), ("reason", b"invalid"), ("message", b""), ("attempts", b"1"),
        ("source_topic", topics.UPDATES.name.encode()), ("source_partition", str(HOME).encode()),
        ("source_offset", b"5"), ("owner", owner.user("acme", "ann").key.encode()),
    ]  # fmt: skip
    d.log.append(topics.DEAD_LETTERS.name, HOME, b"record/1", update, headers)
    _, index, replayer = tools(d)
    await replayer.replay(opened(index))
    value, null = records(d, topics.UPDATES)
    assert (value.key, value.value) == (null.key, update)
    assert value.key != b"record/1"
    assert null.value is None
    messages = [SinkMessage(m.topic, HOME, m.offset, m.key, m.value, m.headers, 0) for m in (value, null)]
    assert [p.reason for p in decode(Codec(), messages, "sink-milvus").poison] == ["invalid"]
    assert decode(Codec(), messages, "sink-postgres").poison == []


@pytest.mark.parametrize(
    ("step", "topic"), [("gtae", topics.LEDGER), ("gate", topics.TURNS), ("screen", topics.DEAD_LETTERS)]
)
async def test_what_nobody_would_read_is_not_put_back(step: str, topic: Topic) -> None:
    """A letter of a name that is no reader's, or of a topic that it does not read, went to nobody and was called
    replayed."""
    d = await counted()
    headers = [
        ("step", step.encode()), ("reason", b"invalid"), ("message", b""), ("attempts", b"1"),
        ("source_topic", topic.name.encode()), ("source_partition", str(HOME).encode()), ("source_offset", b"0"),
    ]  # fmt: skip
    d.log.append(topics.DEAD_LETTERS.name, HOME, b"key", b"{}", headers)
    _, index, replayer = tools(d)
    (result,) = await replayer.replay(opened(index))
    assert result.outcome == "unreplayable"
    assert [x.source.step for x in opened(index)] == [step], "it stays open: to be dropped, or mended"


async def test_a_record_of_the_wrong_partition_goes_to_its_owners_and_undoes_nothing_newer(models: Models) -> None:
    """The older value, replayed after the newer one was learned, becomes history, with a revision of its own."""
    models = Models(NoNames(), models.embedder, models.counter, models.language_of, models.terms, models.hash_key)
    book = ProfileBook(load_profile("general"))
    d = TopologyDriver([Screen(models, book), Extract(RuleExtractor(), models, book), Gate(models, book)], START)
    old = turn_of("I live in Leeds.", "t-old", d)
    encoded = d.codec.encode(old, "client", "1")
    d.log.append(topics.TURNS.name, (HOME + 1) % 8, encoded.key, encoded.value, encoded.headers)
    d.advance(timedelta(days=1))
    d.pipe(topics.TURNS, turn_of("I live in York.", "t-new", d))
    await d.run()
    _, index, replayer = tools(d)
    (letter,) = opened(index)
    assert (letter.reason, letter.tenant) == ("wrong_partition", "acme")
    (result,) = await replayer.replay([letter])
    assert result.written is not None
    assert result.written.partition == HOME
    await d.run()
    newest: dict[tuple[str, int], MemoryUpdate] = {}
    for e in d.read(topics.UPDATES):
        if isinstance(e, MemoryUpdate) and e.kind == "fact":
            newest[e.record_id, e.version] = e
    assert [e.sealed.value for e in newest.values() if e.state == "active"] == ["York"]
    assert [e.sealed.value for e in newest.values() if e.state == "superseded"] == ["Leeds"]
    assert opened(index) == []


def turn_of(text: str, turn_id: str, d: TopologyDriver) -> TurnEvent:
    return TurnEvent(
        tenant="acme", user_id="ann", session_id="s", turn_id=turn_id, role="user", occurred_at=d.now,
        accepted_at=d.now, sealed=TurnBody(content=text),
    )  # fmt: skip


async def test_of_too_many_letters_the_newest_are_kept() -> None:
    d = await counted(*(f"reject {n}" for n in range(5)))
    access, _, _ = tools(d)
    small = LetterIndex(access, most=2)
    small.refresh()
    assert sorted(x.source.offset for x in small.select(Filters())) == [3, 4]


@pytest.mark.parametrize(
    "value",
    [
        FORMED := b'{"schema_version": 1, "type": "turn", "tenant": "acme", "user_id": "ann@example.com", '
        b'"role": "Ann Smith", "occurred_at": "2026-11-21T08:00:00Z", "Ann Smith": true, '
        b'"sealed": {"content": "call 555 0199", "metadata": {"doctor": "Li Wei"}}}',
        b'{"content": "call 555 0199, Ann Smith',
        "Ann Smith 住在杭州 555 0199".encode(),
        b'["Ann Smith", 5550199]',
        b"\xff\xfeAnn Smith",
    ],
)
def test_the_preview_shows_form_and_no_content(value: bytes) -> None:
    shown = json.dumps(preview(value), ensure_ascii=False)
    for secret in ("Ann", "Smith", "555", "0199", "杭州", "Li Wei", "example"):
        assert secret not in shown
    assert f'"bytes": {len(value)}' in shown


def test_the_preview_names_what_operators_look_for() -> None:
    shown = preview(FORMED)["value"]
    assert shown["type"] == "turn"
    assert shown["occurred_at"] == "2026-11-21T08:00:00Z"
    assert shown["role"] == "text, 9 characters"
    assert shown["sealed"]["content"] == "text, 13 characters"
    assert shown["…"] == "1 more field"
    assert preview(None) == {"form": "null", "bytes": 0, "value": None}
