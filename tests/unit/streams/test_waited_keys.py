"""Within what a step computes it may wait for us: for the keyring, for a model that is loaded. That condemns nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import SecretStr

from memstream.keyring.cipher import AesCipher, Keys, WaitedKeys
from memstream.keyring.originals import Vault
from memstream.keyring.wiring import sealing_of
from memstream.settings import Settings
from memstream.workers.models import LazyAnalyzer, recognise
from schemas.security.encrypted_values import Original
from schemas.security.sealing import KeysAway
from streams.state.protocol import StoreAway
from tests.unit.streams.test_watchdog import LIMIT, Ended, Machine
from tests.unit.test_keyring import ANN, HERE, MemoryKeys

TAKEN = (Original("PHONE_NUMBER", "<PHONE_NUMBER:0123456789ab>", "202-555-0143"),)


class SlowKeys:
    """Postgres takes its time to answer."""

    def __init__(self, m: Machine) -> None:
        self._m, self._keys = m, MemoryKeys()

    def current(self, owner: str) -> tuple[int, bytes]:
        self._m.runs(LIMIT + 1)
        return self._keys.current(owner)

    def key(self, owner: str, generation: int) -> bytes:
        self._m.runs(LIMIT + 1)
        return self._keys.key(owner, generation)


def keeps(keys: Keys) -> object:
    return Vault(keys).keep(ANN, "turn-1", TAKEN)


def seals_and_opens(keys: Keys) -> object:
    cipher = AesCipher(keys)
    return cipher.open(ANN, cipher.seal(ANN, {"content": "I like tea."}, HERE), HERE)


@pytest.mark.parametrize("use", [keeps, seals_and_opens])
def test_a_keyring_that_takes_its_time_condemns_no_record(use: Callable[[Keys], object]) -> None:
    m = Machine()
    m.works(1, lambda: use(WaitedKeys(SlowKeys(m), m.dog.waiting)), alone=True)
    assert not m.noted
    with pytest.raises(Ended):
        m.works(2, lambda: use(SlowKeys(m)), alone=True)


@pytest.mark.parametrize("encryption", ["off", "sealed"])
def test_a_workers_keys_say_that_they_wait(tmp_path: Path, encryption: Literal["off", "sealed"]) -> None:
    statement: list[str] = []

    @contextmanager
    def waiting() -> Iterator[None]:
        statement.append("waits")
        yield
        statement.append("goes on")

    nowhere = SecretStr("host=127.0.0.1 port=1 user=x dbname=x")
    settings = Settings(data_dir=tmp_path, encryption=encryption, postgres=nowhere)
    sealing = sealing_of(settings, waiting)
    with pytest.raises(KeysAway):
        sealing.vault.keep(ANN, "turn-1", TAKEN)
    if sealing.cipher is not None:
        with pytest.raises(KeysAway):
            sealing.cipher.seal(ANN, {"content": "I like tea."}, HERE)
    assert statement == ["waits"] * (1 if sealing.cipher is None else 2)


def test_what_recognisers_do_first_is_a_part_of_their_load(caplog: pytest.LogCaptureFixture) -> None:
    """It is under no record, so nobody else would see that it hangs."""
    m = Machine()

    class Hangs:
        def analyze(self, texts: Sequence[str], languages: Sequence[Any]) -> list[list[Any]]:
            m.runs(LIMIT + 1)
            return []

    with pytest.raises(Ended):
        recognise(Hangs(), m.dog)
    assert "loading recognisers takes too long" in caplog.text


def test_who_waits_for_the_recognisers_gives_up_and_keeps_its_record() -> None:
    lazy = LazyAnalyzer(wait=0.01)
    with lazy._alone, pytest.raises(StoreAway):
        lazy.analyze(["a"], ["en"])


def test_a_model_that_is_loaded_within_a_record_condemns_the_load_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    m = Machine()
    seconds = LIMIT - 1

    class Recognisers:
        def __init__(self) -> None:
            m.runs(seconds)

        def analyze(self, texts: Sequence[str], languages: Sequence[Any]) -> list[list[Any]]:
            m.runs(10)
            return [[] for _ in texts]

    monkeypatch.setattr("memstream.workers.models._recognisers", Recognisers)

    def reads() -> None:
        m.runs(LIMIT - 20)
        LazyAnalyzer(m.dog).analyze(["a"], ["en"])

    m.works(1, reads, alone=True)
    assert not m.noted
    seconds = LIMIT + 1
    m.works_until_it_ends(2, reads, alone=True)
    assert m.noted == [([], False)]
    assert "loading recognisers takes too long" in caplog.text
