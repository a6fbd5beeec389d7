"""Other pure parts of the query service: intents, the open door, habits, feedback."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from query import events
from query.auth.boundary import OpenDoor, authenticator
from query.config import ConfigError, QueryConfig
from query.models import FeedbackIn
from query.prompt.intents import route
from query.reading.patterns import pattern
from query.search.documents import hit
from schemas.profile.model import Intent, Profile, ProjectSpec


def test_d10_intents_by_keywords_in_both_languages_and_the_project_by_its_alias() -> None:
    profile = Profile(
        name="p", version=1,
        intents=(Intent(name="QA", keywords=("progress", "进度")), Intent(name="QC", patterns=(r"record\s\d{1,9}",))),
        projects=(ProjectSpec(id="proj_123_cangqiong", aliases=("苍穹",)),),
    )  # fmt: skip
    routed = route(profile, "苍穹项目的进度如何?")
    assert [i.name for i in routed.intents] == ["QA"]
    assert routed.project_id == "proj_123_cangqiong"
    assert [i.name for i in route(profile, "check Record 12, any progress, 进度?").intents] == ["QA", "QC"]
    assert not route(profile, "hello").intents
    assert [i.name for i in route(profile, "hello", "QC").intents] == ["QC"]


def test_beyond_loopback_there_must_be_keys() -> None:
    assert isinstance(authenticator(QueryConfig(host="::1"), None), OpenDoor)
    for host in ("0.0.0.0", "192.168.1.5", "memory.example.com"):  # noqa: S104 - refused
        with pytest.raises(ConfigError, match="without keys"):
            authenticator(QueryConfig(host=host), None)


@pytest.mark.parametrize("without", ["time_zone", "minute", "time", "weekdays", "due_minute"])
def test_c5_a_stored_time_habit_that_lacks_a_key_is_told_without_the_comparison(without: str) -> None:
    value: dict[str, Any] = {
        "type": "time", "action": "measure_bp", "time_zone": "Asia/Shanghai", "minute": 480, "time": "08:00",
        "weekdays": [1, 2, 3, 4, 5, 6, 7], "due_minute": 500, "support": 14,
    }  # fmt: skip
    row: dict[str, Any] = {
        "record_id": "p", "key": "time/measure_bp", "state": "active", "text": "", "confidence": 0.8, "value": value,
        "known_at": None, "sources": [],
    }  # fmt: skip
    at = datetime(2026, 11, 20, 0, 30, tzinfo=UTC)
    assert pattern(row, at)["at"]["minutes_late"] == 30
    assert pattern(row, at)["at"]["overdue"]
    assert not pattern(row, at, ("measure_bp",))["at"]["overdue"], "the time of something ahead"
    older = pattern({**row, "value": {k: v for k, v in value.items() if k != without}}, at)
    assert "at" not in older
    assert (older["pattern"], older["support"]) == ("time/measure_bp", 14)


def test_d8_a_hit_of_knowledge_names_document_version_and_section() -> None:
    row: dict[str, Any] = {
        **dict.fromkeys(("field", "category", "value", "project_id", "user_id", "session_id", "occurred_at")),
        "record_id": "c", "kind": "chunk", "text": "At most 50.", "scope": "global", "key": "1.2", "sources": [],
        "owner_id": "docs/pool.md",
        "attributes": {"title": "Pool", "hierarchy_info": {"h2": "Limits", "h1": "Pool"}},
    }  # fmt: skip
    result = hit(row, 0.5, {"relevance": 0.4})["details"]
    assert (result["document_id"], result["document_version"], result["title"]) == ("docs/pool.md", "1.2", "Pool")
    assert result["section"] == ["Pool", "Limits"]
    assert "section" not in hit({**row, "kind": "fact"}, 0.5, {"relevance": 0.4})["details"]


def test_d5_each_hit_shows_its_relevance_and_on_request_the_parts_of_its_score() -> None:
    row: dict[str, Any] = {
        **dict.fromkeys(("field", "category", "scope", "key", "value", "project_id", "user_id", "session_id")),
        "record_id": "m", "kind": "fact", "text": "Ann plays chess", "sources": [], "occurred_at": None,
    }  # fmt: skip
    scores = {"bm25": 1.5, "relevance": 0.41}
    plain, result = hit(row, 0.7, scores), hit(row, 0.7, scores, explain=True)
    assert (plain["score"], plain["relevance"], "scores" in plain) == (0.7, 0.41, False)
    assert (result["relevance"], result["scores"]) == (0.41, {"bm25": 1.5})


def test_c9_what_became_of_a_user_is_not_kept_with_who_judged() -> None:
    """An erasure of the user does not reach the judge's own feedback."""
    body = FeedbackIn(
        user_id="ann", record_id="d1", rating="good", comment="I like short answers.", outcome="ann recovered",
        traits={"style": "short"}, adopted=True, by="dr-li",
    )  # fmt: skip
    at = datetime(2026, 11, 22, tzinfo=UTC)
    judge = events.judges_feedback("clinic", body, at)
    assert judge is not None
    assert (judge.user_id, judge.sealed.comment, judge.sealed.traits) == ("dr-li", body.comment, body.traits)
    assert judge.sealed.outcome is None
    assert "ann" not in judge.model_dump_json()
    assert events.feedback_event("clinic", body, at).sealed.outcome == body.outcome
