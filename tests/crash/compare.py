"""Differences between what must be and what is: records of topics, rows of stores. Each is one line of the report,
and none holds text of a user."""

from __future__ import annotations

import base64
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from schemas.log.codec import header
from schemas.log.topics import KEPT_LOGS, Cleanup, Topic
from streams.runner import Message
from tests.crash.log import Log, source_of, without_redelivered

LIMIT = 20
"""Lines a kind of difference; the rest is counted."""
_SENDING = re.compile(rb"~[0-9a-f]{12}$")
"""What `topics.sent_key` adds."""
_VECTOR_TOLERANCE = 2e-3
"""Embeddings of a text in other batch company differ by rounding (float16, unit vectors)."""


class Differences:
    """Lines by kind, and how many checks stood behind them."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = defaultdict(list)
        self.checked: Counter[str] = Counter()
        self.thinned = 0
        """Records that a compacted topic does not hold any more."""

    def add(self, kind: str, line: str) -> None:
        self.found[kind].append(line)

    def count(self) -> int:
        return sum(len(lines) for lines in self.found.values())

    def lines(self) -> list[str]:
        out = []
        for kind, lines in sorted(self.found.items()):
            out += [f"{kind}: {line}" for line in lines[:LIMIT]]
            if len(lines) > LIMIT:
                out.append(f"{kind}: and {len(lines) - LIMIT} more")
        return out

    def sets(self, kind: str, wanted: Iterable[Any], have: Iterable[Any]) -> None:
        """Every wanted thing exactly once, and nothing else."""
        want, got = Counter(list(wanted)), Counter(list(have))
        self.checked[kind] += len(want)
        for x in (want - got).elements():
            self.add(kind, f"lost {x}")
        for x in (got - want).elements():
            self.add(kind, f"{'doubled' if x in want else 'unexpected'} {x}")

    def values(self, kind: str, wanted: Mapping[Any, Any], have: Mapping[Any, Any]) -> None:
        """Same keys, same values."""
        self.checked[kind] += len(wanted)
        for key in wanted.keys() - have.keys():
            self.add(kind, f"lost {key}")
        for key in have.keys() - wanted.keys():
            self.add(kind, f"unexpected {key}")
        for key in wanted.keys() & have.keys():
            if what := unlike(wanted[key], have[key]):
                self.add(kind, f"differs {key}: {', '.join(what)}")


def unlike(a: Any, b: Any, path: str = "") -> list[str]:
    """Names of the fields that differ, never their values."""
    if isinstance(a, dict) and isinstance(b, dict):
        out = []
        for k in sorted(a.keys() | b.keys()):
            out += unlike(a.get(k), b.get(k), f"{path}.{k}".lstrip("."))
        return out
    if path.rsplit(".", 1)[-1] == "embedding":
        return [] if _near(a, b) else [path]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and path.endswith(("candidates", "old")):
        return [x for i, (p, q) in enumerate(zip(a, b, strict=True)) for x in unlike(p, q, f"{path}.{i}")]
    return [] if a == b else [path or "value"]


def _near(a: Any, b: Any) -> bool:
    """Equal up to rounding; zeros stand for any vector of that length (the oracle did not compute it)."""
    if not a or not b:
        return bool(a) == bool(b)
    x, y = (np.frombuffer(base64.b64decode(v), dtype=np.float16).astype(np.float32) for v in (a, b))
    return x.shape == y.shape and (not x.any() or not y.any() or bool(np.abs(x - y).max() <= _VECTOR_TOLERANCE))


def topic_records(
    d: Differences, topic: Topic, step: str, wanted: Log, have: Log, *, coalesced: bool = False, part: bool = False
) -> None:
    """A step's share of a topic, partition by partition: after dropping what was redelivered, the same records in the
    same order. Where the topic is compacted, or the step sends only the last of several values, some may be missing:
    only such as a later one of the same key replaces. Markers and ticks are not counted. `part`: of some owners, so
    that a place among what one tick sent to all of them says nothing."""
    kind = f"topic {topic.name} by {step}"
    # Every record of a kept log has a key of its own: nothing of it may be missing, sent again or not.
    compacts = topic.cleanup is not Cleanup.DELETE and topic.name not in KEPT_LOGS
    thinned = coalesced or compacts
    for place, found in have.items():
        want = _of(step, wanted.get(place, []), part)
        raw = [m for m in found if _from(step, m)]
        got = _of(step, raw, part)
        d.checked[kind] += len(want)
        _compare(d, kind, place[1], want, got, thinned)
        if compacts:
            d.thinned += 0 if coalesced else len(want.keys() - got.keys())
            nulled = [m for m in found if _from(step, m) or (m.value is None and source_of(m) is None)]
            _last_by_key(d, f"{kind}, compacted", place[1], wanted.get(place, []), nulled)


def _compare(
    d: Differences, kind: str, partition: int, want: dict[Any, bytes | None], got: dict[Any, bytes | None],
    thinned: bool,
) -> None:  # fmt: skip
    for src in got.keys() - want.keys():
        d.add(kind, f"partition {partition}: unexpected {src}")
    if not thinned:
        for src in want.keys() - got.keys():
            d.add(kind, f"partition {partition}: lost {src}")
    both = [src for src in want if src in got]
    # A step's partitions write side by side: order is that of each of them.
    for source in dict.fromkeys(src[0] for src in both):
        if [s for s in got if s in want and s[0] == source] != [s for s in both if s[0] == source]:
            d.add(kind, f"partition {partition}: another order of {source}")
    for src in both:  # the oracle ran over the same offsets
        if what := unlike(_json(want[src]), _json(got[src])):
            d.add(kind, f"partition {partition}: differs {src}: {', '.join(what)}")


def _last_by_key(d: Differences, kind: str, partition: int, want: Sequence[Message], raw: Sequence[Message]) -> None:
    """What compaction keeps in the end is the last record of a key: it must be the newest, redelivered or not. What
    the eraser takes out behind the step is the step's key."""
    newest = {m.key: m for m in want if not _plumbing(m)}
    mine = {m.key for m in raw if source_of(m) is not None}
    last = {m.key: m for m in raw if not _plumbing(m) and m.key in mine}
    d.checked[kind] += len(newest)
    for key in newest.keys() | last.keys():
        a, b = newest.get(key), last.get(key)
        if a is None or b is None:
            d.add(kind, f"partition {partition}: {'unexpected' if a is None else 'lost'} key {key!r}")
        elif what := unlike(_json(a.value), _json(b.value)):
            d.add(kind, f"partition {partition}: key {key!r} ends at {source_of(b)}: {', '.join(what)}")


