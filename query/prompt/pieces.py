"""What is known, as pieces of a prompt in the order in which they are filled (D15, A8). Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from typing import Any

from query.prompt.distinct import covered, distinct, same_entries
from query.prompt.hot_line import Language, line_of, plain
from query.prompt.layout import Piece
from query.reading.history import line
from query.reading.reading_verdicts import beside_the_usual, values_in
from query.search.changed import changed_on
from query.search.documents import section_of, text_of
from query.views.db import Row
from schemas.profile.model import Intent, Profile

_GROUPS = {
    "en": {"meta": "## Project", "status": "## Status", "decisions": "## Decisions", "preferences": "## Preferences"},
    "zh": {"meta": "## 项目信息", "status": "## 当前状态", "decisions": "## 关键决策", "preferences": "## 偏好"},
}
_LABELS = {
    "decision": "Decision", "task": "Task", "qa": "Q&A", "fact": "Fact", "episode": "Episode", "turn": "Discussion",
    "report": "Report", "intent": "Intent", "preference": "Preference", "relation": "Relation", "item": "Note",
    "pattern": "Habit",
}  # fmt: skip
PROFILE, PREFERENCES, HOT, HABITS = range(4)
"""Order within # User Profile."""


def anchors(given: Mapping[str, Any]) -> list[Piece]:
    return [Piece("anchors", f"- {k}: {plain(v)}", (i,)) for i, (k, v) in enumerate(given.items())]


def hot(groups: Mapping[str, Sequence[Mapping[str, Any]]], language: str) -> list[Piece]:
    """Meta, status, decisions and preferences; within each, the order given (A8)."""
    out = []
    line_language: Language = "zh" if language == "zh" else "en"
    for g, (name, heading) in enumerate(_GROUPS[line_language].items()):
        for i, entry in enumerate(groups.get(name, ())):
            cite = _cite(entry["id"], "hot", entry.get("source_turn_ids", []))
            out.append(Piece("user_profile", line_of(entry, line_language), (HOT, g, i), cite, heading))
    return out


def profile(
    catalogue: Profile, rows: Sequence[Row], stated: Set[str] = frozenset(), usual: Mapping[str, Any] | None = None
) -> tuple[list[Piece], set[str]]:
    """Standing facts of the catalogue but for the fields `stated` elsewhere, and the ids of the records that they came
    from. Values that a field has for each project are one piece (`by_project`). `usual`: field -> value that stands,
    which readings are compared with (C6)."""
    place = {spec.name: i for i, spec in enumerate(catalogue.fields) if spec.path is not None}
    apart = {spec.name: spec.by_project for spec in catalogue.fields if spec.by_project is not None}
    out, used = [], set[str]()
    for name, shown_as in apart.items():
        own = {r["scope"]: r for r in reversed(rows) if r["field"] == name and _holds_in_project(r)}
        if own and name not in stated:
            values = json.dumps({scope: own[scope]["value"] for scope in sorted(own)}, ensure_ascii=False)
            newest = next(r for r in rows if r["record_id"] in {o["record_id"] for o in own.values()})
            order = (PROFILE, place.get(name, len(place)), "")
            out.append(Piece("user_profile", f"- {shown_as}: {values}", order, cited(newest)))
    for row in rows:
        names = [n for n in (row["fields"] or [row["field"]]) if n in place]
        if row["kind"] == "preference" or not names:
            continue
        used.add(row["record_id"])
        if set(names) <= stated or (len(names) == 1 and names[0] in apart and _holds_in_project(row)):
            continue
        # "About 800,000" stays vague (B2), and what is of its time keeps it: the value alone would not.
        timed = (row.get("attributes") or {}).get("time_text") or any(_of_its_time(catalogue, n) for n in names)
        plainly = len(names) == 1 and row["value"] is not None and not row["approximate"] and not timed
        value = row["value"] if plainly else row["text"]
        text = f"- {', '.join(names)}: {plain(value)}{_since(row)}{_judged(catalogue, row, usual or {})}"
        out.append(Piece("user_profile", text, (PROFILE, place[names[0]], row["record_id"]), cited(row)))
    return sorted(out, key=lambda p: p.order), used


def _of_its_time(catalogue: Profile, name: str) -> bool:
    spec = catalogue.field(name)
    return spec is not None and (spec.spells or spec.reading is not None)


def _judged(catalogue: Profile, row: Row, usual: Mapping[str, Any]) -> str:
    """Behind a reading: how it lies to what is usual for the user."""
    zh = row.get("language") == "zh"
    parts = []
    for name, value in values_in(row).items():
        spec = catalogue.field(name)
        baseline = None if spec is None or spec.reading is None else usual.get(spec.reading.baseline or "")
        if spec is not None and (note := beside_the_usual(spec, value, baseline, "zh" if zh else "en")):
            parts.append(note)
    if not parts:
        return ""
    return f"（{'；'.join(parts)}）" if zh else f" ({'; '.join(parts)})"


def _holds_in_project(row: Row) -> bool:
    return row.get("scope", "global") != "global" and row["value"] is not None


