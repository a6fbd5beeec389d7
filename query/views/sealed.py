"""Rows whose text stands under its owner's key, opened for who may read them (C7)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from query.key_threads import KeyThreads
from schemas.events.envelope import Envelope
from schemas.log.codec import Codec
from schemas.log.owner import Owner
from schemas.log.places import columns_of_place
from schemas.security.sealed_rows import COLUMNS
from schemas.security.sealing import KeyDestroyed, SealedError

log = logging.getLogger(__name__)
PLACE = "sealed_place"
"""Column of a row's place (`schemas.log.places`): told by the clear columns of the row that was found, never kept."""
Row = dict[str, Any]


def sealed_columns(model: type[Envelope], table: str = "") -> str:
    """What a statement selects beside columns of text of the event's table: the sealed part, whose it is, and where it
    stands. `table`: its name in the statement, where there are several."""
    at = f"{table}." if table else ""
    first, *names = columns_of_place(model)
    parts = ", ".join([f"'{first}'", *(f"{at}{name}::text" for name in names)])
    place = f"CASE WHEN {at}sealed IS NOT NULL THEN ARRAY[{parts}] END AS {PLACE}"
    return ", ".join([*(f"{at}{name}" for name in COLUMNS), place])


async def opened(codec: Codec, rows: list[Row], threads: KeyThreads) -> list[Row]:
    """The rows with their text in its columns. A row that cannot be read any more (its owner was erased) is gone, like
    one that was deleted. Raises ProblemError while the keyring does not answer."""
    if not any(row.get("sealed") for row in rows):
        for row in rows:
            _without(row)
        return rows
    return await threads(partial(_all, codec, rows))


def _all(codec: Codec, rows: Sequence[Row]) -> list[Row]:
    out, lost = [], 0
    for row in rows:
        sealed, owner, place = row.get("sealed"), row.get("sealed_for"), tuple(row.get(PLACE) or ())
        _without(row)
        if sealed:
            try:
                _fill(row, codec.opened(Owner.parse(owner or ""), sealed, place))
            except KeyDestroyed:
                continue
            except (SealedError, ValueError):
                lost += 1
                continue
        out.append(row)
    if lost:
        log.error(
            "rows do not open: is MEMSTREAM_ENCRYPTION, MEMSTREAM_SEALED_TO or a master key another than theirs, or "
            "were they moved?", extra={"n": lost},
        )  # fmt: skip
    return out


def _fill(row: Row, body: Row) -> None:
    """A session's row holds its body whole, the others a column for each part."""
    if "body" in row:
        row["body"] = body
    row.update({name: value for name, value in body.items() if name in row and name != "body"})


def _without(row: Row) -> None:
    for name in (*COLUMNS, PLACE):
        row.pop(name, None)
