"""What goes into a prompt, and in which words (A8, A9, D15)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.tokens import token_counter
from query.prompt import pieces
from query.prompt.distinct import distinct
from query.prompt.intents import names
from query.prompt.layout import Piece, compose

COUNT = token_counter().count
START = datetime(2026, 11, 1, tzinfo=UTC)
Hit = tuple[dict[str, Any], float]


def turn(turn_id: str, content: str, speaker: str | None = None) -> Hit:
    return {"turn_id": turn_id, "content": content, "speaker": speaker, "role": "user", "occurred_at": START}, 1.0


def memory(record_id: str, text: str, source: str, kind: str = "episode") -> Hit:
    return {
        "record_id": record_id, "kind": kind, "text": text, "value": None, "episode_type": None,
        "sources": [{"turn_id": source}], "occurred_at": START,
    }, 1.0  # fmt: skip


CHINESE = st.text(alphabet="我们决定采用缓存替代现有的方案,受试者入组第三十名。0123 \n", max_size=300)
SECTIONS = ["user_profile", "anchors", "conversation_history", "retrieved_memories"]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(SECTIONS), st.one_of(CHINESE, st.text(max_size=80)), st.sampled_from(["## 状态", None])
        ),
        max_size=12,
    ),
    st.one_of(st.just("一整段很长的方案说明。" * 400), st.just("one oversized passage " * 400)),
    st.integers(0, 12),
    st.integers(1, 2_500),
    st.lists(st.sampled_from(SECTIONS), min_size=1, unique=True),
)  # fmt: skip
def test_a9_the_budget_holds_in_chinese_and_beside_one_oversized_passage(
    parts: list[tuple[Any, str, str | None]], oversized: str, at: int, budget: int, printed: list[Any]
) -> None:
    given_ = [Piece(section, f"- {text}", (i,), group=group) for i, (section, text, group) in enumerate(parts)]
    given_.insert(at, Piece("retrieved_memories", oversized, (at,)))
    prompt = compose(given_, "问题?", budget, COUNT, printed)
    inner = prompt.sections[1:-1]
    shown = [s["text"] for s in inner]
    assert [s["name"] for s in inner] == [n for n in printed if any(p.section == n for p in prompt.kept)]
    frame = compose((), "问题?", budget, COUNT, printed)
    assert prompt.tokens == COUNT(prompt.text) <= max(budget, frame.tokens)
    assert "\n\n".join(shown) in prompt.text
    if prompt.tokens > budget:
        assert prompt.text == frame.text
    asked_for = sum(p.section in printed for p in given_)
    assert prompt.dropped == asked_for - len(prompt.kept) == sum(p["pieces"] for p in prompt.left_out)
    # An oversized passage takes nobody's place.
    if COUNT(oversized) > budget:
        assert oversized not in prompt.text


@pytest.mark.parametrize("budget", [20, 100])
def test_a9_d3_the_budget_is_of_the_whole_prompt(budget: int) -> None:
    """A budget of 100 gave 147 tokens, one of 20 gave 77: system line and request came on top."""
    facts = [Piece("user_profile", f"- fact {n}: lives in a town by the sea", (n,)) for n in range(30)]
    query = "Where do I live?"
    frame, prompt = compose((), query, budget, COUNT), compose(facts, query, budget, COUNT)
    assert prompt.tokens == COUNT(prompt.text)
    assert prompt.text.endswith(f"User: {query}")
    if budget == 100:
        assert frame.tokens < prompt.tokens <= budget
    else:
        assert frame.tokens > budget, "then nothing else is in it, and the count says so"
        assert (prompt.text, prompt.tokens) == (frame.text, frame.tokens)
    exact = compose(facts, query, prompt.tokens, COUNT)
    assert exact.tokens <= max(prompt.tokens, frame.tokens)


def test_d15_what_did_not_fit_is_named_by_section_in_printed_order() -> None:
    cited = {"id": "m1", "kind": "episode", "source_turn_ids": ["t1"]}
    shown = {"id": "m2", "kind": "fact", "source_turn_ids": ["t2"]}
    given_ = [
        Piece("conversation_history", "很长的总结。" * 400, (0,)),
        Piece("user_profile", "- pet: a cat", (1,), shown),
        Piece("retrieved_memories", "一整段很长的方案说明。" * 400, (2,), cited),
        Piece("retrieved_memories", "says the same", (3,), {**cited, "id": "m3"}, covered_by=frozenset({"m2"})),
    ]
    prompt = compose(given_, "q", 100, COUNT)
    assert prompt.left_out == [
        {"name": "conversation_history", "pieces": 1, "citations": []},
        {"name": "retrieved_memories", "pieces": 1, "citations": [cited]},
    ]
    assert prompt.dropped == 2
    assert compose(given_, "q", 10_000, COUNT).left_out == []


def test_a8_a_decision_that_is_its_own_key_is_told_once() -> None:
    groups = {
        "decisions": [
            {"id": "a", "key": "用户等人决定采用Redis", "value": "用户等人决定采用Redis。"},
            {"id": "b", "key": "cache", "value": "Redis"},
        ]
    }
    assert [p.text for p in pieces.hot(groups, "zh")] == ["- 用户等人决定采用Redis。", "- cache: Redis"]


def ids(hits: list[Hit]) -> list[str]:
    return [row.get("turn_id") or row["record_id"] for row, _ in hits]


@pytest.mark.parametrize(
    ("text", "stated"),
    [("会议决定采用 Redis 替代现有的本地缓存方案", "用户决定采用 Redis 替代现有的本地缓存方案"),
     ("We decided to replace the local cache with Redis", "Ann decided to replace the local cache with Redis")],
)  # fmt: skip
def test_d15_a_turn_and_the_memory_taken_from_it_are_told_once(text: str, stated: str) -> None:
    t, m = turn("t1", text, "Ann"), memory("m1", stated, "t1")
    assert ids(distinct([t, m])) == ids(distinct([m, t])) == ["m1"]
    other = memory("m2", stated, "t9")
    assert ids(distinct([t, other])) == ["t1", "m2"]


def test_d15_a_turn_that_says_much_more_stays_instead_at_the_better_place() -> None:
    long = "I adopted a cat named Miso. Yesterday the bridge was closed, so the delivery of forty chairs came late"
    hits = [memory("m0", "Likes green tea", "t7"), memory("m1", "User adopted a cat named Miso", "t1"),
            turn("t2", "unrelated"), turn("t1", long)]  # fmt: skip
    assert ids(distinct(hits)) == ["m0", "t1", "t2"]
    beyond = memory("m3", "User adopted a cat named Miso and signed a lease in Lisbon", "t1")
    assert ids(distinct([turn("t1", long), beyond])) == ["t1", "m3"]


def test_d15_equal_texts_are_told_once() -> None:
    assert ids(distinct([turn("t1", "好的 收到"), turn("t2", "好的收到"), turn("t3", "再见")])) == ["t1", "t3"]


def test_d15_a_memory_of_a_message_in_the_window_counts_only_where_the_message_did_not_fit() -> None:
    message = {"turn_id": "w1", "role": "user", "content": "我决定下周二去杭州出差,要订高铁票", "speaker": None}
    result = memory("m1", "用户决定下周二去杭州出差", "w1")
    both = [*pieces.working("", [message]), *pieces.retrieved([result], [message])]
    prompt = compose(both, "q", 1_000, COUNT)
    assert "[Source" not in prompt.text
    assert prompt.dropped == 0
    alone = compose(both[1:], "q", 1_000, COUNT)
    assert "用户决定下周二去杭州出差" in alone.text


def test_d15_reports_are_filled_before_memories_and_knowledge_but_printed_by_rank() -> None:
    chunk: Hit = (
        {"record_id": "c1", "kind": "chunk", "text": "chunk", "value": None, "attributes": {"ordinal": 1},
         "owner_id": "sop", "key": "2", "episode_type": None, "sources": [], "occurred_at": START}, 1.0)  # fmt: skip
    hits = [chunk, turn("t1", "a turn"), memory("r1", "report", "t9", "report")]
    filled = pieces.retrieved(hits)
    assert [p.citation["kind"] for p in filled if p.citation] == ["report", "turn", "chunk"]
    text = compose(filled, "q", 1_000, COUNT).text
    assert text.index("chunk") < text.index("a turn") < text.index("Report: report")


def test_a8_a_query_names_a_key_in_any_joint_and_no_longer_number() -> None:
    assert names("请质控 Record 12 的数据", "record_12")
    assert names("请质控12号受试者的记录", "12")
    assert not names("check record 121", "record-12")
    assert names("Check records 3,12 and 14", "12")
    assert names("Which allergies has she, which medications?", "medication")
    assert not names("How do I manage the team?", "age")
    assert not names("Meet at 12:30", "12")
    assert not names("It costs 3.12", "12")
    assert not names("check record 12", "2")
    assert not names("a question", "a")


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ("We keep the cache in Redis.", "we keep the cache in Redis", 1),
        ("The release moves to Thursday!", "Oh, release moves to Thursday", 1),
        ("我们决定采用缓存的方案", "我们决定采用缓存方案了。", 1),
        ("第30名受试者已经入组", "第31名受试者已经入组", 2),
        ("We will ship it", "We will not ship it", 2),
        ("Anna called Bob", "Bob called Anna", 2),
        ("I like tea", "I like coffee", 2),
    ],
)
def test_d15_passages_that_are_nearly_the_same_are_told_once(one: str, other: str, left: int) -> None:
    assert len(distinct([turn("1", one), turn("2", other)])) == left


def test_d15_what_did_not_change_is_byte_identical_between_turns() -> None:
    still = [
        Piece("anchors", "- reply in German", (0,)),
        Piece("user_profile", "- nurse in Leeds", (0,)),
        Piece("conversation_history", "user: hello", (0,)),
    ]
    first = compose([*still, Piece("retrieved_memories", "about the bike", (0,))], "one?", 500, COUNT).text
    second = compose([*still, Piece("retrieved_memories", "about the cat", (0,))], "two?", 500, COUNT).text
    prefix = first[: first.index("about the bike")]
    assert second.startswith(prefix)
    assert "hello" in prefix


@pytest.mark.parametrize(
    ("text", "source", "budget", "printed"),
    [
        ("The cache is Redis", "t1", 1_000, 1),
        ("The cache is Redis.", "t1", 1_000, 1),
        ("The cache is Redis", "t2", 1_000, 2),
        ("The cache is Redis Cluster", "t1", 1_000, 2),
    ],
)
def test_a8_what_hot_memory_shows_is_not_retrieved_beside_it(
    text: str, source: str, budget: int, printed: int
) -> None:
    entry = {"id": "h1", "key": "cache", "value": "The cache is Redis", "source_turn_ids": ["t1"]}
    hits = [memory("m1", text, source)]
    shown = [*pieces.hot({"decisions": [entry]}, "en"), *pieces.retrieved(hits, (), [entry])]
    assert compose(shown, "q", budget, COUNT).text.count("The cache is Redis") == printed
    # An entry that found no place covers nothing.
    assert "Redis" in compose(pieces.retrieved(hits, (), [entry]), "q", budget, COUNT).text


def test_d15_words_are_read_only_where_a_memory_may_say_what_a_turn_says(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def terms(text: str) -> list[str]:
        read.append(text)
        return text.split()

    monkeypatch.setattr("query.prompt.distinct.terms", terms)
    hits = [turn(f"t{i}", f"word{i} more") for i in range(5)] + [memory("m", "word3 more", "t3")]
    assert ids(distinct(hits)) == ["t0", "t1", "t2", "t4", "m"]
    assert read[0] == "word3 more"
    assert all("word3" in text for text in read)


def test_a9_the_whole_is_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return COUNT(text)

    given_ = [Piece("anchors", "- a: b", (0,)), Piece("retrieved_memories", "- c", (1,))]
    prompt = compose(given_, "q", 1_000, count)
    assert counted.count(prompt.text) == 1
