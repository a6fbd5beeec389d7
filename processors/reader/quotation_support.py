"""Does a quotation carry a statement? What a model says of a turn is kept only where words of the turn say it
(docs/decisions/2026-11-28-model-refines.md). Pure and linear.

A statement is carried where its quotation stands in clauses that state something of the right person, where every word
of content, number and value of it stands there too (by stem, by a closed class of carried.toml, by an alias of the
profile), close together and mostly in that order, where it names its values, and where both deny or neither does.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from processors.dedupe.features import BREAK, HAN, LISTED, Features, extract_features, is_function, is_number, stem
from processors.dedupe.lexicon import EN_ADVERBS, EN_NEGATORS, ZH_NEGATORS
from processors.reader.rules import clauses_en, clauses_zh
from processors.reader.rules.confirm import apply_confirmation, confirms
from processors.reader.rules.others import about_kin_en, names_kin
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.text import prepare, sentences, without_quotes
from schemas.base import JsonValue
from schemas.events.memory import Span
from schemas.profile.model import Profile

SHORT_TURN = 40
"""A turn of so few characters may answer the question before it, and quotes that."""
FOREIGN = {"en": 1, "zh": 3}
"""Words (in Chinese characters) that may stand between those of a statement in what carries it."""
_DENIES_BEFORE = 4
"""Tokens before the first word of a statement in which what denies it stands."""
_MAX_CHARS = 12_000
_MOST_CLAUSES = 12
"""Clauses that one quotation reaches over: more are a paste, and carry no statement."""
_MOST_IN_ORDER = 64
"""Words of a statement whose order is looked at."""
_MARKS = " \t\r\n。.!！?？,，“”\"'"
_DATA: dict[str, JsonValue] = tomllib.loads((files(__package__) / "carried.toml").read_text(encoding="utf-8"))
_PASSED = frozenset(_DATA["passed_over"].split())
_CLASS = {word: f"={n}" for n, line in enumerate(_DATA["classes"]) for word in line.split()}
_LONGEST = max(len(w) for w in (*_PASSED, *_CLASS) if w[0] >= HAN)
_YEARS_OLD = re.compile(r"\b(?:years?|yrs?)[ -]old\b", re.IGNORECASE)
_BEFORE_DIGIT = re.compile(r"(?<=[\u3400-\u9fff])(?=\d)")
"""大概80万 is a number of its own."""
_NEGATORS = EN_NEGATORS | ZH_NEGATORS
_FIRST_PERSON = frozenset(_DATA["first_person"].split())


def _features(text: str) -> Features:
    return extract_features(_BEFORE_DIGIT.sub(" ", _YEARS_OLD.sub("old", text)))


@dataclass(frozen=True, slots=True)
class QuotationSupport:
    """`span`: the quotation, or the one clause of it that carries the statement. `literal`: one clause does, and no
    other word of content stands between those of the statement."""

    span: Span
    literal: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A token of content: what it is compared by, and its place among all tokens."""

    key: str
    at: int


def words_of(text: str, owners: Collection[str] = ()) -> frozenset[str]:
    """What a statement says, for comparing two of one turn: keys of its words of content, without its owner's name."""
    return frozenset(w.key for w in _content(_features(text), _names(owners)))


def denies(text: str) -> bool:
    return _features(text).negations % 2 == 1


def located(quote: str, content: str) -> Span | None:
    """Where a quotation stands in a turn; white space, case and the marks around it aside."""
    wanted = [c for c, _ in _plain(quote.strip(_MARKS))]
    if not wanted:
        return None
    plain = _plain(content[:_MAX_CHARS])
    at = "".join(c for c, _ in plain).find("".join(wanted))
    return None if at < 0 else Span(start=plain[at][1], end=plain[at + len(wanted) - 1][1] + 1)


def quotation_support(
    text: str,
    values: Mapping[str, JsonValue],
    quote: str,
    turn: TurnView,
    profile: Profile,
    *,
    kind: str,
    negated: bool,
) -> QuotationSupport | str:
    """Where and how closely a statement stands in the turn, or why it is not carried: `not_said`, `not_stated`,
    `not_of_the_speaker`, `not_carried` or `polarity`."""
    turn = apply_confirmation(turn)
    span = located(quote, turn.content)
    if span is None:
        return _by_the_question(text, values, quote, turn, profile, negated=negated)
    clauses = [c for c in _clauses(turn.content) if c.start < span.end and span.start < c.end]
    if len(clauses) > _MOST_CLAUSES:
        return "not_carried"
    why = _unstated(clauses, span, text, values, turn, kind)
    if why is not None:
        return why
    content = without_quotes(prepare(turn.content))
    for c in clauses:
        found = _held(text, values, content[c.start : c.end], turn, profile, negated=negated)
        if not isinstance(found, str):
            return QuotationSupport(Span(start=max(c.start, span.start), end=min(c.end, span.end)), found)
    # From the start of the clause: what denies it stands before its verb.
    quoted = content[min(span.start, clauses[0].start) : span.end]
    if _answers(turn):
        quoted = f"{turn.previous[-1][1]}\n{quoted}"
    found = _held(text, values, quoted, turn, profile, negated=negated)
    return found if isinstance(found, str) else QuotationSupport(span, literal=False)


