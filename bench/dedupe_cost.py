"""CPU of one candidate against an owner's 10,000 episodes of the last 7 days (D3): features, query and insert.

Synthetic statements from a small grammar in both languages, so that many share words (the hard case for LSH), and
random unit vectors, a tenth of them close to an earlier one. One thread. Usage: python bench/dedupe_cost.py [COUNT]
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import random
import sys
import time
from datetime import UTC, datetime, timedelta

import numpy as np

from processors.dedupe import CALIBRATIONS, Entry, NearDuplicateWindow, extract_features

DIMS = 512
WHO = ["Anna", "Ben", "Carla", "David", "Emma", "Felix", "Greta", "Hugo"]
DID = ["visited", "painted", "repaired", "described", "planned", "cleaned", "photographed", "admired"]
WHAT = ["garden", "kitchen", "bicycle", "museum", "bridge", "library", "lighthouse", "market", "station", "castle"]
WITH = ["friend", "neighbour", "colleague", "teacher", "cousin", "doctor", "gardener", "sailor", "baker"]
ZH_WHO = ["小明", "小红", "老王", "老李", "妈妈", "爸爸", "同事", "邻居"]
ZH_DID = ["参观了", "打扫了", "修理了", "喜欢上了", "路过了", "谈起了", "介绍了", "想起了"]
ZH_WHAT = ["花园", "厨房", "自行车", "博物馆", "图书馆", "港口", "灯塔", "市场", "车站", "城堡"]


def statement(rng: random.Random) -> str:
    if rng.random() < 0.5:
        return (
            f"{rng.choice(WHO)} {rng.choice(DID)} the {rng.choice(WHAT)} with a {rng.choice(WITH)} "
            f"and talked about the {rng.choice(WHAT)} for {rng.randint(2, 90)} minutes"
        )
    who, other = rng.choice(ZH_WHO), rng.choice(ZH_WHO)
    return f"{who}和{other}一起{rng.choice(ZH_DID)}{rng.choice(ZH_WHAT)}，花了{rng.randint(2, 90)}分钟"


def vector(rng: np.random.Generator, earlier: list[np.ndarray]) -> np.ndarray:
    noise = rng.normal(size=DIMS)
    if earlier and rng.random() < 0.1:
        noise = earlier[int(rng.integers(len(earlier)))] + noise * 0.01
    return (noise / np.linalg.norm(noise)).astype(np.float16)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng, numbers = random.Random(1), np.random.default_rng(1)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    window = NearDuplicateWindow(CALIBRATIONS[0], DIMS)
    vectors: list[np.ndarray] = []
    start = time.process_time()
    for i in range(count):
        vectors.append(vector(numbers, vectors))
        at = now - timedelta(days=6) + timedelta(seconds=i)
        window.insert(Entry(f"r{i}", at, extract_features(statement(rng)), vectors[-1]))
    print(f"{len(window)} episodes, {window.nbytes / 1e6:.1f} MB, filled in {time.process_time() - start:.1f} s CPU")
    costs: dict[str, list[float]] = {"features": [], "query": [], "insert": [], "all": []}
    for i in range(1000):
        text, embedding = statement(rng), vector(numbers, vectors)
        marks = [time.process_time_ns()]
        features = extract_features(text)
        marks.append(time.process_time_ns())
        window.query(features, embedding, now)
        marks.append(time.process_time_ns())
        window.insert(Entry(f"n{i}", now, features, embedding))
        marks.append(time.process_time_ns())
        for name, a, b in (("features", 0, 1), ("query", 1, 2), ("insert", 2, 3), ("all", 0, 3)):
            costs[name].append((marks[b] - marks[a]) / 1e6)
    for name, values in costs.items():
        p50, p99 = np.percentile(values, [50, 99])
        print(f"{name:9s} mean {np.mean(values):.3f}  p50 {p50:.3f}  p99 {p99:.3f} ms CPU")


if __name__ == "__main__":
    main()
