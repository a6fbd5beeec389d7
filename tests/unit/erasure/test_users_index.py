"""What the eraser knows of the users of a partition: as much as reading it again would show (H8)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from random import Random
from typing import Any

import orjson
import pytest

from memstream.erasure import users_index
from memstream.erasure.log import Log as EraserLog
from memstream.erasure.ports import Outgoing
from memstream.erasure.users_index import UsersIndex, spoken_of
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.owner import partition, user
from tests.unit.erasure.register_contract import CUT, erasure
from tests.unit.erasure.test_eraser import COUNT, Lies, Log

ANN, BOB = (user("acme", name).key.encode() for name in ("ann", "bob"))
PLACE = (topics.LEDGER.name, 0)


def _lies(number: int, value: bytes | None, owner: bytes | None = None, key: bytes = b"k") -> Lies:
    headers = [] if owner is None else [("owner", owner)]
    return Lies(Outgoing(*PLACE, key, value, headers), CUT + timedelta(seconds=number), number)


def _of(number: int, name: str = "ann", **more: Any) -> Lies:
    return _lies(number, orjson.dumps({"tenant": "acme", "user_id": name, "number": number, **more}))


def _read(index: UsersIndex, records: Iterable[Lies]) -> list[tuple[str, int]]:
    since = index.begin([PLACE]).get(PLACE, 0)
    for record in records:
        if (record.offset() or 0) >= since:
            index.take(record)
    return index.end()


@pytest.mark.parametrize(
    ("record", "spoken"),
    [
        (_of(0), ({ANN}, True)),
        (_of(0, owner_kind="user", owner_id="bob"), ({ANN, BOB}, True)),
        (_lies(0, b"no event", ANN), ({ANN}, True)),
        (_lies(0, b"[1]", ANN), ({ANN}, True)),
        (_lies(0, None, ANN), ({ANN}, True)),
        (_lies(0, rb'{"tenant":"acme","user_id":"\u0061nn"}'), ({ANN}, True)),
        (_of(0, type="erasure"), ({ANN}, False)),
        (_lies(0, b'{"type":"tick"}'), (set(), False)),
        (_lies(0, b'{"tenant":"acme","project_id":"p"}', b"acme/project/p"), (set(), True)),
    ],
)
def test_h8_whom_a_record_speaks_of(record: Lies, spoken: tuple[set[bytes], bool]) -> None:
    assert spoken_of(record) == spoken


def test_h8_a_user_is_there_from_the_first_record_or_erasure_on() -> None:
    index = UsersIndex()
    records = [_of(0, "bob"), _of(1, type="erasure"), _of(2, "bob"), _of(3)]
    assert _read(index, records[:3]) == []
    assert (index.first_of(PLACE, ANN), index.first_of(PLACE, BOB)) == (None, 0), "of an erasure alone nothing is there"
    assert _read(index, records) == []
    assert (index.first_of(PLACE, ANN), index.first_of(PLACE, BOB)) == (1, 0), "the order to the erasure is known"


@pytest.mark.parametrize(
    "later",
    [
        [_of(0, "bob")],
        [_of(0, "bob"), _of(1, "cid")],
        [_of(0, "bob"), _of(2)],
        [],
        [Lies(_of(1).sent, CUT, 1)],
    ],
    ids=["cut off", "other words", "compacted", "made anew", "another time"],
)
def test_c1_a_partition_whose_newest_record_is_another_is_not_known(later: list[Lies]) -> None:
    index = UsersIndex()
    assert _read(index, [_of(0, "bob"), _of(1)]) == []
    assert _read(index, later) == [PLACE]
    assert index.begin([PLACE]) == {}


def test_h8_many_users_are_each_found_where_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_index, "_PENDING", 7)
    random, index, first, held = Random(5), UsersIndex(), dict[str, int](), set[str]()
    records = []
    for number in range(600):
        name, is_erasure = f"u{random.randrange(80)}", random.random() < 0.3
        first.setdefault(name, number)
        if not is_erasure:
            held.add(name)
        records.append(_of(number, name, **({"type": "erasure"} if is_erasure else {})))
        if random.random() < 0.05:
            assert _read(index, records) == []
    assert _read(index, records) == []
    found = {name: index.first_of(PLACE, user("acme", name).key.encode()) for name in first}
    assert found == {name: offset if name in held else None for name, offset in first.items()}
    assert index.first_of(PLACE, user("acme", "nobody").key.encode()) is None


def _random_record(random: Random, number: int) -> Lies:
    name = random.choice(["ann", "ann", "bob", "cid"])
    topic = random.choice([topics.LEDGER, topics.UPDATES, topics.UPDATES, topics.HISTORY, topics.DEAD_LETTERS])
    at = CUT + timedelta(hours=random.choice([-2, -1, 1]))
    own = f"acme/user/{name}"
    data: dict[str, Any] = {"tenant": "acme", "user_id": name, "accepted_at": at.isoformat(), "n": number}
    if random.random() < 0.2:
        data |= {"type": "erasure", "erasure_id": "a" if name == "ann" else "other"}
    elif topic is topics.UPDATES and random.random() < 0.5:
        own = "acme/project/p"
        data |= {"owner_kind": "project", "owner_id": "p"}
        data["op"] = random.choice(["upsert", "delete"])
    else:
        data |= {"owner_kind": "user", "owner_id": name}
    value = None if random.random() < 0.1 else orjson.dumps(data)
    headers = [("owner", own.encode()), ("src", f"gate/0/{random.randrange(30)}/0".encode())]
    place = partition(user("acme", "ann"), COUNT) if random.random() < 0.8 else random.randrange(COUNT)
    return Lies(Outgoing(topic.name, place, random.choice([b"k1", b"k2", b"k3"]), value, headers), at)


@pytest.mark.parametrize("seed", range(60))
def test_h8_what_is_known_of_a_log_changes_nothing_of_what_is_erased(seed: int) -> None:
    """Beside an eraser that has read nothing before. Records come between what is read."""
    random = Random(seed)
    log = Log([_random_record(random, n) for n in range(30)])
    known = EraserLog(log, COUNT)
    known.remove([erasure("x", user_id="eve")])
    known.remains([erasure("x", user_id="eve")], CUT, lambda owner, generation: True)
    log.records += [_random_record(random, n) for n in range(30, 40)]
    if seed % 3 == 0:
        log.records = log.records[: random.randrange(20, 40)]
    asked = [erasure("a"), erasure("other", user_id="bob"), erasure("s", scope="session", session_id="s1")]
    asked = asked[: 1 + seed % 3]
    assert _all_of(known, log, asked) == _all_of(EraserLog(log, COUNT), log, asked)


def _all_of(eraser_log: EraserLog, log: Log, asked: list[Erasure]) -> tuple[Any, ...]:
    """What it nulls, writes and counts; the log is as before."""
    before = list(log.records)
    nulled = eraser_log.remove(asked)
    written = sorted((r.sent for r in log.records[len(before) :]), key=lambda s: (s.topic, s.partition, s.key or b""))
    left = eraser_log.remains(asked, CUT, lambda owner, generation: True)
    log.records = before
    return nulled, written, left
