"""Puts the sentence of a program together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, get_args

from processors.reader.wording.inflect import inflected
from processors.reader.wording.program import Case, Edit, Form, Name, Piece, Program, Span, Utterance, Word
from processors.reader.wording.tables import Frame, Tables, is_slot
from processors.reader.wording.tokens import is_han, is_wide

_NO_SPACE_BEFORE = re.compile(r"(?:[,.;:!?)\]%…]|['’](?:s|m|re|ve|ll|d)?(?![A-Za-z])|n['’]t\b)", re.IGNORECASE)
_NO_SPACE_AFTER = re.compile(r"[(\[£$€/]$")
_SPACED = re.compile(r"[\u3400-\u9fff] [A-Za-z0-9]|[A-Za-z0-9] [\u3400-\u9fff]")
_FORMS: tuple[Form, ...] = get_args(Form)
_WIDE_SPACE = re.compile(r"(?<=[\u2e80-\uffef])\s+(?=[\u2e80-\uffef])")


class Style(NamedTuple):
    """How the turns are written."""

    traditional: bool
    """In Traditional characters, which the words of the lists then follow."""
    spaced: bool
    """With spaces between Chinese characters and Latin letters or digits."""


def style_of(turns: Sequence[Utterance], tables: Tables) -> Style:
    """The style of the turn, which comes first, and of those before it."""
    return Style(tables.is_traditional(text.text for text in turns), bool(_SPACED.search(turns[0].text)))


class WordingError(ValueError):
    """A program that does not fit its turns or its tables."""


def _edited(edit: Edit, token: str, tables: Tables, traditional: bool) -> str:
    if edit.op == "turn":
        if edit.to not in tables.turns.get(token.lower(), ()):
            raise WordingError("the table has no such replacement")
        return tables.in_script(edit.to, traditional)
    form = next((f for f in _FORMS if f == edit.to), None)
    if edit.op == "form" and token.isalpha() and form is not None:
        return inflected(token, form, tables)
    if edit.op == "case" and edit.to in get_args(Case):
        return {"lower": token.lower(), "upper": token.upper(), "capital": token[:1].upper() + token[1:]}[edit.to]
    raise WordingError("unknown edit")


def _chunks(span: Span, phrase: Utterance, tables: Tables, traditional: bool) -> Iterator[str]:
    """What is left of a span: stretches that stand as said, and edited tokens."""
    if span.end > len(phrase.text) or span.start >= span.end:
        raise WordingError("a span lies outside its turn")
    at = span.start
    whole = ""
    for edit in span.edits:
        if not at <= edit.start < edit.end <= span.end:
            raise WordingError("an edit lies outside its span, or before the one before it")
        whole += phrase.text[at : edit.start]
        if edit.op == "delete":
            yield whole
            whole = ""
        elif edit.op == "turn":
            yield whole
            yield _edited(edit, phrase.text[edit.start : edit.end], tables, traditional)
            whole = ""
        else:
            whole += _edited(edit, phrase.text[edit.start : edit.end], tables, traditional)
        at = edit.end
    yield whole + phrase.text[at : span.end]


def _word(piece: Word, tables: Tables) -> str:
    """A listed word in its form."""
    if not piece.form:
        if piece.word in tables.words or piece.word in tables.verbs or piece.word in tables.nouns:
            return piece.word
    elif piece.word in (tables.nouns if piece.form == "plural" else tables.verbs):
        return inflected(piece.word, piece.form, tables)
    raise WordingError("a word stands in no list")


def _texts(pieces: Sequence[Piece], turns: Sequence[Utterance], tables: Tables, traditional: bool) -> Iterator[str]:
    for piece in pieces:
        if isinstance(piece, Word):
            yield tables.in_script(_word(piece, tables), traditional)
        elif isinstance(piece, Name):
            yield called(_turn(turns, piece.speaker).speaker, tables, traditional)
        else:
            yield from _chunks(piece, _turn(turns, piece.turn), tables, traditional)


def called(speaker: str, tables: Tables, traditional: bool) -> str:
    """How a sentence calls a speaker."""
    return tables.in_script(tables.user, traditional) if speaker in tables.unnamed else speaker


def _turn(turns: Sequence[Utterance], number: int) -> Utterance:
    if number >= len(turns):
        raise WordingError("there is no such turn before")
    return turns[number]


def _needs_space(left: str, right: str, spaced: bool) -> bool:
    """Whether a space stands between two neighbours."""
    if _NO_SPACE_BEFORE.match(right) or _NO_SPACE_AFTER.search(left):
        return False
    wide = (is_wide(left[-1]), is_wide(right[0]))
    if wide[0] != wide[1]:
        han, other = (left[-1], right[0]) if wide[0] else (right[0], left[-1])
        return spaced and is_han(han) and other.isalnum()
    return not wide[0]


def joined(texts: Sequence[str], spaced: bool) -> str:
    """Texts one after another, with the spaces that belong between them.

    Args:
        spaced: whether a space stands between Chinese characters and Latin letters or digits.
    """
    out = ""
    for text in texts:
        part = _WIDE_SPACE.sub("", re.sub(r"\s+", " ", text)).strip()
        if part:
            out += (" " if out and _needs_space(out, part, spaced) else "") + part
    return out


def framed(frame: Frame, slots: Sequence[str], speaker: str, tables: Tables, style: Style) -> str:
    """A frame with its slots filled. An English sentence starts with a capital, unless with a speaker's name."""
    texts = [
        slots[int(part[1:-1])] if is_slot(part) else tables.in_script(part, style.traditional) for part in frame.parts
    ]
    texts = [speaker if part == "{user}" else text for part, text in zip(frame.parts, texts, strict=True)]
    if tables.language == "en" and not (frame.parts[0] == "{user}" and speaker != tables.user):
        texts[0] = texts[0][:1].upper() + texts[0][1:]
    return re.sub(r"\.\.$", ".", joined(texts, style.spaced))


def realise(program: Program, turn: Utterance, before: Sequence[Utterance], tables: Tables) -> str:
    """The sentence of a program.

    Args:
        turn: the turn that makes the statement.
        before: the turns before it, oldest first.
        tables: those of the turn's language.
    Raises:
        WordingError: the program does not fit the turns or the tables, or takes nothing from the turns.
    """
    frame = tables.frames.get(program.frame)
    if frame is None or frame.slots != len(program.slots):
        raise WordingError("no such frame, or other slots")
    if not any(isinstance(piece, Span) for slot in program.slots for piece in slot):
        raise WordingError("nothing comes from the turns")
    turns = [turn, *reversed(before)]
    style = style_of(turns, tables)
    slots = [joined(list(_texts(slot, turns, tables, style.traditional)), style.spaced) for slot in program.slots]
    return framed(frame, slots, called(turn.speaker, tables, style.traditional), tables, style)
