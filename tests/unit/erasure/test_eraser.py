"""The eraser over a register and topics in memory: what it waits for, writes, and does again (C9, N6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count, islice
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from memstream.erasure.eraser import FAILED, HELD_WAIT, Eraser, EraserConfig, Reached
from memstream.erasure.log import Log as EraserLog
from memstream.erasure.ports import AT_ONCE, NO_OFFSETS, Away, Outgoing, Stored
from memstream.erasure.report import verify
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryCommand, MemoryCommandBody
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import Owner, OwnerKind, partition
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow, PartitionCommit, Position, Write
from tests.simulation.erasing import NoKeys
from tests.simulation.register import MemoryRegister
from tests.unit.erasure.register_contract import CUT, erasure, whole
from tests.unit.sinks.events import hot

COUNT = 4
ANN = partition(erasure().owner, COUNT)
CODEC = Codec()


@dataclass(frozen=True)
class Lies:
    """A record as librdkafka gives it."""

    sent: Outgoing
    at: datetime
    number: int = -1

    def offset(self) -> int:
        return self.number

    def topic(self) -> str:
        return self.sent.topic

    def partition(self) -> int:
        return self.sent.partition

    def key(self) -> bytes | None:
        return self.sent.key

    def value(self) -> bytes | None:
        return self.sent.value

    def headers(self) -> Any:
        return self.sent.headers

    def timestamp(self) -> tuple[int, int]:
        return 1, int(self.at.timestamp() * 1000)


@dataclass
class Log:
    """`away`: so many writes fail, before or (`taken`) behind the brokers' taking them; `only`: of that partition."""

    records: list[Lies] = field(default_factory=list)
    away: int = 0
    only: int | None = None
    taken: bool = False
    at: datetime = CUT
    reads: int = 0
    given: list[bytes | None] = field(default_factory=list)
    """Keys of the records that were read."""

    def read(
        self, places: Sequence[tuple[str, int]], since: Mapping[tuple[str, int], int] = NO_OFFSETS
    ) -> Iterator[Stored]:
        self.reads += 1
        for n, r in enumerate(list(self.records)):
            place = r.topic(), r.partition()
            if place in places and n >= since.get(place, 0):
                self.given.append(r.key())
                yield replace(r, number=n)

    def write(self, records: Iterable[Outgoing]) -> None:
        found = list(records)
        if self.only is not None and all(r.partition != self.only for r in found):
            self.records += [Lies(r, self.at) for r in found]
            return
        self.away -= 1
        if self.away < 0 or self.taken:
            self.records += [Lies(r, self.at) for r in found]
        if self.away >= 0:
            raise Away("_TRANSPORT")

    def said(
        self, topic: str, at: datetime, key: str = "k", written: datetime | None = None, user: str = "ann"
    ) -> None:
        event = MemoryCommand(
            tenant="acme", user_id=user, command="remember", command_id=key, kind="fact", accepted_at=at,
            sealed=MemoryCommandBody(text="likes tea"),
        )  # fmt: skip
        encoded = CODEC.encode(event, "test", key)
        at_home = partition(event.owner, COUNT)
        self.records.append(Lies(Outgoing(topic, at_home, key.encode(), encoded.value, encoded.headers), written or at))

    def nulls(self) -> list[bytes | None]:
        return [r.key() for r in self.records if r.value() is None]


class House:
    """Everything that an eraser reaches; all stores have answered. `now` is the eraser's clock."""

    def __init__(self, partitions: int = COUNT) -> None:
        self.state, self.log, self.now, ids = MemoryStateStore(), Log(), CUT, count()
        self.register = MemoryRegister(lambda: CUT, self.state)
        reached = Reached(
            register=lambda: nullcontext(self.register), topics=self.log, keys=NoKeys(), codec=CODEC,
            signing=Ed25519PrivateKey.from_private_bytes(bytes(range(32))), now=lambda: self.now,
            event_id=lambda: f"id{next(ids)}",
        )  # fmt: skip
        self.eraser = Eraser(reached, EraserConfig(frozenset({"postgres", "redis", "milvus"}), partitions))

    def asked(self, e: Erasure, answered: bool = True) -> None:
        self.register.begin(e)
        self.register.requests[e.erasure_id] = {"seq": 1}
        with nullcontext(self.register) as register:
            for place in self.eraser._expected(register, e) if answered else ():
                self.register.found(e, place, {"rows": 1})

    def holds(self, owner: str, outbox: Sequence[OutboxRow] = ()) -> None:
        expected = self.state.next_offsets().get(("gate", 0))
        writes = [Write(owner, "m/1", b"1")] if owner else []
        work = self.state.commit([PartitionCommit("gate", 0, expected, Position((expected or 0) + 1), writes, outbox)])
        with pytest.raises(StopIteration):
            work.send(None)

    def step(self, name: str = "e1") -> str:
        return self.register.entries[name].under_way.step

    def report(self, name: str = "e1") -> dict[str, Any]:
        found = self.register.entries[name].report
        assert found is not None
        return found


