"""How long a store put takes until the same client's next get has it: `python -m bench.store --url URL` (C1)."""

from __future__ import annotations

import argparse
import json
import time
from uuid import uuid4

from memstream.client import HttpOptions, Memstream
from memstream.langgraph import MemstreamStore


def quantile(values: list[float], q: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def measure(url: str, key: str, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of `rounds` puts, of the gets after them, and of both; every get must return the put value."""
    options = HttpOptions(wait_ms=30_000, require_fresh=True)
    taken: dict[str, list[float]] = {"put": [], "get": [], "put_get": []}
    with Memstream(url, key, options=options) as client:
        store = MemstreamStore(client)
        namespace = ("bench", f"bench-{uuid4().hex[:8]}")
        for n in range(rounds):
            started = time.perf_counter()
            store.put(namespace, "k", {"n": n})
            put = time.perf_counter()
            found = store.get(namespace, "k")
            done = time.perf_counter()
            if found is None or found.value != {"n": n}:
                raise SystemExit(f"round {n}: the get does not have the put")
            taken["put"].append(put - started)
            taken["get"].append(done - put)
            taken["put_get"].append(done - started)
        store.delete(namespace, "k")
    return {
        name: {f"p{int(q * 100)}_ms": round(quantile(values, q) * 1000, 2) for q in (0.5, 0.99)}
        for name, values in taken.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8900")
    parser.add_argument("--key", default="")
    parser.add_argument("--rounds", type=int, default=500)
    given = parser.parse_args()
    print(json.dumps({"rounds": given.rounds, **measure(given.url, given.key, given.rounds)}, indent=2))


if __name__ == "__main__":
    main()
