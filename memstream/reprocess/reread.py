"""Which stored turns an older version of the reader read, and what becomes of their memories when the current one reads
them again (reprocess read). Pure.

docs/decisions/2026-11-30-reread.md says what is restated, and what people wrote, corrected or confirmed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from processors.memory.readings import confirmed_by_people, made_by
from processors.memory.restate import LEARNED
from processors.memory.rows import KeptReading
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import Event
from schemas.log.owner import Owner, OwnerKind

EXAMPLES = 5
"""Record ids named for each group."""
MARGIN = timedelta(days=1)
"""A turn whose reading the gate forgets sooner is left alone: behind that it would count as read for the first time."""
What = Literal["kept", "reworded", "retired", "new", "ended", "holds_again"]
Turns = dict[Owner, list[ScreenedTurn]]
Records = Mapping[str, MemoryUpdate]
"""Record id -> its version that is active or observed."""


@dataclass(frozen=True, slots=True)
class Only:
    """Whose turns are read; None: everybody's."""

    tenant: str | None = None
    user: str | None = None

    def takes(self, owner: Owner) -> bool:
        return self.tenant in (None, owner.tenant) and self.user in (None, owner.id)


@dataclass(slots=True)
class Findings:
    """What was found. `turns`: stored turns of users; `older`: those that an older version read. `left`: why -> turns
    or memories that stay as they are."""

    turns: int = 0
    older: int = 0
    groups: Counter[tuple[What, str, str, str]] = field(default_factory=Counter)
    examples: dict[tuple[What, str, str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    left: Counter[str] = field(default_factory=Counter)

    def add(self, change: Change) -> None:
        group = (change.what, change.kind, change.field, "+".join(change.parts))
        self.groups[group] += 1
        if len(self.examples[group]) < EXAMPLES:
            self.examples[group].append(change.record_id)

    def as_json(self) -> dict[str, Any]:
        return {
            "turns": self.turns, "older": self.older,
            "left": {why: n for why, n in sorted(self.left.items()) if n},
            "memories": [
                {"what": w, "kind": k, "field": f or None, "differs": p.split("+") if p else [], "records": n,
                 "examples": self.examples[w, k, f, p]}
                for (w, k, f, p), n in sorted(self.groups.items())
            ],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one record. `parts`: what else than its words differs."""

    what: What
    record_id: str
    kind: str
    field: str
    parts: tuple[str, ...] = ()


def turns_of(rows: Iterable[Event], at: datetime, takes: Callable[[Owner], bool]) -> Turns:
    """The stored turns of each user, in the order in which they came."""
    out: Turns = defaultdict(list)
    for e in rows:
        if isinstance(e, ScreenedTurn) and e.expires_at > at and takes(e.owner):
            out[e.owner].append(e)
    return {owner: sorted(mine, key=lambda t: (t.position, t.turn_id)) for owner, mine in sorted(out.items())}


def older(
    turns: Sequence[ScreenedTurn], readings: Mapping[str, KeptReading], extractor: str, version: int, at: datetime,
    left: Counter[str],
) -> list[ScreenedTurn]:  # fmt: skip
    """The user's own turns that an older version of the extractor read. `readings`: by turn id, from the gate's
    state."""
    out = []
    for turn in turns:
        if turn.role != "user":
            continue
        kept = readings.get(turn.turn_id)
        read_by = None if kept is None else kept.reading.versions.get(extractor)
        if kept is None or read_by is None:
            left["not_read_yet"] += 1
        elif read_by < version and kept.until - at < MARGIN:
            left["forgotten_soon"] += 1
        elif read_by < version:
            out.append(turn)
    return out


def without_turns(rows: Iterable[Event], turns: Turns, extractor: str, version: int,
                  takes: Callable[[Owner], bool]) -> int:  # fmt: skip
    """Memories of an older version whose turns are stored no more, and that nobody wrote, corrected or confirmed."""
    stored = {(owner.key, t.turn_id) for owner, mine in turns.items() for t in mine}
    return sum(
        isinstance(u, MemoryUpdate) and u.owner_kind is OwnerKind.USER and u.kind in LEARNED and takes(u.owner)
        and u.op == "upsert" and u.state in ("active", "observed") and _read_before(u, extractor, version)
        and not confirmed_by_people(u) and not any((u.owner.key, s.turn_id) in stored for s in u.sources)
        for u in rows
    )  # fmt: skip


def _read_before(u: MemoryUpdate, extractor: str, version: int) -> bool:
    number = (u.extractor or "").rpartition("@")[2]
    return made_by(u) == extractor and number.isdecimal() and int(number) < version


def changes(before: Records, after: Records, turns: Collection[str]) -> Iterator[Change]:
    """What the gate makes of a user's records when these turns are read again."""
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        u = old if new is None else new
        if u is None or u.kind not in LEARNED:
            continue
        cited = old is not None and any(s.turn_id in turns for s in old.sources)
        what, parts = _change(old, new, turns, cited=cited)
        if what != "kept" or cited:
            label = u.field or "+".join(u.fields) or u.episode_type or ""
            yield Change(what, name, u.kind, label, parts)


def _change(
    old: MemoryUpdate | None, new: MemoryUpdate | None, turns: Collection[str], *, cited: bool
) -> tuple[What, tuple[str, ...]]:
    if new is None:
        return ("retired" if cited else "ended"), ()
    if old is None:
        return ("new" if any(s.turn_id in turns for s in new.sources) else "holds_again"), ()
    parts = tuple(name for name in ("kind", "state", "confidence") if getattr(old, name) != getattr(new, name))
    same = _words(old) == _words(new)
    return ("kept" if same else "reworded"), parts


def _words(u: MemoryUpdate) -> tuple[Any, ...]:
    return u.field, u.fields, u.negated, u.sealed.text, u.sealed.value
