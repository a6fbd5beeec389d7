"""`memstream redate`: one pass over the partitions, then a look whether anything still ends otherwise."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psycopg

from memstream.profiles import BookOfNow, ProfileFollower
from memstream.rebuild.amend_log import Sender, newest, until_readable
from memstream.rebuild.errors import RebuildError
from memstream.rebuild.redate import Found, redated
from memstream.rebuild.rescreen_run import Told
from memstream.settings import Settings
from schemas import generations, topics
from schemas.codec import Codec
from schemas.profile import load_profile

VIEWS = ("memories", "outcomes")


class Redate:
    """Each tenant's records by the days of the profile that config.profiles names for it, of the default where it names
    none. `codec` reads and writes what is sealed. Close after use."""

    def __init__(self, settings: Settings, codec: Codec, told: Told) -> None:
        self._settings, self._codec, self._told = settings, codec, told
        self._profiles = ProfileFollower(load_profile(settings.profile, settings.profiles_dir)).start(settings.brokers)
        self._book = BookOfNow(self._profiles)

    def close(self) -> None:
        self._profiles.stop()

    def run(self, conn: psycopg.Connection[Any], *, dry: bool) -> dict[str, Any]:
        """What ends at another time, and what a second look still finds. Raises RebuildError."""
        if not generations.drive(conn, "redate"):
            raise RebuildError("another redate runs in this stack: let it finish, or end it first")
        found = self._pass(conn, "redating", dry=dry)
        out: dict[str, Any] = {"dry_run": dry, **found.as_json()}
        if not dry:
            out["still_there"] = self._pass(conn, "looking again", dry=True).as_json()["classes"]
        return out

    def _pass(self, conn: psycopg.Connection[Any], what: str, *, dry: bool) -> Found:
        found, at = Found(), datetime.now(UTC)
        count = self._settings.partitions
        sender = Sender(self._settings, self._codec, "redate")
        for number in range(count):
            self._told(what, count, count - number)
            rows = newest(self._settings, self._codec, (topics.UPDATES,), number)
            for a in redated(rows, self._book, at, found):
                if not dry:
                    sender.send(topics.LEDGER, a, a.amendment_id)
        self._told(what, count, 0)
        token = sender.close()
        if token is not None:
            self._told("waiting for the views", count, 0)
            until_readable(conn, token, VIEWS)
        return found
