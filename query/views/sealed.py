"""Rows whose text stands under its owner's key, opened for who may read them (C7)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from query.key_threads import KeyThreads
from schemas.log.codec import Codec
from schemas.log.owner import Owner
from schemas.security.sealed_rows import COLUMNS
from schemas.security.sealing import KeyDestroyed, SealedError

log = logging.getLogger(__name__)
SEALED = ", ".join(COLUMNS)
"""What a statement selects beside columns of text."""
Row = dict[str, Any]


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
        sealed, owner = row.get("sealed"), row.get("sealed_for")
        _without(row)
        if sealed:
            try:
                _fill(row, codec.opened(Owner.parse(owner or ""), sealed))
            except KeyDestroyed:
                continue
            except (SealedError, ValueError):
                lost += 1
                continue
        out.append(row)
    if lost:
        log.error("rows do not open: is MEMSTREAM_ENCRYPTION, or a master key, another than theirs?", extra={"n": lost})
    return out


def _fill(row: Row, body: Row) -> None:
    """A session's row holds its body whole, the others a column for each part."""
    if "body" in row:
        row["body"] = body
    row.update({name: value for name, value in body.items() if name in row and name != "body"})


def _without(row: Row) -> None:
    for name in COLUMNS:
        row.pop(name, None)
