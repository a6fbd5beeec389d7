"""The model extractor: a turn as a question to a language model, its answer as candidates (B1, B7). Pure: who calls the
model is not here.

A model says what a turn holds and nothing else. Scope, importance, confidence, project, owner and policy come from the
profile and the turn; a field that the catalogue does not have, a value that its field does not take, a statement whose
quotation does not stand in the turn or does not carry it are dropped, each with a reason.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Literal, cast
from zoneinfo import ZoneInfo

import orjson
from pydantic import ValidationError

from processors.language import times
from processors.reader.quotation_support import quotation_support
from processors.reader.rules.catalogue import fit
from processors.reader.rules.domain import category_of, project_of
from processors.reader.rules.hot import hot_entry, hot_status
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import EXPLICIT, INFERRED
from processors.reader.rules.text import MASKED
from processors.reader.secrets import gives_secret
from schemas.base import EARLIEST, JsonObject, JsonValue
from schemas.events.memory import Candidate, CandidateKind, HotValue
from schemas.profile.model import FieldSpec, Profile

NAME = "model"
VERSION = 1
MAX_CHARS = 12_000
"""Characters of a turn that the model reads: a longer one is a paste."""
MAX_CANDIDATES = 30
MAX_TEXT = 1_000
_KINDS = ("fact", "preference", "intent", "episode", "relation")
_EPISODES = ("decision", "task", "qa", "fact")
_KEYS = frozenset({"kind", "text", "quote", "fields", "approximate", "inferred", "negated", "episode_type", "category"})


class NotAnAnswer(ValueError):  # noqa: N818 - it names an outcome
    """JSON, but not of the form that was asked for. Never holds content."""


def schema(profile: Profile) -> JsonObject:
    """JSON Schema of an answer, as strict endpoints take it: every key required, no other key."""
    value = {"anyOf": [{"type": t} for t in ("string", "number", "boolean")]}
    names = [f.name for f in profile.fields] or [""]
    field = _object({"name": {"type": "string", "enum": names}, "value": value})
    categories = [c.name for c in profile.categories]
    entry = _object(
        {
            "kind": {"type": "string", "enum": list(_KINDS)},
            "text": {"type": "string"},
            "quote": {"type": "string"},
            "fields": {"type": "array", "items": field},
            "approximate": {"type": "boolean"},
            "inferred": {"type": "boolean"},
            "negated": {"type": "boolean"},
            "episode_type": {"type": ["string", "null"], "enum": [*_EPISODES, None]},
            "category": {"type": ["string", "null"], "enum": [*categories, None]},
        }
    )
    return _object({"candidates": {"type": "array", "items": entry}})


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def catalogue(profile: Profile, language: Literal["en", "zh"]) -> dict[str, str]:
    """Parts of the prompt that the profile fills; the same for every turn, so that endpoints can cache them."""
    lines = [
        f"- {f.name}: {f.type}"
        + (f", {' | '.join(f.values)}" if f.values else "")
        + (f", {f.label[language]}" if language in f.label else "")
        + (f" ({f.unit})" if f.unit else "")
        for f in profile.fields
    ]
    return {"catalogue": "\n".join(lines) or "-", "categories": ", ".join(c.name for c in profile.categories) or "-"}


def question(turn: TurnView) -> str:
    """What the model is asked about a turn: the turns before as context, and the turn. Never `llm_context` (D1)."""
    payload: dict[str, JsonValue] = {
        "CONTEXT": [{"role": role, "content": text} for role, text in turn.previous],
        "MESSAGE": turn.content[:MAX_CHARS],
    }
    if turn.reply:
        payload["REPLY"] = turn.reply
    if turn.speaker:
        payload["AUTHOR"] = turn.speaker
    return orjson.dumps(payload).decode()


def read_answer(text: str, turn: TurnView, profile: Profile) -> tuple[list[Candidate], Counter[str]]:
    """Candidates of an answer, without terms and embedding, and how many parts were dropped for which reason.

    Raises NotAnAnswer when it is not an object with a list `candidates`.
    """
    try:
        answer = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise NotAnAnswer("not JSON") from None
    entries = answer.get("candidates") if isinstance(answer, dict) else None
    if not isinstance(entries, list):
        raise NotAnAnswer("expected an object with a list `candidates`")
    dropped: Counter[str] = Counter(
        {"too_many": len(entries) - MAX_CANDIDATES} if len(entries) > MAX_CANDIDATES else {}
    )
    found: list[Candidate] = []
    for entry in entries[:MAX_CANDIDATES]:
        candidate = _candidate(entry, len(found), turn, profile, dropped)
        if candidate is None:
            continue
        if any((c.kind, c.text) == (candidate.kind, candidate.text) for c in found):
            dropped["repeated"] += 1
            continue
        found.append(candidate)
    return found, dropped


def _candidate(
    entry: JsonValue, ordinal: int, turn: TurnView, profile: Profile, dropped: Counter[str]
) -> Candidate | None:
    reason = _refusal(entry)
    if reason is not None:
        dropped[reason] += 1
        return None
    dropped["unknown_key"] += len(set(entry) - _KEYS)
    values = _values(entry.get("fields"), profile, dropped)
    if entry.get("fields") and not values:
        dropped["no_field_left"] += 1
        return None
    kind = _kind(entry["kind"], values, profile)
    phrase = str(entry["text"]).strip()
    negated = entry.get("negated") is True
    place = quotation_support(phrase, values, entry["quote"], turn, profile, kind=kind, negated=negated)
    if isinstance(place, str):
        dropped[place] += 1
        return None
    named = list(values.items())
    project = turn.project_id or project_of(profile, turn.content[:MAX_CHARS], turn.reaches)
    episode = entry.get("episode_type") if kind == "episode" and entry.get("episode_type") in _EPISODES else None
    inferred = entry.get("inferred") is True
    try:
        return Candidate(
            ordinal=ordinal,
            kind=kind,
            text=phrase,
            field=named[0][0] if len(named) == 1 else None,
            fields=tuple(values) if len(named) > 1 else (),
            value=named[0][1] if len(named) == 1 else (values or None),
            approximate=entry.get("approximate") is True,
            category=_category(entry.get("category"), phrase, kind, profile),
            episode_type=episode or ("fact" if kind == "episode" else None),
            project_id=project,
            importance=profile.importance[kind],
            confidence=INFERRED if inferred else EXPLICIT,
            source="inferred" if inferred else "explicit",
            negated=negated,
            hot=None if negated else _hot(kind, episode, phrase, entry["quote"], named, profile, project),
            attributes={"about": turn.speaker} if turn.speaker else {},
            spans=(place.span,),
            literal=place.literal,
            **_when(str(entry["quote"]), kind, bool(values), turn),
        )
    except ValidationError:
        dropped["invalid"] += 1
        return None


def _refusal(entry: JsonValue) -> str | None:
    """Why an entry cannot be a candidate at all."""
    if not isinstance(entry, dict) or entry.get("kind") not in _KINDS:
        return "not_an_entry"
    text, quote = entry.get("text"), entry.get("quote")
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT:
        return "no_text"
    if not isinstance(quote, str):
        return "not_said"
    if MASKED.search(text):
        return "masked"
    return "secret" if gives_secret(text) else None


def _values(fields: JsonValue, profile: Profile, dropped: Counter[str]) -> dict[str, JsonValue]:
    """Values by field in the order of the catalogue."""
    found: dict[str, JsonValue] = {}
    for each in fields if isinstance(fields, list) else ():
        spec = profile.field(each["name"]) if isinstance(each, dict) and isinstance(each.get("name"), str) else None
        if spec is None:
            dropped["unknown_field"] += 1
            continue
        value = _value(each.get("value"), spec, profile)
        if value is None:
            dropped["value_not_allowed"] += 1
        else:
            found[spec.name] = value
    return {f.name: found[f.name] for f in profile.fields if f.name in found}


def _value(value: JsonValue, spec: FieldSpec, profile: Profile) -> JsonValue:
    """A value as its field holds it, None where it does not fit its type or is not allowed."""
    match spec.type:
        case "boolean":
            return value if isinstance(value, bool) else None
        case "integer" | "number" | "money":
            return _number(value, whole=spec.type == "integer")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    if not text or len(text) > 400 or MASKED.search(text) or _number(text, whole=False) is not None:
        return None
    return fit(profile, spec, spec.slot or spec.name, text)


def _number(value: JsonValue, whole: bool) -> int | float | None:
    if isinstance(value, str):
        try:
            value = float(value.replace(",", ""))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if value == int(value) and abs(value) < 2**63:
        return int(value)
    return None if whole else float(value)


def _kind(kind: str, values: Mapping[str, JsonValue], profile: Profile) -> CandidateKind:
    """The catalogue says what a field is; without one the model does."""
    specs = [profile.field(name) for name in values]
    named = next((s.kind for s in specs if s is not None), None)
    return named if named is not None else cast(CandidateKind, kind)  # `_refusal` has looked at it


def _category(category: JsonValue, text: str, kind: str, profile: Profile) -> str | None:
    if any(category == c.name for c in profile.categories):
        return str(category)
    return category_of(profile, text) if kind == "intent" else None


def _when(quote: str, kind: str, holds: bool, turn: TurnView) -> dict[str, JsonValue]:
    """The time that a statement refers to, read from its words and not from the model (N8)."""
    anchor = turn.occurred_at.astimezone(ZoneInfo(turn.time_zone))
    spans = times.find(quote[:MAX_TEXT], anchor)
    if not spans or spans[0].start < EARLIEST:
        return {}
    span = spans[0]
    plans = kind == "intent" and span.end <= anchor
    now = (holds or kind == "relation") and span.start <= anchor < span.end and span.precision != "day"
    return {} if plans or now else {"occurred_from": span.start, "occurred_to": span.end, "time_text": span.text}


def _hot(
    kind: str, episode: str | None, text: str, quote: str, named: list[tuple[str, JsonValue]], profile: Profile,
    project: str | None,
) -> HotValue | None:
    """What a project's hot memory takes: decisions, preferences by field, and status in the words that were said, else
    in the model's (A4)."""
    if project is None:
        return None
    if episode == "decision":
        return hot_entry(profile, "decision", text, text, text)
    if kind == "preference" and named:
        return hot_entry(profile, "preference", text, *named[0])
    if named or kind not in ("fact", "episode") or episode == "task":
        return None
    return hot_status(profile, quote.strip(" .。")) or hot_status(profile, text.strip(" .。"))
