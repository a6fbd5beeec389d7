"""A9, B7: budgets are counted with the real tokenizer."""

import random

import pytest

from inference.protocols import TokenCounter
from inference.tokens import BpeTokenCounter, token_counter

ENCODINGS = ("cl100k_base", "o200k_base")
PIECES = ("a", "  ", "\n", " the", "你", "龘", "👍", "\ud800", "123", ".", "<|endoftext|>")


@pytest.mark.parametrize(
    ("encoding", "text", "tokens"),
    [
        ("cl100k_base", "", 0),
        ("cl100k_base", "hello world", 2),
        ("cl100k_base", "tiktoken is great!", 6),  # the example of OpenAI's cookbook
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "お誕生日おめでとう", 8),
    ],
)
def test_a9_counts_are_those_of_the_encoding(encoding: str, text: str, tokens: int) -> None:
    counter: TokenCounter = token_counter(encoding)
    assert counter.encoding == encoding
    assert counter.count(text) == tokens


def test_special_tokens_count_as_text() -> None:
    assert token_counter("cl100k_base").count("<|endoftext|>") > 1


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a9_truncation_is_a_prefix_within_the_budget(encoding: str) -> None:
    counter = BpeTokenCounter(encoding)  # type: ignore[arg-type]
    rng = random.Random(7)
    for _ in range(500):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(40)))
        budget = rng.randrange(20)
        cut = counter.truncate(text, budget)
        assert text.startswith(cut)
        assert counter.count(cut) <= budget
        if counter.count(text) <= budget:
            assert cut == text


def test_a9_truncation_uses_the_budget_and_never_splits_a_character() -> None:
    counter = token_counter("cl100k_base")
    assert counter.truncate("你好世界你好世界", 3) == "你好"  # 世 takes the third and the fourth
    assert counter.truncate("你好世界你好世界", 4) == "你好世"
    assert counter.truncate("龘", 1) == ""
    assert counter.truncate("word " * 1_000, 10).split() == ["word"] * 10


def test_a_huge_text_is_cut_from_its_head_alone() -> None:
    assert token_counter("cl100k_base").truncate("你好" * 1_000_000, 4) == "你好你好"[:4]


def test_a_negative_budget_is_an_error() -> None:
    with pytest.raises(ValueError, match="negative"):
        token_counter("cl100k_base").truncate("a", -1)
