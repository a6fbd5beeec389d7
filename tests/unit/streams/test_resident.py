"""What a process holds, and what its container may."""

from __future__ import annotations

from pathlib import Path

import pytest

from streams.resident import ProcessMemory, allowed_bytes, resident_bytes, room_bytes

MB = 1024**2


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1073741824\n"], 1024**3), (["max\n"], None), ([None], None), ([None, "536870912\n"], 512 * 1024**2),
        ([None, "9223372036854771712\n"], None), (["0\n"], None),
    ],
)  # fmt: skip
def test_what_a_container_may_hold(tmp_path: Path, texts: list[str | None], expected: int | None) -> None:
    files = tuple(tmp_path / f"limit-{n}" for n in range(len(texts)))
    for file, text in zip(files, texts, strict=True):
        if text is not None:
            file.write_text(text)
    assert allowed_bytes(files) == expected


def test_what_this_process_holds() -> None:
    before = resident_bytes()
    held = bytearray(b"x" * (64 * 1024**2))
    assert resident_bytes() - before > len(held) // 2 > 0
    assert before > 1024**2


STAT = "anon 400000000\ninactive_file 30000000\nactive_file 20000000\nfile 99000000\n"


@pytest.mark.parametrize(
    ("limit", "used", "stat", "machine", "expected"),
    [
        ("1000000000\n", "700000000\n", STAT, "MemAvailable: 8000000 kB\n", 350_000_000),
        ("1000000000\n", "1200000000\n", "", "", 0),
        ("max\n", "700000000\n", STAT, "MemTotal: 9 kB\nMemAvailable:    100000 kB\n", 102_400_000),
        ("1000000000\n", "700000000\n", STAT, "MemAvailable: 100 kB\n", 102_400),
        ("max\n", "700000000\n", STAT, "", None),
    ],
)
def test_what_room_there_is(
    tmp_path: Path, limit: str, used: str, stat: str, machine: str, expected: int | None
) -> None:
    """The smaller of container and machine; what the kernel takes back first is room."""
    files = []
    for name, text in (("max", limit), ("current", used), ("stat", stat), ("meminfo", machine)):
        (tmp_path / name).write_text(text)
        files.append(tmp_path / name)
    assert room_bytes((files[0],), (files[1],), (files[2],), files[3]) == expected


def test_more_than_its_bound_is_refused_and_only_within_it() -> None:
    memory = ProcessMemory()
    with memory.bounded(64 * MB, 64 * MB):
        assert len(bytes(16 * MB)) == 16 * MB
        with pytest.raises(MemoryError):
            bytes(1024 * MB)
    assert len(bytes(1024 * MB)) == 1024 * MB


def test_a_machine_without_room_refuses_no_sound_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than the largest record takes is nobody's fault."""
    monkeypatch.setattr("streams.resident.room_bytes", lambda: 0)
    with ProcessMemory().bounded(512 * MB, 256 * MB):
        assert len(bytes(128 * MB)) == 128 * MB
        with pytest.raises(MemoryError):
            bytes(1024 * MB)


def test_a_sandbox_that_takes_no_bound_has_its_suspects_worked_on_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("resource.setrlimit", denied)
    memory = ProcessMemory()
    with memory.bounded(1024 * MB, 512 * MB) as bounded:
        assert (bounded, memory.in_force) == (False, False)


def test_a_closer_bound_of_the_system_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to: list[object] = []
    monkeypatch.setattr("resource.getrlimit", lambda _: (128 * MB, 256 * MB))
    monkeypatch.setattr("resource.setrlimit", lambda *limits: set_to.append(limits))
    with ProcessMemory().bounded(1024 * MB, 512 * MB):
        pass
    assert set_to == []
