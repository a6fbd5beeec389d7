"""What the gate of now would hold beside what stands, and the amendments that bring one to the other (regate). Pure.

docs/decisions/2026-11-22-another-model-another-gate.md says what is compared, and what never comes back.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import orjson

from memstream.reprocess.amend_log import amendment
from processors.memory.emit import because, changed
from processors.memory.index import since
from processors.memory.rejections import bars
from processors.memory.restate import LEARNED
from processors.memory.retention import UNSAID_RULE
from processors.memory.rows import RECORDS, REJECTIONS, TAILS, Rejection
from processors.memory.source_positions import ReadAt
from processors.memory.versions import VERSIONED
from processors.pii.redact import Redaction
from processors.pii.redacted_values import RedactedValues
from processors.pii.stored_texts import record_of, texts_of
from schemas.events.amendments import Amendment
from schemas.events.memory import MemoryUpdate, parse
from schemas.log.codec import Event
from schemas.log.owner import Owner, OwnerKind

RULE = "regated"
EXAMPLES = 5
"""Record ids told of each group of differences."""
What = Literal["added", "changed", "retired"]
Name = tuple[str, str]
"""Owner key and record id."""
Versions = dict[int, MemoryUpdate]
Redact = Callable[[Sequence[str], Sequence[str]], Sequence[Redaction]]
"""(tenants, texts) -> redactions under each tenant's policy."""
_COMPARED = (
    "state", "field", "fields", "scope", "category", "episode_type", "importance", "confidence", "source", "negated",
    "approximate", "project_id", "language", "occurred_at", "valid_from", "valid_to",
)  # fmt: skip
_TEXTS = ("text", "value", "attributes")


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the gate's state says of one user. `known`: ids of records that are or were active; `read_at`: record id ->
    where the gate of now has read it."""

    rejections: Collection[Rejection] = ()
    known: Collection[str] = ()
    read_at: Mapping[str, ReadAt] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Mapping[str, bytes], read_at: Mapping[str, ReadAt]) -> Remembered:
        """`rows`: all of the user's in the gate's state. Raises UnreadableRow."""
        rejections = [REJECTIONS.format.decode(v) for k, v in rows.items() if k.startswith(REJECTIONS.prefix)]
        tables = (RECORDS.prefix, TAILS.prefix)
        return cls(rejections, {k.removeprefix(t) for t in tables for k in rows if k.startswith(t)}, read_at)


@dataclass(frozen=True, slots=True)
class Difference:
    """One record. `revision`: its newest one that stands, 0 for none; `parts`: what differs; `versions`: those to be
    written, the one that is to stand last."""

    owner: Owner
    record_id: str
    kind: str
    field: str
    what: What
    parts: tuple[str, ...]
    revision: int
    versions: tuple[MemoryUpdate, ...]

    @property
    def name(self) -> Name:
        return self.owner.key, self.record_id


@dataclass(slots=True)
class Findings:
    """What was found. `left`: why -> records that differ and stay as they are."""

    looked_at: int = 0
    groups: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str, str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    left: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0

    def add(self, d: Difference) -> None:
        group = (d.what, d.kind, d.field, "+".join(d.parts))
        self.groups[group] += 1
        if len(self.examples[group]) < EXAMPLES:
            self.examples[group].append(d.record_id)

    def as_json(self) -> dict[str, Any]:
        return {
            "looked_at": self.looked_at, "unreadable": self.unreadable,
            "left": {why: n for why, n in sorted(self.left.items()) if n},
            "differences": [
                {"what": w, "kind": k, "field": f or None, "differs": p.split("+") if p else [], "records": n,
                 "examples": self.examples[w, k, f, p]}
                for (w, k, f, p), n in sorted(self.groups.items())
            ],
        }  # fmt: skip


def records(events: Iterable[Event]) -> dict[Name, Versions]:
    """Every version of what users' turns taught."""
    out: dict[Name, Versions] = defaultdict(dict)
    for u in events:
        if isinstance(u, MemoryUpdate) and u.owner_kind is OwnerKind.USER and u.kind in LEARNED:
            out[u.owner.key, u.record_id][u.version] = u
    return out


def differences(new: Mapping[Name, Versions], live: Mapping[Name, Versions]) -> Iterator[Difference]:
    """Records that the replay holds otherwise than what stands."""
    for name in sorted({*new, *live}):
        found = _difference(name, new.get(name, {}), live.get(name, {}))
        if found is not None:
            yield found


