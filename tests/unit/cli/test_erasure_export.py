"""`memstream erase --export` and `--again`: they go to the stores, and only `--yes` does something (H12)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from memstream.cli import app
from memstream.erasure import kafka
from memstream.keyring import wiring
from memstream.settings import Settings
from schemas.log.codec import Codec
from schemas.storage import postgres_connections
from tests.unit.cli.instances import CommandLine
from tests.unit.erasure.register_contract import erasure
from tests.unit.erasure.test_eraser import Log
from tests.unit.erasure.test_export import Postgres


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    """A restored system: Postgres knows one erasure, which is done, the log none."""
    made = Log()

    @contextmanager
    def connected(dsn: str, **options: Any) -> Iterator[Postgres]:
        yield Postgres({"e1": "done"}, {})

    keyring = SimpleNamespace(renewed_if_any=lambda owner: None)
    sealing = SimpleNamespace(keyring=keyring, codec=Codec(), close=lambda: None)
    monkeypatch.setattr(app, "running", lambda data: Settings())
    monkeypatch.setattr(postgres_connections, "connect", connected)
    monkeypatch.setattr(kafka, "KafkaTopics", lambda brokers: made)
    monkeypatch.setattr(wiring, "sealing_of", lambda settings: sealing)
    return made


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "erasures.jsonl"
    path.write_bytes(b"".join(orjson.dumps(erasure(name).model_dump()) + b"\n" for name in ("e1", "e2")))
    return str(path)


def test_h12_an_export_is_of_its_owner_alone(memstream: CommandLine, log: Log, tmp_path: Path) -> None:
    done = memstream("erase", "--export", str(tmp_path / "out.jsonl"))
    assert (done.status, done.out.strip()) == (0, f"1 erasures in {tmp_path / 'out.jsonl'}")
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o600
    assert orjson.loads((tmp_path / "out.jsonl").read_bytes())["erasure_id"] == "e1"


def test_h12_without_yes_it_is_compared_and_nothing_done(memstream: CommandLine, log: Log, file: str) -> None:
    done = memstream("erase", "--again", file)
    assert (done.status, log.records) == (1, [])
    assert "1 are known to neither Postgres nor the log: they are to be asked for again" in done.out
    assert "1 are done: what the log holds of them again is to be nulled" in done.out
    assert "--yes" in done.err


def test_h12_with_yes_what_is_missing_is_asked_for(memstream: CommandLine, log: Log, file: str) -> None:
    done = memstream("erase", "--again", file, "--yes", "--json")
    assert (done.status, len(log.records)) == (0, 1)
    assert orjson.loads(done.out) == {"asked": 1, "sought": 1, "coming": 0, "done": True}


def test_h12_since_a_time_behind_all_of_them_nothing_is_missing(memstream: CommandLine, log: Log, file: str) -> None:
    done = memstream("erase", "--again", file, "--since", "2030-01-01")
    assert (done.status, log.records) == (0, [])


def test_h12_another_file_is_a_mistake_of_the_caller(memstream: CommandLine, log: Log, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("tea\n")
    done = memstream("erase", "--again", "other")
    assert (done.status, "tea" in done.err) == (2, False)
    assert "line 1 is no erasure" in done.err


@pytest.mark.parametrize("words", [("--export", "a"), ("--again", "a")])
def test_they_go_to_the_stores_and_to_no_service(memstream: CommandLine, words: tuple[str, str], log: Log) -> None:
    done = memstream("erase", *words, "--url", "http://127.0.0.1:1")
    assert (done.status, log.records) == (2, [])


def test_since_is_of_a_file_alone(memstream: CommandLine) -> None:
    assert memstream("erase", "--list", "--since", "2030-01-01").status == 2
