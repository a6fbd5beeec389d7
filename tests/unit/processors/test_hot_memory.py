"""Turns go in, a project's hot memory and the lines of its prompt come out (A3, A4, A8), in Chinese and English."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inference.language import language_of
from processors.ports import Models
from processors.reader.rules.model import read_answer
from processors.reader.rules.protocol import TurnView
from query.prompt import pieces
from schemas.events.documents import ProjectCommand, ProjectCommandBody
from schemas.events.hot_memory import HotRow, hot_memory
from schemas.events.memory import MemoryCommand, MemoryUpdate
from schemas.log import topics
from schemas.profile.model import load_profile
from sinks.postgres.rows import row
from tests.unit.processors.talk import Talk

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PI_EN, PI_ZH = ("meta", "principal_investigator", "Dr. Li"), ("meta", "principal_investigator", "李主任")


class Study(Talk):
    def __init__(self, models: Models) -> None:
        super().__init__(models, load_profile("clinical_trial"), START, "study")

    async def put(self, hot_type: Any, key: str, value: Any, command: Any = "put_hot", user: str | None = None) -> None:
        self.driver.advance(timedelta(minutes=5))
        self._number += 1
        self.driver.pipe(
            topics.PROJECT_EVENTS,
            ProjectCommand(
                tenant="acme", project_id="study", command=command, command_id=f"put-{self._number}", user_id=user,
                hot_type=hot_type, key=key, accepted_at=self.driver.now, sealed=ProjectCommandBody(value=value),
            ),
        )  # fmt: skip
        await self.driver.run()

    async def told(self, *statement: str | tuple[str, str]) -> None:
        """Turns, five minutes apart; a pair names the user."""
        for each in statement:
            self.driver.advance(timedelta(minutes=5))
            who, text = each if isinstance(each, tuple) else ("ann", each)
            await self.say(text, user=who, session=who)

    async def forget(self, user: str, record_id: str) -> None:
        self._number += 1
        command = MemoryCommand(
            tenant="acme", user_id=user, command="forget", command_id=f"forget-{self._number}", memory_id=record_id,
            accepted_at=self.driver.now,
        )  # fmt: skip
        self.driver.pipe(topics.LEDGER, command)
        await self.driver.run()

    @property
    def hot(self) -> dict[str, list[dict[str, Any]]]:
        """As readers get it."""
        newest: dict[str, MemoryUpdate] = {u.record_id: u for u in self.updates("hot")}
        rows = [found[1] for u in newest.values() if (found := row(u)) is not None]
        return hot_memory(HotRow.of_row(r) for r in rows)

    @property
    def values(self) -> dict[str, Any]:
        return {e["key"]: e["value"] for group in self.hot.values() for e in group}

    def lines(self, language: str) -> list[str]:
        return [p.text for p in pieces.hot(self.hot, language)]


@pytest.fixture
def study(models: Models) -> Study:
    return Study(models)


@pytest.mark.parametrize(
    ("put", "statement", "language", "line"),
    [
        (PI_EN, ("bob", "The principal investigator is Dr. Wang."), "en",
         "- principal_investigator: Dr. Li; proposed in talk by bob on 2026-11-02, not adopted: Dr. Wang"),
        (PI_ZH, ("bob", "PI是王主任。"), "zh",
         "- principal_investigator: 李主任；对话中提出（bob，2026-11-02，未采纳）：王主任"),
        (("meta", "enrollment_target", 120), "The enrolment target is now 140.", "en",
         "- enrollment_target: 120; proposed in talk by ann on 2026-11-02, not adopted: 140"),
        (("meta", "enrollment_target", 120), "入组目标改为140。", "zh",
         "- enrollment_target: 120；对话中提出（ann，2026-11-02，未采纳）：140"),
    ],
)  # fmt: skip
async def test_a4_talk_proposes_beside_what_was_set_by_hand(
    study: Study, put: tuple[str, str, Any], statement: Any, language: str, line: str
) -> None:
    await study.put(*put)
    await study.told(statement)
    assert study.lines(language) == [line]
    [entry] = study.hot["meta"]
    assert (entry["value"], entry["origin"], entry["user_id"]) == (put[2], "set", None)
    assert entry["proposal"]["source_turn_ids"] == ["turn-2"], "what it was read from"
    # Said as it is set, the proposal is over.
    await study.told(f"The principal investigator is {put[2]}." if put[0:2] == PI_EN[:2] else f"入组目标改为{put[2]}。")
    assert "proposal" not in study.hot["meta"][0]


@pytest.mark.parametrize("how", ["adopted", "declined", "deleted", "forgotten"])
async def test_a4_a_proposal_ends_by_hand_or_with_its_memory(study: Study, how: str) -> None:
    await study.put(*PI_EN, user="lead")
    await study.told(("bob", "The principal investigator is Dr. Wang."))
    [entry] = study.hot["meta"]
    assert (entry["user_id"], entry["proposal"]["user_id"]) == ("lead", "bob")
    if how == "forgotten":
        [memory] = [u for u in study.updates("episode") if u.state == "active"]
        await study.forget("bob", memory.record_id)
    else:
        value = "Dr. Wang" if how == "adopted" else "Dr. Li"
        await study.put(*PI_EN[:2], value, "delete_hot" if how == "deleted" else "put_hot", user="lead")
    left = study.hot["meta"]
    assert [e["value"] for e in left] == {"adopted": ["Dr. Wang"], "deleted": []}.get(how, ["Dr. Li"])
    assert not any("proposal" in e for e in left)
    if how == "deleted":  # and the key is open to talk again
        await study.told(("bob", "The principal investigator is Dr. Wang."))
        assert study.values == {"principal_investigator": "Dr. Wang"}


async def test_a4_the_newest_proposal_stands_and_talk_follows_talk(study: Study) -> None:
    await study.told("The principal investigator is Dr. Wang.", ("bob", "The principal investigator is Dr. Chen."))
    assert study.hot["meta"][0]["origin"] == "said"
    assert study.values == {"principal_investigator": "Dr. Chen"}
    await study.put(*PI_EN)
    await study.told("The principal investigator is Dr. Wang.", ("bob", "The principal investigator is Dr. Chen."))
    [entry] = study.hot["meta"]
    assert (entry["value"], entry["proposal"]["value"], entry["proposal"]["user_id"]) == ("Dr. Li", "Dr. Chen", "bob")


async def test_a4_a_value_that_policy_masks_stays_of_the_talk_it_came_from(study: Study) -> None:
    await study.told("The principal investigator is Dr. Wang.")
    for restores in ("entry", "proposal"):
        study.driver.pipe(
            topics.PROJECT_EVENTS,
            ProjectCommand(
                tenant="acme", project_id="study", command="put_hot", command_id=f"masked-{restores}", user_id="ann",
                hot_type="meta", key=PI_EN[1], accepted_at=study.driver.now, restores=restores,
                sealed=ProjectCommandBody(value="<PERSON>"),
            ),
        )  # fmt: skip
        await study.driver.run()
        entry = study.hot["meta"][0]
        if restores == "entry":
            assert (entry["value"], entry["origin"]) == ("<PERSON>", "said")
            await study.put(*PI_EN)
            await study.told("The principal investigator is Dr. Wang.")
        else:
            assert (entry["value"], entry["proposal"]["value"]) == ("Dr. Li", "<PERSON>")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("We're at 47 of 80.", "enrolled_count", 47),
        ("Enrolment is 47/80.", "enrolled_count", 47),
        ("We have 52 patients on the study now.", "enrolled_count", 52),
        ("Currently enrolled 45 patients.", "enrolled_count", 45),
        ("目前总共38例。", "enrolled_count", 38),
        ("入组进度47/80。", "enrolled_count", 47),
        ("目前总共38例不良事件。", "enrolled_count", None),
        ("We're at 47 of 80 queries.", "enrolled_count", None),
        ("The data cut-off is 15 March.", "database_lock", "15 March"),
        ("The database lock has moved to 3 May 2027.", "database_lock", "3 May 2027"),
        ("锁库日期改为3月15日。", "database_lock", "3月15日"),
        ("The protocol version is now 2.3.1.", "protocol_version", "2.3.1"),
        ("方案版本是V3.0。", "protocol_version", "V3.0"),
        ("方案版本2.3.1。", "protocol_version", "2.3.1"),
        ("The PI is on leave until Monday.", "principal_investigator", None),
        ("PI在休假。", "principal_investigator", None),
        ("PI换成王主任了。", "principal_investigator", "王主任"),
        ("Our PI is Maria van Dam.", "principal_investigator", "Maria van Dam"),
        ("入组目标是不现实的。", "enrollment_target", None),
        ("The enrolment target is 15 March.", "enrollment_target", None),
        ("Patient 07 is pregnant, so we keep her off the drug.", "special_patients:07",
         "Patient 07 is pregnant, so we keep her off the drug"),
        ("Subject 3 needs a wheelchair at every visit.", "special_patients:3",
         "Subject 3 needs a wheelchair at every visit"),
        ("One of our patients is deaf and needs an interpreter.", "special_patients",
         "One of our patients is deaf and needs an interpreter"),
        ("12号患者对造影剂过敏，需要特别注意。", "special_patients:12", "12号患者对造影剂过敏，需要特别注意"),
        ("07号患者怀孕了，09号患者是盲人。", "special_patients:09", "09号患者是盲人"),
        ("12号患者今天按时来访视了。", "special_patients:12", None),
        ("Is patient 07 pregnant?", "special_patients:07", None),
    ],
)  # fmt: skip
async def test_a4_a_status_is_heard_in_other_words_and_kept_whole(
    study: Study, text: str, key: str, value: Any
) -> None:
    await study.told(text)
    assert study.values.get(key) == value
    assert value is not None or not study.values


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Currently enrolled 45 patients.", "enrolled_count", 45),
        ("目前已入组45例。", "enrolled_count", 45),
        ("The protocol version is now 2.3.1.", "protocol_version", "2.3.1"),
        ("12号患者对造影剂过敏。", "special_patients:12", "12号患者对造影剂过敏"),
    ],
)
def test_a4_a_model_that_reads_a_status_says_it_for_hot_memory(text: str, key: str, value: Any) -> None:
    profile = load_profile("clinical_trial")
    view = TurnView(text, "user", language_of(text), START, profile.time_zone, project_id="study")
    entry = {
        "kind": "episode", "text": text.rstrip("。."), "quote": text, "fields": [], "approximate": False,
        "inferred": False, "negated": False, "episode_type": "fact", "category": None,
    }  # fmt: skip
    [read], _ = read_answer(json.dumps({"candidates": [entry]}), view, profile)
    assert read.hot is not None
    assert (read.hot.key, read.hot.value) == (key, value)
    [], dropped = read_answer(json.dumps({"candidates": [{**entry, "quote": "Nothing of it"}]}), view, profile)
    assert dropped


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (("We decided to ship the samples with DHL.", "We decided to ship the samples with FedEx instead."), [1]),
        (("我们决定用顺丰寄样本。", "我们决定不用顺丰寄样本，改用京东。"), [1]),
        (("We decided to pay the nurses 50 euros a day.", "We decided to pay the nurses 70 euros a day."), [1]),
        (("我们决定每次访视补贴100元。", "我们决定每次访视补贴150元。"), [1]),
        (("We decided to close site 4.", "We decided to close site 7."), [0, 1]),
        (("我们决定关闭4号中心。", "我们决定关闭7号中心。"), [0, 1]),
        (("We decided to monitor site 2 remotely.", "We decided to monitor site 5 remotely."), [0, 1]),
        (("We decided to widen the visit window to plus/minus 5 days.",
          "We decided that missed visits are made up within two weeks.",
          "We decided to widen the visit window to plus/minus 7 days."), [1, 2]),
        (("我们决定入选标准年龄放宽到75岁。", "我们决定排除标准里加上孕妇。",
          "我们决定入选标准年龄放宽到80岁。"), [1, 2]),
        (("We decided to raise the inclusion criteria age limit to 75.",
          "We decided to add pregnancy to the exclusion criteria."), [0, 1]),
    ],
)  # fmt: skip
async def test_a4_decisions_on_one_matter_replace_each_other_and_others_stand_beside(
    study: Study, texts: tuple[str, ...], left: list[int]
) -> None:
    """Whoever decided: every other turn is bob's."""
    await study.told(*((("ann", "bob")[i % 2], text) for i, text in enumerate(texts)))
    held = {e["source_turn_ids"][0]: e for e in study.hot["decisions"]}
    assert sorted(held) == [f"turn-{n + 1}" for n in left]
    keys = {e["key"].split(":")[0] for e in held.values()}
    assert len(keys) == 1 or "visit_window" not in keys, "one key's list"
    for n in left:
        assert held[f"turn-{n + 1}"]["user_id"] == ("ann", "bob")[n % 2]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a4_a_prompt_lists_decisions_under_their_key_and_says_whose_they_are(study: Study, language: str) -> None:
    fields = {
        "en": ("We decided to widen the visit window to plus/minus 5 days.",
               "We decided that missed visits are made up within two weeks.", "We decided to close site 4."),
        "zh": ("我们决定访视窗口放到正负5天。", "我们决定访视改到周三上午。", "我们决定关闭4号中心。"),
    }  # fmt: skip
    lines = {
        "en": {"- The team decided to close site 4 (ann)",
               "- visit_window: The team decided to widen the visit window to plus/minus 5 days (ann)",
               "- visit_window: The team decided that missed visits are made up within two weeks (bob)"},
        "zh": {"- 团队决定关闭4号中心（ann）", "- visit_window: 团队决定访视窗口放到正负5天（ann）",
               "- visit_window: 团队决定访视改到周三上午（bob）"},
    }  # fmt: skip
    first, second, third = fields[language]
    await study.told(("ann", first), ("bob", second), ("ann", third))
    assert set(study.lines(language)) == lines[language]
    # What one forgets leaves the list, and what the other said stays.
    [memory] = [u for u in study.updates("episode") if u.state == "active" and u.user_id == "bob"]
    await study.forget("bob", memory.record_id)
    assert set(study.lines(language)) == {line for line in lines[language] if "bob" not in line}


async def test_a4_a_late_turn_does_not_undo_what_was_decided_since(study: Study) -> None:
    await study.told("We decided to pay the nurses 70 euros a day.")
    await study.say("We decided to pay the nurses 50 euros a day.", START - timedelta(days=1))
    assert [e["source_turn_ids"] for e in study.hot["decisions"]] == [["turn-1"]]
    await study.put("decision", "visit_window", "plus/minus 3 days")
    await study.told("We decided to widen the visit window to plus/minus 5 days.")
    [entry] = [e for e in study.hot["decisions"] if e["key"] == "visit_window"]
    assert entry["value"] == "plus/minus 3 days"
