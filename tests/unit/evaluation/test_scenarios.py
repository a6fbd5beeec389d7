"""What `python -m evaluation.scenarios` counts: labels against what stands, and the scenarios' own form."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from evaluation.scenarios.__main__ import row, table
from evaluation.scenarios.judgement import Judgement, counted, holds, judged, one_value_keys
from evaluation.scenarios.replay import Entry, done_lines, replay
from evaluation.scenarios.scenario import ASSISTANT, Label, Scenario, read
from processors.ports import Models
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import load_profile

FILES = sorted(Path("tests/data/scenarios").rglob("*.toml"))
ONE_VALUE = one_value_keys(load_profile("clinical_trial"))
NAME = Label(place="field", key="name", who="ann", words=("ann",), without=("bob",))


def verdict(label: Label, *entries: Entry) -> str:
    return judged(label, entries, ONE_VALUE).verdict


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_each_scenario_has_forty_turns_in_order_and_labels_of_what_its_profile_has(path: Path) -> None:
    scenario = read(path)
    profile = load_profile(scenario.profile)
    turns = scenario.events()
    assert scenario.name == path.stem
    assert len(turns) >= 40
    assert [t.occurred_at for t in turns] == sorted(t.occurred_at for t in turns)
    fields, hot = {f.name for f in profile.fields}, {k.key for k in profile.hot_keys}
    speakers = {who for _, who, _ in scenario.turns}
    for label in scenario.labels:
        assert label.words or label.without
        assert label.who is None or label.who in speakers - {ASSISTANT}
        if label.place in ("field", "reading"):
            assert label.key in fields
        if label.place in ("hot_memory", "status"):
            assert label.key in hot


def test_as_many_scenarios_of_each_language() -> None:
    languages = [read(path).language for path in FILES]
    assert languages.count("en") == languages.count("zh") == len(languages) // 2 >= 11


def test_an_entry_with_all_words_is_right_and_one_with_a_forbidden_word_is_wrong_beside_it() -> None:
    right = Entry("field", "name", "ann", "Ann")
    assert verdict(NAME, right) == "right"
    assert verdict(NAME, right, Entry("field", "name", "ann", "Bob")) == "wrong"
    assert verdict(NAME, right, Entry("field", "name", "bob", "Bob")) == "right", "somebody else's"


def test_another_value_is_wrong_where_one_stands_at_a_time_and_only_missing_in_a_list() -> None:
    count = Label(place="status", key="enrolled_count", words=("49",))
    assert verdict(count, Entry("status", "enrolled_count", "p", "41")) == "wrong"
    special = Label(place="status", key="special_patients", words=("latex",))
    assert verdict(special, Entry("status", "special_patients", "p", "23 needs an interpreter")) == "missing"


def test_what_stands_in_another_place_is_told_apart_but_a_bare_number_is_not_looked_for() -> None:
    dose = Label(place="decision", key="dosing", words=("remain",))
    elsewhere = judged(dose, [Entry("report", "2026-11-02", "p", "Doses remain.")], ONE_VALUE)
    assert (elsewhere.verdict, elsewhere.held) == ("elsewhere", ("report 2026-11-02: Doses remain.",))
    bare = Label(place="decision", key="dosing", words=("25",))
    assert verdict(bare, Entry("report", "2026-11-02", "p", "25 people")) == "missing"


def test_a_label_without_words_is_right_while_nothing_forbidden_stands() -> None:
    nothing = Label(place="task", words=(), without=("svelte",))
    assert verdict(nothing) == "right"
    assert verdict(nothing, Entry("task", None, "wen", "Rewrite it in Svelte")) == "wrong"


@pytest.mark.parametrize(
    ("text", "words", "is_there"),
    [
        ("47 of 90", "47", True), ("147", "47", False), ("2.25", "25", False), ("25 mg.", "25", True),
        ("Meeting", "call|meeting", True), ("入组61例", "61", True), ("1.6", "6", False),
    ],
)  # fmt: skip
def test_a_number_is_not_part_of_another(text: str, words: str, is_there: bool) -> None:
    assert holds(text, words) is is_there


def test_right_is_a_share_of_what_is_asked_for_and_wrong_of_all_labels() -> None:
    nothing = Label(place="field", key="name", words=(), without=("bob",))
    made = [Judgement(NAME, "right", ()), Judgement(NAME, "missing", ()), Judgement(nothing, "wrong", ()),
            Judgement(nothing, "right", ())]  # fmt: skip
    assert counted(made) == {
        "asked": 2, "right": 1, "elsewhere": 0, "missing": 1, "wrong": 1, "labels": 4,
    }  # fmt: skip
    assert row("en field", made).split() == ["en", "field", "2", "1", "0", "1", "1", "of", "4", "50", "%", "25", "%"]
    assert row("en task", []) == ""


def test_done_tasks_are_read_from_a_reports_text() -> None:
    text = "## Open tasks\n- ann: one\n\n## Done\n- wen: two\n- bob: three\n\n## Next\n- no"
    assert done_lines(text) == ["wen: two", "bob: three"]
    assert done_lines("## 已完成\n- 王：写完\n") == ["王：写完"]
    assert done_lines("## Open tasks\n- ann: one") == []


def test_a_label_with_an_unknown_word_is_refused() -> None:
    with pytest.raises(ValidationError, match="wihtout"):
        Label.model_validate({"place": "task", "words": ["a"], "wihtout": ["b"]})


async def test_a_replay_tells_fields_decisions_and_the_weeks_report(models: Models) -> None:
    scenario = Scenario(
        name="small", profile="clinical_trial", language="en", project="p-1", offset="+00:00", year=2026,
        turns=(("11-02 09:00", "ann", "My name is Ann."), ("11-02 09:01", ASSISTANT, "Noted."),
               ("11-03 09:00", "bob", "We decided to raise the age limit to 75."),
               ("11-04 09:00", "bob", "Currently enrolled 45 patients.")),
        labels=(NAME, Label(place="status", key="enrolled_count", words=("45",)),
                Label(place="decision", words=("75",)), Label(place="report", key="2026-11-02", words=("75",))),
    )  # fmt: skip
    assert scenario.events()[1].user_id == "ann"
    assert scenario.events()[0].occurred_at == datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
    entries = await replay(scenario, models, RuleExtractor())
    judgements = [judged(label, entries, ONE_VALUE) for label in scenario.labels]
    assert [j.verdict for j in judgements] == ["right"] * 4
    assert "en report" in table([(scenario, entries, judgements)])