def left_alone(d: Difference, live: Versions, stated: Collection[tuple[str, str]], remembered: Remembered,
               hash_key: bytes) -> str | None:  # fmt: skip
    """Why a record stays as it is, None where nothing speaks for that. `stated`: (owner key, turn id) of the ledger."""
    newest = max(live.values(), key=lambda u: u.revision, default=None)
    if newest is None and d.record_id in remembered.known:
        return "deleted"
    # What nobody said again in time may stand under another threshold.
    unsaid = newest is not None and newest.reason.rule == UNSAID_RULE and any(u.state == "active" for u in d.versions)
    if newest is not None and (newest.op == "delete" or newest.state in ("deleted", "archived")) and not unsaid:
        return "deleted"
    if newest is not None and (newest.reason.gate in ("command", "feedback") or newest.extractor == "command"):
        return "the_users_own"
    places = remembered.read_at.get(d.record_id, {})
    if any(bars(remembered.rejections, u, hash_key, places) for u in d.versions if _is_active(u)):
        return "rejected"
    sources = {s.turn_id for u in live.values() for s in u.sources}
    if d.what == "retired" and not any((d.owner.key, turn) in stated for turn in sources):
        return "not_in_the_ledger"
    return None


def screened(found: Sequence[Difference], live: Mapping[Name, Versions], redact: Redact) -> list[Difference]:
    """The same under the policy of now; without those that no longer differ."""
    texts = {(d.owner.tenant, t) for d in found for u in d.versions for t in texts_of(u)}
    pool = sorted(texts)
    clean = dict(zip(pool, redact([t for t, _ in pool], [x for _, x in pool]), strict=True)) if pool else {}
    out = []
    for d in found:
        versions: Versions = dict(live.get(d.name, {}))
        for u in d.versions:
            mine = {t: r for t in texts_of(u) if (r := clean[d.owner.tenant, t]).text != t}
            plain, redacted_values = {t: r.text for t, r in mine.items()}, RedactedValues.of(mine.values())
            versions[u.version] = parse(record_of(u, plain, redacted_values)) if mine else u
        again = _difference(d.name, versions, live.get(d.name, {}))
        if again is not None:
            out.append(again)
    return out


def amendments(d: Difference, at: datetime) -> Iterator[Amendment]:
    """What brings the record about. `at`: when reading began: an erasure after that refuses it."""
    for n, u in enumerate(d.versions):
        record = record_of(u, {})
        digest = hashlib.sha256(orjson.dumps(record, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
        yield amendment(u, "regate", "memory", u.record_id, d.revision + n, record, at, f"{RULE}/{digest}")


def _difference(name: Name, new: Versions, live: Versions) -> Difference | None:
    wanted: list[MemoryUpdate] = []
    parts: set[str] = set()
    for version in sorted({*new, *live}):
        a, b = live.get(version), new.get(version)
        was, then = _content(a), _content(b)
        if was == then:
            continue
        if then is None:
            assert a is not None  # noqa: S101 - its content differs from none
            wanted.append(_retired(a))
        else:
            assert b is not None  # noqa: S101 - it has content
            wanted.append(b)
        if was is not None and then is not None:
            parts |= {k for k in was if was[k] != then[k]}
    if not wanted:
        return None
    had, have = (any(_content(u) is not None for u in side.values()) for side in (live, new))
    what: What = "added" if not had else ("changed" if have else "retired")
    shown = max(wanted, key=lambda u: u.version)
    newest = max((u.revision for u in live.values()), default=0)
    order = sorted(wanted, key=lambda u: (_is_active(u), u.version))
    return Difference(
        shown.owner, shown.record_id, shown.kind, shown.field or "+".join(shown.fields) or shown.episode_type or "",
        what, tuple(sorted(parts)), newest, tuple(order),
    )  # fmt: skip


def _content(u: MemoryUpdate | None) -> dict[str, Any] | None:
    """What of a version is compared; None for one that holds at no time."""
    if u is None or u.op == "delete" or _never(u):
        return None
    fields = {k: getattr(u, k) for k in _COMPARED}
    body = u.sealed.model_dump(mode="json", include=set(_TEXTS))
    return {**fields, **body, "sources": tuple(s.turn_id for s in u.sources)}


def _never(u: MemoryUpdate) -> bool:
    """Retired: it was never true, or is no memory any more."""
    return u.state == "superseded" and (u.kind not in VERSIONED or (u.valid_to is not None and u.valid_to <= since(u)))


def _is_active(u: MemoryUpdate) -> bool:
    return u.op == "upsert" and u.state in ("active", "observed")


def _retired(u: MemoryUpdate) -> MemoryUpdate:
    ended = since(u) if u.kind in VERSIONED else u.valid_to
    return changed(u, state="superseded", valid_to=ended, reason=because("retired", "dedupe", RULE))
