"""`python -m tests.runner test | verify | page | count | breaks`: what `make` calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.runner import gate, page, split, the_gate, verify
from tests.runner.groups import BY_NAME
from tests.runner.process import say
from tests.runner.tree import tree


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.runner", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("test", help="what decides whether a change lands: `make test`")
    verifying = commands.add_parser("verify", help="every test there is, in groups: `make verify`")
    verifying.add_argument(
        "--group", action="append", default=[], choices=sorted(BY_NAME), help="only this; repeatable"
    )
    verifying.add_argument("--again", action="store_true", help="also groups that have passed at this tree")
    verifying.add_argument("--long", action="store_true", help="the groups that take hours: `make verify-long`")
    verifying.add_argument("--lanes", type=int, default=2, help="groups side by side (2)")
    commands.add_parser("page", help="write docs/verification.md from what is known at this tree")
    commands.add_parser("count", help="write tests/collected.toml")
    breaking = commands.add_parser("breaks", help="whether the smoke tests see 15 breaks: `make test-the-gate`")
    breaking.add_argument("--only", action="append", default=[], help="only this break; repeatable")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """The exit status."""
    request = _arguments(words)
    if request.command == "test":
        return gate.run()
    if request.command == "verify":
        return verify.run(verify.Wish(tuple(request.group), request.again, request.long, request.lanes))
    if request.command == "breaks":
        return the_gate.run(tuple(request.only))
    if request.command == "count":
        say(f"{split.write()} tests")
        return 0
    here = tree()
    results = verify.all_results(here)
    page.write(results, here)
    say(f"{page.PAGE}: {page.state(results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
