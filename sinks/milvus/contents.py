"""Counts and hashes of the Milvus collections, and dropping a generation (N1).

Milvus groups nothing, so the rows are read, without their vectors: a vector belongs to a record's revision, which is
compared. Keys are hashes in hexadecimal; a read takes those that begin alike.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import product
from typing import Any

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential

from schemas.storage.connections import MilvusAddress, milvus_options
from schemas.storage.layouts import MilvusLayout
from sinks.clock import utc_now
from sinks.contents import Bucket, Digest, Rebuildable, Token, digests, hash64
from sinks.milvus.held import in_milvus
from sinks.milvus.rows import NUMBER_FIELDS, TEXT_FIELDS
from sinks.parts import SinkParts
from sinks.protocol import Mark, Transient

_LIMIT = 16_384
"""The most rows that one query gives."""
_FIELDS = ["pk", "terms", *TEXT_FIELDS, *NUMBER_FIELDS]
logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)


class MilvusContents:
    """Over a client of its own. `timeout`: seconds a call; `patience`: seconds in which a call that failed is made
    again, for a rebuild of hours does not end over one answer. All calls may be repeated. `now`: rows that have expired
    by then are none."""

    def __init__(
        self, address: MilvusAddress, timeout: float = 30.0, patience: float = 60.0,
        now: Callable[[], datetime] = utc_now,
    ) -> None:  # fmt: skip
        self._address, self._timeout, self._now = address, timeout, now
        self._tries = Retrying(
            retry=retry_if_exception_type(Transient), stop=stop_after_delay(patience), wait=wait_exponential(max=5),
            reraise=True,
        )  # fmt: skip
        self._client: Any = None
        self._digits = 1

    def buckets(self, generation: int) -> dict[Bucket, Digest]:
        layout = MilvusLayout(generation)
        self._digits = max(self._digits, *(self._digits_for(c) for c in (layout.turns, layout.memories)))
        return digests((b, t) for view in ("turns", "memories") for b, _, t in self._scan(layout, view))

    def rows(self, generation: int, bucket: Bucket) -> dict[str, Token]:
        layout = MilvusLayout(generation)
        return {k: t for b, k, t in self._scan(layout, bucket.view, bucket.part) if b.tenant == bucket.tenant}

    def part(self, key: str) -> str:
        return key[: self._digits]

    def progress(self, generation: int) -> dict[Mark, int]:
        name = MilvusLayout(generation).progress
        if not self._call("has_collection", name):
            return {}
        fields = ["stage", "partition", "root", "next_offset"]
        rows = self._call("query", name, filter="partition >= 0", output_fields=fields, limit=_LIMIT,
                          consistency_level="Strong")  # fmt: skip
        return {Mark(r["stage"], r["partition"], r["root"]): r["next_offset"] for r in rows}

    def drop(self, generation: int) -> None:
        layout = MilvusLayout(generation)
        for name in (layout.turns, layout.memories, layout.progress):
            if self._call("has_collection", name):
                self._call("drop_collection", name)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _digits_for(self, collection: str) -> int:
        """So many leading digits that no prefix holds more rows than half of a query's most."""
        if not self._call("has_collection", collection):
            return 1
        found = self._call("query", collection, filter="", output_fields=["count(*)"], consistency_level="Strong")
        count, digits = int(found[0]["count(*)"]), 1
        while count / 16**digits > _LIMIT / 2:
            digits += 1
        return digits

    def _scan(self, layout: MilvusLayout, view: str, part: str | None = None) -> Iterator[tuple[Bucket, str, Token]]:
        collection = layout.turns if view == "turns" else layout.memories
        if not self._call("has_collection", collection):
            return
        now = int(self._now().timestamp() * 1000)
        parts = [part] if part else ["".join(d) for d in product("0123456789abcdef", repeat=self._digits)]
        for prefix in parts:
            rows = self._call("query", collection, filter=f'pk like "{prefix}%"', output_fields=_FIELDS, limit=_LIMIT,
                              consistency_level="Strong")  # fmt: skip
            if len(rows) == _LIMIT:
                raise Transient("more rows than one query gives: they came while they were counted")
            for r in rows:
                if 0 < r["expires_at"] <= now:
                    continue  # swept once a minute
                content = hash64(*(r[name] for name in _FIELDS))
                yield Bucket(view, r["tenant"], prefix), r["pk"], Token(int(r["revision"]), content)

    def _call(self, method: str, collection: str, **options: Any) -> Any:
        return self._tries(self._once, method, collection, **options)

    def _once(self, method: str, collection: str, **options: Any) -> Any:
        try:
            if self._client is None:
                self._client = MilvusClient(**milvus_options(self._address), timeout=self._timeout)
            return getattr(self._client, method)(collection, timeout=self._timeout, **options)
        except (MilvusException, grpc.RpcError, OSError) as exc:
            self.close()
            raise Transient(type(exc).__name__) from None


def rebuildable(parts: SinkParts) -> Rebuildable:
    return Rebuildable(MilvusContents(parts.milvus), in_milvus)
