"""The Milvus sink: vectors, terms and filter fields of what can be searched now; `query` confirms hits in Postgres.

One writer per collection: on the embedded server, concurrent writers with overlapping keys leave duplicates.
Milvus has no conditional write, so the guard reads the revisions of a batch's keys before it writes them. What it has
removed it can no longer read: those revisions are remembered in this process, and after a restart a redelivered older
revision would stand until the redelivery reaches the removal again.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import DataNotMatchException, MilvusException, ParamError

from schemas.components.builtin import MILVUS
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.security.erasure_findings import place
from schemas.security.sealed_rows import Seals, everything
from schemas.storage.connections import MilvusAddress, milvus_options
from schemas.storage.layouts import MilvusLayout
from sinks.clock import utc_now
from sinks.collapse import memory_of
from sinks.disk_space_guard import WithRoom
from sinks.milvus.rows import erased_rows, is_held, is_row, key, progress_schema, row, rows_schema
from sinks.parts import SinkParts
from sinks.protocol import Findings, Mark, Message, Permanent, Sink, SinkBatch, Tombstone, Transient, kept_sealed

ROWS_A_CALL = 500
REMOVED_KEPT = 10_000
"""Removals remembered: more than what comes between two commits, which is all that a group hands out again."""
SWEEP_EVERY = timedelta(minutes=1)
_INVALID_PARAMETER = frozenset({1100, 1101})
# It logs each failed call with its filter, and filters hold ids of users.
logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)


class MilvusSink:
    """Writes every generation in `generations` alike. `timeout`: seconds that one call may take."""

    name = "milvus"
    topics = MILVUS.feed.topics

    def __init__(
        self,
        address: MilvusAddress,
        generations: Sequence[int] = (1,),
        *,
        dimensions: int = 512,
        timeout: float = 10.0,
        now: Callable[[], datetime] = utc_now,
        findings: Findings | None = None,
        seals: Seals = everything,
    ) -> None:
        if not generations:
            raise ValueError("generations must name at least one")
        self._address, self._timeout, self._now = address, timeout, now
        self._layouts = [MilvusLayout(g, dimensions) for g in generations]
        self._client: Any = None
        self._findings = findings
        self._seals = seals
        self._removed: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._marked: dict[tuple[str, str], int] = {}
        self._swept: datetime | None = None
        self._unsure = True

    def ensure(self) -> None:
        for layout in self._layouts:
            self._call("has_collection", layout.progress)

    def write(self, batch: SinkBatch) -> int:
        turns = [i.event for i in batch.items if isinstance(i.event, ScreenedTurn)]
        memories = [i.event for i in batch.items if isinstance(i.event, MemoryUpdate)]
        sealed = {key(e) for i in batch.items if kept_sealed(i, self._seals) and is_row(e := i.event)}
        tombstones = [
            m for i in batch.items if isinstance(i.event, Tombstone) and (m := memory_of(i.event)) is not None
        ]
        erasures = [(i.event, i.message) for i in batch.items if isinstance(i.event, Erasure)]
        refused = 0
        for layout in self._layouts:
            refused += self._write_rows(layout, layout.turns, turns, sealed)
            refused += self._write_rows(layout, layout.memories, memories, sealed)
            self._delete(layout.memories, [MilvusLayout.key(*m) for m in tombstones])
            for m in tombstones:
                self._removed.pop((layout.memories, MilvusLayout.key(*m)), None)
            for event, message in erasures:
                self._erase(layout, event, message)
            self._write_progress(layout, batch)
        if batch.sweep is not None:
            self._sweep(batch.sweep)
        self._unsure = False
        return refused

    def progress(self) -> dict[Mark, int]:
        """Of the first generation in the configuration."""
        return {Mark(r["stage"], r["partition"], r["root"]): r["next_offset"] for r in self._marks(self._layouts[0])}

    def written_at(self) -> datetime | None:
        """The oldest among the generations: each must have seen every deletion."""
        newest = [max((r["updated_at"] for r in self._marks(layout)), default=0) for layout in self._layouts]
        known = [ms for ms in newest if ms]
        return datetime.fromtimestamp(min(known) / 1000, UTC) if known else None

    def idle(self, now: datetime) -> None:
        """Nothing to do: what expires goes with the ticks."""

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _write_rows(
        self, layout: MilvusLayout, collection: str, events: Sequence[ScreenedTurn] | Sequence[MemoryUpdate],
        sealed: Set[str],
    ) -> int:  # fmt: skip
        """Upsert what is held, delete what is not (any more); without words where the key is in `sealed`. Returns how
        many were refused."""
        if not events:
            return 0
        rows = {pk: row(e, layout.dimensions, sealed=pk in sealed) for e in events if is_held(e) and (pk := key(e))}
        stored = self._revisions(collection, [key(e) for e in events])
        # After a failure equal revisions are written again: the embedded server shows rows that it could not store.
        least = 0 if self._unsure else 1
        newer = [e for e in events if e.revision >= stored.get(key(e), 0) + least]
        held = [rows[key(e)] for e in newer if is_held(e)]
        self._put("insert", collection, [r for r in held if r["pk"] not in stored])
        self._put("upsert", collection, [r for r in held if r["pk"] in stored])
        removed = {key(e): e.revision for e in newer if not is_held(e)}
        self._delete(collection, [pk for pk in removed if pk in stored])
        for pk, revision in removed.items():
            self._removed[collection, pk] = revision
            self._removed.move_to_end((collection, pk))
        while len(self._removed) > REMOVED_KEPT:
            self._removed.popitem(last=False)
        return len(events) - len(newer)

    def _put(self, method: str, collection: str, rows: list[dict[str, Any]]) -> None:
        """New rows are inserted, which costs the embedded server less than looking for them once more. Where a call may
        have reached the server unanswered, its rows may appear after they were looked for: then everything is upserted.
        """
        for start in range(0, len(rows), ROWS_A_CALL):
            part = rows[start : start + ROWS_A_CALL]
            self._call("upsert" if self._unsure else method, collection, part)

    def _revisions(self, collection: str, keys: list[str]) -> dict[str, int]:
        """As stored, or as last removed by this process."""
        out = {pk: self._removed[collection, pk] for pk in keys if (collection, pk) in self._removed}
        for start in range(0, len(keys), ROWS_A_CALL):
            part = keys[start : start + ROWS_A_CALL]
            found = self._get(collection, part, ["pk", "revision"])
            out.update({r["pk"]: max(r["revision"], out.get(r["pk"], 0)) for r in found})
        return out

    def _get(self, collection: str, keys: list[str], fields: list[str]) -> list[dict[str, Any]]:
        # `get` puts keys into a filter unescaped: ours are hashes, or made of topic names.
        return list(self._call("get", collection, keys, output_fields=fields, consistency_level="Strong"))

    def _delete(self, collection: str, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), ROWS_A_CALL):
            part = list(keys[start : start + ROWS_A_CALL])
            self._call("delete", collection, ids=part)

    def _erase(self, layout: MilvusLayout, e: Erasure, message: Message) -> None:
        """Rows of the owner that were accepted by the cut-off (C9), found by what the topic feeds."""
        kind, name = ("turns", layout.turns) if message.topic == topics.HISTORY.name else ("memories", layout.memories)
        where = erased_rows(e, message.topic)
        count = 0
        while where is not None:
            found = self._call(
                "query", name, filter=where, output_fields=["pk"], limit=ROWS_A_CALL, consistency_level="Strong"
            )
            self._delete(name, [r["pk"] for r in found])
            count += len(found)
            if len(found) < ROWS_A_CALL:
                break
        if self._findings is not None:
            at = place(self.name, layout.generation, message.topic, e.stage, message.partition)
            self._findings(e, at, {} if where is None else {kind: count})

    def _write_progress(self, layout: MilvusLayout, batch: SinkBatch) -> None:
        """After the rows: what a marker says is there, is there. What is stored is asked once: there is one writer."""
        if not batch.progress:
            return
        marks = {MilvusLayout.mark(*mark): (mark, offset) for mark, offset in batch.progress.items()}
        stored = {pk: self._marked[layout.progress, pk] for pk in marks if (layout.progress, pk) in self._marked}
        if unknown := [pk for pk in marks if pk not in stored]:
            found = self._get(layout.progress, unknown, ["pk", "next_offset"])
            stored.update({r["pk"]: r["next_offset"] for r in found})
        at = int(self._now().timestamp() * 1000)
        reached = {pk: max(offset, stored.get(pk, 0)) for pk, (_, offset) in marks.items()}
        rows = [
            {
                "pk": pk, "stage": mark.stage, "partition": mark.partition, "root": mark.root,
                "next_offset": reached[pk], "updated_at": at, "dense": [1.0, 0.0],
            }
            for pk, (mark, _) in marks.items()
        ]  # fmt: skip
        self._call("upsert", layout.progress, rows)
        self._marked.update({(layout.progress, pk): offset for pk, offset in reached.items()})

    def _marks(self, layout: MilvusLayout) -> list[dict[str, Any]]:
        fields = ["stage", "partition", "root", "next_offset", "updated_at"]
        everything = {"filter": "partition >= 0", "limit": 16_384, "consistency_level": "Strong"}
        return list(self._call("query", layout.progress, output_fields=fields, **everything))

    def _sweep(self, now: datetime) -> None:
        """Turns whose time is over (the embedded server ignores TTLs). Memories are retired in the log."""
        # A clock that was ahead for a while must not end the sweeps until its time has come.
        if self._swept is not None and abs(now - self._swept) < SWEEP_EVERY:
            return
        over = f"expires_at > 0 and expires_at <= {int(now.timestamp() * 1000)}"
        for layout in self._layouts:
            self._call("delete", layout.turns, filter=over)
        self._swept = now

    def _connect(self) -> Any:
        """Connect, make collections that are missing, and load them: a server that restarted may not have."""
        client: Any = MilvusClient(**milvus_options(self._address), timeout=self._timeout)
        for layout in self._layouts:
            makers = ((layout.turns, rows_schema), (layout.memories, rows_schema), (layout.progress, None))
            for name, maker in makers:
                if not client.has_collection(name, timeout=self._timeout):
                    schema, index = progress_schema() if maker is None else maker(layout)
                    client.create_collection(name, schema=schema, index_params=index, timeout=self._timeout)
                client.load_collection(name, timeout=self._timeout)
        return client

    def _lose(self) -> None:
        self._unsure = True
        self._marked.clear()
        self.close()

    def _call(self, method: str, collection: str, *args: Any, **options: Any) -> Any:
        """Raises Transient and Permanent in place of what pymilvus says, whose messages may hold content."""
        try:
            if self._client is None:
                self._client = self._connect()
            return getattr(self._client, method)(collection, *args, timeout=self._timeout, **options)
        except (ParamError, DataNotMatchException) as exc:
            raise Permanent("milvus_refused", type(exc).__name__) from None
        except MilvusException as exc:
            if exc.code in _INVALID_PARAMETER:
                raise Permanent("milvus_refused", f"code {exc.code}") from None
            self._lose()
            raise Transient(f"MilvusException {exc.code}") from None
        except (grpc.RpcError, OSError) as exc:
            self._lose()
            raise Transient(type(exc).__name__) from None


def built(parts: SinkParts) -> Sink:
    sink = MilvusSink(
        parts.milvus, (parts.generation,), dimensions=parts.dimensions(), findings=parts.findings, seals=parts.seals(),
    )  # fmt: skip
    return WithRoom(sink, parts.milvus_reserve) if parts.milvus_reserve else sink
