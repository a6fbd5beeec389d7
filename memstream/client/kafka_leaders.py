"""The leader epochs of partitions just before something is sent there, for the tokens of what is written directly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from confluent_kafka import KafkaException, TopicPartition, admin

from schemas.log.leaders import Place
from schemas.storage.connections import Bootstrap, librdkafka

_HOLDS_SECONDS = 2.0
"""For so long an answer counts, also that there was none. A token that names the leader before the one that took its
record is never fresh."""
_ASK_SECONDS = 1.0
_ADMIN: Any = admin
"""Its types leave out what asks for offsets."""


class KafkaLeaders:
    """Asks the brokers where what it knows is older than two seconds. `ask` and `now` for tests."""

    def __init__(
        self, bootstrap: Bootstrap, ask: Callable[[list[Place]], Mapping[Place, int]] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._bootstrap, self._ask, self._now = bootstrap, ask or self._listed, now
        self._admin: Any = None
        self._known: dict[Place, tuple[float, int | None]] = {}

    async def of(self, places: Iterable[Place]) -> Mapping[Place, int]:
        """Those that are known. Never raises: without them a token is as good as before there were any."""
        wanted, now = set(places), self._now()
        old = sorted(p for p in wanted if p not in self._known or now - self._known[p][0] > _HOLDS_SECONDS)
        if old:
            found = await asyncio.to_thread(self._ask, old)
            self._known |= {p: (now, found.get(p)) for p in old}
        return {p: epoch for p in wanted if (epoch := self._known[p][1]) is not None}

    def _listed(self, places: list[Place]) -> Mapping[Place, int]:
        try:
            if self._admin is None:
                self._admin = _ADMIN.AdminClient({**librdkafka(self._bootstrap), "log_level": 0})
            asked = {TopicPartition(*place): _ADMIN.OffsetSpec.latest() for place in places}
            answers = self._admin.list_offsets(asked, request_timeout=_ASK_SECONDS)
            found = {(tp.topic, tp.partition): answer.result().leader_epoch for tp, answer in answers.items()}
        except KafkaException:
            return {}
        return {place: epoch for place, epoch in found.items() if epoch is not None and epoch >= 0}
