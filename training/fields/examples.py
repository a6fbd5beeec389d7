"""Turns with fields and the characters that fill them, or only look like it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.corpus.entries import Statement, ValueType
from evaluation.corpus.marked import ASSISTANT, FILLS, MarkedTalk, MarkedTurn, marked_talks
from evaluation.corpus.read import ROOT, Context, contexts
from inference.reader.field_tagger import QUESTION_CHARS, QUESTION_TOKENS, TURN_TOKENS
from inference.reader.placed_tokens import placed_tokens
from inference.reader.protocol import AskedField, FieldKind
from inference.reader.turn_text import BEGIN, END, TurnTokenizer
from processors.reader.values.asked import asked_fields, in_words
from schemas.profile.model import load_profile
from training.examples import UNREAD

_KINDS: Mapping[ValueType, FieldKind] = {
    "text": "text", "number": "number", "quantity": "number", "money": "money", "date": "date", "time_of_day": "date",
    "duration": "duration", "place": "place", "person": "person", "organisation": "organisation", "product": "text",
    "boolean": "boolean", "list": "list",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """Characters `start` to `end` that fill the field of that number, or only look like it."""

    field: int
    start: int
    end: int
    fills: bool


@dataclass(frozen=True, slots=True)
class Example:
    """A turn. `starts` and `ends` are the characters of each of its `ids`, which begin and end with a mark of their
    own. `of_talk`: its fields are all that there are; else they are those that its writer saw."""

    place: str
    writer: str
    language: str
    text: str
    question: tuple[int, ...]
    ids: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    fields: tuple[AskedField, ...]
    spans: tuple[MarkedSpan, ...]
    of_talk: bool

    @property
    def length(self) -> int:
        return len(self.question) + len(self.ids)


def talk_examples(tokenizer: TurnTokenizer, folder: Path = ROOT) -> list[Example]:
    """The turns of people in the talks with marks."""
    return [example for talk in marked_talks(folder) for example in _of_talk(talk, tokenizer)]


def _of_talk(talk: MarkedTalk, tokenizer: TurnTokenizer) -> Iterator[Example]:
    own = tuple(AskedField(f.name, (f.label, in_words(f.name)), f.kind) for f in talk.fields)
    fields = own or asked_fields(load_profile(talk.profile))
    places = {f.name: n for n, f in enumerate(fields)}
    for n, turn in enumerate(talk.turns):
        if turn.speaker != ASSISTANT:
            before = talk.turns[n - 1].text if n else ""
            spans = tuple(_of_marks(turn, places, fields))
            writer = talk.id.partition("-")[0].removeprefix("fields_")
            place = f"{talk.id}-{n}"
            yield _example(tokenizer, place, writer, talk.language, turn.text, before, fields, spans, of_talk=True)


def _of_marks(turn: MarkedTurn, places: Mapping[str, int], fields: tuple[AskedField, ...]) -> Iterator[MarkedSpan]:
    for mark in turn.marks:
        if mark.field is not None:
            start, field = mark.start(turn.text), places[mark.field]
            denied = mark.role == "denied" and fields[field].kind == "boolean"  # that it is not so fills it, too
            yield MarkedSpan(field, start, start + len(mark.text), mark.role == FILLS or denied)


def turn_examples(tokenizer: TurnTokenizer, folder: Path = ROOT) -> list[Example]:
    """The labelled turns of people: the attribute of a statement is a field, its value what stands for it."""
    found = []
    for context in contexts(folder):
        if context.turn.speaker not in UNREAD and (example := _of_context(context, tokenizer)) is not None:
            found.append(example)
    return found


def _of_context(context: Context, tokenizer: TurnTokenizer) -> Example | None:
    fields: dict[str, AskedField] = {}
    spans: list[MarkedSpan] = []
    for statement in context.turn.statements:
        name, value = statement.attribute, statement.value
        at = context.turn.text.find(value) if value else -1
        if not (name and value) or at < 0 or None in (statement.owner, statement.time, statement.modality):
            continue
        fields.setdefault(name, AskedField(name, (in_words(name),), _KINDS[statement.value_type or "text"]))
        spans.append(MarkedSpan(list(fields).index(name), at, at + len(value), _fills(statement)))
    if not spans and not context.turn.nothing:
        return None
    before = context.before[-1].text if context.before else ""
    writer = context.place.rpartition("-")[0] or context.place
    return _example(
        tokenizer, context.place, writer, context.language, context.turn.text, before, tuple(fields.values()),
        tuple(spans), of_talk=False,
    )  # fmt: skip


def _fills(statement: Statement) -> bool:
    so = statement.polarity == "affirmed" and statement.modality == "actual"
    return so and statement.owner == "speaker" and statement.time in ("current", "habitual")


def _example(
    tokenizer: TurnTokenizer, place: str, writer: str, language: str, text: str, before: str,
    fields: tuple[AskedField, ...], spans: tuple[MarkedSpan, ...], *, of_talk: bool,
) -> Example:  # fmt: skip
    placed = placed_tokens(tokenizer, text).part(0, TURN_TOKENS)
    question = tuple(tokenizer.ids(before[-QUESTION_CHARS:])[-QUESTION_TOKENS:]) if before else ()
    return Example(
        place, writer, language, text, question, (BEGIN, *placed.ids, END), (0, *placed.starts, 0),
        (0, *placed.ends, 0), fields, spans, of_talk,
    )  # fmt: skip
