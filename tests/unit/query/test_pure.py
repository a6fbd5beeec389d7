"""The pure parts of the query service: history, prompt, intents, profile, freshness, lag, readiness."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.tokens import token_counter
from query import events
from query.config import ConfigError, QueryConfig
from query.door import OpenDoor, authenticator
from query.freshness import needs_of
from query.models import FeedbackIn
from query.pipeline.groups import Group
from query.pipeline.lag import GroupLag, LagTracker
from query.pipeline.offsets import Offsets, Place, assigned
from query.pipeline.state import Pipeline, reasons
from query.reading.history import Budget, Segment, compose, last_pairs
from query.reading.intents import route
from query.reading.patterns import pattern
from query.reading.profile_rows import over
from query.reading.profile_view import build, values_by_field
from query.reading.prompt import Piece
from query.reading.prompt import compose as compose_prompt
from query.reading.session_store import with_ids
from query.reading.users import ordered
from query.repo.db import OwnerStatement, StatementError, TenantStatement
from query.retrieval.hits import merge
from query.retrieval.request import Filters
from schemas import topics
from schemas.profile import FieldSpec, Intent, Profile, ProjectAlias, load_profile
from schemas.progress import FreshnessToken, Written
from schemas.stores import STAGE_OF_VIEW

COUNTER = token_counter()


def message(role: str, content: str, n: int = 0) -> dict[str, Any]:
    return {"role": role, "content": content, "speaker": None, "turn_id": f"t{n}"}


def pairs(count: int) -> list[dict[str, Any]]:
    return [m for n in range(count) for m in (message("user", f"question {n}"), message("assistant", f"answer {n} 答"))]


def test_e2_full_history_counts_exactly_and_asks_for_a_checkpoint_at_the_ratio() -> None:
    segment = Segment("FULL_HISTORY", turns=pairs(3))
    told = compose(segment, "next?", Budget(0.75, 8, 16_000), COUNTER)
    assert told.history == told.full_history == "\n".join(
        line for n in range(3) for line in (f"User: question {n}", f"AI: answer {n} 答")
    )
    assert told.tokens == COUNTER.count(told.full_history + "\nnext?")
    assert not told.should_checkpoint
    # Just at the ratio: the window is chosen so that tokens / window == 0.75.
    tight = compose(segment, "next?", Budget(0.75, 8, int(told.tokens / 0.75)), COUNTER)
    assert tight.should_checkpoint
    assert not compose(Segment("FULL_HISTORY"), "x" * 400, Budget(0.75, 8, 100), COUNTER).should_checkpoint


def test_e2_summary_mode_returns_the_summary_and_the_last_turns() -> None:
    open_turns = [message("user", "now"), message("assistant", "ok")]
    segment = Segment("SUMMARY_N", "用户头晕", carried=pairs(2), turns=open_turns)
    told = compose(segment, "", Budget(0.75, 2, 16_000), COUNTER)
    assert told.history == "历史摘要: 用户头晕\nUser: question 1\nAI: answer 1 答\nUser: now\nAI: ok"
    assert told.full_history.startswith("历史摘要: 用户头晕\nUser: question 0")
    # When those alone pass the ratio, the window shrinks.
    small = compose(segment, "", Budget(0.75, 2, int(COUNTER.count(told.history) / 0.75)), COUNTER)
    assert small.history == "历史摘要: 用户头晕\nUser: now\nAI: ok"


def test_last_pairs_are_cut_before_a_users_message() -> None:
    many = [message("assistant", "hello"), *pairs(3)]
    assert last_pairs(many, 2) == many[3:]
    assert last_pairs(many, 3) == many[1:]
    assert last_pairs(many, 9) == many


@given(st.lists(st.tuples(st.sampled_from(["user_profile", "anchors", "retrieved_memories"]), st.text(max_size=60))),
       st.integers(min_value=1, max_value=200))  # fmt: skip
def test_a9_no_budget_is_ever_exceeded(parts: list[tuple[Any, str]], budget: int) -> None:
    pieces = [Piece(section, f"- {text}", (i,)) for i, (section, text) in enumerate(parts)]
    prompt = compose_prompt(pieces, "q", budget, COUNTER.count)
    shown = [s["text"] for s in prompt.sections if s["name"] not in ("system_instructions", "current_user_request")]
    assert prompt.tokens == COUNTER.count("\n\n".join(shown)) <= budget
    assert prompt.dropped == len(pieces) - len(prompt.kept)


def test_d15_priority_decides_what_stays_and_order_where_it_stands() -> None:
    pieces = [
        Piece("conversation_history", "User: newest", (1, 1)),
        Piece("conversation_history", "User: older", (1, 0)),
        Piece("conversation_history", "User: " + "oldest " * 200, (1, -1)),
    ]
    prompt = compose_prompt(pieces, "q", 60, COUNTER.count)
    assert "# Conversation History\nUser: older\nUser: newest\n\n# Current User Request" in prompt.text
    assert prompt.dropped == 1


def test_d10_intents_by_keywords_in_both_languages_and_the_project_by_its_alias() -> None:
    profile = Profile(
        name="p", version=1,
        intents=(Intent(name="QA", keywords=("progress", "进度")), Intent(name="QC", patterns=(r"record\s\d{1,9}",))),
        projects=(ProjectAlias(id="proj_123_cangqiong", aliases=("苍穹",)),),
    )  # fmt: skip
    routed = route(profile, "苍穹项目的进度如何?")
    assert [i.name for i in routed.intents] == ["QA"]
    assert routed.project_id == "proj_123_cangqiong"
    assert [i.name for i in route(profile, "check Record 12, any progress, 进度?").intents] == ["QA", "QC"]
    assert not route(profile, "hello").intents
    assert [i.name for i in route(profile, "hello", "QC").intents] == ["QC"]


def test_b6_score_is_by_weight_and_false_is_a_value() -> None:
    profile = Profile(
        name="p", version=1, groups=("basic", "work"),
        fields=(
            FieldSpec(name="age", path="basic.age", weight=2),
            FieldSpec(name="hasEmployer", path="work.hasEmployer", type="boolean"),
            FieldSpec(name="targets", path="work.targets[]", many=True),
            FieldSpec(name="nationality", path="basic.nationality"),
            FieldSpec(name="hidden"),
        ),
    )  # fmt: skip

    def row(field: str | None, value: Any, fields: tuple[str, ...] = ()) -> dict[str, Any]:
        return {"field": field, "fields": fields, "value": value, "text": "t"}

    rows = [row("hasEmployer", False), row("targets", "A"), row("targets", "B"), row("nationality", "未知"),
            row("age+hidden", {"age": 30, "hidden": 1}, ("age", "hidden"))]  # fmt: skip
    told = build(profile, values_by_field(rows))
    assert told["profile"] == {"basic": {"age": 30}, "work": {"hasEmployer": False, "targets": ["A", "B"]}}
    assert told["completeness"] == {
        "score": 80, "filled_fields": ["age", "hasEmployer", "targets"], "missing_fields": ["nationality"],
    }  # fmt: skip


@pytest.mark.parametrize(("value", "known"), [("无", True), ("none", True), ("未知", False), ("", False), (0, True)])
def test_b6_none_is_an_answer_and_unknown_is_not(value: Any, known: bool) -> None:
    profile = load_profile("health")
    told = build(profile, {"allergies": [value]})
    assert ("allergies" not in told["completeness"]["missing_fields"]) is known


def test_b6_c3_the_row_of_a_table_wins_over_the_facts() -> None:
    profile = load_profile("health")
    values = {"age": [45], "allergies": ["花粉"], "drug_allergies": ["青霉素"], "height": [170], "weight": [60]}
    row = {"category": "health_profiles", "attributes": {"written": {"weight": {"at": "2026-11-21T00:00:00+00:00"}}},
           "value": {"age": 50, "allergies": ["花生", "花粉", "青霉素"], "drug_allergies": ["青霉素"],
                     "blood_type": "A"}}  # fmt: skip
    assert over(profile, values, [row]) == {
        "age": [50], "allergies": ["花生", "花粉"], "drug_allergies": ["青霉素"], "height": [170], "weight": [],
        "blood_type": ["A"],
    }  # fmt: skip
    assert over(profile, values, []) == values


def test_n3_a_write_that_a_stage_never_reads_does_not_hold_it_up() -> None:
    token = FreshnessToken.of(
        [
            Written(topic=topics.TURNS.name, partition=2, offset=9, project_partitions=(5,)),
            Written(topic=topics.LEDGER.name, partition=2, offset=4),
            Written(topic=topics.DOCUMENTS.name, partition=7, offset=1),
        ]
    )
    turns, ledger = f"{topics.TURNS.name}/2", f"{topics.LEDGER.name}/2"
    assert needs_of(token, ["turns"]) == {(STAGE_OF_VIEW["turns"], 2, turns): 10}
    memories = STAGE_OF_VIEW["memories"]
    assert needs_of(token, ["memories"]) == {(memories, 2, turns): 10, (memories, 2, ledger): 5}
    assert needs_of(token, ["projects"]) == {(STAGE_OF_VIEW["projects"], 5, turns): 10}
    assert needs_of(token, ["knowledge"]) == {(STAGE_OF_VIEW["knowledge"], 7, f"{topics.DOCUMENTS.name}/7"): 2}


def lag(tracker: LagTracker, at: float, end: int, committed: int, readers: tuple[Place, ...] = ()) -> GroupLag:
    group = Group("gate", "step", ("t",))
    committed_now = {group.group_id: {("t", 0): committed}}
    offsets = Offsets({("t", 0): 0}, {("t", 0): end}, committed_now, {group.group_id: readers})
    return tracker.update(at, offsets, [group])[0]


def test_lag_in_records_and_seconds_and_standing_still() -> None:
    tracker = LagTracker()
    assert lag(tracker, 0, 10, 10).lag == 0
    waiting = lag(tracker, 2, 14, 10)
    assert (waiting.lag, waiting.lag_seconds, waiting.still_seconds) == (4, 0, 0)
    waiting = lag(tracker, 10, 20, 10)
    assert (waiting.lag, waiting.lag_seconds, waiting.still_seconds) == (10, 8, 8)
    moving = lag(tracker, 12, 20, 14)
    assert (moving.lag, moving.lag_seconds, moving.still_seconds) == (6, 2, 0)
    assert moving.rate == pytest.approx(4 / 12)
    done = lag(tracker, 14, 20, 20)
    assert (done.lag, done.lag_seconds, done.still_seconds) == (0, 0, 0)


def test_n2_a_stage_without_readers_is_known_at_once_after_a_start_and_later_by_its_time() -> None:
    tracker, all_of_it = LagTracker(), (("t", 0),)
    never = lag(tracker, 0, 0, 0)
    assert (never.unread, never.unread_seconds) == (1, float("inf"))
    assert lag(tracker, 2, 0, 0, (("other", 0),)).unread_seconds == float("inf")
    assert (lag(tracker, 4, 0, 0, all_of_it).unread, lag(tracker, 6, 0, 0, all_of_it).unread_seconds) == (0, 0.0)
    shared_out = lag(tracker, 9, 0, 0)
    assert (shared_out.unread, shared_out.unread_seconds) == (1, 3.0)


def test_n2_the_partitions_of_members_as_the_brokers_tell_them() -> None:
    def member(*parts: tuple[str, list[int]]) -> dict[str, Any]:
        return {"member_assignment": {"assigned_partitions": [{"topic": t, "partitions": p} for t, p in parts]}}

    group = {"members": [member(("t", [0, 2]), ("u", [1])), member(("t", [1])), {"member_assignment": b""}]}
    assert assigned(group) == {("t", 0), ("t", 1), ("t", 2), ("u", 1)}
    assert assigned({"group_state": "Dead", "members": []}) == frozenset()


def group(**over: Any) -> GroupLag:
    base: dict[str, Any] = {
        "name": "gate", "kind": "step", "topics": ("t",), "lag": 5, "lag_seconds": 0.0, "still_seconds": 0.0,
        "rate_in": 0.0, "rate": 0.0,
    }  # fmt: skip
    return GroupLag(**{**base, **over})


@pytest.mark.parametrize(
    ("picture", "why"),
    [
        ({"groups": [group()]}, None),
        ({"groups": [group(still_seconds=31.0)]}, "gate: stands still"),
        ({"groups": [group(still_seconds=99.0, lag=0)]}, None),
        ({"groups": [group(unread=8, unread_seconds=float("inf"), lag=0)]}, "gate: 8 partitions have no reader"),
        ({"groups": [group(unread=8, unread_seconds=29.0, lag=0)]}, None),
        ({"groups": [group(unread=8, unread_seconds=float("inf"), kind="worker", name="jobs")]}, None),
        ({"groups": [group(lag_seconds=61.0)]}, None),
        ({"groups": [group(kind="sink", name="sink-redis", lag_seconds=61.0)]}, "sink-redis: 61 s behind"),
        ({"stores": {"milvus": "unreachable"}}, "milvus: unreachable"),
    ],
)
def test_readiness_knows_standing_still_and_falling_behind(picture: dict[str, Any], why: str | None) -> None:
    found = reasons(Pipeline(at=datetime.now(UTC), **picture), 30, 60)
    assert (found[0].startswith(why) if why else not found), found


def test_n3_a_window_of_redis_has_the_ids_that_postgres_knows() -> None:
    """Its messages come without: the ones both have are found where one window ends and the other begins."""
    said = [{"role": "user", "content": c, "turn_id": c.upper()} for c in ("a", "b", "b", "c")]
    bare = [{"role": m["role"], "content": m["content"]} for m in said]
    new = {"role": "assistant", "content": "d"}
    assert with_ids([*bare, new], said) == [*said, new]
    assert with_ids([*bare[2:], new], said) == [*said[2:], new]  # the window moved on
    assert with_ids([new], said) == [new]
    assert with_ids(bare, []) == bare


def test_d9_the_order_of_preferences_is_by_scope_source_and_time() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)

    def row(n: int, scope: str, source: str) -> dict[str, Any]:
        empty = dict.fromkeys(
            ("text", "fields", "category", "episode_type", "negated", "approximate", "user_id", "project_id",
             "session_id", "language", "revision", "occurred_at", "valid_from", "valid_to", "last_accessed_at",
             "reason", "conflicts_with", "attributes", "key")
        )  # fmt: skip
        return {**empty, "record_id": str(n), "kind": "preference", "state": "active", "field": "tone", "value": n,
                "scope": scope, "importance": 1, "confidence": 1, "source": source, "version": 1, "sources": [],
                "known_at": now + timedelta(minutes=n)}  # fmt: skip

    given = [("global", "inferred"), ("global", "explicit"), ("global", "explicit"), ("p", "inferred")]
    rows = [row(n, scope, source) for n, (scope, source) in enumerate(given, 1)]
    assert [r["value"] for r in ordered(rows, "p")] == [4, 3, 2, 1]
    assert [r["value"] for r in ordered(rows, "q")] == [3, 2, 1]


def test_the_best_of_an_ignorant_scope_does_not_lead() -> None:
    best = ({"record_id": "a"}, 0.7, {"bm25": 3.0, "dense": 0.8})
    knows = [best, ({"record_id": "b"}, 0.3, {"bm25": 0, "dense": 0.2})]
    ignorant = [({"record_id": "c"}, 0.9, {"bm25": 0.0, "dense": 0.05})]
    assert [row["record_id"] for row, _, _ in merge([ignorant, knows])] == ["a", "b", "c"]
    assert merge([[], knows]) == knows


def test_a_read_without_a_scope_cannot_be_written() -> None:
    with pytest.raises(StatementError):
        TenantStatement("SELECT * FROM {v}.turns")
    with pytest.raises(StatementError):
        OwnerStatement("SELECT * FROM {v}.turns WHERE tenant = %(tenant)s")


def _statement(short: str) -> TenantStatement:
    return TenantStatement(short.replace("ALL", "SELECT * FROM {v}.turns").replace("MINE", "tenant = %(tenant)s"))


@pytest.mark.parametrize(
    "text",
    [
        "ALL WHERE TRUE OR MINE", "ALL WHERE MINE OR user_id = 'x'", "ALL WHERE NOT MINE",
        "ALL WHERE NOT (kind = 'a' AND MINE)", "ALL WHERE kind = 'a' AND (MINE OR TRUE)",
        "ALL WHERE (kind = 'a' AND MINE) OR TRUE", "ALL WHERE 'MINE' <> ''", "SELECT MINE FROM {v}.turns",
        "ALL t LEFT JOIN {v}.memories m ON m.MINE", "ALL WHERE MINE UNION ALL", "ALL UNION ALL WHERE MINE",
        "ALL WHERE x_MINE", "ALL ORDER BY MINE", "ALL WHERE MINE AND id IN (ALL)", "SELECT (ALL WHERE MINE), (ALL)",
    ],
)  # fmt: skip
def test_c7_a_read_with_a_way_around_its_tenant_cannot_be_written(text: str) -> None:
    with pytest.raises(StatementError):
        _statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "ALL WHERE MINE", "ALL t WHERE t.MINE AND (a = 1 OR NOT b) ORDER BY a LIMIT 1",
        "ALL WHERE (kind = 'or' AND (MINE))", "SELECT count(*) FROM (ALL WHERE MINE) x WHERE a OR b",
        "ALL WHERE MINE UNION ALL WHERE a AND MINE", "WITH x AS (ALL WHERE MINE) SELECT * FROM x",
        "SELECT (ALL WHERE MINE), (ALL WHERE MINE)",
    ],
)  # fmt: skip
def test_c7_a_read_of_a_tenant_can(text: str) -> None:
    assert "tenant = %(tenant)s" in _statement(text).text


def test_beyond_loopback_there_must_be_keys() -> None:
    assert isinstance(authenticator(QueryConfig(host="::1"), None), OpenDoor)
    for host in ("0.0.0.0", "192.168.1.5", "memory.example.com"):  # noqa: S104 - refused
        with pytest.raises(ConfigError, match="without keys"):
            authenticator(QueryConfig(host=host), None)


def test_filters_look_into_a_turns_metadata() -> None:
    row = {"metadata": {"department": "心内科", "visit": 3, "urgent": True}}
    assert Filters(metadata={"department": "心内科", "visit": 3}).matches(row)
    assert Filters(metadata={"department": ("皮肤科", "心内科"), "urgent": True}).matches(row)
    assert not Filters(metadata={"department": "皮肤科"}).matches(row)
    assert not Filters(metadata={"doctor": "Li"}).matches(row)
    assert not Filters(metadata={"visit": 3}).matches({"text": "a memory has none"})


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
    older = pattern({**row, "value": {k: v for k, v in value.items() if k != without}}, at)
    assert "at" not in older
    assert (older["pattern"], older["support"]) == ("time/measure_bp", 14)


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
