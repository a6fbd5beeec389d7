"""`memstream redate`: one pass over the partitions, then a look whether anything still ends otherwise."""

from __future__ import annotations

from typing import Any

import psycopg

from memstream.reprocess.amend_log import newest
from memstream.reprocess.amending import Amender, Pass, Progress
from memstream.reprocess.redate import Found, redated
from memstream.settings import Settings
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import load_profile

VIEWS = ("memories", "outcomes")


class Redate:
    """Each tenant's records by the days of the profile that config.profiles names for it, of the default where it names
    none. `codec` reads and writes what is sealed. Close after use."""

    def __init__(self, settings: Settings, codec: Codec, progress: Progress) -> None:
        self._settings, self._codec = settings, codec
        default = load_profile(settings.profile, settings.profiles_dir)
        self._amender = Amender(settings, codec, progress, "redate", VIEWS, default)

    def close(self) -> None:
        self._amender.close()

    def run(self, conn: psycopg.Connection[Any], *, dry: bool) -> dict[str, Any]:
        """What ends at another time, and what a second look still finds. Raises RebuildError."""
        found, again = self._amender.run(conn, "redating", self._look, dry=dry)
        out: dict[str, Any] = {"dry_run": dry, **found.as_json()}
        if again is not None:
            out["still_there"] = again.as_json()["classes"]
        return out

    def _look(self, one: Pass) -> Found:
        found = Found()
        for number in one.partitions(self._settings.partitions):
            rows = newest(self._settings, self._codec, (topics.UPDATES,), number)
            for a in redated(rows, self._amender.book, one.at, found):
                one.send(topics.LEDGER, a, a.amendment_id)
        return found
