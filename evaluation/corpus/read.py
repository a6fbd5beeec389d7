"""Reads the files of the corpus: a JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from evaluation.corpus.entries import Chat, Entry, Language, Pair, Statement, Turn, Utterance, Verdict

ROOT = Path(__file__).resolve().parents[2] / "corpus"
WRITERS = "[ez][nh][0-9].jsonl"
CHATS = "chats_*.jsonl"
PAIRS = "pairs_*.jsonl"
SECOND = "second_*.jsonl"
VERDICTS = "verdicts_*.jsonl"

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Read(Generic[T]):
    """A line of a file: what it holds, or why it holds nothing valid."""

    place: str
    """`file:line`."""
    value: T | None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Context:
    """A labelled turn where it was said: an entry, or a turn of a chat with all turns before it."""

    place: str
    """An entry's id, or `chat#turn` with turns counted from 0."""
    language: Language
    turn: Turn
    before: tuple[Utterance, ...]

    def kept(self) -> Iterator[Statement]:
        return (statement for statement in self.turn.statements if statement.keep)


def lines(path: Path, kind: type[T]) -> Iterator[Read[T]]:
    """Every line of a file. A fault names fields and allowed values."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path.name}:{number}"
        try:
            yield Read(place, kind.model_validate_json(line))
        except ValidationError as error:
            wrong = (f"{'.'.join(map(str, each['loc'])) or 'line'}: {each['msg']}" for each in error.errors())
            yield Read(place, None, tuple(wrong))


def values(folder: Path, pattern: str, kind: type[T]) -> Iterator[T]:
    """What the valid lines of all files of a pattern hold, in the order of their names."""
    for path in sorted(folder.glob(pattern)):
        for line in lines(path, kind):
            if line.value is not None:
                yield line.value


def chat_contexts(chat: Chat) -> Iterator[Context]:
    for i, turn in enumerate(chat.turns):
        yield Context(f"{chat.id}#{i}", chat.language, turn, tuple(chat.turns[:i]))


def contexts(folder: Path = ROOT, language: Language | None = None) -> Iterator[Context]:
    """All labelled turns of a folder: the writers' first, then those of the chats."""
    prefix = language or ""
    for entry in values(folder, WRITERS, Entry):
        if entry.language.startswith(prefix):
            yield Context(entry.id, entry.language, entry, tuple(entry.before))
    for chat in values(folder, CHATS, Chat):
        if chat.language.startswith(prefix):
            yield from chat_contexts(chat)


def pairs(folder: Path = ROOT) -> Iterator[Pair]:
    return values(folder, PAIRS, Pair)


def verdicts(language: Language, folder: Path = ROOT) -> Iterator[Verdict]:
    """What readers said of memories that rules made of the corpus' turns."""
    return values(folder, f"verdicts_{language}.jsonl", Verdict)
