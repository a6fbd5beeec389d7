"""ScopeIndex: hybrid search (D13), rerank (D14), similarity (A2) and decay (D7) over one owner's documents."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from inference.terms import terms
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import Document, RankQuery

START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
DIMENSIONS = 64


def vector(text: str) -> np.ndarray:
    """Hashed bag of terms: an embedding with known geometry (shared words, higher cosine)."""
    out = np.zeros(DIMENSIONS, dtype=np.float32)
    for term in terms(text):
        out[sum(term.encode()) % DIMENSIONS] += 1.0
    norm = np.linalg.norm(out)
    return out / norm if norm else out


def turn(number: int, text: str, session: str = "s1", speaker: str = "Ana", **more: object) -> Document:
    values: dict[str, object] = {
        "id": f"{session}:{number}", "kind": "turn", "terms": terms(text), "vector": vector(text).astype(np.float16),
        "text": text, "session_id": session, "position": number, "speaker": speaker,
        "occurred_at": START + timedelta(minutes=number),
    }  # fmt: skip
    return Document(**(values | more))  # type: ignore[arg-type]


def fact(name: str, text: str, **more: object) -> Document:
    more = {"id": name, "kind": "fact", "session_id": None, "speaker": None} | more
    return turn(0, text, **more)  # type: ignore[arg-type]


def ask(text: str, **more: object) -> RankQuery:
    return RankQuery(text, terms(text), vector(text), **more)  # type: ignore[arg-type]


def filled(*documents: Document) -> ScopeIndex:
    index = ScopeIndex(DIMENSIONS)
    index.add(documents)
    return index


FACTS = (
    fact("kite", "Ana flies a blue kite at the beach"),
    fact("bike", "Ana repaired her old bike"),
    fact("soup", "Ana cooks tomato soup on Sundays"),
    fact("风筝", "安娜喜欢在海边放风筝"),
)


@pytest.mark.parametrize("mode", ["adaptive", "sum", "rrf", "bm25", "dense"])
@pytest.mark.parametrize(("query", "best"), [("Who repaired the bike?", "bike"), ("谁喜欢放风筝？", "风筝")])
def test_d13_each_mode_finds_the_document(mode: str, query: str, best: str) -> None:
    hits = filled(*FACTS).search(ask(query, mode=mode))
    assert hits[0].id == best
    assert all(0.0 <= h.score <= 1.0 for h in hits)
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_d13_rrf_is_the_sum_of_reciprocal_ranks() -> None:
    hit = filled(*FACTS).search(ask("tomato soup", mode="rrf"))[0]
    assert hit.id == "soup"
    assert hit.score == pytest.approx(1.0)  # first of both retrievers: 2/61, scaled to [0, 1]


def test_a2_dense_mode_returns_the_cosine() -> None:
    hits = filled(*FACTS).search(ask("Ana repaired her old bike", mode="dense"), explain=True)
    assert hits[0].id == "bike"
    assert hits[0].score == pytest.approx(1.0, abs=1e-3)


def test_d13_the_filter_comes_first() -> None:
    index = filled(*FACTS, turn(1, "my bike is broken"))
    hits = index.search(ask("bike"), where=index.mask(kinds={"turn"}))
    assert [h.id for h in hits] == ["s1:1"]
    kept = index.mask(keep=lambda d: "soup" in d.text)
    assert [h.id for h in index.search(ask("bike"), where=kept)] == ["soup"]


def test_a_turn_between_two_that_match_outranks_a_lone_one() -> None:
    index = filled(
        turn(0, "did you take the camera to the harbour?"),
        turn(1, "yes and it was wonderful", speaker="Bo"),
        turn(2, "the camera loves the harbour light"),
        turn(0, "nothing of interest happened on the farm", session="s2"),
        turn(1, "yes and it was wonderful", session="s2", speaker="Bo"),
        turn(2, "the cows were asleep", session="s2"),
    )
    order = [h.id for h in index.search(ask("camera at the harbour"))]
    assert order.index("s1:1") < order.index("s2:1")


def test_d13_explain_tells_each_part_of_the_score() -> None:
    """The parts of the default are what orders it, before they are brought into [0, 1]."""
    index = filled(*FACTS)
    found = index.search(ask("a blue kite"), explain=True)
    results = [f.scores for f in found if f.scores is not None]
    assert len(results) == len(found) > 1
    parts = ("words", "session", "prior", "meaning", "feedback")
    assert all(set(parts) <= set(t) for t in results)
    sums = [sum(t[p] for p in parts) for t in results]
    assert sums == sorted(sums, reverse=True)
    assert not set(parts) & set(index.search(ask("a blue kite", mode="rrf"), explain=True)[0].scores or {})


@pytest.mark.parametrize("mode", ["adaptive", "sum", "rrf", "bm25", "dense"])
def test_d5_relevance_is_the_same_beside_other_documents_and_a_question_without_an_answer_has_none(mode: str) -> None:
    """The best of any scope has a good score, whether it answers or not."""
    index, soup = filled(*FACTS), "Who cooks tomato soup?"
    request = ask(soup, mode=mode)
    cosine = float(vector(soup) @ vector("Ana cooks tomato soup on Sundays").astype(np.float16).astype(np.float32))
    [first, *_] = index.search(request)
    # All of the question's words, so whatever the cosine.
    assert first.id == "soup"
    assert first.relevance == pytest.approx(1.0)
    half = index.search(ask("Is tomato chocolate sold?", mode=mode))
    assert 0.0 < half[0].relevance < 1.0
    assert [h.relevance for h in filled(FACTS[2]).search(request)] == [pytest.approx(1.0)]
    assert 0.0 < cosine < 1.0
    nothing = ask("Which telescope orbits Jupiter?", mode=mode)
    cosines = index.search(replace(nothing, mode="dense"))
    found = index.search(nothing)
    assert all(h.relevance == pytest.approx({c.id: c.score for c in cosines}.get(h.id, 0.0), abs=1e-6) for h in found)


@pytest.mark.parametrize("mode", ["adaptive", "sum", "rrf", "bm25", "dense"])
def test_d5_what_is_less_relevant_than_asked_for_is_no_hit_and_takes_no_place(mode: str) -> None:
    index = filled(*FACTS)
    request = ask("Ana repaired tomato soup", mode=mode)
    every = {h.id: h.relevance for h in index.search(request)}
    least = sorted(every.values())[-1]
    assert {h.id for h in index.search(replace(request, min_relevance=least), limit=1)} == {
        name for name, value in every.items() if value >= least
    }
    assert index.search(replace(request, min_relevance=1.0)) == []
    assert index.best(replace(request, min_relevance=1.0)) == [], "nor is a cross-encoder asked about it"


def test_d5_a_turn_is_read_with_the_turns_around_it() -> None:
    texts = (turn(1, "Shall we meet at the harbour?"), turn(2, "Bring the camera."), turn(3, "Fine.", session="s9"))
    found = {h.id: h.relevance for h in filled(*texts).search(ask("harbour camera", mode="sum"), 10)}
    apart = [replace(t, session_id=t.id) for t in texts]
    alone = {h.id: h.relevance for h in filled(*apart).search(ask("harbour camera", mode="sum"), 10)}
    assert found["s1:2"] > alone["s1:2"]


def test_d5_the_name_of_who_speaks_is_no_word_that_a_turn_lacks() -> None:
    index = filled(turn(1, "The harbour was lovely."), turn(2, "I bought bread.", session="s2", speaker="Bo"))
    named, plain = index.search(ask("Ana harbour", mode="sum"))[0], index.search(ask("harbour", mode="sum"))[0]
    assert named.id == plain.id == "s1:1"
    assert named.relevance == pytest.approx(plain.relevance) == pytest.approx(1.0)


@pytest.mark.parametrize(("sessions", "first"), [(("s1", "s2", "s3"), "s1:1"), (("s1", "s1", "s3"), "s1:2")])
def test_a_turn_that_asks_gives_way_in_a_dialogue_only(sessions: tuple[str, str, str], first: str) -> None:
    """Alone in its session it is a note, and its words count like any other's."""
    texts = ("The piano arrives on Monday?", "The piano arrives on Monday.", "Nothing else.")
    index = filled(*(turn(n, t, s) for n, (t, s) in enumerate(zip(texts, sessions, strict=True), start=1)))
    assert index.search(ask("When does the piano arrive?"))[0].id == first


