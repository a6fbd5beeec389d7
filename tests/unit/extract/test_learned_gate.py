"""Rules behind a gate: free statements have its calibrated reading; what is always made has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inference.language import language_of
from inference.reader.protocol import TurnInput, TurnReading, Verdict
from inference.reader.turn_gate import LearnedGate
from inference.weights import WeightsError
from memstream.settings import Settings
from memstream.workers.parts import extractor_of
from processors.reader.learned_gate import GatedExtractor
from processors.reader.rules.protocol import Reading, TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, THURSDAY

FREE = "I moved my piano to Leeds."
FREE_ZH = "我上周买了一架钢琴。"


class Says:
    """A `TurnGate` that gives each text a probability, `otherwise` to those that it does not know."""

    gate_id = "says"

    def __init__(self, otherwise: float, by_text: Mapping[str, float] | None = None) -> None:
        self._otherwise = otherwise
        self._by_text = by_text or {}
        self.read_texts: list[str] = []

    def read(self, turns: Sequence[TurnInput]) -> list[TurnReading]:
        self.read_texts += [t.content for t in turns]
        return [TurnReading(self._by_text.get(t.content, self._otherwise), "question") for t in turns]


class Third:
    def verdict(self, keep: float) -> Verdict:
        return "drop" if keep < 0.2 else "keep" if keep >= 0.8 else "elsewhere"

    def calibrated(self, keep: float) -> float:
        return keep


def view(text: str, **more: Any) -> TurnView:
    return replace(TurnView(text, "user", language_of(text), THURSDAY), **more)


def read(gate: Says, turn: TurnView, profile: Profile = GENERAL) -> list[Candidate]:
    return GatedExtractor(RuleExtractor(), gate, Third()).extract(turn, profile)


def plain(turn: TurnView, profile: Profile = GENERAL) -> list[Candidate]:
    return RuleExtractor().extract(turn, profile)


@pytest.mark.parametrize("text", [FREE, FREE_ZH])
def test_a_free_statement_has_the_gates_reading_and_is_otherwise_the_rules_own(text: str) -> None:
    (before,) = plain(view(text))
    (after,) = read(Says(0.1234567), view(text))
    assert before.source == "explicit"
    assert after == before.model_copy(update={"reading": 0.1235})


class Halved(Third):
    def calibrated(self, keep: float) -> float:
        return keep / 2


@pytest.mark.parametrize("keep", [0.1, 0.2, 0.5, 0.8, 1.0])
def test_the_reading_is_the_calibrated_probability(keep: float) -> None:
    [read_it] = GatedExtractor(RuleExtractor(), Says(keep), Halved()).extract(view(FREE), GENERAL)
    assert read_it.reading == keep / 2


def test_a_sentence_worth_keeping_stands_in_a_turn_that_is_not() -> None:
    text = f"{FREE} What time is it there? My sister Anna lives in Rome."
    gate = Says(0.1, {"I moved my piano to Leeds": 0.9, "My sister Anna lives in Rome": 0.7})
    by_text = {c.text: c for c in read(gate, view(text))}
    assert by_text["User moved their piano to Leeds"].reading == 0.9
    assert by_text["User's sister Anna lives in Rome"].reading == 0.7
    assert all(c.source == "explicit" for c in plain(view(text)))


class Twice:
    """The rules, each of whose statements is found twice in its sentence."""

    name, version = RuleExtractor.name, RuleExtractor.version

    def extract(self, turn: TurnView, profile: Profile) -> list[Candidate]:
        return self.read(turn, profile).candidates

    def read(self, turn: TurnView, profile: Profile) -> Reading:
        found = plain(turn, profile)
        again = [c.model_copy(update={"ordinal": c.ordinal + len(found)}) for c in found]
        return Reading([*found, *again])


SENTENCE = "I moved my piano to Leeds"


@pytest.mark.parametrize(
    ("text", "texts"),
    [(SENTENCE, [SENTENCE]), (f"{SENTENCE}. What time is it?", [f"{SENTENCE}. What time is it?", SENTENCE])],
    ids=["all of the turn", "one of two"],
)
def test_a_sentence_is_read_once_however_many_statements_it_holds(text: str, texts: list[str]) -> None:
    gate = Says(0.1)
    low = GatedExtractor(Twice(), gate, Third()).extract(view(text), GENERAL)
    assert [c.reading for c in low] == [0.1, 0.1]
    assert gate.read_texts == texts


ALWAYS = [
    ("I'm 32 and work as a nurse in Leeds.", {}),
    ("I'm allergic to penicillin.", {}),
    ("我对花生过敏。", {}),
    ("I like hiking.", {}),
    ("我不吃香菜。", {}),
    ("From now on answer me in bullet points.", {}),
    ("以后请用列表回答我。", {}),
    ("I can't climb stairs since my operation in May.", {}),
    ("Please remember that I moved my piano to Leeds.", {}),
    ("Remember: I take the 8:15 train.", {}),
    ("请记住，我上周买了一架钢琴。", {}),
    ("I no longer live in Leeds.", {}),
    ("Sorry, not 32 but 33 years old.", {}),
    ("We decided to use Redis for the cache.", {}),
    ("I want to move to Canada with my sister.", {}),
    ("我打算明年去冰岛旅行。", {}),
    ("We decided to use Redis. The build takes 12 minutes now.", {"project_id": "p1"}),
    ("登录页完成了80%，测试环境昨天挂了。", {"project_id": "p1"}),
    ("penicillin", {"previous": (("assistant", "Any allergies?"),)}),
    ("香菜", {"previous": (("assistant", "有忌口吗？"),)}),
]


@pytest.mark.parametrize(("text", "more"), ALWAYS, ids=[text for text, _ in ALWAYS])
def test_what_is_always_made_has_no_reading(text: str, more: dict[str, Any]) -> None:
    turn = view(text, **more)
    made = plain(turn)
    assert made
    assert [c.reading for c in made] == [None] * len(made)
    assert read(Says(0.0), turn) == made


def test_an_intent_with_a_category_is_never_lowered() -> None:
    turn = view("我比较想走高才通。")
    made = plain(turn, IMMIGRATION)
    assert any(c.category for c in made)
    assert [c for c in read(Says(0.0), turn, IMMIGRATION) if c.category] == [c for c in made if c.category]


def test_a_profile_with_hot_keys_reads_all_that_the_rules_take() -> None:
    turn, engineering = view(FREE), load_profile("engineering")
    assert engineering.hot_keys
    assert read(Says(0.0), turn, engineering) == plain(turn, engineering)


def test_what_the_reply_confirms_is_not_lowered() -> None:
    turn = view(FREE, reply="Yes.")
    assert read(Says(0.0), turn) == plain(turn)


def test_the_gate_reads_only_turns_with_something_that_it_may_lower() -> None:
    gate = Says(0.5)
    for text in ("", "😀😀", "What time is it?", "I'm 32.", "שלום, אני גר בחיפה", "I can't climb stairs since May."):
        read(gate, view(text))
    assert gate.read_texts == []
    read(gate, view(FREE))
    assert gate.read_texts == [FREE]


def test_name_and_version_are_those_of_the_rules() -> None:
    gated = GatedExtractor(RuleExtractor(), Says(0.5), Third())
    assert (gated.name, gated.version) == (RuleExtractor.name, RuleExtractor.version)


def test_what_was_observed_anyway_has_no_low_reading() -> None:
    turn = view("Portland, OR", previous=(("assistant", "Which city?"),))
    made = plain(turn)
    assert [c.source for c in made] == ["inferred"]
    assert read(Says(0.0), turn) == made
    assert made[0].confidence == Decimal("0.6")


@pytest.mark.parametrize("on", [True, False])
def test_the_setting_puts_the_gate_behind_the_rules(on: bool) -> None:
    extractor = extractor_of(Settings(learned_gate=on))
    assert isinstance(extractor, GatedExtractor) == on
    assert (extractor.name, extractor.version) == (RuleExtractor.name, RuleExtractor.version)


def test_a_worker_with_altered_weights_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(LearnedGate, "of", partial(LearnedGate.of, tmp_path))
    with pytest.raises(WeightsError, match=r"gate\.json cannot be read"):
        extractor_of(Settings(learned_gate=True))
