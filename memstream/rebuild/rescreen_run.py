"""`memstream rescreen`: one pass over the partitions, then a look whether anything is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg

from memstream.parts import parts_of
from memstream.profiles import BookOfNow, ProfileFollower
from memstream.rebuild.amend_log import Sender, newest, until_readable
from memstream.rebuild.errors import RebuildError
from memstream.rebuild.rescreen import READ, Found, rescreened
from memstream.settings import Settings
from processors.pii.redact import Redaction
from processors.redaction import redact
from schemas import generations
from schemas.codec import Codec, Event

VIEWS = ("turns", "memories", "outcomes", "sessions", "projects")
Told = Callable[[str, int, int], None]
"""(what, partitions, partitions left)."""


class Rescreen:
    """Each tenant's texts under the profile that config.profiles names for it, the default where it names none.
    `codec` reads and writes what is sealed. Close after use."""

    def __init__(self, settings: Settings, codec: Codec, told: Told) -> None:
        self._settings, self._codec, self._told = settings, codec, told
        self._parts = parts_of(settings)
        self._profiles = ProfileFollower(self._parts.book.default).start(settings.brokers)
        self._book = BookOfNow(self._profiles)

    def close(self) -> None:
        self._profiles.stop()

    def run(self, conn: psycopg.Connection[Any], *, dry: bool) -> dict[str, Any]:
        """What was found, and what a second look still finds. Raises RebuildError."""
        if not generations.drive(conn, "rescreen"):
            raise RebuildError("another rescreen runs in this stack: let it finish, or end it first")
        found = self._pass(conn, "rescreening", dry=dry)
        out: dict[str, Any] = {"dry_run": dry, **found.as_json()}
        if not dry:
            again = self._pass(conn, "looking again", dry=True)
            out["still_there"] = dict(sorted((again.records + again.left).items()))
        return out

    def _pass(self, conn: psycopg.Connection[Any], what: str, *, dry: bool) -> Found:
        found, at = Found(), datetime.now(UTC)
        count = self._settings.partitions
        sender = Sender(self._settings, self._codec, "rescreen")
        for number in range(count):
            self._told(what, count, count - number)
            for send in rescreened(self._rows(number), self._redact, at, found):
                if not dry:
                    sender.send(send.topic, send.event, getattr(send.event, "amendment_id", send.event.subject))
        self._told(what, count, 0)
        token = sender.close()
        if token is not None:
            self._told("waiting for the views", count, 0)
            until_readable(conn, token, VIEWS)
        return found

    def _rows(self, number: int) -> Iterable[Event]:
        return newest(self._settings, self._codec, READ, number)

    def _redact(self, tenants: Sequence[str], texts: Sequence[str]) -> Sequence[Redaction]:
        return redact(self._parts.models, self._book, tenants, texts)
