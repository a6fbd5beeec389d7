"""Kafka: the same interface, written to the topics directly (K5). For producers that the operator trusts with a
tenant: the broker's ACL is the door here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from uuid import uuid4

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from memstream.client.buffer import Delivered
from memstream.client.errors import ClosedError, InvalidError, MemstreamError, ServerError, UnavailableError
from memstream.client.kafka_leaders import KafkaLeaders
from memstream.client.messages import Feedback, Item, Turn
from query import events
from query.producer import KafkaLog, Log, Outgoing, QueueFullError
from schemas.events.envelope import Envelope
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.freshness_tokens import Tokens
from schemas.log.leaders import Place
from schemas.log.owner import partition, project
from schemas.log.progress import FreshnessToken, Written
from schemas.log.topics import Topic
from schemas.security.sealing import KeysAway
from schemas.storage.connections import Bootstrap, librdkafka

log = logging.getLogger(__name__)

MAX_RECORD_BYTES = 2_000_000


class KafkaTransport:
    """Encodes as the door does and sends to the partition of the owner; an acknowledged record gives a token."""

    def __init__(
        self, bootstrap: Bootstrap, tenant: str, tokens: Tokens, *, codec: Codec | None = None, source: str = "client",
        timeout: float = 10.0, log: Log | None = None, partitions: int | None = None,
        leaders: KafkaLeaders | None = None,
    ) -> None:  # fmt: skip
        """`source` names the sending service (CloudEvents `ce_source`); `partitions`: asked of the brokers where it is
        not given. `log` and `leaders` for tests."""
        self._bootstrap, self._tenant, self._tokens = bootstrap, tenant, tokens
        self._codec, self._source, self._timeout = codec or Codec(), source, timeout
        self._log, self._partitions, self._leaders = log, partitions, leaders

    async def open(self) -> None:
        """Raises UnavailableError when no broker answers or the topics are not there."""
        if self._partitions is None:
            self._partitions = await asyncio.to_thread(self._count)
        if self._log is None:
            self._log = KafkaLog(self._bootstrap, timeout=self._timeout)
            self._leaders = self._leaders or KafkaLeaders(self._bootstrap)

    async def close(self) -> None:
        if self._log is not None:
            log, self._log = self._log, None
            await asyncio.to_thread(log.close)

    def _count(self) -> int:
        name = topics.TURNS.name
        try:
            # What it met is in the error below; librdkafka itself would write it twenty times a second.
            admin = AdminClient({**librdkafka(self._bootstrap), "log_level": 0})
            found = admin.list_topics(name, timeout=self._timeout)
        except KafkaException:
            raise UnavailableError("no Kafka broker answers", "kafka") from None
        count = len(found.topics[name].partitions) if name in found.topics else 0
        if count == 0:
            raise UnavailableError(f"the topic {name} does not exist: run `memstream topics apply`", "kafka")
        return count

    async def deliver(self, items: Sequence[Item]) -> Delivered:
        if self._log is None or self._partitions is None:
            raise ClosedError("the client is not open: use it as a context manager")
        refused: dict[str, MemstreamError] = {}
        outgoing: list[tuple[Item, Outgoing]] = []
        try:  # in a thread: keys may come from Postgres
            encoded, failed = await asyncio.to_thread(self._encoded_until, items, self._partitions)
        except KeysAway:
            return Delivered()
        if failed is not None and not encoded:
            return Delivered(reason=failed, failing=1)
        for item, record in zip(items, encoded, strict=False):  # of those before the one that failed
            if len(record.value or b"") > MAX_RECORD_BYTES:
                refused[item.ref] = InvalidError(f"must have at most {MAX_RECORD_BYTES} bytes when encoded")
            else:
                outgoing.append((item, record))
        leaders: Mapping[Place, int] = {}
        if self._leaders is not None:
            leaders = await self._leaders.of({(o.topic, o.partition) for _, o in outgoing})
        try:
            offsets = await self._log.send([o for _, o in outgoing])
        except QueueFullError:
            return Delivered(refused=refused)
        done = [(i, o, n) for (i, o), n in zip(outgoing, offsets, strict=True) if n is not None]
        for item, record, offset in done:
            self._note(item, record, offset, leaders.get((record.topic, record.partition)))
        return Delivered(frozenset(i.ref for i, _, _ in done), refused)

    def _encoded_until(self, items: Sequence[Item], partitions: int) -> tuple[list[Outgoing], ServerError | None]:
        """The records of the items before the first that cannot be encoded, and what that one met: those before it go
        first, and then it is found to be alone with it. Raises KeysAway."""
        encoded: list[Outgoing] = []
        for item in items:
            try:
                encoded.append(self._encoded(item, partitions))
            except KeysAway:
                raise
            except Exception as exc:  # noqa: BLE001 - of one message, whatever it is: the others go on
                log.error("a message cannot be encoded: %s", type(exc).__name__)
                return encoded, ServerError(f"it cannot be encoded: {type(exc).__name__}", again=True)
        return encoded, None

    def _encoded(self, item: Item, partitions: int) -> Outgoing:
        topic, event = self._event(item)
        encoded = self._codec.encode(event, f"memstream/{self._source}", str(uuid4()))
        key = topics.sent_key(topic.name, encoded.key)
        return Outgoing(topic.name, partition(event.owner, partitions), key, encoded.value, encoded.headers)

    def _event(self, item: Item) -> tuple[Topic, Envelope]:
        message = item.message
        if isinstance(message, Turn):
            return topics.TURNS, events.turn_event(self._tenant, message, None)
        if isinstance(message, Feedback):
            return topics.LEDGER, events.feedback_event(self._tenant, message, None)
        command = events.command_id_of(self._tenant, message.user_id, "remember", item.once)
        return topics.LEDGER, events.remember_command(self._tenant, message, command, None)

    def _note(self, item: Item, record: Outgoing, offset: int, epoch: int | None) -> None:
        reach: tuple[int, ...] = ()
        named = None if isinstance(item.message, Feedback) else item.message.project_id
        if named is not None and self._partitions is not None:
            reach = (partition(project(self._tenant, named), self._partitions),)
        written = Written(
            topic=record.topic, partition=record.partition, offset=offset, project_partitions=reach, epoch=epoch
        )
        self._tokens.note(str(FreshnessToken.of([written])), (item.user_id,))
