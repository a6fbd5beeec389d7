"""Embedded Milvus on a disk that is nearly full: it would say that rows are stored which it cannot write (N2)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from schemas.storage.disk import Reserve
from sinks.disk_space_guard import DiskSpaceGuard
from sinks.protocol import Transient
from tests.unit.sinks.fakes import FakeLog
from tests.unit.sinks.worker_contract import Scripted, drain, updates


class Disk:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = 10**12
        usage = type(shutil.disk_usage("/"))
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage(10**12, 0, self.free))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_n2_nothing_is_written_below_the_reserve_and_all_of_it_once_there_is_room(tmp_path: Path, disk: Disk) -> None:
    log, store = FakeLog(), Scripted()
    log.send(*updates((1, 1), (2, 1)))
    disk.free = 99
    sink = DiskSpaceGuard(store, Reserve(tmp_path, 100))
    worker = log.worker(sink)
    waits: list[int] = []

    def room_after_three() -> None:
        waits.append(len(store.batches))
        if len(waits) == 3:
            disk.free = 100

    assert log.consumer is not None
    log.consumer.on_poll = room_after_three
    drain(worker, 2)
    assert len(waits) >= 3
    assert not any(waits[:3]), "nothing reached the store meanwhile"
    assert len(store.held()) == 2


def test_n2_what_is_wrong_is_said_in_figures_and_a_folder_that_is_missing_has_room(tmp_path: Path, disk: Disk) -> None:
    reserve = Reserve(tmp_path, 256_000_000)
    assert reserve.missing() is None
    disk.free = 120_400_000
    assert reserve.missing() == "disk nearly full: 120 MB left, nothing is written below 256"
    with pytest.raises(Transient, match="120 MB left"):
        DiskSpaceGuard(Scripted(), reserve).write([])  # type: ignore[arg-type]


def test_a_folder_that_is_not_there_has_room(tmp_path: Path) -> None:
    assert Reserve(tmp_path / "nowhere", 10**18).missing() is None
    assert Reserve(tmp_path, 10**18).missing() is not None
