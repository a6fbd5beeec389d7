"""Erasures that a backup does not know of are done again from an export (H12)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
import pytest

from memstream.erasure import export
from memstream.erasure.export import ExportError, Plan
from memstream.erasure.ports import Outgoing
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition
from tests.unit.erasure.register_contract import CUT, erasure, whole
from tests.unit.erasure.test_eraser import COUNT, Lies, Log

CODEC = Codec()


class Postgres:
    """A connection: `trust.erasures` as id -> state, and what the first step has read."""

    def __init__(self, states: dict[str, str], read_to: dict[int, int]) -> None:
        self.states, self._read_to = states, read_to
        found = [(erasure(name), state) for name, state in states.items()]
        self.rows = [dict[str, Any](e.model_dump(), state=state, report=None) for e, state in found]

    def execute(self, query: str, params: tuple[list[str]] = ([],)) -> list[dict[str, Any]]:
        names = params[0]
        if query == export._EXPORT:
            return self.rows
        if query == export._READ:
            return [{"partition": p, "next_offset": offset} for p, offset in self._read_to.items()]
        if query == export._LATE:
            self.states.update({n: "under_way" for n in names if self.states.get(n) == "done"})
            return []
        assert query == export._STATES
        return [{"erasure_id": n, "state": self.states[n]} for n in names if n in self.states]


def _line(e: Erasure) -> bytes:
    return orjson.dumps({**e.model_dump(mode="json"), "state": "done", "report": {}}) + b"\n"


def _lies(e: Erasure) -> Lies:
    made = CODEC.encode(e, "test", e.erasure_id)
    return Lies(Outgoing(topics.TURNS.name, partition(e.owner, COUNT), made.key, made.value, made.headers), CUT)


def _done_again(conn: Any, log: Log, erasures: list[Erasure]) -> tuple[Plan, list[Erasure]]:
    """The plan, and whose key was made anew."""
    wanted, renewed = export.planned(conn, log, erasures, COUNT), list[Erasure]()
    export.do_again(conn, log, CODEC, renewed.append, wanted, COUNT)
    return wanted, renewed


def test_h12_what_is_exported_is_read_again() -> None:
    conn: Any = Postgres({"e1": "done", "e2": "under_way"}, {})
    assert export.read(b"".join(export.exported(conn))) == [erasure("e1"), erasure("e2")]


def test_h12_of_an_export_those_since_a_time_are_read() -> None:
    late = erasure("late", accepted_at=CUT + timedelta(days=1))
    assert export.read(_line(erasure()) + _line(late), CUT + timedelta(hours=1)) == [late]


@pytest.mark.parametrize("line", [b"{}", b"tea", b"[]", b'{"tenant":"acme","erasure_id":"e","scope":"all"}'])
def test_h12_another_file_is_refused_without_its_words(line: bytes) -> None:
    with pytest.raises(ExportError, match="line 2 is no erasure") as refused:
        export.read(_line(erasure()) + line)
    assert "tea" not in str(refused.value)


def test_h12_what_neither_postgres_nor_the_log_knows_is_asked_for_again_as_it_was() -> None:
    """Under its id and its cut-off: asked for anew, it would take what a user who returned has said since."""
    conn: Any = Postgres({}, {})
    log, session = Log(), erasure("s1", scope="session", session_id="s")
    wanted, renewed = _done_again(conn, log, [erasure("e1"), session, whole("t1")])
    assert [e.erasure_id for e in wanted.asked] == ["e1", "s1", "t1"]
    sent = [(r.topic(), r.partition(), CODEC.decode(r.topic(), r.value())) for r in log.records]
    everywhere = whole("t1").model_copy(update={"everywhere": True})
    ann = partition(erasure().owner, COUNT)
    assert sent == [
        (topics.TURNS.name, ann, erasure("e1")),
        (topics.TURNS.name, ann, session),
        *((topics.TURNS.name, p, everywhere) for p in range(COUNT)),
    ]
    assert renewed == [erasure("e1")], "else the newest key is kept, and is the one that the backup brought back"


def test_h12_what_the_steps_have_still_to_read_is_left_to_them() -> None:
    """Asked for behind it, it would take what was said between them. What they have read, and nobody knows, is not."""
    other = Lies(Outgoing(topics.TURNS.name, 0, b"k", b"?", []), CUT)
    log = Log([_lies(erasure("read")), _lies(erasure("coming")), other])
    conn: Any = Postgres({}, {partition(erasure().owner, COUNT): 1})
    wanted, _ = _done_again(conn, log, [erasure("read"), erasure("coming")])
    assert ([e.erasure_id for e in wanted.asked], wanted.sought, wanted.coming) == (["read"], [], ["coming"])


def test_h12_what_is_done_is_looked_for_in_a_log_that_may_be_older() -> None:
    """A Kafka from a backup has again what the erasure nulled in kept topics."""
    conn: Any = Postgres({"done": "done", "open": "under_way", "other": "done"}, {})
    log = Log()
    wanted, _ = _done_again(conn, log, [erasure("done"), erasure("open")])
    assert (wanted.sought, [e.erasure_id for e in wanted.asked]) == (["done"], ["open"])
    assert conn.states == {"done": "under_way", "open": "under_way", "other": "done"}
