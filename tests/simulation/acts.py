"""The faults of a round: when, what, whom, how long. Drawn from the seed before it begins, so that any of them can be
left out when a failure is made smaller. A new kind is one entry here and one method of `World`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from schemas.log import topics

SINKS: tuple[str, ...] = ("postgres", "redis", "milvus")
WORKERS: Mapping[str, tuple[str, ...]] = {
    "screen-1": ("screen",), "screen-2": ("screen",),
    "memory-1": ("extract", "gate", "session", "project"), "memory-2": ("extract", "gate", "session", "project"),
}  # fmt: skip
PROCESSES: tuple[str, ...] = (*WORKERS, *WORKERS, *(f"sink-{s}" for s in SINKS), "service", "timer")
"""Workers twice: there is more to strike in them."""
SERVERS: tuple[str, ...] = ("kafka", "postgres", *(f"store-{s}" for s in SINKS))


@dataclass(frozen=True, slots=True)
class Act:
    """`at`: virtual seconds from the first call. `seconds`: how long it lasts. `count`: of `kill` and `freeze`, after
    how many more callbacks of the process; with `busy` counted from the next named point that it passes, which is in
    the middle of a batch."""

    at: float
    kind: str
    target: str = ""
    seconds: float = 0.0
    count: int = 0
    busy: bool = False

    def __str__(self) -> str:
        lasting = f" for {self.seconds:.2f} s" if self.seconds else ""
        behind = f" after {self.count} {'busy ' if self.busy else ''}steps" if self.count or self.busy else ""
        return f"{self.at:.2f} {self.kind} {self.target}{lasting}{behind}".rstrip()


INTERNAL: tuple[str, ...] = tuple(
    t.name for t in (
        topics.HISTORY, topics.LEDGER, topics.PROJECT_EVENTS, topics.UPDATES, topics.SESSION_STATE, topics.DECISIONS,
        topics.JOBS,
    )
)  # fmt: skip
"""Topics that steps write."""
ERASING_EVERY = 4
"""Every so many-th seed (3, 7, 11, ...) has many erasures, and faults that strike the eraser."""


def erases_much(seed: int) -> bool:
    return seed % ERASING_EVERY == ERASING_EVERY - 1


REBUILDING_EVERY = 5
"""Every so many-th seed (2, 7, 12, ...) rebuilds a store, and faults strike the command and the new writer."""


def rebuilds(seed: int) -> bool:
    return seed % REBUILDING_EVERY == 2


WEIGHTS: Mapping[str, float] = {
    "kill": 8, "freeze": 3, "away": 2, "slow": 2, "lossy": 3, "refuse": 1.5, "join": 1.5, "power": 0.7, "compact": 1,
    "skew": 0.5,
}  # fmt: skip


def acts(seed: int, seconds: float, most: int = 12, weights: Mapping[str, float] = WEIGHTS) -> list[Act]:
    """Up to so many, over so many virtual seconds."""
    random = Random(f"acts {seed}")
    kinds, heavy = list(weights), list(weights.values())
    found = [_act(random, random.choices(kinds, heavy)[0], seconds) for _ in range(random.randint(0, most))]
    if erases_much(seed):
        found += _on_the_eraser(random, seconds)
    if rebuilds(seed):
        found += _on_a_rebuild(Random(f"rebuild {seed}"), seconds)
    return sorted(found, key=lambda a: a.at)


def _on_a_rebuild(random: Random, seconds: float) -> Iterator[Act]:
    store, at = random.choice(SINKS), random.random() * seconds
    yield Act(at, "rebuild", store)
    for target in random.choices((f"rebuild-{store}", f"sink-{store}-g2"), k=random.randint(0, 3)):
        lasting = random.choice((0.0, 0.0, 3.0, 14.0))
        count = int(random.expovariate(1.0) * 8)
        yield Act(at + random.expovariate(0.3), "freeze" if lasting else "kill", target, lasting, count, True)


def _on_the_eraser(random: Random, seconds: float) -> Iterator[Act]:
    """It does most of its work a few seconds behind an erasure: an act waits for the next named point in it. And what
    comes when it is done."""
    for _ in range(random.randint(0, 3)):
        lasting = random.choice((0.0, 0.0, 3.0, 14.0))
        kind = "freeze" if lasting else "kill"
        yield Act(random.random() * seconds, kind, "eraser", lasting, int(random.expovariate(1.0) * 5), True)
    if random.random() < 0.5:
        yield Act(seconds, "late", random.choice(INTERNAL))


def _count(random: Random) -> int:
    """Mostly few: what follows a named point is over in some tens of callbacks."""
    return int(random.expovariate(1.0) * random.choice((2, 10, 60)))


def _act(random: Random, kind: str, seconds: float) -> Act:
    at = random.random() * seconds
    match kind:
        case "kill":
            return Act(at, kind, random.choice(PROCESSES), count=_count(random), busy=random.random() < 0.7)
        case "freeze":
            lasting = random.choice((0.5, 3.0, 7.0, 14.0, 40.0))
            return Act(at, kind, random.choice(PROCESSES), lasting, _count(random), random.random() < 0.7)
        case "away":
            return Act(at, kind, random.choice(SERVERS), random.uniform(0.5, 20.0))
        case "slow" | "lossy" | "refuse":
            return Act(at, kind, random.choice(SERVERS), random.uniform(1.0, 15.0))
        case "join":
            return Act(at, kind, random.choice(("screen-3", "memory-3")), random.uniform(2.0, 20.0))
        case "power":
            return Act(at, kind, "", random.uniform(1.0, 10.0))
        case "skew":
            return Act(at, kind, "service", random.uniform(-3600.0, 3600.0))
        case _:
            return Act(at, kind)
