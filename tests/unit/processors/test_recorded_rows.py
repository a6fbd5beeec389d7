"""Rows that versions before typed tables have written (recorded from their runs) are read, and written byte for byte:
a worker of either version takes over from the other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from processors.erasure import project_rows as erasure
from processors.erasure.refused import REFUSED
from processors.knowledge import rows as knowledge
from processors.memory import rows as gate
from processors.memory.citations import ANSWERS
from processors.memory.habits import rows as habits
from processors.project import rows as project
from processors.screen import rows as screen
from processors.session import rows as session
from processors.state_tables import RowFormat

RECORDED = Path(__file__).parent / "recorded_rows"
FORMATS: Mapping[str, Mapping[str, RowFormat[Any]]] = {
    "screen": {"accepted_turns": screen.ACCEPTED.format, "previous_turns": screen.PREVIOUS.format},
    "session": {
        "sessions": session.SESSIONS.format, "ended": session.ENDS.format, "open": session.OPEN.format,
        "segment_turns": session.SEGMENT.format, "summary_job": session.JOB.format,
    },
    "project": {
        "hot": project.HOT.format, "proposed": project.PROPOSED.format,
        "hot_index": project.HOT_INDEX.format, "removed": project.REMOVED.format,
        "written_by_turn": project.WRITTEN_BY.format, "late_turns": project.LATE_TURNS.format,
        "week": project.WEEK.format, "texts": project.TEXTS.format, "statements": project.STATEMENTS.format,
        "extract": project.EXTRACT.format, "report": project.REPORT.format,
        "due_weeks": project.DUE_WEEKS.format, "due_status": project.DUE_STATUS.format,
    },
    "habits": {
        "times": habits.TIMES.format, "usual": habits.USUAL.format, "hours": habits.HOURS.format,
        "zone": habits.ZONE.format, "due": habits.DUE_TIMES.format,
    },
    "gate": {
        "records": gate.RECORDS.format, "tails": gate.TAILS.format, "ended_counts": gate.ENDED_COUNTS.format,
        "ended_at": gate.ENDED_AT.format, "versions_of_session": gate.VERSIONS_OF_SESSION.format,
        "rejections": gate.REJECTIONS.format, "replaced": gate.REPLACED.format, "readings": gate.READINGS.format,
        "hot_of_record": gate.HOT_OF_RECORD.format, "summaries": gate.SUMMARIES.format,
        "narrative_job": gate.NARRATIVE_JOB.format, "applied": gate.APPLIED.format, "answers": ANSWERS.format,
    },
    "knowledge": {
        "active": knowledge.ACTIVE.format, "chunks": knowledge.CHUNKS.format, "versions": knowledge.VERSIONS.format,
        "floor": knowledge.FLOOR.format, "left": knowledge.LEFT.format,
    },
    "erasure": {
        "refused": REFUSED.format, "weeks_of_user": erasure.WEEKS_OF_USER.format,
        "hot_of_user": erasure.HOT_OF_USER.format,
    },
}  # fmt: skip


def recorded() -> list[tuple[str, str, bytes]]:
    return [
        (step, table, orjson.dumps(row, option=orjson.OPT_SORT_KEYS))
        for step in FORMATS
        for table, rows in orjson.loads((RECORDED / f"{step}.json").read_bytes()).items()
        for row in rows
    ]


def test_every_table_has_recorded_rows() -> None:
    assert {(step, table) for step, table, _ in recorded()} == {(s, t) for s, tables in FORMATS.items() for t in tables}


@pytest.mark.parametrize(("step", "table", "raw"), recorded())
def test_a_recorded_row_is_read_and_written_as_it_was(step: str, table: str, raw: bytes) -> None:
    rows = FORMATS[step][table]
    assert rows.encode(rows.decode(raw)) == raw


def test_a_tail_of_before_has_the_numbers_alone() -> None:
    tail = gate.TAILS.format.decode(b'[2, 7, "fact"]')
    assert tail == gate.Tail(2, 7, "fact")
    assert tail.ending == "ended"
