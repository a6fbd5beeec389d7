"""`python -m memstream.stack.fetch`: the broker's jars ahead of the first start. `make install` runs it."""

import asyncio
import sys

from memstream.stack.errors import StackError
from memstream.stack.jars import find_jars


def main() -> None:
    """Says on standard error what it fetches. Where it cannot (no Maven, no network) it says why and raises nothing:
    who has a broker needs no jars, and the first start tries again."""
    try:
        asyncio.run(find_jars(say))
    except StackError as error:
        say(f"the first start of the broker tries again: {error}")


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
