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
    [(UPDATES.name, b"record/1"), (LEDGER.name, marker_key("gate/2")), (LEDGER.name, b"marker"),
     (LEDGER.name, None)],
)  # fmt: skip
def test_other_keys_stay(topic: str, key: bytes | None) -> None:
    assert sent_key(topic, key) == key


def test_kept_logs_are_those_that_steps_replay_and_nothing_expires() -> None:
    kept = {t.name for t in CATALOGUE if t.cleanup is Cleanup.COMPACT and t.root}
    assert kept >= KEPT_LOGS


@pytest.mark.parametrize("writers", [("gate/0", "project/0", "chunk/0"), ("gate/0", "gate/1", "gate/11")])
def test_n1_compaction_leaves_the_last_marker_of_each_writer(writers: tuple[str, ...]) -> None:
    """Gate, project and chunk mark the same partitions of memory.updates, and the gate's partitions the same ones of
    project.events: one key would leave the last of them all, and who reads late would lack the progress of the
    others."""
    keys = {_marker(f"{writer}/1/0") for writer in writers}
    assert len(keys) == len(writers)
    assert all(map(is_marker, keys))
    assert _marker(f"{writers[0]}/2/0") in keys


def _marker(event_id: str) -> bytes | None:
    return CODEC.encode(Marker(), f"memstream/{event_id.partition('/')[0]}", event_id).key
