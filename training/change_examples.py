"""Pairs of statements to learn changes from: the corpus' labelled pairs, and pairs drawn from its turns.

Two things said in one turn, or in one chat one after the other, hold beside each other; a twin that ends, denies or
counts otherwise changes what its base turn says; one of another person does not. And of most of what stands a statement
says nothing, however near it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.corpus.entries import Chat, Entry, Statement, Turn
from evaluation.corpus.read import CHATS, ROOT, WRITERS, pairs, values
from processors.memory.changes.pair import Floats
from processors.memory.changes.pair import Statement as Said

FIRST_WRITERS = {"en": 713, "zh": 711}
"""Pairs of the three first writers come first in each file (corpus/README.md)."""
_TWINS = {"ended": "ended", "denied": "contradicting", "number": "contradicting", "other_person": "both"}
_LIKE = 0.5
"""Cosine from which a twin's statement is that of its base turn, changed."""
_USER = re.compile(r"\b[Tt]he user\b")
Embed = Callable[[Sequence[str]], Floats]


@dataclass(frozen=True, slots=True)
class Example:
    """`writer`: of a labelled pair, and of strangers, its fold (`en-a`: the three first writers of a language, `en-b`:
    the others), of what is drawn from turns their file. `drawn`: nobody labelled it."""

    language: str
    old: str
    new: str
    relation: str
    writer: str
    drawn: bool


def as_stored(text: str) -> str:
    """A statement of the corpus in the engine's own wording ("User ...")."""
    return _USER.sub("User", text)


def labelled(folder: Path = ROOT) -> Iterator[Example]:
    for pair in pairs(folder):
        fold = "a" if int(pair.id.rsplit("-", 1)[-1]) <= FIRST_WRITERS[pair.language] else "b"
        yield Example(
            pair.language, as_stored(pair.old), as_stored(pair.new), pair.relation, f"{pair.language}-{fold}", False
        )  # fmt: skip


def _kept(turn: Turn) -> list[Statement]:
    return [s for s in turn.statements if s.keep and s.memory]


def _texts(turn: Turn) -> list[str]:
    return list(dict.fromkeys(as_stored(s.memory or "") for s in _kept(turn)))


def statements(folder: Path = ROOT) -> list[str]:
    """Every statement that pairs are drawn from."""
    found = [t for e in values(folder, WRITERS, Entry) for t in _texts(e)]
    return found + [t for c in values(folder, CHATS, Chat) for turn in c.turns for t in _texts(turn)]


def drawn(vectors: Mapping[str, Floats], folder: Path = ROOT) -> Iterator[Example]:
    """`vectors`: text -> unit embedding, of all `statements`."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in values(folder, WRITERS, Entry):
        groups[entry.group].append(entry)
        yield from _in_turn(entry, entry.language, entry.id.split("-")[0], vectors)
    for group in groups.values():
        yield from _twins(group, vectors)
    for chat in values(folder, CHATS, Chat):
        yield from _in_chat(chat, vectors)


def _in_turn(turn: Turn, language: str, writer: str, vectors: Mapping[str, Floats]) -> Iterator[Example]:
    """The two likest statements of a turn."""
    texts = _texts(turn)
    likest = max(
        ((float(vectors[a] @ vectors[b]), a, b) for i, a in enumerate(texts) for b in texts[i + 1 :]),
        key=lambda found: found[0], default=None,
    )  # fmt: skip
    if likest is not None:
        yield Example(language, likest[1], likest[2], "both", writer, True)


def _in_chat(chat: Chat, vectors: Mapping[str, Floats]) -> Iterator[Example]:
    """Each statement with the likest one of the turns before."""
    before: list[str] = []
    for turn in chat.turns:
        texts = _texts(turn)
        yield from _in_turn(turn, chat.language, chat.id.split("-")[0], vectors)
        for text in texts if before else ():
            nearest = before[int(np.argmax([vectors[b] @ vectors[text] for b in before]))]
            if nearest != text:
                yield Example(chat.language, nearest, text, "both", chat.id.split("-")[0], True)
        before += texts


def _twins(group: Sequence[Entry], vectors: Mapping[str, Floats]) -> Iterator[Example]:
    base = next((e for e in group if not e.twin), None)
    own = _kept(base) if base is not None else []
    texts = {as_stored(s.memory or "") for s in own}
    for twin in group if own else ():
        relation = _TWINS.get(twin.twin or "")
        for s in _kept(twin) if relation else ():
            text = as_stored(s.memory or "")
            likeness = [float(vectors[text] @ vectors[as_stored(o.memory or "")]) for o in own]
            old = own[int(np.argmax(likeness))]
            if text in texts or max(likeness) < _LIKE or not _is_changed(twin.twin or "", old, s):
                continue
            writer = twin.id.split("-")[0]
            yield Example(twin.language, as_stored(old.memory or ""), text, relation or "both", writer, True)


def _is_changed(twin: str, old: Statement, new: Statement) -> bool:
    if twin == "ended":
        return new.time in ("ended", "past")
    return twin != "denied" or "denied" in (old.polarity, new.polarity)


AMONG = 20
"""Statements of which the nearest is a stranger's."""


def strangers(examples: Sequence[Example], vectors: Mapping[str, Floats], seed: int) -> Iterator[Example]:
    """Of each labelled pair the newer statement, with an older one of another pair at random, and with the nearest of
    AMONG such: both hold."""
    chance = np.random.default_rng(seed)
    folds = sorted({e.writer for e in examples})
    olds = {fold: sorted({e.old for e in examples if e.writer == fold}) for fold in folds}
    linked: dict[str, set[str]] = defaultdict(set)
    for e in examples:
        linked[e.new].add(e.old)
    for e in examples:
        own = olds[e.writer]
        among = [own[i] for i in chance.choice(len(own), min(AMONG, len(own)), replace=False)]
        apart = [text for text in among if text not in linked[e.new] and text != e.new]
        nearest = max(apart, key=lambda text: float(vectors[text] @ vectors[e.new]))
        for old in dict.fromkeys((apart[0], nearest)):
            yield Example(e.language, old, e.new, "both", e.writer, True)


def embedded(texts: Sequence[str], embed: Embed, size: int = 64) -> dict[str, Floats]:
    """Text -> unit embedding, as the log holds it (16 bits)."""
    unique = list(dict.fromkeys(texts))
    found: dict[str, Floats] = {}
    for start in range(0, len(unique), size):
        part = unique[start : start + size]
        rows = embed(part).astype(np.float16).astype(np.float32)
        found.update(zip(part, rows, strict=True))
    return found


def statement_vectors(vectors: Mapping[str, Floats]) -> dict[str, Said]:
    """Text -> statement as the gate compares it."""
    return {text: Said(text, vector) for text, vector in vectors.items()}
