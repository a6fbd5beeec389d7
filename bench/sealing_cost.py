"""What sealing costs a turn, as a share of the pipeline's CPU: `python -m bench.sealing_cost [turns]`.

The same turns go through the whole topology in one thread, once under the identity cipher and once under AES-256-GCM
with a keyring in memory (topic values, outboxes, state rows). CPU time, best of five taken in turn.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from datetime import UTC, datetime, timedelta

from memstream.keyring.cipher import AesCipher
from memstream.keyring.state import SealedStateStore
from memstream.workers.models import default_models
from processors.ports import ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from streams.state.protocol import StateStore
from streams.topology import TOPOLOGY, Parts

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
SAID = (
    "I moved to York in March and I work as a nurse on the night shift.", "Thanks, that helps a lot.",
    "我今年32岁，住在杭州，平时喜欢喝茶和跑步。", "We decided to ship the beta on Friday after the review.",
)  # fmt: skip


class Keys:
    """One key an owner, as a warm keyring holds them."""

    def __init__(self) -> None:
        self._keys: dict[str, bytes] = {}

    def current(self, owner: str) -> tuple[int, bytes]:
        return 1, self.key(owner, 1)

    def key(self, owner: str, generation: int) -> bytes:
        return self._keys.setdefault(owner, secrets.token_bytes(32))


def seconds(parts: Parts, turns: int, cipher: AesCipher | None) -> float:
    """CPU seconds of one run."""
    store: StateStore = MemoryStateStore()
    store = SealedStateStore(store, cipher) if cipher else store
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    driver = TopologyDriver(steps, START, store=store, codec=Codec(cipher))
    for n in range(turns):
        at = START + timedelta(seconds=n)
        event = TurnEvent(
            tenant="acme", user_id=f"u{n % 20}", session_id=f"s{n % 20}", turn_id=f"t{n}", role="user",
            occurred_at=at, accepted_at=at, sealed=TurnBody(content=f"{SAID[n % len(SAID)]} ({n})"),
        )  # fmt: skip
        driver.pipe(topics.TURNS, event)
    began = time.process_time()
    asyncio.run(driver.run())
    return time.process_time() - began


def main(turns: int) -> None:
    parts = Parts(
        default_models(b"bench-hash-key-of-32-bytes-long!"), ProfileBook(load_profile("general")), RuleExtractor()
    )
    seconds(parts, 40, None)
    runs = [(seconds(parts, turns, None), seconds(parts, turns, AesCipher(Keys()))) for _ in range(5)]
    plain, sealed = min(p for p, _ in runs), min(s for _, s in runs)
    print(f"{turns} turns: {plain / turns * 1e3:.2f} ms a turn plain, {sealed / turns * 1e3:.2f} ms sealed")
    print(f"ratio {sealed / plain:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