def test_neighbours_follow_position_and_not_arrival() -> None:
    early = [turn(i, t) for i, t in enumerate(["a kite?", "we sang", "the boat sank", "it rained", "we slept"])]
    one, other = filled(*early), filled(*reversed(early))
    query = ask("kite")
    assert {h.id: h.score for h in one.search(query)} == pytest.approx({h.id: h.score for h in other.search(query)})


def test_a_named_speaker_outranks_who_addresses_them() -> None:
    index = filled(
        turn(0, "Ana, do you paint horses?", speaker="Bo"),
        turn(1, "I paint horses every week", speaker="Ana"),
        turn(2, "Ana, I paint horses too", speaker="Bo"),
        turn(3, "let us eat", speaker="Ana"),
    )
    assert index.search(ask("What does Ana paint?"))[0].id == "s1:1"


def test_in_chinese_speaker_neighbours_and_dates_lead_to_the_turn() -> None:
    may, june = datetime(2024, 5, 6, tzinfo=UTC), datetime(2024, 6, 10, tzinfo=UTC)
    results = [("安娜", "最近怎么样？"), ("王小明", "我报名了陶艺班，很开心"), ("安娜", "真好")]
    index = filled(
        *(turn(i, t, "五月", who, occurred_at=may) for i, (who, t) in enumerate(results)),
        *(turn(i, t, "六月", who, occurred_at=june) for i, (who, t) in enumerate(results)),
    )
    now = datetime(2024, 6, 20, tzinfo=UTC)
    assert index.search(ask("小明上个月报名了什么？", now=now))[0].id == "五月:1"
    assert index.search(ask("小明六月报名了什么？", now=now))[0].id == "六月:1"


