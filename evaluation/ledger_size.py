"""Bytes of the ledger a turn, over turns of the corpus:

    python -m evaluation.ledger_size --turns 1000

One record of `memory.ledger` a turn, as it goes to the log, without a cipher, which adds to all of it alike. With what
the reader dropped, and without: at most 1.5 times as much.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.corpus.read import CHATS, ROOT, WRITERS
from evaluation.in_memory import START, evaluation_models, extractor_behind
from evaluation.writers import Written, read_writer, turns_of
from processors.ports import Models, ProfileBook
from processors.reader.rules.protocol import Extractor
from schemas.events.memory import Extraction, ExtractionBody
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts

_KEY = b'"dropped":[],'
LEADS = {"en": ("en", "ce", "chats_en"), "zh": ("zh", "cz")}
"""How the ids of turns begin, of writers and of chats."""


@dataclass(frozen=True, slots=True)
class Size:
    """Sums over `turns`. `whole`: bytes of the records; `without`: the same without what was dropped."""

    turns: int
    whole: int
    without: int
    candidates: int
    dropped: int

    def told(self) -> str:
        turns = max(1, self.turns)
        return (
            f"{self.turns} turns, {self.whole / turns:.0f} bytes a turn, {self.without / turns:.0f} without what was "
            f"dropped: {self.whole / max(1, self.without):.2f} times; {self.candidates} candidates, "
            f"{self.dropped} dropped"
        )


def sample(most: int, folder: Path = ROOT) -> list[Written]:
    """Every nth turn of the corpus, in the order of its files."""
    paths = [path for pattern in (WRITERS, CHATS) for path in sorted(folder.glob(pattern))]
    turns = [turn for path in paths for turn in read_writer(path)]
    return turns[:: max(1, len(turns) // most)][:most]


async def extractions(turns: Sequence[Written], models: Models, extractor: Extractor) -> list[Extraction]:
    """What the ledger gets of the turns themselves, not of those before them."""
    parts = Parts(models, ProfileBook(load_profile("general")), extractor)
    driver = TopologyDriver([TOPOLOGY[name].build(parts) for name in ("screen", "extract")], START)
    for turn in turns:
        for event in turns_of(turn):
            driver.pipe(topics.TURNS, event)
    await driver.run()
    wanted = {turn.id for turn in turns}
    read = (e for e in driver.read(topics.LEDGER) if isinstance(e, Extraction))
    return [e for e in read if e.turn.turn_id in wanted]


def size_of(read: Sequence[Extraction]) -> Size:
    codec = Codec()
    without = [e.model_copy(update={"sealed": bare(e.sealed)}) for e in read]
    return Size(
        len(read), sum(len(codec.value(e)) for e in read), sum(len(codec.value(e)) - len(_KEY) for e in without),
        sum(len(e.sealed.candidates) for e in read), sum(len(e.sealed.dropped) for e in read),
    )  # fmt: skip


def bare(body: ExtractionBody) -> ExtractionBody:
    """As it was before anything dropped was kept."""
    return body.model_copy(update={"dropped": ()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--gate", type=Path, help="the folder of gate.npz and gate.json: the rules are read behind it")
    args = parser.parse_args()
    read = asyncio.run(extractions(sample(args.turns), evaluation_models(), extractor_behind(args.gate)))
    for language in ("en", "zh"):
        print(f"{language}: {size_of([e for e in read if e.turn.turn_id.startswith(LEADS[language])]).told()}")
    print(f"all: {size_of(read).told()}")


if __name__ == "__main__":
    main()
