"""Are the PII patterns linear on hostile input? CPU time of each rule on strings made to make it backtrack.

Run: `python bench/pii_linear.py [--size 4000]`. For every rule and string it measures n and 4n characters and
prints the rules whose cost grows more than six-fold, or that take more than 20 microseconds a character, as JSON;
the list is empty when all is well, and the exit code says so.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable

from inference.pii.analyzer import RULES
from inference.pii.english_refine import refine
from inference.pii.presidio import PresidioPatterns
from inference.pii.rules import fold_width

_SEEDS = (
    "a", "A", "1", " ", "-", ".", "@", "a.", "1 ", "1-", "1.", "1(1)", "A ", "Aa ", "1 Aa ", "a1", "A1", "aA1", "aA1_",
    "a@a.", "a@", "http://", "eyJ", "eyJaaaaaaaa.", "sk-", "password: ", "password is ", "密码是", "密码", "中", "号",
    "1号", "中路1号", "1 de la ", "12 Rue Aa ", "Apt 1 ", "12 12 ", "1:", "a:", "ab:cd:", "1/1/", "+1 ", "(1) ", "a-",
    "a'a", "Aa-Aa ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "://a:", "a://a:a", "bearer ", "zip ", "京A", "1年",
    "Anna ", "anna ", "Mr. ", "name is ", "1234-", "4111 1111 ", "GB00 AAAA ", "1 a street ", "box 1 ",
    "driver's license ", "身份证1", "US\u00c0 ", "ul. A ", "2020-01-01 ",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4000)
    size = parser.parse_args().size
    presidio = PresidioPatterns()
    runs: dict[str, Callable[[str], object]] = {rule.name: lambda t, r=rule: list(r.find(t)) for rule in RULES}  # type: ignore[misc]
    runs |= {"presidio": presidio.find, "english names": lambda text: refine(text, [])}
    slow = []
    for name, run in runs.items():
        for seed in _SEEDS:
            for tail in ("", "!", "中"):
                short, long = (_cpu(run, fold_width(seed * (n // len(seed)) + tail)) for n in (size, 4 * size))
                micros = long / (4 * size) * 1e6
                if micros > 20 or (long > 0.05 and long > 6 * short):
                    growth = round(long / max(short, 1e-6), 1)
                    slow.append({"rule": name, "seed": seed + tail, "us_a_char": round(micros, 2), "growth": growth})
    print(json.dumps(slow, ensure_ascii=False, indent=1))
    return 1 if slow else 0


def _cpu(run: Callable[[str], object], text: str) -> float:
    """Return the least CPU time of three runs, in seconds."""
    times = []
    for _ in range(3):
        start = time.process_time()
        run(text)
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
