"""What says the same twice: a turn, and the memory that was taken from it. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inference.terms import terms
from query.search.documents import is_turn, text_of
from query.views.db import Row

CONTAINED = 0.8
"""Share of a memory's words that its turn has."""
WHOLE = 0.5
"""Share of a turn's words that its memories have, from which they stand for it."""
_WORD = re.compile(r"\w+")
_FILLING = frozenset(("a", "an", "the", "that", "just", "really", "very", "so", "well", "oh", "please"))
_PARTICLES = re.compile("[的了吧呢啊呀嘛哦嗯]")
_SUBJECTS = ("user", "用户")
"""Whom a statement speaks of where the turn says I."""

Hit = tuple[Row, float]


def turn_words(content: str, speaker: str | None) -> frozenset[str]:
    return frozenset(terms(" ".join((content, speaker or "", *_SUBJECTS))))


def is_stated_in(memory: Row, turn_id: str, words: frozenset[str]) -> bool:
    """Whether a memory came from a turn and says nothing beyond it."""
    if all(s["turn_id"] != turn_id for s in memory["sources"]):
        return False
    return _within(frozenset(terms(text_of(memory))), words)


def _within(own: frozenset[str], words: frozenset[str]) -> bool:
    return bool(own) and len(own & words) >= CONTAINED * len(own)


def distinct(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in their order, without what another says. Of a turn and its memories the memories stay where they have
    most of its words, else the turn, at the best of their places; of equal texts the first."""
    removed: set[int] = set()
    moved: dict[int, int] = {}
    taken_from: dict[str, list[int]] = {}
    for j, (memory, _) in enumerate(hits):
        for turn_id in () if is_turn(memory) else dict.fromkeys(s["turn_id"] for s in memory["sources"]):
            taken_from.setdefault(turn_id, []).append(j)
    own_of: dict[int, frozenset[str]] = {}
    for i, (row, _) in enumerate(hits):
        # Most turns have no memory among the hits, and reading words is most of what this costs.
        mine = taken_from.get(row["turn_id"], ()) if is_turn(row) else ()
        if not mine:
            continue
        own_of.update((j, frozenset(terms(text_of(hits[j][0])))) for j in mine if j not in own_of)
        words = turn_words(row["content"], row["speaker"])
        taken = [j for j in mine if _within(own_of[j], words)]
        if not taken:
            continue
        stated_words = frozenset[str]().union(*(own_of[j] for j in taken))
        own = set(terms(row["content"]))
        if len(own & stated_words) >= WHOLE * len(own):
            removed.add(i)
        else:
            removed.update(taken)
            moved[i] = min(i, *taken)
    order = sorted((i for i in range(len(hits)) if i not in removed), key=lambda i: (moved.get(i, i), i))
    return _unlike(hits[i] for i in order)


def covered(memory: Row, messages: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Ids of the messages, turns that are shown elsewhere, which say what a memory says."""
    sources = {s["turn_id"] for s in memory["sources"]}
    return frozenset(
        m["turn_id"]
        for m in messages
        if m.get("turn_id") in sources
        and is_stated_in(memory, m["turn_id"], turn_words(m["content"], m.get("speaker")))
    )


def same_entries(row: Row, entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Ids of the entries of hot memory that say what a hit says, in its words and from its turn."""
    sources = {row["turn_id"]} if is_turn(row) else {s["turn_id"] for s in row["sources"]}
    of_it = [e for e in entries if not sources.isdisjoint(e.get("source_turn_ids", ()))]
    if not of_it:
        return frozenset()
    text = _bare(row["content"] if is_turn(row) else text_of(row))
    return frozenset(e["id"] for e in of_it if isinstance(e["value"], str) and _bare(e["value"]) == text)


def _unlike(hits: Iterable[Hit]) -> list[Hit]:
    """Without texts that differ from an earlier one in case, spaces, marks and filling words only."""
    seen: set[str] = set()
    out = []
    for row, score in hits:
        text = _bare(row["content"] if is_turn(row) else text_of(row))
        if text not in seen:
            seen.add(text)
            out.append((row, score))
    return out


def _bare(text: str) -> str:
    """What is left when nothing is taken away that could change the meaning: no number, negation, order or time."""
    folded = _PARTICLES.sub("", unicodedata.normalize("NFKC", text).casefold())
    return "".join(w for w in _WORD.findall(folded) if w not in _FILLING) or text
