"""What a question limits, as each store is told: Milvus what it has a field for, Postgres all of it (D13)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from psycopg.types.json import Jsonb

from query.search.request import Filters, Question
from schemas.storage.layouts import MilvusLayout

DEEP = 1_000
"""Candidates of each retriever where Milvus lacks the field of a filter: the nearest ones that have it are among them,
or share a word with the question."""
_HELD = ("role", "scope", "category", "episode_type")
_NOT_HELD = ("speaker", "intent", "language", "field", "source", "namespace", "metadata")
_TEXTS = (*_HELD, "speaker", "intent", "language", "field", "source", "document_id")
NOTHING: dict[str, object] = dict.fromkeys(
    (*_TEXTS, "namespace", "metadata", "since", "until", "session", "within", "as_of")
)
"""Values of `query.views.conditions` that limit nothing."""
_OF_TURNS = ("role", "speaker", "intent", "metadata")
"""Filters over what memories do not have; a hit without the field does not match."""
_OF_MEMORIES = ("field", "category", "scope", "episode_type", "source", "document_id", "namespace")


def possible(kinds: Sequence[str], filters: Filters) -> list[str]:
    """The kinds that have what the filters ask for."""
    turns = not any(getattr(filters, name) is not None for name in _OF_MEMORIES)
    memories = not any(getattr(filters, name) is not None for name in _OF_TURNS)
    chunks_only = filters.document_id is not None
    return [k for k in kinds if (turns if k == "turn" else memories and (k == "chunk" or not chunks_only))]


def is_deep(filters: Filters) -> bool:
    """Whether there is a filter that Milvus cannot ask first."""
    return any(getattr(filters, name) is not None for name in _NOT_HELD)


def milvus(question: Question, kinds: Sequence[str], *, of_user: bool) -> list[str]:
    """Conditions, as far as Milvus holds the fields: without them the best of a large scope would all be others. Times
    are in milliseconds there: rather one too many, since the rows are asked again."""
    out = [] if question.session_id is None else [f"session_id == {quoted(question.session_id)}"]
    if of_user and question.project is not None:
        project = question.project.owner.id
        out.append(f"project_id in {quoted([project] if 'turn' in kinds else ['', project])}")
    filters = question.filters
    for name in (*_HELD, "document_id"):
        values = _several(getattr(filters, name)) or []
        # A literal takes no control characters; the rows are asked for those.
        if values and not any(ord(c) < 32 for value in values for c in value):
            out.append(f"{'owner_id' if name == 'document_id' else name} in {quoted(values)}")
    if filters.occurred_from is not None:
        out.append(f"occurred_at >= {_ms(filters.occurred_from)}")
    if filters.occurred_to is not None:
        out.append(f"occurred_at <= {_ms(filters.occurred_to)}")
    if question.as_of is not None and "turn" in kinds:
        out.append(f"occurred_at <= {_ms(question.as_of)}")
    return out


def postgres(question: Question) -> dict[str, object]:
    """The values of `query.views.conditions`. Rather one row too many, here too."""
    filters = question.filters
    wanted = None if filters.metadata is None else {k: _any_of(v) for k, v in filters.metadata.items()}
    both = question.user is not None and question.project is not None
    return {
        **{name: _several(getattr(filters, name)) for name in _TEXTS},
        "namespace": None if filters.namespace is None else list(filters.namespace),
        "metadata": None if wanted is None else Jsonb(wanted),
        "since": filters.occurred_from,
        "until": filters.occurred_to,
        "session": question.session_id,
        "within": question.project.owner.id if both and question.project is not None else None,
        "as_of": question.as_of,
    }


def quoted(value: str | Sequence[str]) -> str:
    """A literal of Milvus, or a list of them: the embedded server has no templates."""
    if isinstance(value, str):
        return MilvusLayout.literal(value)
    return f"[{', '.join(MilvusLayout.literal(v) for v in value)}]"


def _several(wanted: str | Sequence[str] | None) -> list[str] | None:
    return [wanted] if isinstance(wanted, str) else None if wanted is None else list(wanted)


def _any_of(wanted: object) -> list[object]:
    return list(wanted) if isinstance(wanted, tuple) else [wanted]


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
