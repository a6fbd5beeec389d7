"""Retrieval cases for bench/ranking_lab.py, read from public data that is not part of this project.

A case set is a scope's documents and its questions with the ids that answer them. Embeddings are made here, once a
run, by the default encoder.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.embedding import UniversalSentenceEncoder
from inference.terms import terms
from query.search.ranking.context import blended, in_context, query_texts
from query.search.ranking.types import Document, RankQuery


@dataclass(frozen=True, slots=True)
class Case:
    query: RankQuery
    gold: frozenset[str]
    category: int


@dataclass(frozen=True, slots=True)
class Scope:
    documents: Sequence[Document]
    cases: Sequence[Case]


class Encoder:
    """The default encoder behind a memory of what it has encoded; float16 as the stores keep it."""

    def __init__(self) -> None:
        self._encoder = UniversalSentenceEncoder()
        self._known: dict[str, npt.NDArray[np.float16]] = {}

    def __call__(self, texts: Iterable[str]) -> list[npt.NDArray[np.float16]]:
        wanted = list(texts)
        fresh = [t for t in dict.fromkeys(wanted) if t not in self._known]
        for text, vector in zip(fresh, self._encoder.embed(fresh), strict=True):
            self._known[text] = vector.astype(np.float16)
        return [self._known[t] for t in wanted]


def query_vector(text: str, encode: Encoder) -> npt.NDArray[np.floating]:
    """Embed a query as the query service does."""
    return blended(encode(query_texts(text)))


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _questions(conversation: Any, encode: Encoder, gold_of: Any) -> list[Case]:
    questions_with_gold = [q for q in conversation["qa"] if q["evidence"] and q["category"] != 5]
    questions_with_gold = [q for q in questions_with_gold if gold_of(q)]
    vectors = [query_vector(q["question"], encode) for q in questions_with_gold]
    now = _moment(conversation["sessions"][-1]["date_time"]) + timedelta(days=1)
    return [
        Case(RankQuery(q["question"], terms(q["question"]), v, now=now), frozenset(gold_of(q)), q["category"])
        for q, v in zip(questions_with_gold, vectors, strict=True)
    ]


def dialogue_turns(path: Path, encode: Encoder) -> list[Scope]:
    """LoCoMo: one scope a conversation, a document a turn; the evidence turns are gold; categories 1 to 4."""
    scopes = []
    for conversation in _read(path):
        turns = [(s, t) for s in conversation["sessions"] for t in s["turns"]]
        vectors = encode(t["text"] for _, t in turns)
        documents = []
        for place, ((session, turn), vector) in enumerate(zip(turns, vectors, strict=True)):
            caption = turn.get("image_caption")
            text = turn["text"] + (f" [image: {caption}]" if caption else "")
            documents.append(
                Document(
                    id=turn["dia_id"],
                    kind="turn",
                    terms=terms(text),
                    vector=vector,
                    text=text,
                    session_id=str(session["session"]),
                    position=place,
                    speaker=turn["speaker"],
                    role="user",
                    occurred_at=_moment(session["date_time"]) + timedelta(seconds=place),
                )
            )
        scopes.append(Scope(documents, _questions(conversation, encode, lambda q: q["evidence"])))
    return scopes


def dialogue_facts(path: Path, conversations: Path, encode: Encoder) -> list[Scope]:
    """LoCoMo: a document a stated fact, no sessions; gold are the facts that rest on an evidence turn."""
    of_conversation: dict[str, list[Any]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        of_conversation[fact["id"].rsplit("_o", 1)[0]].append(fact)
    scopes = []
    for conversation in _read(conversations):
        facts = of_conversation[conversation["id"]]
        vectors = encode(f["fact"] for f in facts)
        documents = [
            Document(
                id=f["id"], kind="fact", terms=terms(f["fact"]), vector=v, text=f["fact"],
                occurred_at=_moment(f["date_time"]),
            )
            for f, v in zip(facts, vectors, strict=True)
        ]  # fmt: skip

        def resting_on(question: Any, held: list[Any] = facts) -> set[str]:
            return {f["id"] for f in held if set(f["evidence"]) & set(question["evidence"])}

        scopes.append(Scope(documents, _questions(conversation, encode, resting_on)))
    return scopes


def chat_memories(folder: Path, language: str, encode: Encoder, *, context: bool) -> list[Scope]:
    """MADial: one scope a user, a document a memory; the query is the last user turn, with its context or without."""
    memories = _read(folder / f"madial_{language}_memory.json")
    dialogues = _read(folder / f"madial_{language}_dialogue_dev.json")
    scopes = []
    for user in sorted({m["user"] for m in memories}):
        held = [m for m in memories if m["user"] == user]
        documents = [
            Document(
                id=str(m["id"]), kind="episode", terms=terms(m["event"]), vector=v, text=m["event"],
                occurred_at=datetime.fromisoformat(m["date"]).replace(tzinfo=UTC),
            )
            for m, v in zip(held, encode(m["event"] for m in held), strict=True)
        ]  # fmt: skip
        cases = []
        for one in dialogues:
            if one["user"] != user:
                continue
            last = one["test_turn"][0]
            while one["dialogue"][last]["speaker"] == "Assistant":
                last -= 1
            *before, text = [t["text"] for t in one["dialogue"][: last + 1]]
            query = RankQuery(text, terms(text), query_vector(text, encode))
            if context:
                query = in_context(query, encode(before))
            cases.append(Case(query, frozenset(str(i) for i in one["relevant"]), 0))
        scopes.append(Scope(documents, cases))
    return scopes
