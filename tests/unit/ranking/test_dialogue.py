"""Evidence of dialogue: neighbours, speakers, dates, context."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from query.search.ranking import dates, dialogue
from query.search.ranking.context import blended, in_context, query_texts
from query.search.ranking.types import Document, RankQuery

DAY = datetime(2024, 6, 12, 15, tzinfo=UTC)


def test_neighbours_lend_within_a_session_only() -> None:
    sessions = np.array([0, 1, 0, dialogue.NO_SESSION, 0, dialogue.NO_SESSION])
    positions = np.array([1, 1, 2, 1, 3, 2])
    layout = dialogue.Layout(sessions, positions)
    values = np.array([8, 0, 0, 4, 0, 0], dtype=np.float32)
    np.testing.assert_allclose(layout.spread(values, (0.5, 0.25)), [8, 0, 4, 4, 2, 0])
    assert layout.has_neighbours


def test_a_question_lends_more_to_its_answer_than_to_what_came_before() -> None:
    asking = np.array([0, 1, 0], dtype=np.float32)
    layout = dialogue.Layout(np.zeros(3, dtype=np.int64), np.arange(3), asking)
    np.testing.assert_allclose(layout.spread(np.array([0, 8, 0], dtype=np.float32), (0.5,)), [2, 8, 8])


def test_a_layout_of_strangers_has_no_neighbours() -> None:
    layout = dialogue.Layout(np.array([0, 1, dialogue.NO_SESSION]), np.zeros(3, dtype=np.int64))
    assert not layout.has_neighbours
    assert not dialogue.Layout(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).has_neighbours


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What did Joanna cook?", {"Joanna"}),
        ("What did joanna cook?", {"Joanna"}),
        ("What did Joa cook?", {"Joanna"}),
        ("Where does Peter Smith live?", {"Peter Smith"}),
        ("Did Jo cook?", set()),
        ("Who cooked?", set()),
        ("Will he cook?", set()),
        ("Did Will cook?", set()),
        ("小明什么时候去的？", {"王小明"}),
        ("Joanna and Peter met?", {"Joanna", "Peter Smith"}),
    ],
)
def test_speakers_are_found_by_name_and_short_form(text: str, named: set[str]) -> None:
    assert dialogue.speakers_named(text, {"Joanna", "Peter Smith", "王小明", "Willow"}).named == named


@pytest.mark.parametrize(
    ("text", "asks"), [("Do you?", True), ("你去吗？", True), ("I do. ", False), ("我去。", False)]
)
def test_turns_that_ask(text: str, asks: bool) -> None:
    assert dialogue.is_asking(text) is asks


def document(text: str, made: datetime) -> Document:
    return Document("d", "turn", [], None, text, occurred_at=made)


def near(
    query: str, *documents: Document, now: datetime | None = DAY, newest: datetime | None = None, retell: bool = True
) -> list[float]:
    held = dates.gathered([dates.intervals_of(d) for d in documents])
    got = dates.closeness(query, now, newest, lambda: held, len(documents), retell=retell)
    return [] if got is None else got.tolist()


def test_a_session_in_the_asked_month_is_close_and_others_fade() -> None:
    may = document("we flew kites", datetime(2024, 5, 20, tzinfo=UTC))
    june = document("we flew kites", datetime(2024, 6, 4, tzinfo=UTC))
    january = document("we flew kites", datetime(2024, 1, 4, tzinfo=UTC))
    for query in ("What happened in May 2024?", "上个月发生了什么？"):
        got = near(query, may, june, january)
        assert got[0] == 1.0
        assert 0.5 < got[1] < 1.0
        assert got[2] < 1e-3


def test_what_a_turn_tells_of_counts_and_not_only_its_own_day() -> None:
    result = document("last month I broke my arm", datetime(2024, 6, 30, tzinfo=UTC))
    same_day = document("I sang", datetime(2024, 6, 30, tzinfo=UTC))
    assert near("What happened on 10 May 2024?", result) == [1.0]
    assert near("What happened on 10 May 2024?", same_day) == []


def test_a_memory_of_a_whole_year_is_not_near_a_day_of_it() -> None:
    assert near("on 3 March 2023?", document("in 2023 I moved", datetime(2024, 6, 1, tzinfo=UTC))) == []
    assert near("in 2023?", document("in 2023 I moved", datetime(2024, 6, 1, tzinfo=UTC))) == [1.0]


def test_old_conversations_are_asked_about_in_their_own_time() -> None:
    july = document("we flew kites", datetime(2019, 7, 20, tzinfo=UTC))
    assert near("What happened in July?", july) == []
    assert near("What happened in July?", july, newest=datetime(2019, 9, 1, tzinfo=UTC)) == [1.0]
    assert near("What happened in July?", july, now=None, newest=datetime(2019, 9, 1, tzinfo=UTC)) == [1.0]


def test_chat_means_its_own_day_but_a_named_date_is_a_date() -> None:
    july = document("we flew kites", datetime(2019, 7, 20, tzinfo=UTC))
    newest = datetime(2019, 7, 21, tzinfo=UTC)
    assert near("We were there yesterday.", july, newest=newest, retell=False) == []
    assert near("We were there on July 20.", july, newest=newest, retell=False) == [1.0]
    assert near("我们7月20日去过。", july, newest=newest, retell=False) == [1.0]


def test_a_query_without_a_date_has_no_date_evidence() -> None:
    assert near("Who flew kites?", document("we flew kites yesterday", DAY)) == []


def test_context_leans_towards_the_latest_turns() -> None:
    axis = np.eye(8, dtype=np.float32)
    query = RankQuery("I am not sure.", [], axis[0])
    got = in_context(query, [axis[6], axis[5], axis[4], axis[3], axis[2]]).vector
    assert got is not None
    assert np.linalg.norm(got) == pytest.approx(1.0)
    assert got[0] > got[2] > got[3] > got[5] > 0
    assert got[6] == 0  # the fifth turn back
    assert in_context(query, []) is query


def test_chat_is_embedded_twice_and_a_question_once() -> None:
    assert query_texts("Who flew the kites?") == ["Who flew the kites?"]
    assert query_texts("We flew the kites.") == ["We flew the kites.", "flew kites"]
    assert query_texts("我们去放风筝了。") == ["我们去放风筝了。", "放风筝"]
    np.testing.assert_allclose(blended([np.array([1.0, 0.0]), np.array([0.0, 1.0])]), [0.7071, 0.7071], atol=1e-4)


@pytest.mark.parametrize("text", ["Who flew kites?", "谁放风筝了？"])
def test_a_question_stands_by_itself(text: str) -> None:
    query = RankQuery(text, [], np.ones(3, dtype=np.float32))
    assert in_context(query, [np.ones(3, dtype=np.float32)]) is query


def test_context_of_a_query_without_a_vector_changes_nothing() -> None:
    query = RankQuery("what now?", ["now"])
    assert in_context(query, [np.ones(3, dtype=np.float32)]) is query


def test_documents_without_a_date_have_no_intervals() -> None:
    undated = Document("d", "fact", [], None, "yesterday")
    assert dates.intervals_of(undated) == ()
    dated = document("yesterday", DAY)
    assert len(dates.intervals_of(dated)) == 2
    assert dates.intervals_of(dated)[1][1] - dates.intervals_of(dated)[1][0] == timedelta(days=1).total_seconds()
