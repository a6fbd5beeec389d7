"""What `make reading` counts: real talk against its labels, faults of wording, writers' turns, the blind sheet."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from evaluation import sheet, talk, writers
from evaluation.faults import faults
from evaluation.reading import tables
from evaluation.talk import Item, Line, Made, Tally, Window
from processors.ports import Models
from processors.reader.rules.rules import RuleExtractor

TALK = Window(
    window="kitchen-1",
    turns=[
        Line(id="k1", speaker="Ann", text="I live in York."),
        Line(id="k2", speaker="Bo", text="My sister Mei is a nurse."),
        Line(id="k3", speaker="Ann", text="Thanks!"),
    ],
)
LABELS = {
    ("kitchen-1", "k1"): [Item(about="Ann", what="has her home in York", must=["York"])],
    ("kitchen-1", "k2"): [Item(about="Bo's sister", what="nurses", must=["nurse", "Mei"])],
    ("kitchen-1", "k3"): [],
}


async def test_a_talk_of_two_gives_each_their_own_memories(models: Models) -> None:
    made = await talk.memories_of([TALK], models, RuleExtractor())
    assert {(m.who, m.text, *m.turns) for m in made} == {
        ("Ann", "Ann lives in York", "k1"),
        ("Bo", "Bo's sister Mei is a nurse", "k2"),
    }


def tally(made: list[Made], faulty: dict[int, list[str]] | None = None) -> Tally:
    return talk.compared(TALK, LABELS, made, faulty or {n: [] for n in range(len(made))}, "en")


def test_required_things_are_found_by_a_memory_of_the_turns_around_theirs() -> None:
    near = Made(window="kitchen-1", who="Ann", text="Ann lives in York", turns=["k2"])
    assert (tally([near]).found, tally([near]).required) == (1, 2)
    assert tally([near.model_copy(update={"turns": ["k3"]})]).found == 0, "two turns away"
    assert tally([near.model_copy(update={"window": "kitchen-2"})]).found == 0, "another talk"
    assert tally([near], {0: ["wrapper"]}).found_clean == 0


def test_a_turn_with_nothing_to_keep_counts_once_however_much_it_left() -> None:
    left = [Made(window="kitchen-1", who="Ann", text=f"Ann is glad {n}", turns=["k3"]) for n in range(2)]
    assert (tally(left).nothing, tally(left).nothing_kept) == (1, 1)


@pytest.mark.parametrize(
    ("turn", "text", "copied"),
    [
        ("I was at the shop and then my mum rang and said dinner was at seven", "Ann was at the shop", False),
        (
            "I was at the shop and then my mum rang and said dinner was at seven",
            "Ann was at the shop and then Ann's mum rang and said dinner was at seven", True,
        ),
        ("I live in York.", "Ann lives in York", False),
    ],
)  # fmt: skip
def test_a_memory_with_three_quarters_of_a_long_turn_repeats_it(turn: str, text: str, copied: bool) -> None:
    assert talk.repeats("en", [turn], text) is copied


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ann said: The tea is cold", "wrapper"),
        ("Ann asked: lol really", "residue"),
        ("Ann thinks her last one was better", "unresolved reference"),
        ("Ann told you about the house", "I or you left"),
        ("Ann donts like tea", "grammar"),
        ("Ann's flat in York with", "fragment"),
        ("Ann is glad to hear from Bo", "platitude or courtesy"),
    ],
)
def test_faults_of_english_are_counted_by_kind(text: str, kind: str) -> None:
    assert kind in faults("en", text, "Ann", ["x"])
    assert faults("en", "Ann's sister has two cats in York", "Ann", ["x"]) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("小雅说：天气好", "wrapper"),
        ("小雅昨天去爬山了哈哈", "residue"),
        ("小雅觉得这种的更好", "unresolved reference"),
        ("小雅告诉你明天来", "I or you left"),
        ("小雅祝大家新年好", "platitude or courtesy"),
    ],
)
def test_faults_of_chinese_are_counted_by_kind(text: str, kind: str) -> None:
    assert kind in faults("zh", text, "小雅", ["x"])
    assert faults("zh", "小雅的姐姐在杭州当老师", "小雅", ["x"]) == []


def test_a_writer_is_judged_by_the_turns_that_should_leave_something_and_those_that_should_not() -> None:
    kept = writers.Statement(keep=True, memory="The user lives in York.")
    turns = [
        writers.Written(id="a", speaker="user", text="York it is, these days", statements=[kept]),
        writers.Written(id="b", speaker="user", text="morning!", nothing="small_talk"),
        writers.Written(id="c", speaker="user", text="who is there?", nothing="question"),
    ]
    got = writers.figures(turns, {"a": ["User lives in York"], "b": [], "c": ["User asked who"]}, "en")
    assert got["turns with something that left a memory"] == 100.0
    assert got["turns with nothing that left one"] == 50.0
    assert got["labelled memories found in like words"] == 100.0
    assert got["kept without reason"] == {"question": 1}


async def test_a_writers_turn_is_read_after_the_turns_before_it(models: Models) -> None:
    request = writers.Utterance(speaker="assistant", text="Where do you live?")
    turn = writers.Written(id="t", speaker="user", text="York", before=[request])
    assert await writers.memories_of([turn], models, RuleExtractor()) == {"t": ["User lives in York"]}


def test_the_sheet_is_shuffled_by_its_seed_and_does_not_say_who_worded_what(tmp_path: Path) -> None:
    ours = [Made(window="kitchen-1", who="Ann", text=f"Ann has {n} cups", turns=["k1"]) for n in range(6)]
    hand = [Made(window="kitchen-1", who="Ann", text="Ann lives in York", turns=["k1"], by="hand")]
    assert sheet.write(tmp_path / "a.csv", [TALK], [*ours, *hand], most=4, seed=7) == 5
    sheet.write(tmp_path / "b.csv", [TALK], [*reversed(ours), *hand], most=4, seed=7)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    rows, keys = (
        list(csv.DictReader((tmp_path / name).read_text("utf-8").splitlines(keepends=True)))
        for name in ("a.csv", "a.key.csv")
    )
    assert "> Ann: I live in York." in rows[0]["talk"]
    assert not any(value in {"hand", "reader"} for row in rows for value in row.values())
    assert sorted(k["by"] for k in keys) == ["hand", *["reader"] * 4]


def test_tables_hold_both_languages_side_by_side() -> None:
    figures = {"people": Tally(turns=10, memories=4).figures(), "writers": {"en1": {"turns": 5}}}
    result = tables({"en": figures, "zh": {"people": Tally(turns=10, memories=2).figures()}})
    assert "| memories per 100 turns | 40.0 | 20.0 |" in result
    assert "| turns | 5 |" in result
