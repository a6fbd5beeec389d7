"""D3: near-duplicates of one owner within 7 days, in bounded state."""

from datetime import UTC, datetime, timedelta
from importlib import import_module

import numpy as np
import pytest

from processors.dedupe import WINDOW, Calibration, Entry, NearDuplicateWindow, extract_features

window_module = import_module("processors.dedupe.window")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DIMS = 16


def entry(record_id: str, text: str, at: datetime = NOW, seed: int | None = None) -> Entry:
    vector = None if seed is None else unit(seed)
    return Entry(record_id, at, extract_features(text), vector)


def unit(seed: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.random.default_rng(seed).normal(size=DIMS).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


@pytest.fixture(params=["whole", "shortlist"], autouse=True)
def search(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test here holds for the search of small windows and for that of large ones."""
    if request.param == "shortlist":
        monkeypatch.setattr(window_module, "SKETCHED", 1)
        monkeypatch.setattr(window_module, "SHORTLIST", 1)


def test_d3_finds_near_copies_in_both_languages() -> None:
    window = NearDuplicateWindow(None, DIMS)
    window.extend([entry("en", "Melanie painted a sunrise last year"), entry("zh", "我昨天去了公园散步")])
    found = window.query(extract_features("Last year Melanie painted a sunrise!"), None, NOW)
    assert found is not None
    assert (found.record_id, found.verdict.kind) == ("en", "duplicate")
    found = window.query(extract_features("昨天我去了公园散步。"), None, NOW)
    assert found is not None
    assert (found.record_id, found.verdict.kind) == ("zh", "duplicate")


def test_d3_seven_days_from_acceptance_and_not_longer() -> None:
    window = NearDuplicateWindow(None, DIMS)
    window.insert(entry("a", "I adopted a puppy"))
    features = extract_features("I adopted a puppy")
    assert window.query(features, None, NOW + WINDOW - timedelta(seconds=1)) is not None
    assert window.query(features, None, NOW + WINDOW) is None
    assert window.expire(NOW + WINDOW - timedelta(seconds=1)) == []
    assert window.expire(NOW + WINDOW) == ["a"]
    assert len(window) == 0


def test_d3_a_paraphrase_is_found_by_its_vector_alone() -> None:
    # Weights that ask for little, so that the search is what is tested.
    calibration = Calibration("m", (0, 0, 0, 20.0, 0, 0, 0, 0, 0, 0, 0, 0), -2.0, 0.5, 0.0, 0.3)
    window = NearDuplicateWindow(calibration, DIMS)
    window.extend(entry(f"r{i}", f"completely unrelated remark {'abcdefghij'[i]}", seed=i) for i in range(10))
    window.insert(entry("twin", "Anna has gone into her fresh apartment", seed=77))
    near = (unit(77) + 0.1 * unit(78)).astype(np.float32)
    found = window.query(extract_features("Anna moved to the new flat"), near / np.linalg.norm(near), NOW)
    assert found is not None
    assert found.record_id == "twin"


def test_d3_a_changed_value_is_reported_as_changed() -> None:
    window = NearDuplicateWindow(None, DIMS)
    window.insert(entry("a", "My rent is 900 euros a month in this city"))
    found = window.query(extract_features("My rent is 950 euros a month in this city"), None, NOW)
    assert found is not None
    assert (found.verdict.kind, found.verdict.rule) == ("changed", "numbers")


def test_d3_a_duplicate_wins_over_a_changed_one() -> None:
    window = NearDuplicateWindow(None, DIMS)
    window.extend([entry("other", "My rent is 950 euros a month"), entry("same", "My rent is 900 euros a month")])
    found = window.query(extract_features("my rent is 900 euros a month!"), None, NOW)
    assert found is not None
    assert (found.record_id, found.verdict.kind) == ("same", "duplicate")


def test_d3_a_duplicate_that_may_not_be_merged_hides_no_other_one() -> None:
    window = NearDuplicateWindow(None, DIMS)
    text = "Melanie painted a sunrise last year"
    window.extend([entry("a", f"{text}!"), entry("b", text), entry("c", "Melanie never painted a sunrise last year")])
    features = extract_features(text)
    found = window.query(features, None, NOW, merges=lambda record, verdict: record == "b")
    assert found is not None
    assert found.record_id == "b"
    found = window.query(features, None, NOW, merges=lambda record, verdict: False)
    assert found is not None
    assert (found.record_id, found.verdict.kind) == ("c", "contradiction")


def test_d3_records_that_are_not_accepted_hide_no_others() -> None:
    window = NearDuplicateWindow(None, DIMS)
    text = "My rent is 900 euros a month"
    window.extend(entry(f"other{i}", text, seed=1) for i in range(30))
    window.insert(entry("mine", text, seed=1))
    found = window.query(extract_features(text), unit(1), NOW, accept=lambda record: record == "mine")
    assert found is not None
    assert found.record_id == "mine"
    assert window.query(extract_features(text), unit(1), NOW, accept=lambda record: False) is None


def test_d3_removed_records_are_not_found_and_ids_can_come_back() -> None:
    window = NearDuplicateWindow(None, DIMS)
    window.insert(entry("a", "I adopted a puppy"))
    assert window.remove("a")
    assert not window.remove("a")
    assert window.query(extract_features("I adopted a puppy"), None, NOW) is None
    window.insert(entry("a", "I adopted a kitten", NOW + timedelta(days=1)))
    assert window.expire(NOW + WINDOW) == []  # the removed one's end is not the new one's
    assert "a" in window


def test_d3_state_is_bounded_by_count_oldest_first() -> None:
    window = NearDuplicateWindow(None, DIMS, limit=100)
    removed = []
    for i in range(250):
        removed += window.insert(entry(f"r{i}", f"remark number {i}", NOW + timedelta(seconds=i), seed=i))
    assert len(window) == 100
    assert removed == [f"r{i}" for i in range(150)]
    size = window.nbytes
    for i in range(250, 500):
        window.insert(entry(f"r{i}", f"remark number {i}", NOW + timedelta(seconds=i), seed=i))
    assert window.nbytes <= size * 1.05


def test_d3_replacing_one_record_for_ever_does_not_grow_the_state() -> None:
    window = NearDuplicateWindow(None, DIMS)
    for i in range(1000):
        window.insert(entry("a", "I adopted a puppy", NOW + timedelta(seconds=i)))
    assert len(window) == 1
    assert len(window._queue) <= 70


def test_d3_rebuilt_from_rows_in_any_order_answers_the_same() -> None:
    entries = [entry(f"r{i}", f"remark about topic {'abcdefghij'[i % 10]} {i}", seed=i) for i in range(40)]
    one, two = NearDuplicateWindow(None, DIMS), NearDuplicateWindow(None, DIMS)
    one.extend(entries)
    two.extend(reversed(entries))
    for item in entries:
        assert one.query(item.features, item.embedding, NOW) == two.query(item.features, item.embedding, NOW)


def test_d3_a_full_window_holds_the_newest_whatever_the_order() -> None:
    entries = [entry(f"r{i}", f"remark {i}", NOW + timedelta(hours=i), seed=i) for i in range(40)]
    for order in (entries, entries[::-1], entries[20:] + entries[:20]):
        window = NearDuplicateWindow(None, DIMS, limit=30)
        window.extend(order)
        assert [e.record_id for e in entries if e.record_id in window] == [f"r{i}" for i in range(10, 40)]


def test_d3_a_large_window_finds_the_neighbours_that_a_look_at_all_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    dims, rng = 512, np.random.default_rng(3)
    vectors = rng.normal(size=(3_000, dims)).astype(np.float32) + np.float32(0.4)  # cosine 0.14 among strangers
    for n in range(0, 600, 2):  # pairs of cosines from 0.99 down to 0.5
        vectors[n + 1] = vectors[n] + rng.normal(size=dims) * (0.1 + n / 500)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    window = NearDuplicateWindow(None, dims)
    for n, vector in enumerate(vectors):
        window.insert(Entry(f"r{n}", NOW, extract_features(f"remark {n}"), vector))
    for n in range(0, 3_000, 100):
        window.remove(f"r{n}")
    requests = [vectors[n] for n in range(1, 600, 6)]

    def nearest() -> list[list[int]]:
        return [window._nearest(q, lambda slot: slot in window._entries) for q in requests]

    monkeypatch.setattr(window_module, "SKETCHED", 2_048)
    monkeypatch.setattr(window_module, "SHORTLIST", 512)
    assert len(window) > 2_048
    found = nearest()
    monkeypatch.setattr(window_module, "SKETCHED", 10_000)
    assert found == nearest()
    assert sum(map(len, found)) > 150, "neighbours, not themselves alone"


def test_d3_a_large_window_looks_at_all_when_its_nearest_are_not_accepted() -> None:
    window = NearDuplicateWindow(None, DIMS)
    window.extend(entry(f"other{i}", f"note {i}", seed=1) for i in range(30))
    near = unit(1) + 0.6 * unit(2)
    window.insert(Entry("mine", NOW, extract_features("else"), np.asarray(near / np.linalg.norm(near), np.float32)))
    mine = window._slots["mine"]
    assert window._nearest(unit(1), lambda slot: slot == mine) == [mine]
