"""A failure as a test: its seed, calls and faults by value. It stays the same when seeds come to draw otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from tests.simulation.acts import Act
from tests.simulation.load import Call
from tests.simulation.round import Result

_WIDTH = 110


def written(result: Result) -> str:
    """The text of a test module that runs the round and fails while it does."""
    plan = result.plan
    return "\n".join(
        [
            f'"""Found by the simulation: {_plain(result.failures[0])}"""',
            "from tests.simulation import acts, load, models, plan, round",
            f"CALLS = ({_listed('load', plan.calls)})",
            f"ACTS = ({_listed('acts', plan.acts)})",
            "",
            "",
            f"def test_seed_{plan.seed}() -> None:",
            f"    case = plan.Plan.exactly({plan.seed}, CALLS, ACTS, durable={plan.durable})",
            "    result = round.run(case, models.parts())",
            '    assert not result.failures, "\\n".join([*result.failures, "", *result.history])',
            "",
        ]
    )


def readable(result: Result) -> list[str]:
    """What was sent, what struck, what went wrong, and who did what at which virtual time."""
    plan = result.plan
    return [
        f"case {plan}", f"digest {result.digest}, {result.seconds:.1f} virtual seconds, {result.steps} steps", "",
        "what went wrong:", *(f"  {line}" for line in result.failures), "",
        "what callers sent, each so many seconds behind the one before:",
        *(f"  {c.pause:7.2f} {c.number:3} {c.what:<9} {c.user} {c.session} {c.text}" for c in plan.calls), "",
        "what struck, by seconds from the first call:", *(f"  {act}" for act in plan.acts), "",
        "who did what, by virtual seconds:", *result.history, "",
    ]  # fmt: skip


def _listed(module: str, found: Iterable[Call | Act]) -> str:
    return "".join(f"{module}.{_value(x)}, " for x in found).strip()


def _value(x: Call | Act) -> str:
    """Only what is not as usual."""
    given = [f"{f.name}={getattr(x, f.name)!r}" for f in fields(x) if getattr(x, f.name) != f.default]
    return f"{type(x).__name__}({', '.join(given)})"


def _plain(line: str) -> str:
    return line.replace("\\", "/").replace('"', "'")[:_WIDTH]
