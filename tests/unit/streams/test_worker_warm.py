"""What a worker loads before the first record needs it."""

from __future__ import annotations

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
from streams.topology import Parts
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
def test_steps_that_read_callers_texts_load_the_recognisers_beside_their_work(step: str) -> None:
    analyzer = Watched()
    warm_beside(parts_with(analyzer), ["extract", step])
    assert analyzer.asked.wait(PATIENCE)


@pytest.mark.parametrize("steps", [["extract", "session"], ["screen", "gate"]])
def test_steps_that_read_none_or_have_loaded_them_start_no_thread(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr("memstream.workers.worker.recognise_beside", begun.append)
    warm_beside(parts_with(Watched()), steps)
    assert begun == []


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