@pytest.fixture
def house() -> House:
    return House()


def test_n6_what_stood_has_a_null_and_the_report_is_signed(house: House) -> None:
    house.log.said(topics.LEDGER.name, CUT, "before")
    house.log.said(topics.LEDGER.name, CUT + timedelta(seconds=1), "behind")
    house.asked(erasure())
    assert house.eraser.look() == 0
    assert house.log.nulls() == [b"before"]
    verify(house.report())
    assert house.report()["nulled"] == {topics.LEDGER.name: 1}
    assert house.eraser.look() == 0
    assert house.log.nulls() == [b"before"]


def test_n6_one_place_that_has_not_answered_holds_it_up(house: House) -> None:
    house.log.said(topics.LEDGER.name, CUT)
    house.asked(erasure())
    house.register.found_at.popitem()
    assert house.eraser.look() == 1
    assert (house.step(), house.log.nulls()) == ("stores", [])


def test_n6_it_is_not_done_before_the_brokers_have_every_null(house: House) -> None:
    house.log.said(topics.LEDGER.name, CUT)
    house.asked(erasure())
    house.log.away = 1
    with pytest.raises(Away):
        house.eraser.look()
    assert house.register.entries["e1"].state == "under_way"
    assert house.eraser.look() == 0
    assert house.log.nulls() == [b"k"]


def test_n6_it_waits_for_an_outbox_that_would_bring_it_back(house: House) -> None:
    """Found by the simulation. Delivered again behind the nulls, what was said would stand in the ledger for ever."""
    house.log.said(topics.LEDGER.name, CUT)
    house.asked(erasure())
    sent = CODEC.encode(erasure(), "test", "e")
    carried = OutboxRow(1, 0, topics.LEDGER.name, ANN, sent.key, sent.value, sent.headers)
    house.holds("", [carried])
    assert house.eraser.look() == 1
    assert (house.step(), house.log.nulls()) == ("outbox", [])
    house.holds("")
    assert house.eraser.look() == 0


def test_n6_rows_of_who_talks_on_hold_it_up_a_while(house: House) -> None:
    house.asked(erasure())
    house.holds("acme/user/ann")
    assert house.eraser.look() == 1
    assert house.step() == "state"
    house.now = CUT + HELD_WAIT
    assert house.eraser.look() == 0
    assert house.report()["since"] == 1


def test_n6_the_report_counts_what_was_written_behind_the_cut_off_of_what_was_said_before(house: House) -> None:
    """Found by the simulation: a turn on its way through the steps stood in the history, and no report said so."""
    house.log.said(topics.HISTORY.name, CUT, "on its way", written=CUT + timedelta(seconds=1))
    house.log.said(topics.HISTORY.name, CUT + timedelta(seconds=1), "behind")
    house.asked(erasure())
    house.log.records.append(
        Lies(Outgoing(topics.HISTORY.name, ANN, b"e", CODEC.value(erasure()), [("owner", b"acme/user/ann")]), CUT)
    )
    house.eraser.look()
    assert {r["topic"]: r["records"] for r in house.report()["remains"]} == {topics.HISTORY.name: 1}


