"""Keys of the logs that a replay reads: no two records share one (N1, C9)."""

from __future__ import annotations

import pytest

from schemas.topics import CATALOGUE, KEPT_LOGS, LEDGER, UPDATES, Cleanup, sent_key


def test_a_record_that_is_sent_twice_has_two_keys_so_that_compaction_keeps_the_first_where_it_stands() -> None:
    first, second = (sent_key(LEDGER.name, b"acme/user/ann/extract/1/0/0") for _ in range(2))
    assert first != second
    assert first is not None
    assert first.startswith(b"acme/user/ann/extract/1/0/0~")


@pytest.mark.parametrize(("topic", "key"), [(UPDATES.name, b"record/1"), (LEDGER.name, b"marker"), (LEDGER.name, None)])
def test_other_keys_stay(topic: str, key: bytes | None) -> None:
    assert sent_key(topic, key) == key


def test_kept_logs_are_those_that_steps_replay_and_nothing_expires() -> None:
    kept = {t.name for t in CATALOGUE if t.cleanup is Cleanup.COMPACT and t.root}
    assert kept >= KEPT_LOGS
