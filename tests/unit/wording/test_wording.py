"""A memory is put together from the words of turns and of closed lists, and nothing else can come out."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import pytest
from pydantic import ValidationError

from processors.reader.wording.inflect import inflected
from processors.reader.wording.program import Edit, Form, Name, Piece, Program, Span, Word, compact
from processors.reader.wording.realise import WordingError, joined, realise
from processors.reader.wording.tables import MAX_FRAMES, MAX_WORDS, Language, tables
from processors.reader.wording.tokens import tokens

EN = tables("en")
ZH = tables("zh")


@dataclass(frozen=True)
class Utterance:
    speaker: str
    text: str


def span(statement: Utterance, part: str, *edits: tuple[str, str, str], turn: int = 0) -> Span:
    """The first place of a part of a turn; an edit names its token, operation and target."""
    start = statement.text.index(part)
    places = [(start + part.index(token), token, op, to) for token, op, to in edits]
    made = tuple(
        Edit.model_validate({"start": at, "end": at + len(token), "op": op, "to": to}) for at, token, op, to in places
    )
    return Span(turn=turn, start=start, end=start + len(part), edits=made)


def test_an_english_sentence_is_built_from_its_turn() -> None:
    statement = Utterance("user", "lol i've lived in leeds w my sister since march, honestly")
    whole = span(
        statement,
        "lived in leeds w my sister since march",
        ("leeds", "case", "capital"),
        ("w", "turn", "with"),
        ("my", "turn", "their"),
        ("march", "case", "capital"),
    )
    built = realise(Program(frame="user_has", slots=((whole,),)), statement, [], EN)
    assert built == "The user has lived in Leeds with their sister since March."


def test_an_answer_takes_what_its_question_gives_and_the_speaker_her_name() -> None:
    before = Utterance("Ben", "how old is your son now?")
    statement = Utterance("Mei", "seven")
    slots: tuple[tuple[Piece, ...], ...] = ((span(before, "son", turn=1),), (span(statement, "seven"),))
    assert realise(Program(frame="user_of_is", slots=slots), statement, [before], EN) == "Mei's son is seven."
    slots = ((Name(speaker=1), Word(word="have", form="third"), span(before, "son", turn=1)),)
    assert realise(Program(frame="plain", slots=slots), statement, [before], EN) == "Ben has son."


@pytest.mark.parametrize(
    ("text", "part", "edits", "sentence"),
    [
        ("嗯我妈在成都住", "妈在成都住", [("妈", "turn", "母亲")], "用户的母亲在成都住。"),
        ("我媽對蝦過敏啊", "媽對蝦過敏", [("媽", "turn", "母亲")], "用戶的母親對蝦過敏。"),
        ("我们 API 是用 Go 写的", "API 是用 Go 写", [], "用户的 API 是用 Go 写。"),
    ],
)
def test_a_chinese_sentence_keeps_script_and_spaces_of_its_turn(
    text: str, part: str, edits: list[tuple[str, str, str]], sentence: str
) -> None:
    statement = Utterance("user", text)
    assert realise(Program(frame="user_of", slots=((span(statement, part, *edits),),)), statement, [], ZH) == sentence


@pytest.mark.parametrize(
    ("word", "form", "expected"),
    [
        ("worked", "third", "works"),
        ("hating", "base", "hate"),
        ("studied", "ing", "studying"),
        ("stop", "past", "stopped"),
        ("went", "third", "goes"),
        ("need", "third", "needs"),
        ("boxes", "singular", "box"),
        ("baby", "plural", "babies"),
        ("child", "plural", "children"),
        ("Moving", "past", "Moved"),
        ("fix", "third", "fixes"),
    ],
)  # fmt: skip
def test_words_are_inflected_by_rule_and_table(word: str, form: Form, expected: str) -> None:
    assert inflected(word, form, EN) == expected


UTTERANCE = Utterance("user", "i keep bees in leeds")
KEEP = Span(turn=0, start=2, end=6)


def edited(*edits: Edit) -> Program:
    return Program(frame="user", slots=((Span(turn=0, start=0, end=4, edits=edits),),))


@pytest.mark.parametrize(
    "program",
    [
        Program(frame="unknown", slots=((KEEP,),)),
        Program(frame="user_of_is", slots=((KEEP,),)),
        Program(frame="user", slots=((KEEP, Word(word="wasps")),)),
        Program(frame="user", slots=((KEEP, Word(word="the", form="past")),)),
        Program(frame="user", slots=((Word(word="the"),),)),
        Program(frame="user", slots=((Span(turn=1, start=0, end=1),),)),
        Program(frame="user", slots=((Span(turn=0, start=2, end=600),),)),
        Program(frame="user", slots=((KEEP, Name(speaker=3)),)),
        edited(Edit(start=0, end=1, op="turn", to="owns")),
        edited(Edit(start=0, end=1, op="form", to="future")),
        edited(Edit(start=1, end=2, op="form", to="third")),
        edited(Edit(start=2, end=6, op="delete")),
    ],
)
def test_a_program_that_does_not_fit_is_refused(program: Program) -> None:
    with pytest.raises(WordingError):
        realise(program, UTTERANCE, [], EN)


def test_a_refusal_echoes_no_text_of_the_turn() -> None:
    with pytest.raises(WordingError) as refused:
        realise(Program(frame="user", slots=((Word(word="secretword"),),)), UTTERANCE, [], EN)
    assert "secretword" not in str(refused.value)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_lists_keep_their_bounds(language: Language) -> None:
    table = tables(language)
    assert 0 < len(table.frames) <= MAX_FRAMES
    assert 150 < len(table.words | table.verbs) <= MAX_WORDS + 20  # marks beside the words
    assert all(frame.slots and frame.parts[-1] in (".", "。") for frame in table.frames.values())


def _random_program(rng: random.Random, turns: list[Utterance]) -> Program:
    frame = rng.choice([*EN.frames.values()])
    slots: list[tuple[Piece, ...]] = []
    for _ in range(frame.slots):
        pieces: list[Piece] = []
        for _ in range(rng.randint(1, 4)):
            number = rng.randrange(len(turns))
            token = rng.choice(tokens(turns[number].text))
            op = rng.choice(["delete", "form", "case", "turn"])
            to = {"delete": "", "form": "third", "case": "upper", "turn": rng.choice(["they", "their", "hunter2"])}[op]
            edit = Edit.model_validate({"start": token.start, "end": token.end, "op": op, "to": to})
            edits = (edit,) if rng.random() < 0.5 else ()
            copied = Span(turn=number, start=token.start, end=token.end, edits=edits)
            word = Word(word=rng.choice(["the", "in", "hunter2"]))
            choices: list[Piece] = [copied, copied, word, Name(speaker=number)]
            pieces.append(rng.choice(choices))
        slots.append(tuple(pieces))
    return Program(frame=frame.name, slots=tuple(slots))


def test_what_stands_in_no_turn_and_no_list_never_comes_out() -> None:
    """10,000 random programs: each is refused, or every word of its sentence comes from the turns or the tables."""
    rng = random.Random(7)
    turns = [Utterance("user", "i keep bees in leeds, my sister sold hers"), Utterance("Mei", "do you still keep any?")]
    known = {
        form.lower()
        for text in turns
        for token in tokens(text.text)
        for form in (token.text, inflected(token.text, "third", EN))
    }
    known |= {token.text for names in EN.turns.values() for name in names for token in tokens(name.lower())}
    known |= {token.text.lower() for text in (*EN.words, "the user", "Mei") for token in tokens(text)}
    known |= {token.text.lower() for frame in EN.frames.values() for part in frame.parts for token in tokens(part)}
    built = 0
    for _ in range(10_000):
        try:
            sentence = realise(_random_program(rng, turns), turns[0], turns[1:], EN)
        except WordingError:
            continue
        built += 1
        assert {token.text.lower() for token in tokens(sentence)} <= known
    assert built > 1000


def test_joining_puts_spaces_where_they_belong() -> None:
    assert joined(["the rate", "is", "£126", "a day", ",", "not", "more"], False) == "the rate is £126 a day, not more"
    assert joined(["用户的", "API", "用", "Go"], True) == "用户的 API 用 Go"
    assert joined(["用户的", "API", "用", "Go"], False) == "用户的API用Go"


def test_a_program_is_compact_json_and_reads_back() -> None:
    program = Program(frame="user", slots=((span(UTTERANCE, "keep bees", ("keep", "form", "third")), Word(word="in")),))
    again = Program.model_validate_json(re.sub("'", '"', str(compact(program))))
    assert again == program
    with pytest.raises(ValidationError):
        Program.model_validate({"frame": "user", "slots": ((({"text": "free text"}),),)})
