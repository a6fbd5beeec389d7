"""What a worker loads before the first record needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import pytest

from memstream.workers.models import LazyAnalyzer, default_models
from memstream.workers.worker import warm_beside
from processors.ports import ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import load_profile
from streams.suspects import NoSuspects
from streams.topology import Parts
from streams.watchdog import Limits, Watch, Watchdog
from tests.patience import PATIENCE


class Watched:
    def __init__(self) -> None:
        self.asked = Event()

    def analyze(self, texts: Sequence[str], languages: Sequence[Any]) -> list[list[Any]]:
        self.asked.set()
        return [[] for _ in texts]


def parts_with(analyzer: Any) -> Parts:
    models = replace(default_models(b"unit-test-hash-key-of-32-bytes!!"), analyzer=analyzer)
    return Parts(models, ProfileBook(load_profile("general")), RuleExtractor())


@pytest.mark.parametrize("step", ["gate", "project", "chunk"])
async def test_steps_that_read_callers_texts_load_the_recognisers_beside_their_work(step: str) -> None:
    analyzer = Watched()
    await warm_beside(parts_with(analyzer), ["extract", step], Watch())
    assert analyzer.asked.is_set()


async def test_no_suspect_is_worked_on_while_they_are_loaded() -> None:
    """What they take of memory would be counted as its own."""
    go, statement = Event(), list[str]()

    class Slow(Watched):
        def analyze(self, texts: Sequence[str], languages: Sequence[Any]) -> list[list[Any]]:
            assert go.wait(PATIENCE)
            statement.append("loaded")
            return super().analyze(texts, languages)

    dog = Watchdog(Limits(300), NoSuspects(), lambda: None)
    loading = asyncio.create_task(warm_beside(parts_with(Slow()), ["gate"], dog))
    await asyncio.sleep(0)

    async def suspect() -> None:
        async with dog.turn(True):
            statement.append("alone")

    async with dog.turn(False):
        statement.append("beside")
    alone = asyncio.create_task(suspect())
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(loading, alone)
    assert statement == ["beside", "loaded", "alone"]


async def test_a_load_that_fails_holds_up_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Event()
    monkeypatch.setattr("threading.excepthook", lambda _: ended.set())

    class Broken(Watched):
        def analyze(self, texts: Sequence[str], languages: Sequence[Any]) -> list[list[Any]]:
            raise OSError("no such model")

    dog = Watchdog(Limits(300), NoSuspects(), lambda: None)
    await warm_beside(parts_with(Broken()), ["gate"], dog)
    async with asyncio.timeout(PATIENCE), dog.turn(True):
        pass
    assert await asyncio.to_thread(ended.wait, PATIENCE), "the thread ends in its own test"


@pytest.mark.parametrize("steps", [["extract", "session"], ["screen", "gate"]])
async def test_steps_that_read_none_or_have_loaded_them_start_no_thread(steps: list[str]) -> None:
    analyzer = Watched()
    await warm_beside(parts_with(analyzer), steps, Watch())
    assert not analyzer.asked.is_set()


def test_a_text_waits_for_the_load_in_hand_and_does_not_load_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    begun, go = Event(), Event()

    class Slow(Watched):
        def __init__(self, *_: Any) -> None:
            super().__init__()
            loads.append(1)
            begun.set()
            assert go.wait(PATIENCE)

    monkeypatch.setattr("inference.pii.analyzer.PiiAnalyzer", Slow)
    monkeypatch.setattr("inference.pii.english_names.SpacyRecognizer", object)
    monkeypatch.setattr("inference.pii.chinese_names.LacRecognizer", object)
    lazy = LazyAnalyzer()
    threads = [Thread(target=lazy.analyze, args=(["a"], ["en"])) for _ in range(2)]
    threads[0].start()
    assert begun.wait(PATIENCE)
    threads[1].start()
    go.set()
    for t in threads:
        t.join(PATIENCE)
    assert loads == [1]
