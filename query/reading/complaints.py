"""Feedback over all users, by function (C6): counts, and the words that several users complain with. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from inference.terms import terms
from query.views.db import Row

MOST = 10_000
"""Pieces of feedback that are looked at: the newest."""
MOST_FUNCTIONS = 200
"""Functions that are told of: whoever gives feedback names them, so there may be as many as pieces of it."""
TOLD_BY = 3
"""Users who have a word in their complaints before it is shown: what one alone says stays with that user."""
WORDS = 10
_COMPLAINTS = frozenset({"bug", "performance", "suggestion"})


def by_function(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The most complained of first. `rows`: kept feedback, newest first."""
    groups: dict[tuple[str, str | None], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["category"] or "answer", _value(row).get("feature")].append(row)
    complaints = [_complaint(about, feature, found) for (about, feature), found in groups.items()]
    return sorted(complaints, key=lambda g: (-_weight(g), -g["count"], g["about"], g["feature"] or ""))


def _weight(group: Mapping[str, Any]) -> int:
    """Complaints in it: what is reported as a bug, and what was rated badly."""
    return int(group["count"] if group["about"] == "bug" else group["bad"])


def _value(row: Row) -> Mapping[str, Any]:
    return row["value"] if isinstance(row["value"], Mapping) else {}


def _complaint(about: str, feature: str | None, rows: Sequence[Row]) -> dict[str, Any]:
    ratings = Counter(_value(r).get("rating") for r in rows)
    scores = [s for r in rows if isinstance(s := _value(r).get("score"), int | float)]
    return {
        "about": about,
        "feature": feature,
        "count": len(rows),
        "users": len({r["owner_id"] for r in rows}),
        **{rating: ratings[rating] for rating in ("good", "neutral", "bad")},
        "mean_score": round(fmean(scores), 2) if scores else None,
        "last": max(r["known_at"] for r in rows),
        "problems": _problems(r for r in rows if about in _COMPLAINTS or _value(r).get("rating") == "bad"),
    }


def _problems(rows: Iterable[Row]) -> list[dict[str, Any]]:
    users: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for word in set(terms(row["text"] or "")):
            if len(word) > 1:
                users[word].add(row["owner_id"])
    often = [(word, len(who)) for word, who in users.items() if len(who) >= TOLD_BY]
    often.sort(key=lambda complaints: (-complaints[1], complaints[0]))
    return [{"word": word, "users": count} for word, count in often[:WORDS]]
