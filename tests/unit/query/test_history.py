"""History and prompt: what fits, what stays, what it counts (A9, D15, E2)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inference.tokens import token_counter
from query.prompt.layout import Piece
from query.prompt.layout import compose as compose_prompt
from query.reading.history import Budget, Segment, compose, last_pairs
from query.reading.session_store import with_ids

COUNTER = token_counter()


def message(role: str, content: str, n: int = 0) -> dict[str, Any]:
    return {"role": role, "content": content, "speaker": None, "turn_id": f"t{n}"}


def pairs(count: int) -> list[dict[str, Any]]:
    return [m for n in range(count) for m in (message("user", f"question {n}"), message("assistant", f"answer {n} 答"))]


def test_e2_full_history_counts_exactly_and_asks_for_a_checkpoint_at_the_ratio() -> None:
    segment = Segment("FULL_HISTORY", turns=pairs(3))
    result = compose(segment, "next?", Budget(0.75, 8, 16_000), COUNTER)
    assert result.history == result.full_history == "\n".join(
        line for n in range(3) for line in (f"User: question {n}", f"AI: answer {n} 答")
    )
    assert result.tokens == COUNTER.count(result.full_history + "\nnext?")
    assert not result.should_checkpoint
    # Just at the ratio: the window is chosen so that tokens / window == 0.75.
    tight = compose(segment, "next?", Budget(0.75, 8, int(result.tokens / 0.75)), COUNTER)
    assert tight.should_checkpoint
    assert not compose(Segment("FULL_HISTORY"), "x" * 400, Budget(0.75, 8, 100), COUNTER).should_checkpoint


def test_e2_summary_mode_returns_the_summary_and_the_last_turns() -> None:
    open_turns = [message("user", "now"), message("assistant", "ok")]
    segment = Segment("SUMMARY_N", "用户头晕", carried=pairs(2), turns=open_turns)
    result = compose(segment, "", Budget(0.75, 2, 16_000), COUNTER)
    assert result.history == "历史摘要: 用户头晕\nUser: question 1\nAI: answer 1 答\nUser: now\nAI: ok"
    assert result.full_history.startswith("历史摘要: 用户头晕\nUser: question 0")
    # When those alone pass the ratio, the window shrinks.
    small = compose(segment, "", Budget(0.75, 2, int(COUNTER.count(result.history) / 0.75)), COUNTER)
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
    alone = compose_prompt([], "q", budget, COUNTER.count).tokens
    assert prompt.tokens == COUNTER.count(prompt.text) <= max(budget, alone)
    assert not prompt.kept or prompt.tokens <= budget
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


def test_n3_a_window_of_redis_has_the_ids_that_postgres_knows() -> None:
    """Its messages come without: the ones both have are found where one window ends and the other begins."""
    texts = [{"role": "user", "content": c, "turn_id": c.upper()} for c in ("a", "b", "b", "c")]
    bare = [{"role": m["role"], "content": m["content"]} for m in texts]
    new = {"role": "assistant", "content": "d"}
    assert with_ids([*bare, new], texts) == [*texts, new]
    assert with_ids([*bare[2:], new], texts) == [*texts[2:], new]  # the window moved on
    assert with_ids([new], texts) == [new]
    assert with_ids(bare, []) == bare
