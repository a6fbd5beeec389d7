"""What of a profile must fit together, beyond the types of its keys. Each message begins with the key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, get_args

from schemas.events.memory import MemoryKind
from schemas.profile.patterns import groups as captured
from schemas.profile.pii_policy import CREDENTIAL, CREDENTIAL_ACTIONS, ENTITIES, PiiAction
from schemas.profile.slots import OPEN_SLOTS, SLOTS

if TYPE_CHECKING:
    from schemas.profile.model import FieldSpec, HabitSpec, HotKey, Profile, RetentionSpec, SessionSpec, TableSpec

RESERVED_TABLES = frozenset(
    {
        "turns", "memories", "decisions", "sessions", "checkpoints", "progress", "accesses", "archive", "ai_message",
        "conversation_history", "project_memory", "weekly_reports", "episodic_events", "knowledge_chunks",
        "user_preferences", "turns_pkey", "turns_session", "turns_project", "turns_expiry", "memories_pkey",
        "memories_owner", "memories_user", "memories_project_items", "memories_tables", "memories_also",
        "memories_expiry", "decisions_pkey", "decisions_turn", "decisions_record", "decisions_time", "sessions_pkey",
        "sessions_updated", "checkpoints_pkey", "progress_pkey",
        "archive_pkey", "archive_owner",
    }
)  # fmt: skip
"""Relations of a generation: Postgres has one space for tables, views and indexes."""
OWN_COLUMNS = frozenset({"tenant", "record_id", "user_id", "key", "revision", "created_at", "updated_at"})
"""Columns that every structured table has from the engine."""


def check(p: Profile) -> None:
    """Raises ValueError naming the key and what is allowed."""
    once("namespaces", p.namespaces)
    once("categories", (c.name for c in p.categories))
    once("hot_keys", (f"{h.type}/{h.key}" for h in p.hot_keys))
    once("intents", (i.name for i in p.intents))
    once("projects", (x.id for x in p.projects))
    if silent := next((x.id for x in p.projects if not x.aliases and x.time_zone is None), None):
        raise ValueError(f"projects.{silent}.aliases: must have at least one entry where there is no time_zone")
    slots = SLOTS | {slot for w in p.wordings for slot in w.slots()}
    check_fields(p.fields, p.groups, slots)
    for key, names in p.session.user_snapshot.items():
        if unknown := [n for n in names if p.field(n) is None]:
            raise ValueError(f"session.user_snapshot.{key}: no such field {unknown[0]!r}")
    check_lexicon(p.lexicon, slots)
    check_hot_keys(p.hot_keys)
    check_each(p.hot_keys)
    check_retention(p.retention, p.namespaces)
    check_tables(p.tables, p.namespaces, {f.name for f in p.fields})
    check_intents(p)
    check_habits(p.habits)
    check_anchors(p.session)
    check_pii(p.pii)
    check_sections(p)


def once(key: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{key}: named twice: {name}")
        seen.add(name)


def check_sections(p: Profile) -> None:
    allowed = ", ".join(type(p.context)().sections)
    for i, name in enumerate(p.context.sections):
        if name in p.context.sections[:i]:
            raise ValueError(f"context.sections: named twice: {name}; allowed, each once: {allowed}")
    if "user_profile" not in p.context.sections:  # A8
        raise ValueError(
            f"context.sections: must hold user_profile, where hot memory always stands; allowed, each once: {allowed}"
        )


def listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def check_fields(fields: Sequence[FieldSpec], groups: Sequence[str], slots: Set[str]) -> None:
    once("fields", (f.name for f in fields))
    at: dict[str, str] = {}
    for f in fields:
        where = f"fields.{f.name}"
        if f.path is not None:
            group, _, leaf = f.path.partition(".")
            if group not in groups or not leaf:
                raise ValueError(f"{where}.path: must be GROUP.FIELD; group must be one of {', '.join(groups)}")
            if f.path in at:
                raise ValueError(f"{where}.path: {f.path} is also of fields.{at[f.path]}")
            at[f.path] = f.name
        if f.slot is not None and f.slot not in slots and not f.slot.startswith(OPEN_SLOTS):
            raise ValueError(f"{where}.slot: must be one of {listed(slots)}, or begin with {' or '.join(OPEN_SLOTS)!r}")
        if unknown := [name for pattern in f.patterns for name in captured(pattern) - {"value"}]:
            raise ValueError(f"{where}.patterns: no such group {unknown[0]!r}; allowed: value")
        if f.asked and (f.kind != "preference" or any(captured(pattern) != {"value"} for pattern in f.asked)):
            raise ValueError(f"{where}.asked: only of a preference, and each needs one group, (?P<value>...)")
        if f.by_project is not None and f.many:
            raise ValueError(f"{where}.by_project: of a field with one value in a project (many = false)")
        if unknown := [v for v in f.aliases if f.values and v not in f.values]:
            raise ValueError(f"{where}.aliases: {unknown[0]!r} is not one of its values: {', '.join(f.values)}")
        if f.reading is not None and f.reading.baseline not in {None, *(x.name for x in fields)}:
            raise ValueError(f"{where}.reading.baseline: must be one of {listed(x.name for x in fields)}")


def check_lexicon(named: Iterable[str], slots: Set[str]) -> None:
    if unknown := set(named) - slots:
        raise ValueError(f"lexicon.{min(unknown)}: no such slot; allowed: {listed(slots)}")


def check_hot_keys(keys: Sequence[HotKey]) -> None:
    names = {h.key for h in keys}
    for h in keys:
        if h.each is not None and any(captured(pattern) for pattern in h.patterns):
            raise ValueError(f"hot_keys.{h.key}.patterns: with 'each' none has a group with a name")
        if h.each is None and any(captured(pattern) != {"value"} for pattern in h.patterns):
            raise ValueError(f"hot_keys.{h.key}.patterns: each needs one group, (?P<value>...)")
        if h.ratio_of and (len(h.ratio_of) != 2 or not names.issuperset(h.ratio_of)):
            raise ValueError(f"hot_keys.{h.key}.ratio_of: must be two of {listed(names)}")


def check_each(keys: Sequence[HotKey]) -> None:
    for h in keys:
        if h.each is None:
            continue
        if h.type != "status" or h.ratio_of:
            raise ValueError(f"hot_keys.{h.key}.each: only a status without ratio_of has several")
        if captured(h.each) != {"which"}:
            raise ValueError(f"hot_keys.{h.key}.each: must have the group 'which', and no other")


NOT_A_USERS = frozenset({"hot", "report", "chunk", "rejection"})
"""Kinds that no class ends: a project's and a document's go with these, a rejection with the account."""


def check_retention(spec: RetentionSpec, namespaces: Sequence[str]) -> None:
    known = {*namespaces, *get_args(MemoryKind)} - NOT_A_USERS
    for name in spec.classes:
        if name not in known:
            raise ValueError(f"retention.classes.{name}: must be a namespace or a user's kind: {listed(known)}")
    for name in spec.on_expiry:
        if name not in spec.classes:
            raise ValueError(f"retention.on_expiry.{name}: must be one of retention.classes: {listed(spec.classes)}")


def check_intents(p: Profile) -> None:
    unique = {t.name: {c.name for c in t.columns} for t in p.tables if t.unique}
    for intent in p.intents:
        where = f"intents.{intent.name}"
        if intent.table is not None and intent.table not in unique:
            raise ValueError(f"{where}.table: must be one of {listed(unique)}, the tables of one row a user")
        columns = unique.get(intent.table or "", set())
        if missing := set(intent.table_columns) - columns:
            raise ValueError(f"{where}.table_columns: no column {min(missing)!r}; there are: {listed(columns)}")


PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening"})


def check_habits(spec: HabitSpec) -> None:
    keys = {spec.action, *spec.usual, *spec.times}
    for statement in spec.said:
        where = f"habits.said.{statement.key}"
        if statement.key not in keys:
            raise ValueError(f"{where}: must be habits.action or one of habits.usual and times: {listed(keys)}")
        if statement.key in spec.times:
            if not all(_names_a_time(captured(p)) for p in statement.patterns):
                raise ValueError(
                    f"{where}.patterns: each needs the group hour, and may have minute and pm, or has groups of "
                    f"{listed(PARTS_OF_DAY)}"
                )
        elif statement.value is None and any(captured(pattern) != {"value"} for pattern in statement.patterns):
            raise ValueError(f"{where}.patterns: without a value each needs one group, (?P<value>...)")


def _names_a_time(groups: Set[str]) -> bool:
    if "hour" in groups:
        return groups <= {"hour", "minute", "pm"}
    return bool(groups) and groups <= PARTS_OF_DAY


def check_anchors(spec: SessionSpec) -> None:
    once("session.anchors", (a.name for a in spec.anchors))
    for anchor in spec.anchors:
        if any(captured(pattern) != {"value"} for pattern in anchor.patterns):
            raise ValueError(f"session.anchors.{anchor.name}.patterns: each needs one group, (?P<value>...)")


def check_pii(actions: Mapping[str, PiiAction]) -> None:
    """The policy as the screen will have it: one that it cannot have would stop the stream, an entity that is never
    found would leave what was meant as it is."""
    if unknown := set(actions) - ENTITIES:
        raise ValueError(f"pii.{min(unknown)}: no such entity; allowed: {listed(ENTITIES)}")
    if actions.get(CREDENTIAL, PiiAction.REFUSE) not in CREDENTIAL_ACTIONS:
        raise ValueError(f"pii.{CREDENTIAL}: must be one of {listed(CREDENTIAL_ACTIONS)}")


def check_tables(tables: Sequence[TableSpec], namespaces: Sequence[str], fields: Set[str]) -> None:
    once("tables", (t.name for t in tables))
    seen: dict[str, str] = {}
    for table in tables:
        where = f"tables.{table.name}"
        _check_columns(table, where, fields)
        if table.namespace not in namespaces:
            raise ValueError(f"{where}.namespace: must be one of {', '.join(namespaces)}")
        if ("{id}" in table.key) == table.unique:
            raise ValueError(f"{where}.key: must hold {{id}} exactly where the table has many rows a user")
        own = (table.name, f"{table.name}_user", f"{table.name}_pkey")  # the engine's indexes of the table
        for name in (*own, f"{table.namespace}/{table.key}", *table.indexes):
            if name in seen:
                raise ValueError(f"{where}: {name!r} is also of tables.{seen[name]}")
            seen[name] = table.name


def check_names(tables: Sequence[TableSpec]) -> None:
    """Of a profile that somebody gives. One that is in force may have a name that the engine has taken since."""
    for table in tables:
        where = f"tables.{table.name}"
        if table.name in RESERVED_TABLES:
            raise ValueError(f"{where}.name: is taken by a view of the engine; taken are {listed(RESERVED_TABLES)}")
        if taken := sorted(RESERVED_TABLES.intersection(table.indexes)):
            raise ValueError(f"{where}.indexes.{taken[0]}: is taken by a view of the engine")


def _check_columns(table: TableSpec, where: str, fields: Set[str]) -> None:
    once(f"{where}.columns", (c.name for c in table.columns))
    own = {c.name: c for c in table.columns}
    if taken := own.keys() & OWN_COLUMNS:
        raise ValueError(f"{where}.columns.{min(taken)}: every table has it; taken are {listed(OWN_COLUMNS)}")
    columns = {*own, "user_id", "created_at", "updated_at"}
    c = table.cases
    named = {f"indexes.{i}": over for i, over in table.indexes.items()}
    named |= {"store_columns": table.store_columns, "search_columns": table.search_columns}
    named |= {"store_names": tuple(table.store_names)}
    named |= {"cases": tuple(n for n in (c.rating, c.comment, c.adopted, c.outcome) if n)}
    for key, over in named.items():
        if missing := [n for n in over if n not in columns]:
            raise ValueError(f"{where}.{key}: no column {missing[0]!r}; there are: {listed(columns)}")
    for column in table.columns:
        if unknown := [f for f in column.fields if f not in fields]:
            raise ValueError(f"{where}.columns.{column.name}.fields: no field {unknown[0]!r} in the catalogue")
    rated = own.get(c.rating or "")
    if rated is not None and rated.values and (wrong := [r for r in c.ratings.values() if r not in rated.values]):
        raise ValueError(f"{where}.cases.ratings: {wrong[0]!r} is not a value of {rated.name}: {listed(rated.values)}")