def table(
    catalogue: Profile, intent: Intent, rows: Sequence[Row], language: str
) -> tuple[list[Piece], set[str]]:
    """The columns of a structured table that an intent shows, also those of which nothing is known (C11), and the
    catalogue fields that they say."""
    spec = next((t for t in catalogue.tables if t.name == intent.table), None)
    if spec is None:
        return [], set()
    zh = language == "zh"
    row = next((r for r in rows if r["category"] == spec.name), None)
    value = row["value"] if row is not None and isinstance(row["value"], Mapping) else {}
    out, stated = [], set[str]()
    for i, name in enumerate(intent.table_columns):
        column = next(c for c in spec.columns if c.name == name)
        field = catalogue.field(column.fields[0]) if column.fields else None
        label = (field.label.get("zh" if zh else "en") if field else None) or name
        known = value.get(name)
        text = ("、" if zh else ", ").join(map(plain, known)) if isinstance(known, list) else known
        shown = ("未知" if zh else "unknown") if text in (None, "") else plain(text)
        line_ = f"- {label}：{shown}" if zh else f"- {label}: {shown}"
        out.append(Piece("user_profile", line_, (PROFILE, -1, f"{i:03}"), cited(row) if row and known else None))
        stated.update(column.fields)
    return out, stated


def preferences(ordered: Sequence[Mapping[str, Any]]) -> tuple[list[Piece], set[str]]:
    """Those that hold for their key (D9)."""
    out, used = [], set[str]()
    for i, p in enumerate(ordered):
        used.add(p["id"])
        if p["effective"]:
            text = f"- {p['key']}: {plain(p['value'])}" if p["key"] and p["value"] is not None else f"- {p['text']}"
            text += _since(p)
            cite = _cite(p["id"], "preference", p["source_turn_ids"])
            out.append(Piece("user_profile", text, (PREFERENCES, i), cite))
    return out, used


def working(summary: str, messages: Sequence[Mapping[str, Any]]) -> list[Piece]:
    """Newest first into the budget, oldest first on paper; the summary stands before them."""
    out = [
        Piece("conversation_history", line(dict(m)), (1, i), _turn_citation(m)) for i, m in enumerate(messages)
    ][::-1]  # fmt: skip
    if summary:
        out.append(Piece("conversation_history", f"Summary: {summary}", (0, 0)))
    return out


def _turn_citation(message: Mapping[str, Any]) -> dict[str, Any] | None:
    turn_id = message.get("turn_id")
    return None if turn_id is None else _cite(turn_id, "turn", [turn_id])


def retrieved(
    hits: Sequence[tuple[Row, float]],
    messages: Sequence[Mapping[str, Any]] = (),
    kept: Sequence[Mapping[str, Any]] = (),
    asker: str | None = None,
) -> list[Piece]:
    """Hits, printed in the order of their rank, each with its source line; filled reports first, then memories and
    turns, then knowledge (D15). What a turn and its memory both say is told once; `messages` and `kept`, entries of
    hot memory, are shown elsewhere. What other users than `asker` said in a project names them."""
    ranked = [
        (_place(row), Piece(
            "retrieved_memories", f"{_source(row)}\n- {_label(row)}: {_body(row, asker)}", (i,), cited(row),
            covered_by=same_entries(row, kept) | (frozenset() if "turn_id" in row else covered(row, messages)),
        ))
        for i, (row, _) in enumerate(distinct(hits))
    ]  # fmt: skip
    return [piece for _, piece in sorted(ranked, key=lambda p: p[0])]


def _place(row: Row) -> int:
    return {"report": 0, "chunk": 2}.get(row.get("kind", "turn"), 1)


def _source(row: Row) -> str:
    if row.get("kind") == "chunk":
        section = " > ".join(section_of(row)) or str(row["attributes"].get("ordinal", ""))
        return f"[Source: Semantic, doc_id: {row['owner_id']}_v{row['key']}, section: {section}]"
    doc_id = row["turn_id"] if "turn_id" in row else row["record_id"]
    return f"[Source: Episodic, doc_id: {doc_id}, date: {row['occurred_at'].date().isoformat()}]"


def _label(row: Row) -> str:
    if "turn_id" in row:
        return _LABELS["turn"]
    if row["kind"] == "chunk":
        return "Document Content"
    return _LABELS.get(row["episode_type"] or row["kind"], "Memory")


def _body(row: Row, asker: str | None) -> str:
    if "turn_id" in row:
        is_others = asker is not None and row["role"] == "user" and row["user_id"] != asker
        return f"{row['speaker'] or (row['user_id'] if is_others else row['role'])}: {row['content']}"
    return f"{text_of(row)}{_since(row)}"


def _since(row: Mapping[str, Any]) -> str:
    """Said behind what a later statement changed: it may hold no more."""
    day = changed_on(row.get("attributes"))
    if day is None:
        return ""
    return f"（{day.isoformat()} 有变化）" if row.get("language") == "zh" else f" (changed on {day.isoformat()})"


def cited(row: Row) -> dict[str, Any]:
    if "turn_id" in row:
        return _cite(row["turn_id"], "turn", [row["turn_id"]])
    return _cite(row["record_id"], row["kind"], [s["turn_id"] for s in row["sources"]])


def _cite(record_id: str, kind: str, turn_ids: Sequence[str]) -> dict[str, Any]:
    return {"id": record_id, "kind": kind, "source_turn_ids": list(turn_ids)}
