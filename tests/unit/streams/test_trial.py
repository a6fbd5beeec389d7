"""A suspect record is tried in a process of its own, which is ended where it does not end."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest

from memstream.profiles import ProfileFollower
from memstream.settings import Settings
from memstream.workers import trial
from memstream.workers.trial import ChildTrial, trial_of
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import load_profile
from schemas.storage import postgres_connections
from streams.batch import Message
from streams.state.memory import MemoryStateStore
from streams.state.protocol import StoreAway
from streams.topology import Parts
from tests.unit.streams import trial_children as children
from tests.unit.streams.bench import P, message
from tests.unit.streams.toy import START, turn

LONG = 3_600.0


async def test_a_record_with_which_the_step_ends_passes() -> None:
    assert await ChildTrial(LONG, children.ends)("gate", message(0, "t0"))


@pytest.mark.parametrize("child", [children.hangs, children.is_killed])
async def test_one_that_holds_or_kills_its_process_does_not(child: Any) -> None:
    assert not await ChildTrial(0.1, child)("gate", message(0, "t0"))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("child", [children.never_begins, children.is_killed_before, children.is_away])
async def test_a_child_that_cannot_begin_says_nothing_of_the_record(child: Any) -> None:
    seconds = 0.1 if child is children.never_begins else LONG
    with pytest.raises(StoreAway):
        await ChildTrial(LONG, child, start_seconds=seconds)("gate", message(0, "t0"))
    assert multiprocessing.active_children() == []


async def test_nor_does_one_whose_store_went_away() -> None:
    with pytest.raises(StoreAway):
        await ChildTrial(LONG, children.is_away_later)("gate", message(0, "t0"))


async def test_the_step_runs_over_the_state_as_it_is_and_stores_nothing(
    monkeypatch: pytest.MonkeyPatch, models: Models
) -> None:
    store = MemoryStateStore()

    @asynccontextmanager
    async def no_pool(*_: Any, **__: Any) -> AsyncIterator[None]:
        yield None

    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    monkeypatch.setattr(trial, "parts_of", lambda _: parts)
    monkeypatch.setattr(trial, "recognise", lambda _: None)
    monkeypatch.setattr(trial, "PostgresStateStore", lambda _: store)
    monkeypatch.setattr(postgres_connections, "pool", no_pool)
    monkeypatch.setattr(ProfileFollower, "start", lambda follower, _: follower)
    raw = Codec().value(turn("I live in 杭州"))
    record = Message(topics.TURNS.name, P, 7, None, raw, [], int(START.timestamp() * 1000))
    ours, theirs = multiprocessing.Pipe(duplex=False)
    await trial._tried(Settings(), "screen", record, theirs)
    assert [ours.recv(), ours.recv()] == ["ready", "ended"]
    assert not ours.poll(0)
    assert (await store.position("screen", P))[0].next_offset is None
    assert not any(store.rows.values())


def test_what_a_child_is_given_can_be_sent_to_it() -> None:
    made = trial_of(Settings(record_seconds=7))
    sent = pickle.loads(pickle.dumps(made._child))  # noqa: S301 - our own bytes
    assert isinstance(sent, partial)
    assert sent.args[0].record_seconds == 7