def test_appending_and_removing_equals_building_anew() -> None:
    documents = [turn(i, f"word{i % 7} word{i % 3} shared", session=f"s{i % 4}") for i in range(80)]
    index = filled(*documents[:50])
    index.search(ask("word1"))
    index.remove(d.id for d in documents[:30])
    index.add(documents[50:])
    index.add([documents[60]])  # again: replaces itself
    assert len(index) == 50
    rest = {h.id: h.score for h in index.search(ask("word1 word2"), limit=100)}
    renewed = {h.id: h.score for h in filled(*documents[30:]).search(ask("word1 word2"), limit=100)}
    assert rest == pytest.approx(renewed, abs=1e-5)


def test_replacing_again_and_again_does_not_grow() -> None:
    index = ScopeIndex(DIMENSIONS)
    for version in range(200):
        index.add([fact(f"f{version % 5}", f"version {version}")])
    assert len(index) == 5
    assert len(index.mask()) < 30
    assert index.search(ask("version 199"))[0].id == "f4"


def test_d14_a_reranker_orders_the_best_fifty() -> None:
    index = filled(*(fact(f"f{i}", "bike " + "x" * i) for i in range(60)))
    given = {text: float(len(text)) - 30.0 for text in index.best(ask("bike"))}  # longest first, in logits
    hits = index.search(ask("bike"), limit=60, explain=True, given=given)
    scored = [h for h in hits if h.scores and "rerank" in h.scores]
    assert hits[:50] == scored
    assert [len(h.id) >= 2 for h in scored] == [True] * 50
    assert all(0.0 <= h.score <= 1.0 for h in hits)
    lengths = [int(h.id[1:]) for h in scored]
    assert lengths == sorted(lengths, reverse=True)


