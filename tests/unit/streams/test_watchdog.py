"""What the watchdog notes, what it forgives, and what outlives a process that could note nothing."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import orjson
import psycopg
import pytest

from memstream.settings import Settings
from memstream.workers.steps import watchdog_of
from processors.step import Reads, Record
from schemas.log import topics
from streams.batch import Item, guarded
from streams.faust.lease import FrozenError, Lease
from streams.resident import ProcessMemory
from streams.sections import SECTION_BYTES
from streams.state.cache import NotRead
from streams.state.protocol import StoreAway
from streams.suspects import MemorySuspects, NoSuspects, Suspect
from streams.watchdog import Limits, Watchdog
from streams.work_record import SLOT_BYTES, SLOTS, Hand, InHand, Left
from tests.patience import PATIENCE
from tests.unit.streams.bench import PLAIN, P, message
from tests.unit.streams.toy import START, turn

LIMIT = 300.0
MB = 1024**2
AT = int(START.timestamp() * 1000)


def suspect(step: str, offset: int) -> Suspect:
    return Suspect(step, topics.TURNS.name, P, offset, AT)


class Ended(BaseException):
    """The process is no more."""


class Memory(ProcessMemory):
    """Of the machine below. `bounds`: what suspects were given, (most, least) in bytes. `full`: nothing is left of it.
    `closer`: the system bounds the process already."""

    def __init__(self, held: Callable[[], int], allowed: int | None) -> None:
        self._held, self.allowed = held, allowed
        self.bounds: list[tuple[int, int]] = []
        self.full = self.closer = False

    def held(self) -> int:
        return self._held()

    @contextmanager
    def bounded(self, most: int, least: int) -> Iterator[bool]:
        self.bounds.append((most, least))
        self._before = None if self.closer else (0, 0)
        yield not self.closer
        self._before = None

    def at_the_bound(self) -> bool:
        return self.full

    def lift(self) -> None:
        self._before = None


class Machine(NoSuspects):
    """A clock, the CPU time of the process, and what its watchdog says. `away`: nothing can be stored."""

    def __init__(self, folder: Path | None = None, allowed: int | None = None) -> None:
        self.now, self.cpu, self.starved, self.away = 100.0, 10.0, 7.0, False
        self.memory = 500 * MB
        self.bounding = Memory(lambda: self.memory, allowed)
        self.noted: list[tuple[list[Suspect], bool]] = []
        self.hand = None if folder is None else InHand(folder, "worker")
        self.dog = Watchdog(
            Limits(LIMIT), self, self._die, self.hand, lambda: self.now, lambda: self.cpu, self.bounding,
            lambda _: self.starved,
        )  # fmt: skip

    def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
        if not self.away:
            self.noted.append((list(suspects), alone))
        return not self.away

    def _die(self) -> None:
        raise Ended

    def runs(self, seconds: float) -> None:
        """The watchdog's thread looks meanwhile."""
        for _ in range(round(seconds)):
            self.now, self.cpu = self.now + 1, self.cpu + 1
            self.dog.look()

    def starves(self, seconds: float) -> None:
        """Others have the cores."""
        for _ in range(round(seconds)):
            self.starved += 1
            self.runs(1)

    def holds(self, seconds: float) -> None:
        """The interpreter is held: nothing looks."""
        self.now, self.cpu = self.now + seconds, self.cpu + seconds

    def takes(self, size: int) -> None:
        """Memory. The watchdog's thread looks meanwhile."""
        for _ in range(size // MB):
            self.memory += MB
            self.dog.look()

    def freezes(self, seconds: float) -> None:
        self.now += seconds

    def works(self, offset: int, work: Callable[[], object], alone: bool = False, step: str = "gate") -> None:
        with self.dog.over(step, [message(offset, f"t{offset}")], alone):
            work()

    def works_until_it_ends(self, offset: int, work: Callable[[], object], alone: bool = False) -> None:
        with pytest.raises(Ended):
            self.works(offset, work, alone)


def test_only_what_took_too_long_is_noted() -> None:
    m = Machine()

    def work() -> None:
        m.runs(LIMIT)
        assert not m.noted
        m.works(2, lambda: m.runs(1), step="extract")

    m.works_until_it_ends(1, work)
    assert m.noted == [([suspect("gate", 1)], False)]


def test_what_is_over_in_time_is_not() -> None:
    m = Machine()
    for n in range(3):
        m.works(n, lambda: m.runs(LIMIT - 1))
    m.runs(LIMIT)
    assert not m.noted


@pytest.mark.parametrize("alone", [False, True])
def test_a_record_that_had_the_process_for_itself_is_to_blame(alone: bool) -> None:
    m = Machine()
    m.works_until_it_ends(1, lambda: m.runs(LIMIT + 1), alone)
    assert m.noted == [([suspect("gate", 1)], alone)]


@pytest.mark.parametrize(("allowed", "sound"), [(None, 2047), (1024, 420), (600, 255), (16_384, 2047)])
def test_what_takes_so_much_memory_that_the_kernel_would_kill_for_it_is_noted(allowed: int | None, sound: int) -> None:
    """In a container of so many MB: a process of 500 goes as far as nine tenths, and grows by 256 first."""
    m = Machine(allowed=None if allowed is None else allowed * MB)
    m.works(1, lambda: m.takes(sound * MB))
    assert not m.noted
    m.memory = 500 * MB
    m.dog.look()
    m.works_until_it_ends(2, lambda: m.takes((sound + 3) * MB), alone=True)
    assert m.noted == [([suspect("gate", 2)], True)]


def test_what_others_took_before_makes_no_suspect() -> None:
    """Neither those of the same machine, nor an earlier record of the same process that nobody has looked at since."""
    m = Machine(allowed=1024 * MB)
    m.memory += 500 * MB
    m.works(1, lambda: m.takes(20 * MB), alone=True)
    assert not m.noted


def test_what_the_start_of_a_worker_takes_makes_no_suspect() -> None:
    """Models and dictionaries are loaded between its watchdog and its first batch."""
    m = Machine(allowed=1024 * MB)
    m.memory += 450 * MB
    m.dog.start()
    m.dog.stop()
    m.works(1, lambda: m.takes(20 * MB))
    assert not m.noted


@pytest.mark.parametrize("alone", [False, True])
def test_what_is_refused_memory_is_treated_as_what_hangs(alone: bool) -> None:
    """It asked for so much at once that nobody looked between: the kernel would have ended the process."""
    m = Machine()

    def takes_all() -> None:
        raise MemoryError

    m.works_until_it_ends(1, takes_all, alone)
    assert m.noted == [([suspect("gate", 1)], alone)]
    assert m.bounding.bounds == [(3072 * MB, Limits(LIMIT).floor)] * alone
    assert Limits(LIMIT).growth < 3072 * MB, "a look comes before it"
    assert Limits(LIMIT).growth_full < Limits(LIMIT).floor, "a look comes before it"


REFUSALS = [
    RuntimeError("[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : std::bad_alloc"), RuntimeError("can't start new thread"),
    psycopg.OperationalError("out of memory"), OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)),
]  # fmt: skip


