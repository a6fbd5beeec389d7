"""kafka-python's admin client, without what it leaves behind. A module of its own: it is heavy to load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka import TopicPartition
from kafka.admin import KafkaAdminClient
from kafka.errors import for_code
from kafka.protocol.consumer import OffsetForLeaderEpochRequest

from schemas.storage.connections import Bootstrap, kafka_python


class KafkaAdmin(KafkaAdminClient):  # type: ignore[misc]  # kafka-python ships no types
    """Closes its loop's thread and sockets, also where the brokers do not answer the constructor. kafka-python (3.0.12)
    then leaves them running: an hour without brokers would cost the service thousands of threads and descriptors."""

    def __init__(self, bootstrap: Bootstrap, client_id: str, **settings: Any) -> None:
        try:
            super().__init__(**kafka_python(bootstrap), client_id=client_id, **settings)
        except BaseException:
            self._closed = False  # which the constructor says at its end
            self.close()
            raise

    def epoch_ends(self, asked: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Where a leader epoch of each partition ended, as the log has it now: the end of the log for the present one,
        -1 for one that the log knows nothing of. Raises KafkaError."""
        found: dict[TopicPartition, int] = self._manager.run(self._epoch_ends, dict(asked))
        return found

    async def _epoch_ends(self, asked: dict[TopicPartition, int]) -> dict[TopicPartition, int]:
        found: dict[TopicPartition, int] = {}
        for leader, places in (await self._async_get_leader_for_partitions(asked)).items():
            response = await self._manager.send(_epoch_request({tp: asked[tp] for tp in places}), node_id=leader)
            for topic in response.topics:
                for p in topic.partitions:
                    if p.error_code:
                        raise for_code(p.error_code)(f"{topic.topic}/{p.partition}")
                    found[TopicPartition(topic.topic, p.partition)] = p.end_offset
        return found

    def close(self) -> None:
        loop = getattr(self, "_net", None)
        if loop is None or self._closed:
            return
        super().close()
        loop.close()


def _epoch_request(asked: Mapping[TopicPartition, int]) -> Any:
    by_topic: dict[str, list[Any]] = {}
    topic = OffsetForLeaderEpochRequest.OffsetForLeaderTopic
    for tp, epoch in asked.items():
        one = topic.OffsetForLeaderPartition(partition=tp.partition, current_leader_epoch=-1, leader_epoch=epoch)
        by_topic.setdefault(tp.topic, []).append(one)
    return OffsetForLeaderEpochRequest(
        replica_id=-1, topics=[topic(topic=name, partitions=parts) for name, parts in by_topic.items()]
    )