def test_d14_what_was_changed_since_the_reranker_saw_it_stands_behind_what_it_saw() -> None:
    index = filled(*(fact(f"f{i}", f"bike number {i}") for i in range(5)))
    given = {text: 0.1 + i / 10 for i, text in enumerate(index.best(ask("bike")))}
    index.add([fact("f4", "bike bike bike")])
    hits = index.search(ask("bike"), explain=True, given=given)
    assert (len(hits), hits[-1].id) == (5, "f4")
    assert "rerank" not in (hits[-1].scores or {})


def test_d7_decay_comes_after_rerank_and_by_kind() -> None:
    now = START + timedelta(days=100)
    old = fact("old", "Ana repaired her bike", kind="episode", last_accessed_at=START)
    fresh = fact("fresh", "Ana repaired her bike", kind="episode", last_accessed_at=now + timedelta(days=1))
    active = fact("standing", "Ana repaired her bike", kind="fact")
    index = filled(old, fresh, active, *FACTS)
    hits = index.search(ask("bike", now=now, decay_per_day={"episode": 0.05}), explain=True, limit=10)
    decay = {h.id: (h.scores or {})["decay"] for h in hits}
    assert decay["old"] == pytest.approx(np.exp(-5.0))
    assert decay["fresh"] == decay["standing"] == 1.0
    for hit in hits:
        assert hit.scores is not None
        assert hit.score == pytest.approx(hit.scores["fused"] * hit.scores["decay"])


def test_without_a_vector_the_ranking_is_lexical_and_knows_what_does_not_match() -> None:
    hits = filled(*FACTS).search(RankQuery("bike", terms("bike")))
    assert [h.id for h in hits] == ["bike"]


def test_an_empty_scope_and_an_empty_query() -> None:
    assert ScopeIndex(DIMENSIONS).search(ask("bike")) == []
    assert filled(*FACTS).search(RankQuery("", [])) == []
    assert filled(*FACTS).search(ask("bike"), limit=0) == []


def test_a_vector_of_another_model_is_refused() -> None:
    with pytest.raises(ValueError, match="64 dimensions"):
        filled(fact("x", "y", vector=np.zeros(3, dtype=np.float16)))


@pytest.mark.parametrize("seed", range(20))
def test_any_mix_of_documents_and_queries_gives_ordered_scores_in_the_unit_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = ["kite", "Ana", "风筝", "bike", "in May 2023", "上周", "?", "", "yesterday", "soup " * 40]
    documents = []
    for i in range(int(rng.integers(1, 40))):
        text = " ".join(rng.choice(words, size=int(rng.integers(0, 4))))
        more: dict[str, object] = {"id": str(i)}
        if rng.random() < 0.3:
            more |= {"vector": None}
        if rng.random() < 0.2:
            more |= {"occurred_at": None}
        if rng.random() < 0.3:
            more |= {"session_id": None, "kind": "fact", "speaker": None}
        documents.append(turn(i, text, **({"session": f"s{i % 3}"} | more)))  # type: ignore[arg-type]
    index = filled(*documents)
    index.remove(str(i) for i in range(0, len(documents), 4))
    for text in ("", "When did Ana fly the kite in May 2023?", "安娜上周去哪了？", "I had soup yesterday. And you?"):
        for mode in ("adaptive", "sum", "rrf", "bm25", "dense"):
            query = ask(text, mode=mode) if rng.random() < 0.8 else RankQuery(text, terms(text), mode=mode)
            hits = index.search(query, 100, explain=True)
            scores = [h.score for h in hits]
            assert scores == sorted(scores, reverse=True)
            assert all(0.0 <= s <= 1.0 for s in scores)
            assert len({h.id for h in hits}) == len(hits)
            assert all(h.id in index for h in hits)
