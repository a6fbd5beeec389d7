"""`python -m memstream.stack.fetch`, which `make install` runs: what the first start would do once, ahead of it. The
broker's jars are fetched, and those of an earlier run compared with their hashes; and the processes' modules are
imported by one process, which keeps their bytecode. Fourteen that start at the same time would each compile all that it
imports."""

import asyncio
import importlib
import sys

from memstream.stack.errors import StackError
from memstream.stack.jars import find_jars

PROCESSES = (
    "memstream.stack.up", "memstream.workers.worker", "memstream.workers.sink", "memstream.workers.jobs",
    "memstream.workers.serve", "memstream.workers.timer", "memstream.workers.auditor", "memstream.erasure.worker",
)  # fmt: skip
"""The main modules of the processes that `memstream up` starts, and its own."""


def main() -> None:
    """Says on standard error what it fetches. Where it cannot (no Maven, no network) it says why and raises nothing:
    who has a broker needs no jars, and the first start tries again."""
    try:
        asyncio.run(find_jars(say, verify=True))
    except StackError as error:
        say(f"the first start of the broker tries again: {error}")
    for name in PROCESSES:
        importlib.import_module(name)


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
