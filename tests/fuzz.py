"""Bad input by the thousand: `python -m tests.fuzz http://127.0.0.1:8900 --cases 100` sends that many calls to each
operation of a running service's OpenAPI, made by schemathesis from its schemas (valid and not), and fails on any answer
that is a bug of the service: a 5xx other than 503, or an error that is no problem details."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

ENDLESS = {("GET", "/v1/updates")}
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
PROBLEM = "application/problem+json"


def fault(status: int, kind: str) -> str | None:
    """What is wrong with an answer; None for a fair one."""
    if status >= 500 and status != 503:
        return f"status {status}"
    if status >= 400 and not kind.startswith(PROBLEM):
        return f"status {status} as {kind or 'nothing'}"
    return None


def run(
    schema: Any, cases: int, send: Callable[[Any], tuple[int, str]], skip: set[str]
) -> tuple[Counter[int], list[str]]:
    """Answers by status, and the faults found. `send` makes the call: status and content type."""
    statuses: Counter[int] = Counter()
    faults: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        name = (operation.method.upper(), operation.path)
        if name in ENDLESS or operation.path in skip:
            continue
        for mode in MODES:
            _drive(operation, mode, cases, send, statuses, faults)
    return statuses, faults


def _drive(
    operation: Any, mode: GenerationMode, cases: int, send: Callable[[Any], tuple[int, str]], statuses: Counter[int],
    faults: list[str],
) -> None:  # fmt: skip
    @settings(
        max_examples=max(1, cases // len(MODES)), deadline=None, database=None, derandomize=True,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def once(case: Any) -> None:
        status, kind = send(case)
        statuses[status] += 1
        wrong = fault(status, kind)
        if wrong is not None:
            faults.append(f"{operation.method.upper()} {operation.path}: {wrong}")

    try:
        once()
    except Exception as exc:
        if "Unsatisfiable" not in type(exc).__name__ and "Skip" not in type(exc).__name__:
            raise


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--cases", type=int, default=100, help="calls an operation")
    parser.add_argument("--key", default="", help="an API key with every scope")
    args = parser.parse_args()
    schema = schemathesis.openapi.from_url(f"{args.url}/openapi.json")
    headers = {"Authorization": f"Bearer {args.key}"} if args.key else {}

    def send(case: Any) -> tuple[int, str]:
        answer = case.call(base_url=args.url, headers=headers)
        return answer.status_code, (answer.headers.get("content-type") or [""])[0]

    statuses, faults = run(schema, args.cases, send, set())
    lines = [f"{sum(statuses.values())} calls: {dict(sorted(statuses.items()))}; {len(faults)} faults"]
    lines += [f"  {n} x {text}" for text, n in Counter(faults).most_common(20)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
