"""Rows of the steps: what is written is read again, and is written as the same bytes whoever wrote it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from processors.erasure.project_rows import NAMED_SESSIONS, WEEKS_OF_USER, SessionsOfWeek
from processors.erasure.refused import REFUSED, Refused
from processors.memory.habits import rows as habits
from processors.project import rows as project
from processors.project.report_value import ReportLists, lists_of, with_values
from processors.screen import rows as screen
from processors.session import rows as session
from processors.state_tables import RowFormat, UnreadableRow
from schemas.events.envelope import SourceTurn
from schemas.events.memory import MemoryUpdate
from schemas.log.owner import Owner, OwnerKind

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")
SECRET = "zebra-4711"

texts = st.text(st.characters(codec="utf-8"), max_size=20)
ids = st.text("abcXYZ019-_", min_size=1, max_size=12)
times = st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
counts = st.integers(0, 10_000)
days = st.integers(700_000, 800_000)
roles = st.sampled_from(["user", "assistant", "system", "tool"])
optional = st.none() | texts
citations = st.builds(
    SourceTurn, turn_id=ids, session_id=st.none() | ids, occurred_at=times, content_hash=st.just("ab12")
)


def fields(row_type: type[M], **strategies: st.SearchStrategy[object]) -> st.SearchStrategy[M]:
    """Rows with these fields. `st.builds` would also give the stored names."""
    return st.fixed_dictionaries(strategies).map(row_type.model_validate)


def counted(most: int = 4) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(texts, counts, max_size=most)


held_texts = fields(
    project.HeldText, text=texts, role=roles, speaker=optional, source=citations, user_id=ids, expires_at=times,
    position=counts,
)  # fmt: skip
statements = st.builds(project.Statement, texts, optional, texts, ids)
turn_statements = fields(
    project.TurnStatements, statements=st.lists(statements, max_size=3), source=citations, user_id=ids,
    position=counts,
)  # fmt: skip
weeks = st.builds(
    project.WeekCounts, turns=counts, users=counted(), more_users=counts, memories=counted(),
    texts=st.dictionaries(ids, st.floats(0, 100), max_size=4), notes=counts, zh=counts, late=counts, left_out=counts,
    closed=st.booleans(), dirty=st.booleans(), late_at=st.none() | times,
)  # fmt: skip
action_times = fields(
    habits.ActionTimes, used_at=times, occurrences=st.lists(st.tuples(days, st.integers(0, 1439)), max_size=4),
    sources=st.lists(citations, max_size=2), told=st.booleans(), minute=st.none() | counts, further=counted(2),
    due_day=days, missed_day=st.none() | days,
)  # fmt: skip
usual_values = fields(
    habits.UsualValues, values=st.lists(texts, max_size=3), sources=st.lists(citations, max_size=2), told=st.booleans()
)  # fmt: skip
hot_entries = st.dictionaries(texts, st.builds(project.HotIndexEntry, counts, texts, counts), max_size=4)
due_weeks = st.builds(project.DueWeek, times, ids, st.dates(date(1990, 1, 1), date(2200, 1, 1)))
turns = st.lists(st.builds(screen.PreviousTurn, roles, texts), max_size=3).map(tuple)


def check(rows: RowFormat[R], row: R) -> None:
    raw = rows.encode(row)
    again = rows.decode(raw)
    assert again == row
    assert rows.encode(again) == raw
    assert orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS) == raw


@given(held_texts, turn_statements, weeks)
def test_rows_of_a_week(text: project.HeldText, statements: project.TurnStatements, week: project.WeekCounts) -> None:
    check(project.TEXTS.format, text)
    check(project.STATEMENTS.format, statements)
    check(project.WEEK.format, week)


@given(due_weeks, times, st.lists(ids, max_size=3).map(tuple), counts, texts)
def test_rows_of_a_project(
    due: project.DueWeek, at: datetime, entries: tuple[str, ...], count: int, text: str
) -> None:
    check(project.DUE_WEEKS.format, due)
    check(project.DUE_STATUS.format, at)
    check(project.WRITTEN_BY.format, entries)
    check(project.REMOVED.format, count)
    check(project.EXTRACT.format, text)


@given(hot_entries)
def test_the_index_of_hot_memory(entries: dict[str, project.HotIndexEntry]) -> None:
    held = project.HotIndex({})
    for row, entry in entries.items():
        held = held.having(row, entry)
    raw = project.HOT_INDEX.format.encode(held)
    again = project.HOT_INDEX.format.decode(raw)
    assert {row: again[row] for row in again} == entries
    assert project.HOT_INDEX.format.encode(again) == raw
    for row in entries:
        assert row in again
        again = again.without(row)
    assert len(again) == 0


@pytest.mark.parametrize("raw", [b'["zebra-4711"]', b"zebra-4711", b"1"])
def test_an_index_of_another_form_is_refused_without_its_content(raw: bytes) -> None:
    with pytest.raises(UnreadableRow) as caught:
        project.HOT_INDEX.format.decode(raw)
    assert SECRET not in str(caught.value)


@given(st.text("abc/|@ ", min_size=1), st.sampled_from(["meta", "status", "decision", "preference"]))
def test_a_name_of_hot_memory_is_told_from_its_row_whatever_its_key_holds(key: str, hot_type: str) -> None:
    entry = project.HotName(hot_type, key)
    assert project.HotName.parse(entry.row) == entry
    assert entry.row == project.HOT.key(entry.name) == f"hot/{hot_type}/{key}"


def test_a_week_that_was_never_late_stores_no_time_of_it() -> None:
    assert b"late_at" not in project.WEEK.format.encode(project.WeekCounts())


@given(
    st.builds(session.OpenSession, times, ids, texts),
    st.builds(session.SegmentTurn, ids, roles, optional, texts, counts, st.sampled_from(["en", "zh", "und"])),
    st.builds(session.SummaryJob, ids, times),
    st.builds(session.SessionEnd, counts, counts),
    st.lists(st.integers(0, 2**62), min_size=2, max_size=4),
)
def test_rows_of_a_session(
    waiting: session.OpenSession, turn: session.SegmentTurn, job: session.SummaryJob, end: session.SessionEnd,
    positions: list[int],
) -> None:  # fmt: skip
    check(session.OPEN.format, waiting)
    check(session.SEGMENT.format, turn)
    check(session.JOB.format, job)
    check(session.ENDS.format, end)
    assert sorted(map(session.position_name, positions)) == [session.position_name(p) for p in sorted(positions)]


@given(st.builds(screen.AcceptedTurn, ids, times), st.builds(screen.PreviousTurns, times, turns))
def test_rows_of_screen(accepted: screen.AcceptedTurn, previous: screen.PreviousTurns) -> None:
    check(screen.ACCEPTED.format, accepted)
    check(screen.PREVIOUS.format, previous)


@given(action_times, usual_values, st.lists(st.tuples(days, counts), max_size=4).map(tuple))
def test_rows_of_habits(
    found: habits.ActionTimes, values: habits.UsualValues, hours: tuple[tuple[int, int], ...]
) -> None:
    check(habits.TIMES.format, found)
    check(habits.USUAL.format, values)
    check(habits.HOURS.format, hours)


@given(st.lists(st.tuples(st.none() | st.sampled_from("abc"), times, st.none() | times), min_size=1, max_size=6))
def test_what_is_refused_is_the_latest_of_its_erasures(
    erasures: list[tuple[str | None, datetime, datetime | None]]
) -> None:
    row = Refused()
    for session_id, cut, requested in erasures:
        row = row.with_all(cut, requested) if session_id is None else row.with_session(session_id, cut, requested)
        check(REFUSED.format, row)
    whole = max((cut for name, cut, _ in erasures if name is None), default=None)
    for name in "abc":
        cuts = [cut for of, cut, _ in erasures if of in (None, name)]
        assert row.cut_of(name) == max(cuts, default=None)
    assert row.cut_of(None) == whole
    assert row.latest() == max(cut for _, cut, _ in erasures)
    assert set(row.requested) <= {whole, *row.sessions.values()}


@given(st.lists(st.none() | ids, max_size=60))
def test_sessions_of_a_week_are_named_until_any_may_have_been_in_it(sessions: list[str | None]) -> None:
    row = SessionsOfWeek()
    for name in sessions:
        row = row.having(name)
        check(WEEKS_OF_USER.format, row)
    named = list(dict.fromkeys(sessions))
    assert row.any == (None in named or len(named) > NAMED_SESSIONS)
    assert list(row.names) == ([] if row.any else named)
    assert all(name not in row.without(name).names for name in row.names)


def test_an_erased_session_leaves_room_for_another_in_a_week() -> None:
    row = SessionsOfWeek()
    for n in range(NAMED_SESSIONS):
        row = row.having(f"s{n}")
    row = row.without("s7").having("further")
    assert (len(row.names), row.any) == (NAMED_SESSIONS, False)
    assert row.having("one more") == SessionsOfWeek(any=True)


def test_the_first_rows_of_a_week_had_no_position() -> None:
    source = {"turn_id": "t1", "session_id": None, "occurred_at": "2026-11-02T09:00:00Z", "content_hash": "x"}
    text = {"c": "hello", "r": "user", "p": None, "s": source, "u": "ann", "x": "2026-12-02T09:00:00.000000+00:00"}
    assert project.TEXTS.format.decode(orjson.dumps(text)).position == 0
    fields = {"k": [["episode", "task", "send it", "r1"]], "s": source, "u": "ann"}
    assert project.STATEMENTS.format.decode(orjson.dumps(fields)).position == 0


@pytest.mark.parametrize("raw", [b'"zebra-4711"', b"[1]", b"zebra-4711", b"null"])
def test_a_due_time_of_another_form_is_refused_without_its_content(raw: bytes) -> None:
    with pytest.raises(UnreadableRow) as caught:
        project.DUE_STATUS.format.decode(raw)
    assert SECRET not in str(caught.value)


def report(value: object) -> MemoryUpdate:
    [raw, *_] = orjson.loads((Path(__file__).parent / "recorded_rows" / "project.json").read_bytes())["report"]
    found = project.REPORT.format.decode(orjson.dumps(raw))
    return found.model_copy(update={"sealed": found.sealed.model_copy(update={"value": value})})


def test_what_is_read_of_a_report_is_written_as_it_was() -> None:
    value = {
        "week_start": "2026-11-02", "key_events": [], "decisions": [], "metrics": {"turns": "[masked]"},
        "problems": [{"text": "it is broken", "turn_id": "t1", "solution": None, "solved_by": None}],
        "open_tasks": [
            {"type": "task", "text": "send it", "occurred_at": "2026-11-02T09:00:00.000000+00:00",
             "source_turn_ids": ["t1"]}
        ],
    }  # fmt: skip
    found = report(value)
    assert with_values(found, lists_of(found).json_value()) == value, "also where policy has masked a figure"
    assert lists_of(report({"problems": [], "key_events": [], "open_tasks": []})) == ReportLists(
        problems=(), key_events=(), open_tasks=()
    )


def test_a_report_of_another_form_is_refused_without_its_content() -> None:
    with pytest.raises(UnreadableRow) as caught:
        lists_of(report({"problems": [{"text": [SECRET], SECRET: 1}]}))
    assert SECRET not in str(caught.value)


def test_an_entry_has_the_id_of_its_type_and_key() -> None:
    owner = Owner("acme", OwnerKind.PROJECT, "p")
    assert project.HotName("meta", "a/b").record_id(owner) != project.HotName("status", "a/b").record_id(owner)
