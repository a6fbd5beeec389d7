"""Structured tables in the gate (C2, C3, C6): one row a record of kind `table`, and beside it the store's item.

Both leave the gate in one transaction, made of one row: they are two views of one log. A row changes by a caller's
partial update (a store item of the table's namespace, or the table's own endpoint), by what is said in conversation
(columns with `fields`), and by feedback. Bound: `max_rows` rows a user and table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from processors.memory import column_provenance
from processors.memory.column_provenance import Timed
from processors.memory.emit import because, deleted, plain_decision, update
from processors.memory.index import Slot, values_of
from processors.memory.rules import RATING_IMPORTANCE, bounded
from processors.memory.store import UserMemoryStore
from processors.memory.versions import Encode
from processors.step import Emit
from schemas.base import Json
from schemas.events.envelope import SourceTurn
from schemas.events.memory import Feedback, MemoryBody, MemoryCommand, MemoryUpdate, Reason, StoreItem, TableRow
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind
from schemas.profile.model import Profile, TableColumn, TableSpec
from schemas.profile.tables import (
    ColumnError,
    Place,
    at_id,
    at_key,
    checked,
    created_at,
    place_of,
    search_text,
    shown,
    table_named,
)

SOURCES = 20
"""Citations of a row: the newest."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A partial update of one row. `created`: the time that a new row names for itself. `said`: it follows from
    facts; else a caller wrote it."""

    place: Place
    columns: Mapping[str, Json]
    reason: Reason
    created: datetime | None = None
    sources: tuple[SourceTurn, ...] = ()
    importance: float = 0.0
    said: bool = False


class TableGate:
    """The tables of one user."""

    def __init__(
        self, owner: Owner, store: UserMemoryStore, profile: Profile, at: datetime, encode: Encode, model_id: str
    ) -> None:
        self._owner = owner
        self._store = store
        self._profile = profile
        self._at = at
        self._encode = encode
        self._model_id = model_id

    def takes(self, m: MemoryCommand) -> Place | None:
        """The row that a store command is about."""
        if m.command not in ("put_item", "delete_item") or m.key is None:
            return None
        return place_of(self._profile, m.namespace, m.key)

    def command(self, m: MemoryCommand, place: Place, refused: str | None) -> list[Emit]:
        """A partial update or deletion of a row. `refused`: the entity in it that policy refuses (D5)."""
        if self._store.applied(f"command/{m.command_id}", self._at):
            return []
        if refused is not None:
            return [self._decided(m.command_id, because("refused", "pii", refused), None)]
        if m.command == "delete_item":
            return self._delete(m, place)
        value = m.sealed.value if isinstance(m.sealed.value, dict) else {}
        try:
            columns, created = checked(place.spec, value), created_at(place.spec, value)
        except ColumnError:
            return [self._decided(m.command_id, because("refused", "command", "column"), None)]
        if self._full(place):
            return [self._decided(m.command_id, because("refused", "command", "table_full"), None)]
        change = _Change(place, columns, because("kept", "command", "row"), created or m.occurred_at)
        out = self._apply(change)
        return [*out, self._decided(m.command_id, change.reason, self._row(place))]

    def said(self, emitted: Iterable[Emit]) -> list[Emit]:
        """Columns that catalogue fields fill, after records of this user changed (C3): what was said since a caller
        wrote the column. A value that went leaves what was written."""
        fed = [(t, c) for t in self._profile.tables if t.unique for c in t.columns if c.fields]
        if not fed:
            return []
        touched: dict[str, list[SourceTurn]] = {}
        for u in (e.event for e in emitted if isinstance(e.event, MemoryUpdate)):
            if u.kind in ("fact", "intent", "preference") and u.scope == "global":
                for name in (u.field, *u.fields):
                    touched.setdefault(name or "", []).extend(u.sources)
        out: list[Emit] = []
        for spec in {t.name: t for t, _ in fed}.values():
            columns = [c for t, c in fed if t.name == spec.name and set(c.fields) & touched.keys()]
            if columns:
                cited = [s for c in columns for f in c.fields for s in touched.get(f, [])]
                out += self._fill(spec, columns, cited)
        return out

    def _fill(self, spec: TableSpec, columns: Sequence[TableColumn], cited: Sequence[SourceTurn]) -> list[Emit]:
        place = at_id(spec, "")
        row, provenance = self._values(place), column_provenance.of(self._row(place))
        wanted: dict[str, Json] = {}
        for column in columns:
            try:
                shown = column_provenance.shown(column, provenance.get(column.name), self._said_of(column))
                found = checked(spec, {column.name: shown})[column.name]
            except ColumnError:
                continue  # said, but not of the column's type: the fact stands, the column keeps what it has
            if row.get(column.name) != found:
                wanted[column.name] = found
        if not wanted:
            return []
        reason = because("kept", "extraction", "row_said")
        return self._apply(_Change(place, wanted, reason, sources=tuple(cited), said=True))

    def _said_of(self, column: TableColumn) -> list[Timed]:
        """What standing records say of a column, in the order in which they became known."""
        values: list[tuple[datetime, Timed]] = []
        for name in column.fields:
            for kind in ("fact", "intent", "preference"):
                for holder in self._store.holders(Slot(kind, "global", "", name)):
                    at = column_provenance.stated_at(holder)
                    values.append((holder.known_at, Timed(at, values_of(holder).get(name))))
        return [v for _, v in sorted(values, key=lambda p: p[0]) if v.value is not None]

    def _written(self, c: _Change, row: TableRow | None) -> dict[str, Timed]:
        """What callers wrote to a user's one row, this change included: it replaces all that stands, also what a clock
        dated ahead of it."""
        provenance = column_provenance.of(row)
        columns = () if c.said else [x for x in c.place.spec.columns if x.name in c.columns]
        for column in columns:
            at = max([self._at, *(s.at for s in self._said_of(column))])
            provenance[column.name] = Timed(at, c.columns[column.name])
        return provenance

    def named(self, name: str) -> TableRow | None:
        """The row of a record id (its own, or its store item's), of a store key, or of the id that callers know."""
        match self._store.get(name):
            case TableRow(category=table, key=key) | StoreItem(extractor="table", category=str(table), key=str(key)):
                spec = table_named(self._profile, table)
                return None if spec is None else self._row(Place(spec, key, key))
        keys = (at_key(spec, name) for spec in self._profile.tables)
        ids = (at_id(spec, name) for spec in self._profile.tables if not spec.unique)
        rows = (self._row(p) for p in (*keys, *ids) if p is not None)
        return next((r for r in rows if r is not None), None)

    def judged(self, f: Feedback, row: TableRow) -> list[Emit]:
        """Feedback on a suggestion: the columns that the profile names, and the importance of the case (C6)."""
        spec = table_named(self._profile, row.category)
        if spec is None:
            return []
        c, columns = spec.cases, dict[str, Json]()
        if c.rating and f.rating in c.ratings:
            columns[c.rating] = c.ratings[f.rating]
        if c.comment and f.sealed.comment:
            columns[c.comment] = f.sealed.comment
        if c.adopted and f.adopted is not None:
            columns[c.adopted] = f.adopted
        if c.outcome and f.sealed.outcome:
            columns[c.outcome] = f.sealed.outcome
        weight = RATING_IMPORTANCE.get(f.rating or "neutral", 0.0)
        rule = f"rating_{f.rating}" if f.rating else "adopted" if f.adopted else "comment"
        reason = because("kept", "feedback", rule)
        place = Place(spec, row.key, row.key)
        out = self._apply(_Change(place, columns, reason, importance=weight))
        return [*out, self._decided(f"{f.feedback_id}/{row.record_id}", reason, self._row(place))]

    def _apply(self, c: _Change) -> list[Emit]:
        old = self._row(c.place)
        before = self._values(c.place)
        merged = {k: v for k, v in {**before, **c.columns}.items() if v is not None}
        attributes = column_provenance.attributes(self._written(c, old), merged) if c.place.spec.unique else {}
        name = self._id(c.place)
        created = old.occurred_at if old is not None else c.created or self._at
        cited = {s.turn_id: s for s in (*(old.sources if old else ()), *c.sources)}
        importance = bounded((old.importance if old else 0.5) + c.importance)
        row = TableRow(
            tenant=self._owner.tenant, owner_kind=OwnerKind.USER, owner_id=self._owner.id, record_id=name,
            revision=self._store.next_numbers(name)[1], state="active", reason=c.reason,
            category=c.place.spec.name, namespace=(c.place.spec.namespace, self._owner.id), key=c.place.key,
            importance=importance, confidence=Decimal(1), user_id=self._owner.id, occurred_at=created,
            valid_from=created, known_at=self._at, last_accessed_at=self._at,
            sources=tuple(cited.values())[-SOURCES:], extractor="table", profile=self._profile.name,
            profile_version=self._profile.version, sealed=MemoryBody(value=merged, attributes=attributes),
        )  # fmt: skip
        self._store.put(row)
        return [update(row), *self._item(c.place, row)]

    def _item(self, place: Place, row: TableRow) -> list[Emit]:
        """The store's view of a row: what the profile shows there, and the text by which it is found."""
        values = dict(row.sealed.value) if isinstance(row.sealed.value, dict) else {}
        text = search_text(place.spec, values)
        terms, embedding = self._encode(text) if text else ((), b"")
        name = record_id(self._owner, "item", list(row.namespace), place.key)
        value = shown(place.spec, values, row.occurred_at, row.known_at)
        fields = {
            "record_id": name, "revision": self._store.next_numbers(name)[1], "kind": "item",
            "model_id": self._model_id if embedding else "",
            "sealed": MemoryBody(text=text, value=value, terms=terms, embedding=embedding),
        }  # fmt: skip
        item = StoreItem.model_construct(**{**row.__dict__, **fields})
        self._store.put(item)
        return [update(item)]

    def _delete(self, m: MemoryCommand, place: Place) -> list[Emit]:
        reason = because("retired", "command", "row")
        items = record_id(self._owner, "item", [place.spec.namespace, self._owner.id], place.key)
        found = [r for r in (self._store.get(self._id(place)), self._store.get(items)) if r is not None]
        out: list[Emit] = []
        for record in found:
            deletion = deleted(record, revision=record.revision + 1, reason=reason, sealed=MemoryBody(), sources=())
            self._store.remove(deletion)
            out.append(update(deletion))
        outcome_reason = reason if found else because("skipped", "command", "unknown_memory")
        return [*out, self._decided(m.command_id, outcome_reason, found[0] if found else None)]

    def _full(self, place: Place) -> bool:
        """No room for a row that is not there yet."""
        if place.spec.unique or self._row(place) is not None:
            return False
        return self._store.rows_of(place.spec.name) >= place.spec.max_rows

    def _row(self, place: Place) -> TableRow | None:
        row = self._store.get(self._id(place))
        return row if isinstance(row, TableRow) else None

    def _values(self, place: Place) -> dict[str, Json]:
        row = self._row(place)
        return dict(row.sealed.value) if row is not None and isinstance(row.sealed.value, dict) else {}

    def _id(self, place: Place) -> str:
        return record_id(self._owner, "table", place.spec.name, place.key)

    def _decided(self, name: str, reason: Reason, row: MemoryUpdate | None) -> Emit:
        return plain_decision(self._owner, name, "table", reason, row, self._at)
