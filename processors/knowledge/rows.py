"""Rows of the knowledge step, under a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from processors.state_tables import BuiltRows, EventRows, JsonRows, Single, Table
from schemas.base import Json
from schemas.events.memory import DocumentChunk
from schemas.log import topics


class ActiveVersion(NamedTuple):
    """`digest`: of title, metadata and text together."""

    version: str
    digest: str


class VersionNumbers(NamedTuple):
    """`revision`: the newest of the version's chunks, one for all of them. `chunks`: how many it ever had. `left`: when
    it was archived or deleted, in the order of the document's; 0 where it is active."""

    revision: int
    chunks: int
    left: int = 0


def _numbers(stored: Sequence[int]) -> VersionNumbers:
    return VersionNumbers(*map(int, stored))


def _stored_numbers(numbers: VersionNumbers) -> Json:
    """Of an active version without the last."""
    return list(numbers) if numbers.left else list(numbers[:2])


ACTIVE: Single[ActiveVersion] = Single("version", JsonRows(ActiveVersion))
CHUNKS: Table[DocumentChunk] = Table("chunk/", EventRows(topics.UPDATES, DocumentChunk))
"""Of the active version, by `chunk_name`; about 1 kB each, most of it the vector."""
VERSIONS: Table[VersionNumbers] = Table("put/", BuiltRows(_numbers, _stored_numbers))
"""By version."""
FLOOR: Single[int] = Single("floor", JsonRows(int))
"""The newest revision of the versions whose numbers are forgotten."""
LEFT: Single[int] = Single("count", JsonRows(int))
"""How many versions were archived or deleted."""


def chunk_name(ordinal: int) -> str:
    """The name sorts as the ordinal does."""
    return f"{ordinal:06d}"