@pytest.mark.parametrize("exc", REFUSALS, ids=lambda exc: type(exc).__name__)
def test_libraries_say_in_their_own_ways_that_they_were_refused(exc: Exception) -> None:
    """Such a record would be a dead letter at its first try, though it may be sound where there is more room."""
    m = Machine()

    def fails() -> None:
        try:
            raise exc
        except type(exc):
            raise ValueError("a step wraps it") from exc

    with pytest.raises(ValueError, match="wraps"):
        m.works(1, fails)
    assert not m.noted, "among others nobody is bounded: it is what it says"
    m.works_until_it_ends(2, fails, alone=True)
    assert m.noted == [([suspect("gate", 2)], True)]


def test_whatever_fails_with_nothing_left_was_refused() -> None:
    m = Machine()

    def fails() -> None:
        raise KeyError("says nothing of memory")

    with pytest.raises(KeyError):
        m.works(1, fails, alone=True)

    def asks() -> None:
        raise NotRead(Reads("user:acme:ann"))

    m.bounding.full = True
    with pytest.raises(NotRead):
        m.works(2, asks, alone=True)
    assert not m.noted
    m.works_until_it_ends(3, fails, alone=True)
    assert m.noted == [([suspect("gate", 3)], True)]


def test_what_is_refused_within_a_record_by_record_call_is_raised() -> None:
    m = Machine()
    item = Item(Record(turn("t1"), P, 1, START, None, True, "", None), message(1, "t1"))

    def refused(_: Item) -> None:
        raise RuntimeError("std::bad_alloc")

    m.works_until_it_ends(1, lambda: guarded([item], refused, m.dog.refused), alone=True)
    assert m.noted == [([suspect("gate", 1)], True)]
    assert item.failed is None


