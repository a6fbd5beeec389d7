"""Profiles in force, a tenant's own among them, while the system runs: every process follows config.profiles.

A process reads the topic from its beginning, without a group. A step sees a change between two batches and never within
one; what is written names the profile and the version that decided, and the gate decides an extraction under the
version that made it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition
from pydantic import ValidationError

from processors.ports import ProfileBook
from processors.step import Out, Reads, Record, StateSpace, Step
from schemas.events.documents import ProfileVersion
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError, describe
from schemas.log.topics import Topic
from schemas.profile.model import IN_FORCE, Profile
from schemas.profile.sensitive import kept_in_the_clear
from schemas.storage.connections import Bootstrap, librdkafka

log = logging.getLogger(__name__)
FIRST_READ = 30.0
"""Seconds that a start waits for the profiles that there are."""


def warn_of_clear_text(profile: Profile, *, sealed: bool) -> None:
    """At a start: what the profile marks sensitive, and nothing encrypts (C7)."""
    if (warning := kept_in_the_clear(profile, sealed=sealed)) is not None:
        log.warning("%s (docs/encryption.md)", warning)


class ProfileFollower:
    """Reads config.profiles in a thread. `default`: of tenants without a profile of their own."""

    def __init__(self, default: Profile, codec: Codec | None = None) -> None:
        self.default = default
        self.tenants: dict[str, Profile] = {}
        """Newest profile of each tenant that has its own; replaced, never changed."""
        self.versions: dict[tuple[str, str, int], Profile] = {}
        self._codec = codec or Codec()
        self._stop = threading.Event()
        self._read = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self, value: bytes | None, partition: int | None = None, offset: int | None = None) -> None:
        """One record of the topic. What is no profile is said with its place and left out: every process reads the
        topic, none in a group that commits, so nobody could dead-letter it once."""
        try:
            event = self._codec.decode(topics.PROFILES.name, value)
            if not isinstance(event, ProfileVersion):
                return
            profile = Profile.model_validate(event.profile, context=IN_FORCE)
        except (DecodeError, ValidationError) as exc:
            place = {"topic": topics.PROFILES.name, "partition": partition, "offset": offset}
            why = describe(exc) if isinstance(exc, ValidationError) else str(exc)
            log.error("a record of profiles is not usable and left out", extra={**place, "reason": why})
            return
        self.versions[event.tenant, profile.name, profile.version] = profile
        self.tenants = {**self.tenants, event.tenant: profile}
        log.info("profile in force", extra={"profile": profile.name, "version": profile.version})

    def start(self, bootstrap: Bootstrap) -> ProfileFollower:
        """Follow, having read what there is. Raises TimeoutError when the broker does not tell it in time."""
        self._thread = threading.Thread(target=self._follow, args=(bootstrap,), name="profiles", daemon=True)
        self._thread.start()
        if not self._read.wait(FIRST_READ):
            raise TimeoutError("config.profiles was not read in time: check MEMSTREAM_KAFKA")
        return self

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5)

    def of(self, tenant: str) -> Profile:
        """In force for a tenant."""
        return self.tenants.get(tenant, self.default)

    def _follow(self, bootstrap: Bootstrap) -> None:
        consumer = Consumer(
            # While the broker is away librdkafka says so at every try: two lines a second, not twenty.
            {**librdkafka(bootstrap), "group.id": "memstream-profiles", "enable.auto.commit": False,
             "reconnect.backoff.ms": 1_000, "reconnect.backoff.max.ms": 2_000},
            logger=log,  # otherwise librdkafka writes lines of its own among those of the log
        )  # fmt: skip
        try:
            left = self._assign(consumer)
            while not self._stop.is_set():
                if not left:
                    self._read.set()
                message = consumer.poll(0.5)
                if message is None or message.error():
                    continue
                self.take(message.value(), message.partition(), message.offset())
                place, offset = message.partition(), message.offset()
                if place is not None and offset is not None and offset + 1 >= left.get(place, offset + 2):
                    left.pop(place, None)
        finally:
            consumer.close()

    def _assign(self, consumer: Consumer) -> dict[int, int]:
        """Every partition from its beginning; partition -> end of those that hold anything."""
        while not self._stop.is_set():
            try:
                known = consumer.list_topics(topics.PROFILES.name, timeout=5).topics[topics.PROFILES.name].partitions
                ends = {p: consumer.get_watermark_offsets(TopicPartition(topics.PROFILES.name, p), 5) for p in known}
            except KafkaException:
                consumer.poll(0)  # only a poll hands on what the library has to say for the log
                time.sleep(0.5)
                continue
            consumer.assign([TopicPartition(topics.PROFILES.name, p, OFFSET_BEGINNING) for p in known])
            return {p: end[1] for p, end in ends.items() if end and end[1] > end[0]}
        return {}


class TenantProfiles(Mapping[str, Profile]):
    """The newest profile of each tenant that has its own, for readers."""

    def __init__(self, follower: ProfileFollower) -> None:
        self._follower = follower

    def __getitem__(self, tenant: str) -> Profile:
        return self._follower.tenants[tenant]

    def __iter__(self) -> Iterator[str]:
        return iter(self._follower.tenants)

    def __len__(self) -> int:
        return len(self._follower.tenants)


class FollowedBook(ProfileBook):
    """The profiles of one step: those of its last `refresh`."""

    def __init__(self, follower: ProfileFollower) -> None:
        super().__init__(follower.default, follower.tenants)
        self._follower = follower
        self._own: Mapping[str, Profile] = follower.tenants

    def refresh(self) -> None:
        self._own = self._follower.tenants

    def of(self, tenant: str) -> Profile:
        return self._own.get(tenant, self.default)

    def named(self, tenant: str, name: str, version: int) -> Profile:
        return self._follower.versions.get((tenant, name, version)) or super().named(tenant, name, version)


class BookOfNow(FollowedBook):
    """The profiles in force at the start of a pass over what is stored, also for what an earlier version made."""

    def refresh(self) -> None:
        """Every record of a pass is read under the same."""

    def named(self, tenant: str, name: str, version: int) -> Profile:
        return self.of(tenant)


class LiveBook(FollowedBook):
    """The newest profiles, for work of one record at a time: a job is done under the version that asked for it where
    its result depends on it."""

    def of(self, tenant: str) -> Profile:
        return self._follower.tenants.get(tenant, self.default)


class Following:
    """A step whose profiles change between batches."""

    def __init__(self, inner: Step, book: FollowedBook) -> None:
        self._inner = inner
        self._book = book
        self.name: str = inner.name
        self.source: Topic = inner.source
        self.outputs: tuple[Topic, ...] = inner.outputs
        self.marks: tuple[Topic, ...] = inner.marks
        self.carries: tuple[Topic, ...] = inner.carries
        self.coalesce: frozenset[str] = inner.coalesce
        self.completes: bool = inner.completes
        self.asks: bool = inner.asks

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        self._book.refresh()
        return self._inner.prepare(records)

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        return self._inner.reads(record, prepared)

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        return self._inner.then_reads(record, prepared, state)

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Any], states: Sequence[StateSpace]
    ) -> Sequence[Any]:
        return self._inner.complete(records, prepared, states)

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        return self._inner.handle(record, prepared, state)
