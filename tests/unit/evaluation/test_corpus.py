"""The corpus keeps its guide, and its checks see what breaks it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from evaluation.corpus.agreement import agreement
from evaluation.corpus.align import align
from evaluation.corpus.check import Report, check, entry_faults, program_faults
from evaluation.corpus.entries import Entry, Language, Statement, Utterance, Verdict
from evaluation.corpus.overlap import runs, shared_runs
from evaluation.corpus.read import ROOT, Context, contexts
from processors.reader.wording.realise import realise
from processors.reader.wording.tables import tables

STATEMENT = Statement(
    clause="I keep bees in Leeds", predicate="keep", value="bees", owner="speaker", person="", polarity="affirmed",
    modality="actual", time="habitual", kind="habit", attribute="pet", value_type="text", keep=True,
    memory="The user keeps bees in Leeds.",
)  # fmt: skip
ENTRY = Entry(
    id="en1-0001a", group="en1-0001", twin="number", language="en", domain="home", register="chat", before=[],
    speaker="user", text="well, I keep bees in Leeds", statements=[STATEMENT], nothing="",
)  # fmt: skip


@pytest.fixture(scope="module")
def report() -> Report:
    """All of the corpus, checked once."""
    return check()


def test_the_corpus_keeps_its_guide(report: Report) -> None:
    assert report.faults == []
    assert sum(report.counts["turns"].values()) > 7000


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"clause": "I kept bees"}, "clause is no part of the text"),
        ({"value": "hens"}, "value is no part of the clause"),
        ({"predicate": "kept"}, "predicate is no part of the clause"),
        ({"person": "Mei"}, "person is no part of the turns"),
        ({"owner": "person"}, "a person is named where the owner is a person, and only there"),
        ({"memory": ""}, "a kept statement has a memory, another has none"),
        ({"modality": "fiction"}, "kept though fiction"),
        ({"kind": None}, "a label is missing"),
    ],
)
def test_a_broken_statement_is_seen(change: dict[str, str | None], fault: str) -> None:
    entry = ENTRY.model_copy(update={"statements": [STATEMENT.model_copy(update=change)]})
    assert f"statement 0: {fault}" in list(entry_faults(entry))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"nothing": "question"}, "nothing says why where no statement is kept, and only there"),
        ({"twin": ""}, "a twin has a letter, a base turn has none"),
        ({"twin": "variant"}, "what a twin changes is labelled"),
        ({"group": "en1-0002"}, "id, group and language do not fit"),
    ],
)
def test_a_broken_entry_is_seen(change: dict[str, str], fault: str) -> None:
    assert list(entry_faults(ENTRY.model_copy(update=change))) == [fault]
    assert list(entry_faults(ENTRY)) == []


def test_an_unknown_label_or_field_is_refused() -> None:
    for change in ({"twin": "other"}, {"extra": 1}):
        with pytest.raises(ValidationError):
            Entry.model_validate_json(json.dumps(ENTRY.model_dump(by_alias=True) | change))


def test_a_turn_that_stands_twice_is_seen(tmp_path: Path) -> None:
    line = ENTRY.model_dump_json(by_alias=True)
    (tmp_path / "en1.jsonl").write_text(f"{line}\n{line}\nno json\n", encoding="utf-8")
    faults = check(tmp_path).faults
    assert len(faults) == 3
    assert faults[0] == "en1.jsonl:2: an id or a turn again"
    assert faults[1].startswith("en1.jsonl:3: line: Invalid JSON")
    assert faults[2] == "en: less than 92% of the memories have a program"


def test_a_folder_without_turns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        check(tmp_path)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_second_readers_agree_as_the_card_says(language: Language) -> None:
    found = agreement(language)
    card = (ROOT / "README.md").read_text(encoding="utf-8")
    row = next(line for line in card.splitlines() if line.startswith(f"| {language} | {found.turns} |"))
    shares = (found.same_verdict / found.turns, found.met / found.kept, *(n / found.met for n in found.equal.values()))
    assert row == f"| {language} | {found.turns} | " + " | ".join(f"{100 * share:.0f}" for share in shares) + " |"


def test_the_card_counts_what_stands_in_the_corpus(report: Report) -> None:
    card = (ROOT / "README.md").read_text(encoding="utf-8")
    counts = report.counts
    for language, kept in counts["kept, by language"].items():
        rebuilt = counts["rebuilt"][language]
        assert f"| {language} | {kept:,} | {rebuilt:,} | {100 * rebuilt / kept:.1f} % |" in card
    for name, turns in counts["turns"].items():
        kept = counts["kept statements"][name]
        assert f"| `{name}.jsonl` | {turns:,} | {kept:,} |" in card
    for name, number in counts["pairs"].items():
        assert f"| `{name}.jsonl` | {number:,} |" in card
    for name, number in counts["verdicts"].items():
        assert f"| `{name}.jsonl` | {number:,} | {counts['good'][name]:,} |" in card


def test_a_verdict_names_a_turn_and_stands_once(tmp_path: Path) -> None:
    (tmp_path / "en1.jsonl").write_text(ENTRY.model_dump_json(by_alias=True) + "\n", encoding="utf-8")
    result = Verdict(
        place=ENTRY.id, memory="User sold it", kind="episode", supported=True, person=True, sentence=False, worth=True
    )
    other = result.model_copy(update={"place": "en1-9999"})
    lines = [v.model_dump_json() for v in (result, result, other)]
    (tmp_path / "verdicts_en.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = check(tmp_path)
    assert report.faults[-2:] == ["verdicts_en.jsonl:2: a verdict again", "verdicts_en.jsonl:3: no turn en1-9999"]
    assert report.counts["good"]["verdicts_en"] == 0


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("So: I MOVED to the flat above a bakery, twice", "i moved to the flat above a bakery"),
        ("我上周，从成都搬到了海边的老房子里", "上周从成都搬到了海边的老房"),
    ],
)
def test_a_shared_run_is_found_in_any_spelling(text: str, other: str) -> None:
    assert set(runs(text)) & set(runs(other))
    assert not set(runs(text)) & set(runs(other[: len(other) - 3]))


def test_overlap_names_turn_file_and_run(tmp_path: Path) -> None:
    statement = next(context for context in contexts(language="en") if len(context.turn.text.split()) > 12)
    (tmp_path / "cases.jsonl").write_text(
        json.dumps({"turns": [{"content": statement.turn.text}]}) + "\n", encoding="utf-8"
    )
    found = shared_runs(tmp_path)
    assert statement.place in {shared.place for shared in found}
    assert {shared.file for shared in found} == {"cases.jsonl"}


def test_a_program_that_builds_another_sentence_is_seen() -> None:
    aligned = align(STATEMENT.memory, STATEMENT.clause, ENTRY, (), tables("en"))
    assert aligned is not None
    right = STATEMENT.model_copy(update={"program": aligned.program})
    wrong = right.model_copy(update={"memory": "The user keeps bees."})
    turn = ENTRY.model_copy(update={"statements": [right, wrong]})
    assert list(program_faults(Context("en1-0001a", "en", turn, ()))) == [
        "statement 1: the program builds another sentence"
    ]


@pytest.mark.parametrize(
    ("sentence", "text", "before"),
    [
        ("The user's daughter is seven.", "seven", "How old is your daughter?"),
        ("The user's sister no longer works at Halden Optics.", "my sister doesn't work at halden optics any more", ""),
        ("The user does not eat pork.", "pork i don't eat", ""),
    ],
)
def test_a_program_is_found_for_a_sentence_from_its_turns(sentence: str, text: str, before: str) -> None:
    turn = Utterance(speaker="user", text=text)
    earlier = [Utterance(speaker="assistant", text=before)] if before else []
    aligned = align(sentence, text, turn, earlier, tables("en"))
    assert aligned is not None
    assert realise(aligned.program, turn, earlier, tables("en")) == sentence


def test_no_program_is_found_for_a_word_that_nobody_said() -> None:
    turn = Utterance(speaker="user", text="i keep bees in leeds")
    assert align("The user keeps wasps in Leeds.", turn.text, turn, (), tables("en")) is None
