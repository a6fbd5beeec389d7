"""Keys of the logs that a replay reads: no two records share one (N1, C9)."""

from __future__ import annotations

import pytest

from schemas.events.envelope import Marker
from schemas.log.codec import Codec
from schemas.log.topics import CATALOGUE, KEPT_LOGS, LEDGER, UPDATES, Cleanup, is_marker, marker_key, sent_key

CODEC = Codec()


def test_a_record_that_is_sent_twice_has_two_keys_so_that_compaction_keeps_the_first_where_it_stands() -> None:
    first, second = (sent_key(LEDGER.name, b"acme/user/ann/extract/1/0/0") for _ in range(2))
    assert first != second
    assert first is not None
    assert first.startswith(b"acme/user/ann/extract/1/0/0~")


@pytest.mark.parametrize(
    ("topic", "key"),
    [(UPDATES.name, b"record/1"), (LEDGER.name, marker_key("memstream/gate")), (LEDGER.name, b"marker"),
     (LEDGER.name, None)],
)  # fmt: skip
def test_other_keys_stay(topic: str, key: bytes | None) -> None:
    assert sent_key(topic, key) == key


def test_kept_logs_are_those_that_steps_replay_and_nothing_expires() -> None:
    kept = {t.name for t in CATALOGUE if t.cleanup is Cleanup.COMPACT and t.root}
    assert kept >= KEPT_LOGS


def test_n1_compaction_leaves_the_last_marker_of_each_step() -> None:
    """Gate, project and chunk mark the same partitions of memory.updates: one key would leave the last of all three,
    and a rebuilt view would lack the progress of the others."""
    keys = {CODEC.encode(Marker(), f"memstream/{step}", f"{step}/0/1/0").key for step in ("gate", "project", "chunk")}
    assert len(keys) == 3
    assert all(map(is_marker, keys))
    assert CODEC.encode(Marker(), "memstream/gate", "gate/0/2/0").key in keys
