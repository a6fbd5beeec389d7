"""One BM25 tokenizer: what is written is found by what is asked."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
import Stemmer

from inference.terms import chinese_words, terms


@pytest.mark.parametrize(
    ("stored", "question"),
    [
        ("She was running two marathons", "runs a marathon"),
        ("Order ORD-2024-001 shipped", "ord-2024-001"),
        ("Order ORD-2024-001 shipped", "2024"),
        ("ＡＢＣ１２３", "abc123"),
        ("我下周三去北京协和医院复诊", "协和医院"),
        ("我下周三去北京协和医院复诊", "北京的医院"),
        ("服务部署在 Kubernetes 上", "kubernetes"),
        ("well-known", "known"),
    ],
)
def test_a_question_shares_a_term_with_its_text(stored: str, question: str) -> None:
    assert set(terms(stored)) & set(terms(question))


def test_stop_words_go_unless_nothing_else_is_there() -> None:
    assert terms("What is the plan?") == ["plan"]
    assert terms("Who are you?") == ["who", "are", "you"]
    assert "的" not in terms("北京的天气")
    assert terms("是谁") == ["是", "谁"]


def test_numbers_and_versions_stay_whole() -> None:
    assert terms("Python 3.11 and v1.29.0") == ["python", "3.11", "v1.29.0", "v1", "29", "0"]


def test_long_chinese_words_give_the_words_inside() -> None:
    assert {"北京", "协和", "医院", "北京协和医院"} <= set(terms("北京协和医院"))


def test_contractions_and_possessives_lose_their_tails() -> None:
    assert terms("John's dogs don't bark") == ["john", "dog", "bark"]


@pytest.mark.parametrize("text", ["", " \n\t", "!?…，。", "\ud800", "🙂"])
def test_nothing_to_index_gives_no_terms(text: str) -> None:
    assert terms(text) == []


def test_no_term_is_longer_than_the_index_allows() -> None:
    assert max(map(len, terms("a" * 500 + " " + "x-1" * 200 + "龘" * 500))) <= 64


def test_a_run_without_a_mark_is_cut_in_pieces_and_nothing_of_it_is_lost() -> None:
    run = "我在利兹做护士" * 600
    words = chinese_words(run)
    assert "".join(words) == run
    assert words[:600] == chinese_words(run[:1000])[:600]
    assert terms(run) == [t for i in range(0, len(run), 1000) for t in terms(run[i : i + 1000])]


def test_threads_stem_side_by_side() -> None:
    """Two threads with one stemmer, which has a buffer of its own, could read each other's word."""
    alone = Stemmer.Stemmer("english")
    starts = ["".join(letters) for letters in product("bcdfgk", repeat=4)]  # words that nobody has asked for yet
    texts = [[f"{start}{end}" for end in ("walking", "talked", "painters")] for start in starts]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(terms, map(" ".join, texts)))
    assert found == [[alone.stemWord(word) for word in words] for words in texts]
