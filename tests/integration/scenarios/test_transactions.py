"""A chat service that produces in transactions: what it took back never was."""

from __future__ import annotations

from datetime import UTC, datetime

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition
from tests.integration.scenario import PARTITIONS, TENANT, World
from tests.patience import PATIENCE, until

USER = "transactional"


def _put(producer: Producer, turn_id: str, text: str) -> int:
    """The partition it went to."""
    now = datetime.now(UTC)
    event = TurnEvent(
        tenant=TENANT, user_id=USER, session_id="s", turn_id=turn_id, role="user", occurred_at=now, accepted_at=now,
        sealed=TurnBody(content=text),
    )  # fmt: skip
    encoded = Codec().encode(event, "test", turn_id)
    place = partition(event.owner, PARTITIONS)

    def delivered(error: KafkaError | None, message: Message) -> None:
        assert error is None, error

    producer.produce(topics.TURNS.name, encoded.value, encoded.key, place, delivered, headers=list(encoded.headers))
    assert producer.flush(PATIENCE) == 0  # in the log, whatever becomes of the transaction
    return place


def _read_up_to(admin: AdminClient, group: str, kafka: str, place: int) -> tuple[int, int]:
    """A group's committed offset of a partition of turns, and the partition's end."""
    turns = TopicPartition(topics.TURNS.name, place)
    request = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group, [turns])])[group].result(PATIENCE)
    looker = Consumer({"bootstrap.servers": kafka, "group.id": "looker", "log_level": 0})
    try:
        _, end = looker.get_watermark_offsets(turns, timeout=PATIENCE)
    finally:
        looker.close()
    return request.topic_partitions[0].offset, end


def test_n2_what_a_transaction_took_back_is_no_turn(running: World) -> None:
    kafka = running.stack.addresses.kafka
    producer = Producer({"bootstrap.servers": kafka, "transactional.id": "chat-service", "log_level": 0})
    producer.init_transactions(PATIENCE)
    producer.begin_transaction()
    _put(producer, "taken-back", "I live in Aberdeen and I am allergic to shellfish.")
    producer.abort_transaction(PATIENCE)
    producer.begin_transaction()
    place = _put(producer, "meant", "I live in Inverness and I am allergic to peanuts.")
    producer.commit_transaction(PATIENCE)

    outcome = running.until("/v1/turns/meant/outcome", lambda b: b["saved_count"] == 2, user_id=USER)
    assert outcome["turn_id"] == "meant"
    assert running.http.get("/v1/turns/taken-back/outcome", params={"user_id": USER}).status_code == 404
    kept = running.until(f"/v1/users/{USER}/memories", lambda b: "Inverness" in str(b) and "peanuts" in str(b))
    text = " ".join(m["text"] for m in kept["memories"])
    assert [word for word in ("Inverness", "peanuts", "Aberdeen", "shellfish") if word in text] == [
        "Inverness",
        "peanuts",
    ]

    # The broker's markers are no records: the group is not behind because of them.
    admin = AdminClient({"bootstrap.servers": kafka})
    groups = [g.group_id for g in admin.list_consumer_groups().result(PATIENCE).valid if g.group_id.endswith("screen")]
    assert groups, "no group of the screen"
    until(
        "the group to have read all", lambda: _read_up_to(admin, groups[0], kafka, place), lambda at: at[0] == at[1],
        errors=(KafkaException,), pause=0.2, logs=running.stack.logs,
    )  # fmt: skip