def test_a_parser_that_is_refused_memory_calls_nothing_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(value: bytes) -> object:
        raise orjson.JSONDecodeError("Not enough memory to allocate buffer for parsing", "", 0)

    monkeypatch.setattr("schemas.log.codec.orjson.loads", loads)
    with pytest.raises(MemoryError):
        PLAIN.decode(topics.TURNS.name, b"{}")


def test_the_bound_is_lifted_before_anything_is_noted() -> None:
    """A connection takes memory and a thread."""
    m = Machine()
    bounded: list[bool] = []

    class Noting(NoSuspects):
        def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
            bounded.append(m.bounding.in_force)
            return True

    m.dog._suspects = Noting()
    m.works_until_it_ends(1, lambda: m.runs(LIMIT + 1), alone=True)
    assert bounded == [False]


@pytest.mark.parametrize("alone", [False, True])
def test_a_look_that_fails_ends_the_process(alone: bool, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody would look any more. Who has the process alone is to blame for it."""
    m = Machine()

    def work() -> None:
        m.bounding._held = fails
        m.dog.look()

    def fails() -> int:
        raise MemoryError

    m.works_until_it_ends(1, work, alone)
    assert m.noted == [([suspect("gate", 1)] if alone else [], alone)]
    assert "the watchdog cannot look" in caplog.text


def test_a_look_that_fails_and_cannot_even_be_spoken_of_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """To say so takes memory, too."""
    m = Machine()
    bounded: list[bool] = []

    def fails(*_: object, **__: object) -> None:
        bounded.append(m.bounding.in_force)
        raise MemoryError

    def work() -> None:
        monkeypatch.setattr("streams.watchdog.log.critical", fails)
        monkeypatch.setattr(m.bounding, "_held", fails)
        m.dog.look()

    m.works_until_it_ends(1, work, alone=True)
    assert bounded[:2] == [True, False], "its bound is over before"


def test_a_watchdog_that_is_refused_a_thread_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise RuntimeError("unable to start watchdog thread")

    m = Machine()
    monkeypatch.setattr("faulthandler.dump_traceback_later", refused)
    m.works_until_it_ends(1, m.dog._run, alone=True)
    assert m.noted == [([suspect("gate", 1)], True)]


def test_a_look_that_can_neither_look_nor_note_ends_the_process_with_what_is_in_its_file(tmp_path: Path) -> None:
    m = Machine(tmp_path)

    class Broken(NoSuspects):
        def note(self, suspects: Sequence[Suspect], alone: bool = False) -> bool:
            raise MemoryError

    def fails() -> int:
        raise MemoryError

    def work() -> None:
        m.dog._suspects = Broken()
        m.bounding._held = fails
        with pytest.raises(Ended):
            m.dog.look()
        assert m.hand is not None
        assert [h.suspects for h in m.hand.left().hands] == [[suspect("gate", 1)]]
        m.dog.look()

    m.works_until_it_ends(1, work, alone=True)


@pytest.mark.parametrize("alone", [False, True])
def test_time_spent_waiting_for_ourselves_condemns_no_record(alone: bool) -> None:
    """The keyring's answer, a load by another thread: both inside of what a step computes, and both give up by
    themselves."""
    m = Machine()

    def work(seconds: float) -> None:
        m.runs(LIMIT - 10)
        for _ in range(3):
            with m.dog.waiting():
                m.runs(LIMIT)
                m.holds(6)
                m.dog.look()
        m.runs(seconds)

    m.works(1, lambda: work(9), alone)
    assert not m.noted
    m.works_until_it_ends(2, lambda: work(12), alone)
    assert m.noted == [([suspect("gate", 2)], alone)]


def test_a_machine_whose_cores_others_have_condemns_nobody_up_to_three_times_the_limit() -> None:
    """A sound record takes its CPU time, whoever has the cores meanwhile; what hangs is found all the same."""
    m = Machine()

    def work(starved: float, running: float) -> None:
        m.starves(starved)
        m.runs(running)

    for n in range(2):
        m.works(n, lambda: work(2.9 * LIMIT, 10), alone=True)
    with m.dog.loading("recognisers"):
        m.starves(2.9 * LIMIT)
    assert not m.noted
    m.works_until_it_ends(2, lambda: work(LIMIT, LIMIT + 3), alone=True)
    m = Machine()
    m.works_until_it_ends(2, lambda: m.starves(3 * LIMIT + 3), alone=True)
    assert m.noted == [([suspect("gate", 2)], True)]


def test_who_waits_is_the_thread_that_waits() -> None:
    m = Machine()
    done = threading.Event()

    def wait() -> None:
        with m.dog.waiting():
            done.wait(PATIENCE)

    other = threading.Thread(target=wait)
    other.start()
    m.works_until_it_ends(1, lambda: m.runs(LIMIT + 1))
    done.set()
    other.join(PATIENCE)
    assert m.noted == [([suspect("gate", 1)], False)]


def test_what_waits_for_a_store_may_take_its_time_and_not_all_memory() -> None:
    """State of a record is loaded and committed: an outage holds it up, and a state without bounds is its own."""
    m = Machine()
    with m.dog.over("gate", [message(1, "t1")], waits=True):
        m.runs(10 * LIMIT)
    assert not m.noted
    with pytest.raises(Ended), m.dog.over("gate", [message(2, "t2")], True, waits=True):
        m.takes(2049 * MB)
    assert m.noted == [([suspect("gate", 2)], False)], "a consumer's thread may be what took it"
    assert m.bounding.bounds == [], "and others may go on beside a wait"


def test_who_holds_the_interpreter_beside_a_wait_condemns_no_waiting_record(tmp_path: Path) -> None:
    m = Machine(tmp_path)
    assert m.hand is not None
    with m.dog.over("gate", [message(1, "t1")], True, waits=True):
        m.runs(100)
        m.holds(6)
        m.dog.look()
        assert m.hand.left().hands == [Hand(False, [suspect("gate", 1)])], "nor where a mark says so"
    assert not m.noted
    m.hand.close()


def test_what_the_process_loads_for_itself_is_no_records_fault(caplog: pytest.LogCaptureFixture) -> None:
    """The first text has the recognisers loaded; where that hangs the process ends, and says why."""
    m = Machine()

    def loads(seconds: float, before: float = 0.0) -> None:
        m.runs(before)
        with m.dog.loading("recognisers"):
            m.runs(seconds)

    m.works(1, lambda: loads(LIMIT - 1))
    m.works(2, lambda: loads(LIMIT - 1, before=LIMIT - 1))
    assert not m.noted
    m.works_until_it_ends(3, lambda: loads(LIMIT + 1))
    assert m.noted == [([], False)]
    assert "loading recognisers takes too long" in caplog.text


def test_a_process_that_was_killed_while_it_loaded_blames_nobody(tmp_path: Path) -> None:
    first = Machine(tmp_path / "alive")
    with first.dog.loading("recognisers"):
        assert first.hand is not None
        os.write(first.hand.marks, b"Stack")
        shutil.copytree(tmp_path / "alive", tmp_path / "dead")  # as the process left it
    m = Machine(tmp_path / "dead")
    m.dog.start()
    m.dog.stop()
    assert m.noted == [([], False)]


def test_a_section_has_time_by_its_size() -> None:
    m = Machine()
    large = replace(message(1, "t1"), value=b"x" * (3 * SECTION_BYTES))

    def work() -> None:
        m.runs(2.9 * LIMIT)
        assert not m.noted
        m.runs(LIMIT)

    with pytest.raises(Ended), m.dog.over("chunk", [large]):
        work()
    assert m.noted == [([suspect("chunk", 1)], False)]


def test_a_frozen_process_makes_no_suspects() -> None:
    """SIGSTOP, a paused container: the clock goes on, and no CPU time is used."""
    m = Machine()
    with m.dog.over("gate", [message(1, "t1")]):
        m.runs(LIMIT - 10)
        m.freezes(10_000)
        m.dog.look()
        m.runs(9)
    assert not m.noted
    m.works_until_it_ends(2, lambda: m.runs(LIMIT + 1))
    assert m.noted == [([suspect("gate", 2)], False)]


def by_the_thread(m: Machine) -> None:
    m.dog.look()


def by_the_lease(m: Machine) -> None:
    """Which ends the process, and whose loop may come before its thread."""
    lease = Lease(5.0, m._die, lambda: m.now, m.dog.look)
    lease._last = m.now - 6
    lease.check()


def by_the_section(m: Machine) -> None:
    """It ends by itself before anybody looks."""


@pytest.mark.parametrize("who", [by_the_thread, by_the_lease, by_the_section])
def test_a_match_that_ends_by_itself_is_noted_by_whoever_runs_first(who: Callable[[Machine], None]) -> None:
    m = Machine()

    def work() -> None:
        m.runs(2)
        m.holds(6)
        m.works(2, lambda: who(m), step="extract")

    m.works_until_it_ends(1, work)
    assert m.noted == [([suspect("gate", 1)], False)], "what began afterwards held nothing"


def test_a_lease_that_ends_a_frozen_process_notes_nothing() -> None:
    m = Machine()
    lease = Lease(5.0, m._die, lambda: m.now, m.dog.look)
    with m.dog.over("gate", [message(1, "t1")]):
        m.freezes(6)
        with pytest.raises(FrozenError):
            lease.check()
        with pytest.raises(Ended):
            lease.beat()
    assert not m.noted


def test_what_hung_is_noted_once_whoever_comes_next() -> None:
    m = Machine()
    m.works_until_it_ends(1, lambda: m.holds(6), alone=True)
    for _ in range(3):
        with pytest.raises(Ended):
            m.dog.look()
    assert m.noted == [([suspect("gate", 1)], True)]


def hung(folder: Path, mark: bytes, **hands: bool) -> None:
    """A life with these in hand (step -> alone) that was killed. What it had done before is in no slot."""
    hand = InHand(folder, "worker")
    hand.clear(hand.put("gate", [message(9, "done")], False))
    for step, alone in hands.items():
        hand.put(step, [message(3, "t3"), message(5, "t5")], alone)
    if mark:
        os.write(hand.marks, mark)
    os.close(hand.marks)  # as the end of the process does, which closes nothing in order


def test_a_life_that_was_marked_and_killed_is_noted_by_the_next(tmp_path: Path) -> None:
    hung(tmp_path, b"Stack", gate=True)
    m = Machine(tmp_path)
    m.dog.start()
    m.dog.stop()
    assert m.noted == [([suspect("gate", 3), suspect("gate", 5)], True)]
    again = Machine(tmp_path)
    again.dog.start()
    again.dog.stop()
    assert not again.noted


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("closer", [False, True])
def test_an_abort_counts_where_the_record_had_a_bound_of_its_own(tmp_path: Path, bounded: bool, closer: bool) -> None:
    """Libraries in Rust and C abort when they are refused memory; a bound of the system's is not the record's."""
    first = Machine(tmp_path / "alive")
    first.bounding.closer = closer
    with first.dog.over("gate", [message(1, "t1")], alone=bounded):
        assert first.hand is not None
        os.write(first.hand.marks, b"Fatal Python error: Aborted")
        shutil.copytree(tmp_path / "alive", tmp_path / "dead")  # as the process left it
    m = Machine(tmp_path / "dead")
    m.dog.start()
    m.dog.stop()
    assert m.noted == [([suspect("gate", 1)], bounded and not closer)]


def test_of_several_none_is_to_blame_alone(tmp_path: Path) -> None:
    hung(tmp_path, b"Stack", gate=True, extract=False)
    m = Machine(tmp_path)
    m.dog.start()
    m.dog.stop()
    assert [(len(found), alone) for found, alone in m.noted] == [(4, False)]


@pytest.mark.parametrize("mark", [b"", b"Fatal Python error: Aborted", b"Fatal Python error: Bus error"])
def test_an_end_that_may_come_from_outside_blames_nobody(tmp_path: Path, mark: bytes) -> None:
    """kill -9, a power cut, out of memory: what was in hand is tried alone, and that is all."""
    hung(tmp_path, mark, gate=True)
    m = Machine(tmp_path)
    m.dog.start()
    m.dog.stop()
    assert m.noted == [([suspect("gate", 3), suspect("gate", 5)], False)]


def test_an_orderly_end_leaves_no_suspects(tmp_path: Path) -> None:
    first = Machine(tmp_path)
    first.dog.start()
    with first.dog.over("gate", [message(1, "t1")], alone=True):
        first.dog.stop()
    again = Machine(tmp_path)
    again.dog.start()
    again.dog.stop()
    assert not again.noted


def test_what_is_computed_on_after_an_orderly_end_is_no_suspect(tmp_path: Path) -> None:
    """A thread of the models ends its slice when the worker has stopped."""
    m = Machine(tmp_path)
    m.dog.start()

    def work() -> None:
        m.dog.stop()
        m.holds(LIMIT + 60)

    m.works(1, work, alone=True)
    assert not m.noted


def test_what_could_not_be_stored_is_kept_until_it_is(tmp_path: Path) -> None:
    first, dead = Machine(tmp_path / "alive"), tmp_path / "dead"
    first.away = True

    def work() -> None:
        first.runs(LIMIT)
        first.works(2, lambda: first.runs(1), step="extract")

    def die() -> None:
        if not dead.exists():
            shutil.copytree(tmp_path / "alive", dead)  # as the process left it
        raise Ended

    first.dog._die = die
    first.works_until_it_ends(1, work, alone=True)
    second = Machine(dead)
    second.away = True
    with pytest.raises(StoreAway):
        second.dog.start()
    assert second.hand is not None
    assert second.hand.left() == Left(True, [Hand(True, [suspect("gate", 1)], True)])
    os.close(second.hand.marks)
    third = Machine(dead)
    third.dog.start()
    third.dog.stop()
    assert third.noted == [([suspect("gate", 1)], True)]


@pytest.mark.parametrize(
    "torn",
    [b"\x00\x00\x00\x10" + b"garbage" * 9, b"\xff" * SLOT_BYTES, b'\x00\x00\x00\x22["gate",[["a.topic.v1",3,1,4]]]'],
    ids=["half", "beyond", "older"],
)
def test_slots_that_are_not_whole_stop_nothing(tmp_path: Path, torn: bytes) -> None:
    hung(tmp_path, b"Stack", gate=True, extract=True)
    path = tmp_path / "worker-0.slots"
    raw = bytearray(path.read_bytes())
    at = raw.rindex(b'["gate"') // SLOT_BYTES * SLOT_BYTES
    raw[at : at + len(torn)] = torn
    path.write_bytes(raw)
    m = Machine(tmp_path)
    m.dog.start()
    m.dog.stop()
    assert m.noted == [([suspect("extract", 3), suspect("extract", 5)], True)]


def test_a_mark_of_a_moment_goes_away(tmp_path: Path) -> None:
    """Several cores at work may use as much CPU time without holding anything."""
    m = Machine(tmp_path)
    assert m.hand is not None
    os.write(m.hand.marks, b"Stack")
    m.runs(1)
    assert not m.hand.marked
    m.hand.close()


def test_more_than_there_are_slots_for_and_what_comes_after_the_end_is_left_out(tmp_path: Path) -> None:
    hand = InHand(tmp_path, "worker")
    slots = [hand.put("gate", [message(n, "t")], False) for n in range(SLOTS + 4)]
    assert slots.count(None) == 4
    hand.clear(slots[0])
    assert hand.put("gate", [message(30, "t")], False) == slots[0]
    beside = InHand(tmp_path, "worker")
    assert beside.put("gate", [message(30, "t")], False) is not None, "two processes share no file"
    hand.close()
    assert hand.put("gate", [message(31, "t")], False) is None
    hand.clear(slots[1])
    beside.close()


def test_without_room_on_the_disk_a_worker_goes_on_without_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(file: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "posix_fallocate", full)
    dog = watchdog_of(Settings(data_dir=tmp_path), ["gate"], MemorySuspects())
    assert not [n for n in os.listdir("/proc/self/fd") if str(tmp_path) in os.path.realpath(f"/proc/self/fd/{n}")]
    assert "not kept in the data folder" in caplog.text
    dog.start()
    with dog.over("gate", [message(1, "t1")]):
        dog.look()
    dog.stop()
