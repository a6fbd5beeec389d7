"""`memstream topics apply`: make the broker's topics what the catalogue says, and report drift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient, NewTopic

from messaging.admin import KafkaAdmin
from schemas.components.installed import catalogue
from schemas.log.topics import KEPT_LOGS
from schemas.storage.connections import Bootstrap

Action = Literal["created", "ok", "drift", "changed", "refused"]


@dataclass(frozen=True, slots=True)
class TopicState:
    """One line of the report; `detail` says what differs."""

    name: str
    action: Action
    detail: str = ""


class PartitionCountError(RuntimeError):
    """A topic has another partition count than configured: owners would move between partitions, so it is refused."""


def apply(bootstrap: Bootstrap, partitions: int, replication: int, *, dry_run: bool = False) -> list[TopicState]:
    """Create missing topics and set drifted settings. Raises PartitionCountError before anything is changed."""
    client = KafkaAdmin(bootstrap, "memstream-topics")
    try:
        counts = {t["name"]: len(t["partitions"]) for t in client.describe_topics() if not t.get("error_code")}
        for topic in catalogue():
            have = counts.get(topic.name)
            if have is not None and have != partitions:
                raise PartitionCountError(
                    f"{topic.name} has {have} partitions, MEMSTREAM_PARTITIONS says {partitions}: the count is fixed "
                    "for good. Set MEMSTREAM_PARTITIONS to the broker's count, or start on an empty broker."
                )
        out = _create(client, _missing(counts), partitions, replication, dry_run)
        ours = [name for name in counts if name in {t.name for t in catalogue()}]
        return out + [_settle(client, name, replication, dry_run) for name in ours]
    finally:
        client.close()


def _missing(counts: dict[str, int]) -> list[str]:
    return [t.name for t in catalogue() if t.name not in counts]


def _create(
    client: KafkaAdminClient, names: list[str], partitions: int, replication: int, dry_run: bool
) -> list[TopicState]:
    """All in one call: each call waits until every broker knows its topics."""
    if dry_run:
        return [TopicState(name, "drift", "missing") for name in names]
    new = [t for t in catalogue() if t.name in names]
    wanted = [NewTopic(t.name, partitions, replication, topic_configs=t.config(replication)) for t in new]
    if wanted:
        client.create_topics(wanted, wait_for_metadata=True)
    return [TopicState(name, "created", f"{partitions} partitions") for name in names]


def _settle(client: KafkaAdminClient, name: str, replication: int, dry_run: bool) -> TopicState:
    wanted = next(t for t in catalogue() if t.name == name).config(replication)
    resource = ConfigResource(ConfigResourceType.TOPIC, name)
    found = client.describe_configs([resource], config_filter="all")["topic"][name]
    have = {key: entry["value"] for key, entry in found.items()}
    drift = {k: v for k, v in wanted.items() if have.get(k) != v}
    if not drift:
        return TopicState(name, "ok")
    detail = ", ".join(f"{k}: {have.get(k)} instead of {v}" for k, v in sorted(drift.items()))
    if name in KEPT_LOGS and have.get("cleanup.policy") == "delete":
        # Its records were written under keys that several share: compaction would leave one of each.
        return TopicState(name, "refused", f"{detail}; its records would be lost: start on new topics")
    if dry_run:
        return TopicState(name, "drift", detail)
    client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, configs=drift)])
    return TopicState(name, "changed", detail)
