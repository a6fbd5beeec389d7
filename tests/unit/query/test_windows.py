"""A window of a topic: all that the log has, or an error; and what dead letters make of a log that is slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from query.deadletters.index import Filters, LetterIndex
from query.deadletters.replay import Replayer
from query.streams import Read, TopicAwayError, TopicReader, window
from schemas.log import topics
from schemas.log.codec import Codec
from tests.unit.query.letters import READERS, DriverTopics, counted, opened, records, tools


class ScriptedReader(TopicReader):
    """Brings what it is told, an entry a call; then nothing. A mapping: the ends that were reached."""

    def __init__(self, *script: Sequence[Read] | Mapping[int, int]) -> None:
        self.script = list(script)
        self.reached = {}

    def start(self, offsets: Mapping[int, int]) -> None:
        self.started = dict(offsets)

    def next(self, seconds: float, most: int = 200) -> list[Read]:
        given = self.script.pop(0) if self.script else []
        if isinstance(given, Mapping):
            self.reached.update(given)
            return []
        return list(given)


def read(partition: int, *offsets: int) -> list[Read]:
    return [Read(partition, n, b"{}", (), 0) for n in offsets]


def places(found: Sequence[Read]) -> list[tuple[int, int]]:
    return [(r.partition, r.offset) for r in found]


def test_all_records_of_the_window_come_whatever_comes_between() -> None:
    reader = ScriptedReader([], read(0, 3, 4), [], read(1, 7), read(0, 5, 6), read(1, 8))
    found = window(reader, {0: 6, 1: 8, 2: 4}, {0: 3, 1: 7, 2: 4}, 5)
    assert places(found) == [(0, 3), (0, 4), (1, 7), (0, 5)]
    assert reader.started == {0: 3, 1: 7}


@pytest.mark.parametrize("script", [(), (read(0, 3, 4),), (read(0, 3, 4), read(1, 0)), (read(0, 3), {0: 5})])
def test_a_log_that_brings_too_little_is_away_and_not_empty(script: tuple[Any, ...]) -> None:
    with pytest.raises(TopicAwayError):
        window(ScriptedReader(*script), {0: 6, 1: 1}, {0: 3, 1: 0}, 0)


def test_offsets_that_hold_nothing_any_more_are_not_waited_for() -> None:
    gap_at_the_end = ScriptedReader(read(0, 3), {0: 6})
    assert places(window(gap_at_the_end, {0: 6}, {0: 3}, 5)) == [(0, 3)]
    gap_before_the_next = ScriptedReader(read(0, 3, 9))
    assert places(window(gap_before_the_next, {0: 6}, {0: 3}, 5)) == [(0, 3)]


class SlowTopics(DriverTopics):
    """Away for the reads of the topics that are named, until told otherwise."""

    slow: frozenset[str] = frozenset()

    def read(self, topic: str, starts: Mapping[int, int], ends: Mapping[int, int]) -> list[Read]:
        if topic in self.slow:
            raise TopicAwayError
        return super().read(topic, starts, ends)


async def test_a_letter_that_came_late_is_listed_by_the_next_look() -> None:
    access = SlowTopics(await counted("reject 1"))
    access.slow = frozenset({topics.DEAD_LETTERS.name})
    index = LetterIndex(access)
    with pytest.raises(TopicAwayError):
        index.refresh()
    assert not index.refreshed
    access.slow = frozenset()
    assert len(opened(index)) == 1


async def test_a_target_that_is_read_slowly_is_not_written_again() -> None:
    """The first run put the record back and ended before it could say so."""
    d = await counted("reject 1")
    access, index, replayer = tools(d)
    access.taken = 2
    assert [r.outcome for r in await replayer.replay(opened(index))] == ["failed"]
    slow = SlowTopics(d)
    slow.slow = frozenset({topics.TURNS.name})
    fresh = LetterIndex(slow)
    second = Replayer(fresh, slow, slow, Codec(), 8, READERS)
    with pytest.raises(TopicAwayError):
        await second.replay(opened(fresh))
    slow.slow = frozenset()
    assert [r.outcome for r in await second.replay(opened(fresh))] == ["replayed"]
    assert len(records(d)) == 2


async def test_a_value_that_is_read_slowly_is_not_called_gone() -> None:
    d = await counted("reject 1")
    slow = SlowTopics(d)
    index = LetterIndex(slow)
    letters = opened(index)
    slow.slow = frozenset({topics.DEAD_LETTERS.name})
    with pytest.raises(TopicAwayError):
        await Replayer(index, slow, slow, Codec(), 8, READERS).replay(letters)
    slow.slow = frozenset()
    assert len(index.select(Filters())) == 1
    assert len(records(d)) == 1
