"""Who read or wrote which memory, when (C10): records for memory.accesses, sent beside the answer, not before it; and
for the gate, which memories an answer was given.

`AccessLog.note` only queues. A task sends what is queued, in order, and tries again while the brokers are away. When
the queue is full, reads and writes of memory are refused (503): what cannot be recorded is not shown. A process that is
killed loses what it had queued, a few milliseconds' worth while the brokers answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal

from fastapi import Request

from query.deps import random_id
from query.errors import ProblemError
from query.metrics import Metrics
from query.producer import Log, Outgoing, QueueFullError
from schemas.events.documents import Access
from schemas.events.memory import Given
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import Owner, partition
from schemas.security.scope import TenantScope

log = logging.getLogger(__name__)
SOURCE = "memstream/query"
IDS_A_RECORD = 500
BATCH = 500
FIRST_DELAY, LONGEST_DELAY = 0.1, 5.0
CLOSING_SECONDS = 5.0


def operation_of(request: Request) -> str:
    """Method and route pattern: names the endpoint, holds no id."""
    return f"{request.method} {getattr(request.scope.get('route'), 'path', 'unknown')}"


class AccessLog:
    """The queue of access records of one service. `bound`: records that may wait."""

    def __init__(
        self, sender: Log, codec: Codec, partitions: int, clock: Callable[[], datetime], metrics: Metrics, bound: int,
        new_id: Callable[[], str] = random_id,
    ) -> None:  # fmt: skip
        self._sender, self._codec, self._partitions, self._clock = sender, codec, partitions, clock
        self._metrics, self._bound, self._new_id = metrics, bound, new_id
        self._queue: deque[Outgoing] = deque()
        self._filled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    @property
    def waiting(self) -> int:
        """Records not acknowledged yet."""
        return len(self._queue)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Send what is queued, for a few seconds at most."""
        self._closing = True
        self._filled.set()
        if self._task is not None:
            try:
                await asyncio.wait_for(self._task, CLOSING_SECONDS)
            except TimeoutError:
                log.error("access records were not delivered", extra={"records": len(self._queue)})

    def admit(self) -> None:
        """Raises ProblemError `busy` while too many records wait for the brokers."""
        if len(self._queue) >= self._bound:
            raise ProblemError("busy", "the access log does not take more now", headers={"Retry-After": "1"})

    def note(
        self,
        scope: TenantScope,
        owner: Owner,
        action: Literal["read", "write"],
        operation: str,
        record_ids: Sequence[str] = (),
        context_id: str | None = None,
        access_id: str | None = None,
    ) -> None:
        """Queue the record of one call about one owner. `access_id`: a name that the record can be found by."""
        ids = list(dict.fromkeys(record_ids))
        for start in range(0, max(len(ids), 1), IDS_A_RECORD):
            event = Access(
                tenant=scope.tenant, access_id=access_id or self._new_id(), owner_kind=owner.kind, owner_id=owner.id,
                action=action, operation=operation, principal=scope.principal, context_id=context_id,
                record_ids=tuple(ids[start : start + IDS_A_RECORD]), accepted_at=self._clock(),
            )  # fmt: skip
            encoded = self._codec.encode(event, SOURCE, event.access_id)
            target = partition(owner, self._partitions)
            self._queue.append(Outgoing(topics.ACCESSES.name, target, encoded.key, encoded.value, encoded.headers))
            self._metrics.accesses.labels(action).inc()
        self._filled.set()

    def give(self, owner: Owner, record_ids: Sequence[str], context_id: str | None, interaction_id: str | None) -> None:
        """Queue, for the gate, which memories of a user an answer was given (D4, D7, D16)."""
        ids = list(dict.fromkeys(record_ids))[:IDS_A_RECORD]
        if not ids:
            return
        event = Given(
            tenant=owner.tenant, user_id=owner.id, context_id=context_id, interaction_id=interaction_id,
            record_ids=tuple(ids), accepted_at=self._clock(),
        )  # fmt: skip
        encoded = self._codec.encode(event, SOURCE, self._new_id())
        target = partition(owner, self._partitions)
        self._queue.append(Outgoing(topics.LEDGER.name, target, encoded.key, encoded.value, encoded.headers))
        self._filled.set()

    async def _run(self) -> None:
        delay = FIRST_DELAY
        while True:
            if not self._queue:
                if self._closing:
                    return
                self._filled.clear()
                await self._filled.wait()
                continue
            if await self._sent():
                delay = FIRST_DELAY
            else:
                await asyncio.sleep(delay)
                delay = min(delay * 2, LONGEST_DELAY)

    async def _sent(self) -> bool:
        """Send the head of the queue; what is not acknowledged stays at its head."""
        head = [self._queue[place] for place in range(min(len(self._queue), BATCH))]
        try:
            offsets = await self._sender.send(head)
        except QueueFullError:
            return False
        for _ in head:
            self._queue.popleft()
        failed = [record for record, offset in zip(head, offsets, strict=True) if offset is None]
        self._queue.extendleft(reversed(failed))
        return not failed