@pytest.mark.parametrize("taken", [False, True])
def test_n6_parts_of_a_tenant_that_were_not_delivered_are_told_again(house: House, taken: bool) -> None:
    """They were taken for told, and the erasure waited for ever."""
    house.asked(whole())
    house.holds("acme/user/ann")
    house.log.away, house.log.taken = 1, taken
    with pytest.raises(Away):
        house.eraser.look()
    assert house.step("t1") == "stores"
    assert [house.eraser.look(), house.eraser.look()] == [1, 1]
    assert house.step("t1") == "users"
    parts = [CODEC.decode(r.topic(), r.value()) for r in house.log.records]
    assert len(parts) == 1 + taken
    assert {(p.scope, p.user_id, p.part) for p in parts if isinstance(p, Erasure)} == {("user", "ann", True)}


def _bobs(n: int) -> Erasure:
    return erasure(f"e{n:03d}", user_id=f"bob{n}")


def test_n6_erasures_that_wait_hold_up_none_behind_them(house: House) -> None:
    """The 20 oldest were looked at, and no other: 20 of users whose store did not answer held up everybody's."""
    for n in range(2 * AT_ONCE):
        house.asked(_bobs(n), answered=False)
    house.asked(erasure("last"))
    looks = [house.eraser.look() for _ in range(3)]
    assert looks == [AT_ONCE, AT_ONCE, 0]
    assert house.register.entries["last"].state == "done"
    for place in house.eraser._expected(house.register, _bobs(0)):
        house.register.found(_bobs(0), place, {})
    assert house.eraser.look() == AT_ONCE - 1, "from the oldest again"
    assert house.register.entries["e000"].state == "done"


def test_n6_an_erasure_that_fails_holds_up_none_behind_it(house: House) -> None:
    """A partition without a leader: each look ended with the first erasure whose records lie there."""
    house.log.said(topics.LEDGER.name, CUT)
    house.asked(erasure("a"))
    house.asked(_bobs(1))
    house.log.away, house.log.only = 1_000, ANN
    with pytest.raises(Away):
        house.eraser.look()
    assert house.eraser.look() == 0
    assert [house.register.entries[name].state for name in ("a", "e001")] == ["under_way", "done"]
    with pytest.raises(Away):
        house.eraser.look()
    house.log.away = 0
    assert house.eraser.look() == 0
    assert house.register.entries["a"].state == "done"