def _of(step: str, records: Sequence[Message], part: bool) -> dict[Any, bytes | None]:
    mine = [m for m in records if _from(step, m)]
    results = [m for m in without_redelivered(mine) if not _plumbing(m)]
    return {_place(m) if part else source_of(m): m.value for m in results}


def _place(m: Message) -> Any:
    """The record that it comes from, and its key: in a kept log without what sending it has added."""
    source, key = source_of(m), m.key
    if key is not None and m.topic in KEPT_LOGS:
        key = _SENDING.sub(b"", key)
    return None if source is None else (*source[:2], key)


def _from(step: str, m: Message) -> bool:
    src = source_of(m)
    return src is not None and src[0].split("/", 1)[0] == step


def _plumbing(m: Message) -> bool:
    return (header(m.headers, "ce_type") or b"") in (b"memstream.marker.v1", b"memstream.tick.v1")


def _json(value: bytes | None) -> Any:
    return None if value is None else orjson.loads(value)


def dead_letters(d: Differences, expected: Sequence[Message], have: Log) -> None:
    """Redelivered dead letters are one; none may be there that the oracle has not."""
    wanted = {_cause(m) for m in expected}
    found = {_cause(m) for records in have.values() for m in records}
    d.sets("dead letters", wanted, found)


def _cause(m: Message) -> tuple[str, ...]:
    names = ("step", "source_topic", "source_partition", "source_offset", "reason")
    return tuple((header(m.headers, n) or b"").decode() for n in names)
