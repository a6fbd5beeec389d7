"""`memstream rescreen`: passes over the partitions until a look finds nothing more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import psycopg

from memstream.reprocess.amend_log import newest
from memstream.reprocess.amending import Amender, Pass, Progress
from memstream.reprocess.rescreen import READ, Found, Keeping, rescreened
from memstream.settings import Settings
from memstream.workers.parts import parts_of
from processors.pii.redact import Redaction
from processors.pii.redaction import policy_of, redact
from schemas.log.codec import Codec, Event
from schemas.profile.pii_policy import PiiAction
from schemas.security.encrypted_values import Keeper

VIEWS = ("turns", "memories", "outcomes", "sessions", "projects")
PASSES = 3
"""A text that lost one name may show another (of 北京京仪大酒店 the first pass knew 北京), a record may have changed
meanwhile, and a worker may hear of a tenant's new profile a moment later than this command."""


def until_clean(run: Callable[[], tuple[Found, Found | None]]) -> tuple[Found, Found | None]:
    """What all passes found, and what the last look still finds. `run`: one pass and a look behind it."""
    found, again = run()
    for _ in range(PASSES - 1):
        if again is None or not again.records:
            break
        more, again = run()
        found.add(more)
    return found, again


class Rescreen:
    """Each tenant's texts under the profile that config.profiles names for it, the default where it names none.
    `codec` reads and writes what is sealed, `keeper` keeps what policy encrypts now. Close after use."""

    def __init__(self, settings: Settings, codec: Codec, keeper: Keeper, progress: Progress) -> None:
        self._settings, self._codec = settings, codec
        self._parts = parts_of(settings)
        self._amender = Amender(settings, codec, progress, "rescreen", VIEWS, self._parts.book.default)
        self._keeper = keeper

    def close(self) -> None:
        self._amender.close()

    def run(self, conn: psycopg.Connection[Any], *, dry: bool) -> dict[str, Any]:
        """What was found, and what a second look still finds. Raises RebuildError."""
        found, again = until_clean(lambda: self._amender.run(conn, "rescreening", self._look, dry=dry))
        out: dict[str, Any] = {"dry_run": dry, **found.as_json()}
        if again is not None:
            out["still_there"] = dict(sorted((again.records + again.left).items()))
        return out

    def _look(self, one: Pass) -> Found:
        found, keeping = Found(), Keeping(self._action, None if one.dry else self._keeper, self._week_days)
        for number in one.partitions(self._settings.partitions):
            for send in rescreened(self._rows(number), self._redact, one.at, found, keeping):
                one.send(send.topic, send.event, getattr(send.event, "amendment_id", send.event.subject))
        return found

    def _rows(self, number: int) -> Iterable[Event]:
        return newest(self._settings, self._codec, READ, number)

    def _action(self, tenant: str, entity: str) -> PiiAction:
        return policy_of(self._amender.book, tenant).action(entity)

    def _week_days(self, tenant: str) -> int:
        return int(self._amender.book.of(tenant).retention.aggregates_days)

    def _redact(self, tenants: Sequence[str], texts: Sequence[str]) -> Sequence[Redaction]:
        return redact(self._parts.models, self._amender.book, tenants, texts)