def test_n6_an_erasure_with_a_fault_holds_up_none_behind_it_and_shows(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It ended the eraser, whose next life began with the oldest, the same one, again: for ever."""
    remove = EraserLog.remove

    def faulty(self: EraserLog, erasures: Sequence[Erasure]) -> list[dict[str, int]]:
        if any(e.erasure_id == "a" for e in erasures):
            raise RuntimeError("ann likes tea")
        return remove(self, erasures)

    house.asked(erasure("a"))
    house.asked(_bobs(1))
    with monkeypatch.context() as patched:
        patched.setattr(EraserLog, "remove", faulty)
        assert [house.eraser.look(), house.eraser.look()] == [1, 1]
    assert (house.step("a"), house.register.entries["e001"].state) == (FAILED, "done")
    records = [r for r in caplog.records if r.levelname == "ERROR"]
    assert "ann likes tea" not in str([vars(r) for r in records])
    assert {vars(r)["error"] for r in records} == {"RuntimeError"}
    assert house.eraser.look() == 0
    assert house.register.entries["a"].state == "done"


def test_what_is_waited_for_is_noted_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was written twice a second for every erasure that waited."""
    noted: list[str] = []
    waits = MemoryRegister.waits

    def noting(self: MemoryRegister, e: Erasure, step: str) -> None:
        noted.append(step)
        waits(self, e, step)

    monkeypatch.setattr(MemoryRegister, "waits", noting)
    house.asked(erasure())
    house.holds("acme/user/ann")
    for _ in range(3):
        house.eraser.look()
    assert noted == ["state"]


def test_n6_another_users_records_stay(house: House) -> None:
    house.log.said(topics.LEDGER.name, CUT)
    other = house.log.records[0]
    result = (other.value() or b"").replace(b"ann", b"bob")
    house.log.records.append(replace(other, sent=replace(other.sent, key=b"bob", value=result)))
    house.asked(erasure())
    house.eraser.look()
    assert house.log.nulls() == [b"k"]


def test_h8_erasures_that_are_due_together_read_the_log_once(house: House) -> None:
    """Each read all of it twice: a thousand requests of one tenant were two thousand reads before anybody else's."""
    for n in range(AT_ONCE):
        house.log.said(topics.LEDGER.name, CUT, f"k{n}", user=f"bob{n}")
        house.asked(_bobs(n))
    house.log.said(topics.LEDGER.name, CUT, "ann's")
    assert house.eraser.look() == 0
    assert house.log.reads == 3, "what to null, what remains, and that of topics that were read before"
    assert sorted(k or b"" for k in house.log.nulls()) == sorted(f"k{n}".encode() for n in range(AT_ONCE))
    for n in range(AT_ONCE):
        verify(house.report(f"e{n:03d}"))
        assert house.report(f"e{n:03d}")["nulled"] == {topics.LEDGER.name: 1}, "its own and no other's"


def test_h8_what_one_erasure_would_put_back_goes_where_it_is_anothers_to_take(house: House) -> None:
    """Ann's late copy lies behind Bob's value under a project's key: alone, her erasure puts Bob's back."""
    key, place = b"acme/project/p/hot", partition(Owner("acme", OwnerKind.PROJECT, "p"), COUNT)
    for n, user in enumerate(("bob1", "ann")):
        update = hot(
            1, 1 + n, text=f"{user}'s", known_at=CUT, tenant="acme", owner_id="p", project_id="p", user_id=user
        )
        encoded = CODEC.encode(update, "test", str(n))
        sent = Outgoing(topics.UPDATES.name, place, key, encoded.value, encoded.headers)
        house.log.records.append(Lies(sent, CUT))
    house.asked(erasure("a"))
    house.asked(_bobs(1))
    assert house.eraser.look() == 0
    assert (house.log.records[-1].key(), house.log.records[-1].value()) == (key, None)


def test_h8_of_one_user_two_erasures_are_ended_one_after_the_other(house: House) -> None:
    house.log.said(topics.LEDGER.name, CUT)
    house.log.said(topics.LEDGER.name, CUT + timedelta(seconds=2), "later")
    house.asked(erasure("a", accepted_at=CUT + timedelta(seconds=3)))
    house.asked(erasure("b"))
    house.asked(_bobs(1))
    assert house.eraser.look() == 0
    assert house.log.reads == 3 + 4, "Ann's first with Bob's, then what is new and what is hers, twice"
    assert sorted(k or b"" for k in house.log.nulls()) == [b"k", b"later"]
    assert (house.report("a")["nulled"], house.report("b")["nulled"]) == ({topics.LEDGER.name: 2}, {})


def test_h8_the_erasure_of_somebody_that_nobody_knows_reads_what_is_new_and_no_more(house: House) -> None:
    """Any id is taken, and each cost a read of the whole log, before anybody else's."""
    for n in range(50):
        house.log.said(topics.LEDGER.name, CUT, f"k{n}", user=f"bob{n}")
        house.log.said(topics.DEAD_LETTERS.name, CUT, f"d{n}", user=f"bob{n}")
    _everywhere(house)
    house.log.said(topics.DEAD_LETTERS.name, CUT, "new", user="bob0")
    house.log.given.clear()
    house.asked(erasure("nobody's", user_id=_like_ann()))
    assert house.eraser.look() == 0
    verify(house.report("nobody's"))
    assert house.report("nobody's")["remains"] == []
    places = 2 * 4 * len(topics.CATALOGUE)
    assert house.log.given.count(b"new") == 1, "it is looked for in what is new"
    assert len(house.log.given) <= places, "and beside that the newest record of each partition is met again"


def test_h8_a_user_who_is_there_is_read_from_the_first_record_on(house: House) -> None:
    for n in range(50):
        house.log.said(topics.LEDGER.name, CUT, f"k{n}", user=_like_ann(n))
    house.log.said(topics.LEDGER.name, CUT, "hers")
    _everywhere(house)
    house.log.given.clear()
    house.asked(erasure())
    assert house.eraser.look() == 0
    assert house.log.nulls() == [b"hers"]
    assert house.report()["nulled"] == {topics.LEDGER.name: 1}
    assert not {f"k{n}".encode() for n in range(50)} & set(house.log.given)


def test_c1_where_the_log_lost_its_newest_records_it_is_read_anew(house: House) -> None:
    """What was known of its users is not so: others came in place of the records that were read."""
    for n in range(3):
        house.log.said(topics.LEDGER.name, CUT, f"k{n}", user=_like_ann(n))
    _everywhere(house)
    kept = [r for r in house.log.records if r.key() not in (b"k1", b"k2")]
    house.log.records = kept
    for key in ("hers", "hers too", "k9"):
        house.log.said(topics.LEDGER.name, CUT, key)
    house.asked(erasure())
    assert house.eraser.look() == 0
    assert house.report()["nulled"] == {topics.LEDGER.name: 3}


def test_h8_a_read_that_was_broken_off_counts_for_nothing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.log.said(topics.LEDGER.name, CUT, "k", user=_like_ann())
    _everywhere(house)
    house.log.said(topics.LEDGER.name, CUT, "hers")
    house.asked(erasure())
    whole = Log.read

    def broken(self: Log, *args: Any) -> Iterator[Stored]:
        for m in whole(self, *args):
            yield m
            if m.key() == b"hers":
                raise Away("_TIMED_OUT")

    with monkeypatch.context() as patched:
        patched.setattr(Log, "read", broken)
        with pytest.raises(Away):
            house.eraser.look()
    assert house.eraser.look() == 0
    assert house.report()["nulled"] == {topics.LEDGER.name: 1}


def test_h8_of_many_tenants_each_has_its_turn(house: House) -> None:
    """The oldest of all were looked at first: a thousand requests of one tenant, then those of the others."""
    for n in range(10 * AT_ONCE):
        house.asked(_bobs(n), answered=n % 2 == 0)
    house.asked(erasure("other", tenant="other"))
    house.eraser.look()
    assert house.register.entries["other"].state == "done"


def test_h8_a_tenant_waits_for_one_turn_of_each_other(house: House) -> None:
    many = [f"t{n:02d}" for n in range(2 * AT_ONCE)]
    for tenant in many:
        for n in range(5):
            house.asked(erasure(f"{tenant}-{n}", tenant=tenant))
    house.eraser.look()
    house.asked(erasure("new", tenant="new"))
    house.eraser.look()
    assert house.register.entries["new"].state == "done"
    house.eraser.look()
    done = {name for name, entry in house.register.entries.items() if entry.state == "done"}
    assert {f"{tenant}-0" for tenant in many} <= done


def test_h8_what_fails_costs_its_own_tenant_the_turn(house: House) -> None:
    """A partition without a leader ended the look: all others waited for a look behind each erasure in it."""
    house.log.said(topics.LEDGER.name, CUT)
    for n in range(AT_ONCE):
        house.asked(erasure(f"a{n:02d}"))
    house.asked(erasure("other", tenant="other"))
    house.log.away, house.log.only = 1_000, ANN
    with pytest.raises(Away):
        house.eraser.look()
    assert house.register.entries["other"].state == "done"


def test_h8_what_is_due_is_ended_though_another_of_its_tenant_fails_before_it_is(house: House) -> None:
    """Parts of the whole cannot be written: what was ready beside it waited for as long."""
    house.asked(erasure("a", user_id="bob1"))
    house.asked(whole())
    house.holds("acme/user/ann")
    house.log.away, house.log.only = 1_000, ANN
    with pytest.raises(Away):
        house.eraser.look()
    assert house.register.entries["a"].state == "done"


def test_h8_of_a_tenant_one_erasure_of_the_whole_is_ended_in_a_turn(house: House) -> None:
    """Each of them reads all of the log, whatever was asked of it a moment before."""
    for n in range(3):
        house.asked(whole(f"t{n}"))
    assert [house.eraser.look() for _ in range(3)] == [2, 1, 0]


def _everywhere(house: House) -> None:
    """An erasure before: the process has read all partitions."""
    house.asked(whole("before").model_copy(update={"tenant": "elsewhere"}))
    assert house.eraser.look() == 0
    assert house.register.entries["before"].state == "done"


def _like_ann(number: int = 0) -> str:
    """Another user of the same partition."""
    found = (f"cid{n}" for n in count() if partition(erasure(user_id=f"cid{n}").owner, COUNT) == ANN)
    return next(islice(found, number, None))
