"""How rescreen, regate and redate run: one of each at a time in a stack; a pass that sends what it finds and waits
until the views have it; then a pass that only looks whether anything is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeVar

import psycopg

from memstream.profiles import BookOfNow, ProfileFollower
from memstream.reprocess.amend_log import Sender, until_readable
from memstream.reprocess.errors import RebuildError
from memstream.settings import Settings
from schemas.events.envelope import Envelope
from schemas.log.codec import Codec
from schemas.log.topics import Topic
from schemas.profile.model import Profile
from schemas.storage import generations

Progress = Callable[[str, int, int], None]
"""(what, how many there are, how many are left): partitions, or records of the ledger."""
F = TypeVar("F")


class Pass:
    """Once over the log. `at`: when it began; an erasure after that refuses what is sent. `dry`: nothing is sent."""

    def __init__(self, what: str, progress: Progress, sender: Sender, *, dry: bool) -> None:
        self.at = datetime.now(UTC)
        self.dry = dry
        self._what, self._progress, self._sender = what, progress, sender
        self._total = 0

    def partitions(self, count: int) -> Iterator[int]:
        """Their numbers, each told as it begins."""
        for number in range(count):
            self.left(count, count - number)
            yield number

    def left(self, total: int, left: int) -> None:
        self._total = total
        self._progress(self._what, total, left)

    def send(self, topic: Topic, event: Envelope, event_id: str) -> None:
        if not self.dry:
            self._sender.send(topic, event, event_id)

    def end(self, conn: psycopg.Connection[Any], views: Iterable[str]) -> None:
        """Returns when these views have what was sent. Raises RebuildError."""
        self.left(self._total, 0)
        token = self._sender.close()
        if token is not None:
            self._progress("waiting for the views", self._total, 0)
            until_readable(conn, token, views)


class Amender:
    """`name`: the command; `views`: where what it sends is seen. `default`: the profile of tenants for which
    config.profiles names none. `codec` reads and writes what is sealed. Close after use."""

    def __init__(
        self, settings: Settings, codec: Codec, progress: Progress, name: str, views: Iterable[str], default: Profile
    ) -> None:
        self._settings, self._codec, self._progress = settings, codec, progress
        self._name, self._views = name, views
        self._profiles = ProfileFollower(default).start(settings.brokers)
        self.book = BookOfNow(self._profiles)

    def close(self) -> None:
        self._profiles.stop()

    def run(
        self, conn: psycopg.Connection[Any], what: str, look: Callable[[Pass], F], *, dry: bool
    ) -> tuple[F, F | None]:
        """What was found, and what a second look still finds once it is sent (None: nothing was to be sent). Raises
        RebuildError."""
        if not generations.drive(conn, self._name):
            raise RebuildError(f"another {self._name} runs in this stack: let it finish, or end it first")
        found = self._pass(conn, what, look, dry=dry)
        return found, None if dry else self._pass(conn, "looking again", look, dry=True)

    def _pass(self, conn: psycopg.Connection[Any], what: str, look: Callable[[Pass], F], *, dry: bool) -> F:
        one = Pass(what, self._progress, Sender(self._settings, self._codec, self._name), dry=dry)
        found = look(one)
        one.end(conn, self._views)
        return found