def _answers(turn: TurnView) -> bool:
    after_assistant = bool(turn.previous) and turn.previous[-1][0] == "assistant"
    return after_assistant and len(turn.content) <= SHORT_TURN


def _by_the_question(
    text: str, values: Mapping[str, JsonValue], quote: str, turn: TurnView, profile: Profile, *, negated: bool
) -> QuotationSupport | str:
    """A short yes states what it was asked."""
    if not _answers(turn) or located(quote, turn.previous[-1][1]) is None:
        return "not_said"
    if not confirms(turn.content):
        return "not_stated"
    found = _held(text, values, quote, turn, profile, negated=negated)
    return found if isinstance(found, str) else QuotationSupport(Span(start=0, end=len(turn.content)), found)


def _unstated(
    clauses: Sequence[_Clause], span: Span, text: str, values: Mapping[str, JsonValue], turn: TurnView, kind: str
) -> str | None:
    """Why the clauses of a span state nothing of the speaker."""
    if not clauses or any(c.supposed or (c.asks and kind != "intent") for c in clauses):
        return "not_stated"
    kin = all(c.kin for c in clauses)
    if kin and (values or not names_kin(text)):
        return "not_of_the_speaker"
    others = all(c.other for c in clauses)
    quoted = _tokens(turn.content[span.start : span.end])
    told_of_owner = text.strip().lower().startswith(("user", "用户", (turn.speaker or "user").lower()))
    if others and (values or told_of_owner) and _FIRST_PERSON.isdisjoint(quoted) and not names_kin(text):
        return "not_of_the_speaker"
    return None


@dataclass(frozen=True, slots=True)
class _Clause:
    start: int
    end: int
    asks: bool
    supposed: bool
    kin: bool
    other: bool


@lru_cache(maxsize=8)
def _clauses(content: str) -> tuple[_Clause, ...]:
    """Of a turn's content; every statement of an answer asks for those of the same turn."""
    found: list[_Clause] = []
    before: clauses_zh.Subject = "我"
    for sentence in sentences(without_quotes(prepare(content))):
        if any(c >= HAN for c in sentence.text):
            clauses = clauses_zh.clauses(sentence, before)
            before = clauses[-1].subject if clauses else before
            for z in clauses:
                found.append(
                    _Clause(z.start, z.end, z.asks, z.supposed, z.subject == "亲友", z.subject in ("亲友", "other"))
                )
            continue
        for e in clauses_en.clauses(sentence):
            kin = e.subject == "my" and about_kin_en(e.body)
            found.append(_Clause(e.start, e.end, e.asks, e.supposed, kin, kin or e.subject == "other"))
    return tuple(found)


def _held(
    text: str, values: Mapping[str, JsonValue], statement: str, turn: TurnView, profile: Profile, *, negated: bool
) -> bool | str:
    """Do the words that were said hold the statement? True where nothing stands between them."""
    owners = _names([turn.speaker] if turn.speaker else [])
    there = _features(statement)
    heard_words = _content(there, owners)
    keys = {w.key for w in heard_words}
    stated = [w.key for w in _content(_features(text), owners)]
    wanted, given = set(stated), set[str]()
    for name, value in values.items():
        if isinstance(value, bool):
            continue
        forms = _forms(name, value, statement, profile)
        if not any(form <= keys for form in forms) or not any(form <= wanted for form in forms):
            return "not_carried"
        given |= {key for form in forms for key in form}
    needed = (wanted | given) & keys
    if not needed or not wanted - given <= keys or not _in_order(stated, [w.key for w in heard_words]):
        return "not_carried"
    window = _window(heard_words, needed)
    if window is None:
        return "not_carried"
    inside = heard_words[window[0] : window[1] + 1]
    between = sum(w.key not in needed for w in inside)
    foreign = FOREIGN["zh" if any(w.key[0] >= HAN for w in inside) else "en"]
    if between > foreign:
        return "not_carried"
    says_no = negated or denies(text) or any(v is False for v in values.values())
    if says_no != _denied(there, inside[0].at, inside[-1].at):
        return "polarity"
    return between == 0


