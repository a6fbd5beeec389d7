"""The values of an English turn that are said in bare words, as what the rules find in the sentences they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from processors.reader.rules.answers import own_question_en
from processors.reader.rules.bare_values_en import ASKED, OF_ONCE, POLITE, Bare, answers, listed_tongues
from processors.reader.rules.found import Found
from processors.reader.rules.introductions_en import introduced
from processors.reader.rules.later_values_en import later
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.text import Sentence, prepare, sentences, without_quotes

Read = Callable[[str], list[Found]]
_PARTS = (",", " and ")


def bare_values(turn: TurnView, text: str, read: Read) -> list[Found]:
    """What a turn says in bare words to a question, as an introduction or as news; `read` reads a sentence of the first
    person."""
    if turn.language == "zh" or turn.speaker is not None:
        return []
    own = without_quotes(text)
    asked = asked_for(turn)
    found = answers(own, asked) if asked else []
    if not asked and not any(s.asks for s in _asked(turn)) and (spoken := listed_tongues(own)):
        found = [spoken]
    found = found or introduced(own, opens=not turn.previous) or later(own)
    return [one for bare in found for one in _read(bare, read)]


def _read(bare: Bare, read: Read) -> list[Found]:
    if bare.value is not None:
        return [Found(bare.start, bare.end, "fact", bare.says, ((bare.kind, bare.value),))]
    return [replace(f, start=bare.start, end=bare.end) for f in read(bare.says) if f.slots and f.dropped is None]


def asked_for(turn: TurnView) -> frozenset[str]:
    """The kinds of value that the assistant asked the speaker for just before."""
    kinds = {kind for s in _asked(turn) for phrase in _phrases(s.text) for kind in _kinds(phrase)}
    return frozenset(kinds)


def _asked(turn: TurnView) -> Sequence[Sentence]:
    if not turn.previous or turn.previous[-1][0] != "assistant":
        return ()
    return [s for s in sentences(prepare(turn.previous[-1][1])) if s.asks]


def _phrases(question: str) -> list[str]:
    """A question whole, and the questions that it joins."""
    phrase = POLITE.sub(" ", question)
    joined = [p.strip() for comma in phrase.split(",") for p in comma.split(" and ")]
    return [phrase.strip(), *(p for p in joined if p)]


def _kinds(phrase: str) -> list[str]:
    return [kind for kind, pattern in ASKED.items() if (match := pattern.search(phrase)) and _own(phrase, kind, match)]


def _own(phrase: str, kind: str, match: re.Match[str]) -> bool:
    """Is a question that asks for a kind of value the hearer's own: apart from what it asks for, which may be kin?"""
    rest = phrase[: match.start()] + phrase[match.end() :] if kind == "children" else phrase
    return own_question_en(rest, once=kind in OF_ONCE)


def with_bare_values(found: list[Found], bare: Sequence[Found]) -> list[Found]:
    """What a turn says with its bare values, each where nothing else fills its slot; talk of the same words goes."""
    held = {slot for f in found for slot, _ in f.slots if f.source == "explicit"}
    many = {"language"}
    new = [f for f in bare if not {s for s, _ in f.slots} - many & held and f.text not in {g.text for g in found}]
    if not new:
        return found
    begin, end = min(f.start for f in new), max(f.end for f in new)

    def said_again(f: Found) -> bool:
        within = begin <= f.start and f.end <= end + 1
        return not (f.slots or f.hot) and f.kind in {"episode", "intent"} and (f.dangling or within)

    kept = [f for f in found if not said_again(f)]
    return sorted([*kept, *new], key=lambda f: f.start)
