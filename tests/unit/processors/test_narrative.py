"""The narrative without a model (B6)."""

from __future__ import annotations

from datetime import UTC, datetime

from processors.memory.narrative import MOST_CHARS, Statement, language_of, narrative
from schemas.profile.model import load_profile

AT = datetime(2026, 11, 2, tzinfo=UTC)
PROFILE = load_profile("immigration")


def statement_of(kind: str, field: str, text: str, language: str = "zh") -> Statement:
    return Statement(kind, (field,), text, language, AT)


def test_b6_in_the_order_of_the_catalogue_with_what_is_missing() -> None:
    statements = [
        statement_of("intent", "targetCategory", "对高才通感兴趣"),
        statement_of("fact", "currentLocation", "住在杭州。"),
        statement_of("fact", "age", "32岁"),
        statement_of("fact", "age", "32岁"),
    ]
    text = narrative(PROFILE, statements, language_of(statements))
    assert text.startswith("32岁；住在杭州；对高才通感兴趣。尚未收集：学历、毕业院校")
    assert "年龄" not in text


def test_b6_nothing_known_is_nothing_said() -> None:
    assert narrative(PROFILE, [], "en") == ""


def test_b6_a_narrative_has_an_end() -> None:
    many = [statement_of("fact", f"f{n}", f"statement number {n} " + "x" * 80, "en") for n in range(100)]
    text = narrative(PROFILE, many, language_of(many))
    assert len(text.split(" Not known yet")[0]) <= MOST_CHARS + 2
    assert "Not known yet: age" in text


def test_b6_what_a_caller_had_remembered_is_told_in_the_language_of_its_script() -> None:
    """POST /v1/memories names no language."""
    assert language_of([statement_of("fact", "currentLocation", "住在里斯本", "und")]) == "zh"
    assert language_of([statement_of("fact", "currentLocation", "Lives in Lisbon", "und")]) == "en"
