"""Finds the program of a sentence: which frame, spans, edits and listed words rebuild it from its turns.

The cheapest derivation wins. A token costs nothing where it goes on with the span before it, little where tokens
between are deleted, more where a new span starts, and a listed word costs less than a span of a turn far away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias, get_args

from processors.reader.wording.inflect import inflected
from processors.reader.wording.program import (
    Edit,
    Form,
    Name,
    Operation,
    Piece,
    Program,
    Span,
    Utterance,
    Word,
)
from processors.reader.wording.realise import WordingError, called, realise, style_of
from processors.reader.wording.tables import Frame, Language, Tables, is_slot, tables
from processors.reader.wording.tokens import Token, is_han, tokens

VERB_FORMS: tuple[Form, ...] = ("base", "third", "past", "participle", "ing")
MAX_DELETED = 12
"""Most tokens deleted in one place of a span."""
BEAM = 60
_EDIT_COST: dict[Operation, float] = {"case": 0.1, "turn": 0.2, "form": 0.3, "delete": 0.0}


Outcome: TypeAlias = tuple[tuple[str, ...], tuple[Operation, str] | None]
"""Tokens of the sentence, and the edit that gives them."""


class Match(NamedTuple):
    """Something that gives the next tokens of the sentence."""

    length: int
    """Tokens of the sentence."""
    turn: int
    """The source, 0 for the turn itself; -1 for a word or a name."""
    place: int
    """The token of the source."""
    edit: tuple[Operation, str] | None
    piece: Word | Name | None
    cost: float


class State(NamedTuple):
    """Where a derivation stands."""

    part: int
    """The part of the frame that is filled."""
    empty: bool
    """Whether nothing stands in it yet."""
    turn: int
    place: int
    """The token of a turn used last; -1 at the start of a slot."""
    broken: bool
    """Whether a word or a name followed that token."""
    furthest: int
    """The furthest token of the turn itself within the slot."""


@dataclass(frozen=True)
class Step:
    """A derivation as a list from its end; a step without a match goes on to the next part of the frame."""

    cost: float
    match: Match | None
    before: Step | None


@dataclass(frozen=True)
class Aligned:
    program: Program
    cost: float


@lru_cache(maxsize=200_000)
def forms(token: str, language: Language) -> tuple[tuple[str, str], ...]:
    """(form's name, form) of a token; none in Chinese."""
    if language == "zh" or not token.isalpha():
        return ()
    return tuple((form, inflected(token, form, tables(language))) for form in get_args(Form))


@lru_cache(maxsize=200_000)
def outcomes(
    token: str, language: Language, traditional: bool
) -> tuple[tuple[tuple[str, ...], tuple[Operation, str] | None], ...]:
    """All that a token of a source may become, each as tokens of the sentence."""
    found: dict[tuple[str, ...], tuple[Operation, str] | None] = {(token,): None}
    cases = {"lower": token.lower(), "upper": token.upper(), "capital": token[:1].upper() + token[1:]}
    for name, text in cases.items():
        found.setdefault((text,), ("case", name))
    table = tables(language)
    for target in table.turns.get(token.lower(), ()):
        parts = tuple(each.text for each in tokens(table.in_script(target, traditional)))
        found.setdefault(parts, ("turn", target))
    for form, text in forms(token, language):
        found.setdefault((text,), ("form", form))
    return tuple(found.items())


@cache
def listed(language: Language, traditional: bool) -> dict[str, list[tuple[tuple[str, ...], Word, float]]]:
    """First token of each listed word, in lower case, to the word as tokens, and its cost."""
    found: dict[str, list[tuple[tuple[str, ...], Word, float]]] = defaultdict(list)
    table = tables(language)
    words = [(0.7, Word(word=word)) for word in sorted(table.words)]
    words += [(0.7, Word(word=verb, form=form)) for verb in sorted(table.verbs) for form in VERB_FORMS]
    words += [(0.9, Word(word=noun)) for noun in sorted(table.nouns)]
    if language == "en":
        words += [(0.9, Word(word=noun, form="plural")) for noun in sorted(table.nouns)]
    for cost, word in words:
        text = inflected(word.word, word.form, table) if word.form else table.in_script(word.word, traditional)
        parts = tuple(each.text for each in tokens(text))
        found[parts[0].lower()].append((parts, word, cost))
    return found


class Sources:
    """The turn and the turns before it, by what their tokens may become."""

    def __init__(self, turn: Utterance, before: Sequence[Utterance], clause: str, language: Language) -> None:
        self.language = language
        self.turn = turn
        self.before = before
        self.turns = (turn, *reversed(before))
        self.tokens: list[list[Token]] = [tokens(turn.text) for turn in self.turns]
        start = turn.text.find(clause)
        self.clause = range(start, start + len(clause))
        self._index: dict[str, list[tuple[int, int, tuple[str, ...], tuple[Operation, str] | None]]] = defaultdict(list)
        table = tables(language)
        self.style = style_of(self.turns, table)
        for number, source in enumerate(self.tokens):
            for i, token in enumerate(source):
                for parts, edit in outcomes(token.text, language, self.style.traditional):
                    self._index[parts[0].lower()].append((number, i, parts, edit))
        names = (called(turn.speaker, table, self.style.traditional) for turn in self.turns)
        self.names = [tuple(each.text for each in tokens(name)) for name in names]

    def matches(self, sentence: Sequence[str], at: int, opening: bool) -> Iterator[Match]:
        """What may give the tokens of a sentence from `at` on; the first letter of an opening may be a capital."""

        def fits(parts: tuple[str, ...]) -> bool:
            given = tuple(sentence[at : at + len(parts)])
            return given == parts or (
                opening and at == 0 and given[1:] == parts[1:] and given[0] == parts[0][:1].upper() + parts[0][1:]
            )

        low = sentence[at].lower()
        for number, i, parts, edit in self._index.get(low, ()):
            if fits(parts):
                outside = 0.0 if number else (0.0 if self.tokens[0][i].start in self.clause else 0.1)
                yield Match(len(parts), number, i, edit, None, outside + (_EDIT_COST[edit[0]] if edit else 0.0))
        for parts, word, cost in listed(self.language, self.style.traditional).get(low, ()):
            if fits(parts):
                yield Match(len(parts), -1, -1, None, word, cost)
        for number, parts in enumerate(self.names):
            if fits(parts):
                yield Match(len(parts), -1, -1, None, Name(speaker=number), 0.6 + 0.05 * number)


def _moved(state: State, match: Match) -> tuple[State, float] | None:
    """The state after a match and what the move costs; nothing where the turn's order would be broken."""
    if match.turn < 0:
        return state._replace(empty=False, broken=True), match.cost
    if match.turn == 0 and match.place <= state.furthest:
        return None
    furthest = match.place if match.turn == 0 else state.furthest
    after = State(state.part, False, match.turn, match.place, False, furthest)
    gap = match.place - state.place - 1
    if match.turn == state.turn and gap >= 0 and not state.broken and gap <= MAX_DELETED:
        return after, match.cost + (0.4 + 0.03 * gap if gap else 0.0)
    if match.turn == state.turn and gap >= 0:
        return after, match.cost + 0.6
    return after, match.cost + 1.0 + (0.3 + 0.05 * match.turn if match.turn else 0.0)


class Frames:
    """A frame as tokens, for one speaker and script."""

    def __init__(self, frame: Frame, sources: Sources) -> None:
        self.frame = frame
        self.parts: list[tuple[str, ...] | None] = []
        """The tokens of each literal; nothing for a slot."""
        for part in frame.parts:
            if is_slot(part):
                self.parts.append(None)
            elif part == "{user}":
                self.parts.append(sources.names[0])
            else:
                text = tables(sources.language).in_script(part, sources.style.traditional)
                self.parts.append(tuple(each.text for each in tokens(text)))

    def possible(self, sentence: Sequence[str]) -> bool:
        whole = "\0" + "\0".join(sentence).lower() + "\0"
        return all(part is None or "\0" + "\0".join(part).lower() + "\0" in whole for part in self.parts)

    def literal(self, sentence: Sequence[str], at: int, part: int) -> int | None:
        """Where a literal ends that stands at a place, or nothing."""
        want = self.parts[part]
        if want is None:
            return None
        given = tuple(sentence[at : at + len(want)])
        capital = (want[0][:1].upper() + want[0][1:], *want[1:])
        return at + len(want) if given == want or (at == 0 and given == capital) else None


def derivation(sentence: Sequence[str], frames: Frames, sources: Sources) -> Step | None:
    """The cheapest way to give all tokens of a sentence by a frame."""
    states: list[dict[State, Step]] = [{} for _ in range(len(sentence) + 1)]
    last = len(frames.parts)
    opening = sources.language == "en"

    def put(at: int, state: State, step: Step) -> None:
        known = states[at].get(state)
        if known is not None and known.cost <= step.cost:
            return
        states[at][state] = step
        if state.part < last and (end := frames.literal(sentence, at, state.part)) is not None:
            put(end, State(state.part + 1, True, -1, -1, True, -1), Step(step.cost, None, step))
        elif state.part < last and not state.empty:
            put(at, State(state.part + 1, True, -1, -1, True, -1), Step(step.cost + 0.3, None, step))

    put(0, State(0, True, -1, -1, True, -1), Step(0.0, None, None))
    for at in range(len(sentence)):
        slots = [each for each in states[at].items() if each[0].part < last and frames.parts[each[0].part] is None]
        if not slots:
            continue
        slots.sort(key=lambda each: each[1].cost)
        for match in sources.matches(sentence, at, opening):
            for state, step in slots[:BEAM]:
                if (moved := _moved(state, match)) is not None:
                    put(at + match.length, moved[0], Step(step.cost + moved[1], match, step))
    ends = [step for state, step in states[-1].items() if state.part == last]
    return min(ends, key=lambda step: step.cost, default=None)


def _span(run: Sequence[Match], source: Sequence[Token]) -> Span:
    edits: list[Edit] = []
    for match, after in zip(run, [*run[1:], None], strict=True):
        token = source[match.place]
        if match.edit:
            edits.append(Edit(start=token.start, end=token.end, op=match.edit[0], to=match.edit[1]))
        if after is not None and after.place > match.place + 1:
            edits.append(Edit(start=source[match.place + 1].start, end=source[after.place - 1].end, op="delete"))
    return Span(turn=run[0].turn, start=source[run[0].place].start, end=source[run[-1].place].end, edits=tuple(edits))


def _pieces(matches: Sequence[Match], sources: Sources) -> tuple[Piece, ...]:
    """The pieces of a slot: neighbouring tokens of one turn make a span."""
    found: list[Piece] = []
    run: list[Match] = []

    def close() -> None:
        if run:
            found.append(_span(run, sources.tokens[run[0].turn]))
            run.clear()

    for match in matches:
        if match.piece is not None:
            close()
            found.append(match.piece)
            continue
        if run and (match.turn != run[-1].turn or not 0 < match.place - run[-1].place <= MAX_DELETED + 1):
            close()
        run.append(match)
    close()
    return tuple(found)


def program(step: Step, frame: Frame, sources: Sources) -> Program:
    """The program of a derivation."""
    steps: list[Match | None] = []
    while step.before is not None:
        steps.append(step.match)
        step = step.before
    parts: list[list[Match]] = [[]]
    for match in reversed(steps):
        if match is None:
            parts.append([])
        else:
            parts[-1].append(match)
    slots = {int(part[1:-1]): _pieces(parts[i], sources) for i, part in enumerate(frame.parts) if is_slot(part)}
    return Program(frame=frame.name, slots=tuple(slots[number] for number in sorted(slots)))


def soup(program: Program, turns: Sequence[Utterance], clause: range) -> bool:
    """Whether a span is a single Chinese character from outside the clause: no word, but a part to build others of."""
    spans = (piece for slot in program.slots for piece in slot if isinstance(piece, Span))
    return any(
        span.end - span.start == 1
        and is_han(turns[span.turn].text[span.start])
        and (span.turn > 0 or span.start not in clause)
        for span in spans
    )


def align(sentence: str, clause: str, turn: Utterance, before: Sequence[Utterance], table: Tables) -> Aligned | None:
    """The cheapest program that rebuilds a sentence byte for byte, or nothing."""
    sources = Sources(turn, before, clause, table.language)
    parts = [token.text for token in tokens(sentence)]
    found: list[Aligned] = []
    for frame in table.frames.values():
        frames = Frames(frame, sources)
        if frames.possible(parts) and (step := derivation(parts, frames, sources)) is not None:
            found.append(Aligned(program(step, frame, sources), step.cost + 0.2))
    for aligned in sorted(found, key=lambda each: each.cost):
        try:
            rebuilt = realise(aligned.program, turn, before, table)
        except WordingError:
            continue
        if rebuilt == sentence and not soup(aligned.program, sources.turns, sources.clause):
            return aligned
    return None