def _forms(name: str, value: JsonValue, text: str, profile: Profile) -> list[frozenset[str]]:
    """The words of a value: as it is, and as an alias or short form of it that was said."""
    spec = profile.field(name)
    forms = [str(value)]
    if isinstance(value, str) and spec is not None:
        low = text.lower()
        lexicon = profile.lexicon.get(spec.slot or spec.name, {})
        also = [*spec.aliases.get(value, ()), *(short for short, full in lexicon.items() if full == value)]
        forms += [other for other in also if other.lower() in low]
    words = (frozenset(w.key for w in _content(_features(form), frozenset())) for form in forms)
    return [w for w in words if any(not key.startswith("=") for key in w)]  # "live" is no value


def _in_order(stated: Sequence[str], quoted_keys: Sequence[str]) -> bool:
    """Do at least two thirds of the words that both hold come in the order in which they were said?"""
    keys_in_order = [key for key in stated if key in set(quoted_keys)][:_MOST_IN_ORDER]
    longest = [0] * (len(keys_in_order) + 1)
    for key in quoted_keys:
        before = 0
        for at, other in enumerate(keys_in_order, 1):
            here = longest[at]
            longest[at] = before + 1 if key == other else max(here, longest[at - 1])
            before = here
    return 3 * longest[-1] >= 2 * len(keys_in_order) or len(keys_in_order) < 3


def _window(quoted_words: Sequence[Word], needed: Collection[str]) -> tuple[int, int] | None:
    """The shortest run of words that holds all that is needed, as places in `quoted_words`."""
    best: tuple[int, int] | None = None
    counts: dict[str, int] = {}
    low = 0
    for high, word in enumerate(quoted_words):
        if word.key in needed:
            counts[word.key] = counts.get(word.key, 0) + 1
        while len(counts) == len(needed):
            if best is None or high - low < best[1] - best[0]:
                best = low, high
            first = quoted_words[low].key
            if first in counts:
                counts[first] -= 1
                if not counts[first]:
                    del counts[first]
            low += 1
    return best


def _denied(quoted: Features, first: int, last: int) -> bool:
    """Does a negator stand with the words from `first` to `last`: among them, or before them in their clause?"""
    begin = first
    while begin > max(0, first - _DENIES_BEFORE) and not _breaks(quoted, begin):
        begin -= 1
    part = replace(quoted, tokens=quoted.tokens[begin : last + 1], flags=quoted.flags[begin : last + 1])
    return sum(t in _NEGATORS for t in part.tokens) % 2 == 1


def _breaks(quoted: Features, at: int) -> bool:
    return bool(quoted.flags[at] & BREAK) and not quoted.flags[at] & LISTED


@lru_cache(maxsize=256)
def _owner_tokens(name: str) -> frozenset[str]:
    return frozenset(_features(name).tokens)


def _names(owners: Collection[str]) -> frozenset[str]:
    return frozenset(t for name in owners for t in _owner_tokens(name))


def _content(quoted: Features, owners: frozenset[str]) -> list[Word]:
    """Words of content in order. Chinese characters that make a word of a class count as that word."""
    found: list[Word] = []
    tokens, at = quoted.tokens, 0
    while at < len(tokens):
        size, key = _member(tokens, at)
        if key is not None and key not in owners and not (size == 1 and tokens[at] in owners):
            found.append(Word(key, at))
        at += size
    return found


def _member(tokens: Sequence[str], at: int) -> tuple[int, str | None]:
    """How many tokens make the word at a place, and what it is compared by; None for one that says nothing."""
    token = tokens[at]
    if token[0] >= HAN:
        for size in range(min(_LONGEST, len(tokens) - at), 0, -1):
            word = "".join(tokens[at : at + size])
            if word in _PASSED:
                return size, None
            if word in _CLASS:
                return size, _CLASS[word]
    elif token in _PASSED:
        return 1, None
    elif token in _CLASS:
        return 1, _CLASS[token]
    if is_number(token):
        return 1, token
    if is_function(token) or token in _NEGATORS or token in EN_ADVERBS:
        return 1, None
    return 1, stem(token)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(_features(text).tokens)


def _plain(text: str) -> list[tuple[str, int]]:
    """Characters without white space, case folded, each with its place."""
    return [(c, at) for at, whole in enumerate(text) if not whole.isspace() for c in whole.casefold()]
