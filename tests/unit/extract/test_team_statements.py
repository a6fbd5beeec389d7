"""A4, C7: what "we" do in a project's shared talk is the team's."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.reader.rules.protocol import Language, TurnView
from processors.reader.rules.rules import RuleExtractor
from processors.reader.rules.team_statements import of_the_team
from schemas.profile.model import load_profile

ENGINEERING = load_profile("engineering")
AT = datetime(2026, 11, 5, 9, tzinfo=UTC)


def texts(content: str, language: Language, project: str | None, speaker: str | None = None) -> list[str]:
    turn = TurnView(content, "user", language, AT, project_id=project, speaker=speaker)
    return [c.text for c in RuleExtractor().extract(turn, ENGINEERING)]


@pytest.mark.parametrize(("content", "language", "text"), [
    ("We decided to use Redis for caching.", "en", "The team decided to use Redis for caching"),
    ("We've agreed to ship on 9 May.", "en", "The team has agreed to ship on 9 May"),
    ("我们决定用Redis做缓存。", "zh", "团队决定用Redis做缓存"),
])  # fmt: skip
def test_a4_a_decision_of_a_project_is_the_teams(content: str, language: Language, text: str) -> None:
    assert texts(content, language, "proj_1") == [text]
    assert texts(content, language, "proj_1", "ann") == [text], "whoever said it"


@pytest.mark.parametrize(("content", "language", "text"), [
    ("We decided to buy a boat.", "en", "User and others decided to buy a boat"),
    ("我们决定买一条船。", "zh", "用户等人决定买一条船"),
    ("I decided to use Redis for caching.", "en", "User decided to use Redis for caching"),
])  # fmt: skip
def test_what_is_said_outside_a_project_and_of_oneself_is_told_of_the_user(
    content: str, language: Language, text: str
) -> None:
    project = "proj_1" if content.startswith("I ") else None
    assert texts(content, language, project) == [text]


@pytest.mark.parametrize(("statement", "owner", "language", "text"), [
    ("User and others are going to use Redis", "User", "en", "The team is going to use Redis"),
    ("User and others ship on 9 May", "User", "en", "The team ships on 9 May"),
    ("User and others all agreed to wait", "User", "en", "The team all agreed to wait"),
    ("User and others will not use Oracle", "User", "en", "The team will not use Oracle"),
    ("The vendor owes Ann and others a refund", "Ann", "en", "The vendor owes the team a refund"),
    ("架构用户等人选了微服务", "用户", "zh", "架构团队选了微服务"),
])  # fmt: skip
def test_one_team_has_a_verb_of_one(statement: str, owner: str, language: str, text: str) -> None:
    assert of_the_team(statement, owner, language) == text
