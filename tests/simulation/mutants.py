"""`python -m tests.simulation.mutants`: one statement of the product is changed, and the simulation must notice.

Taken are statements that await, or that name a commit, flush, fence, outbox or token, and all of what decides in which
order the eraser works and what it reads: each is deleted, swapped with the one behind it, or has its comparison widened
by one. Some are drawn by seed. A change is made to a copy of the tree; the rounds run there, from seed 1 on. *Found* is
what a round says (the oracle's comparison differs, a promise fails), not an exception that ends the program."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Literal

ROOT = Path(__file__).parents[2]
SEED, COUNT, ROUNDS = 20261128, 40, 5_000
PLACES: tuple[str, ...] = (
    "streams", "sinks/worker.py", "memstream/reprocess/driver.py", "memstream/erasure/eraser.py",
    "memstream/erasure/log.py", "memstream/erasure/log_reader.py", "memstream/erasure/turns.py",
    "memstream/erasure/users_index.py",
)  # fmt: skip
"""What is changed: the stream's runtime, the sinks' worker, rebuild, eraser."""
_WORDS = re.compile(r"commit|flush|fence|outbox|token|lease|stale|progress|offset", re.IGNORECASE)
"""Fences are leases and stale owners here; tokens are kept by progress, commits are of offsets."""
WHOLE: frozenset[str] = frozenset(
    {"memstream/erasure/log_reader.py", "memstream/erasure/turns.py", "memstream/erasure/users_index.py"}
)
"""Of these every statement is taken."""
OUTSIDE: Mapping[str, frozenset[str]] = {
    "streams/driver.py": frozenset(), "streams/watchdog.py": frozenset(), "streams/suspects.py": frozenset(),
    "streams/work_record.py": frozenset(), "streams/faust/app.py": frozenset(),
    "streams/faust/batch_leaders.py": frozenset(),
    "streams/state/postgres.py": frozenset(), "streams/state/suspects.py": frozenset(),
    "streams/faust/intake.py": frozenset({"Consumer", "Transport", "_Committed"}),
    "streams/kafka.py": frozenset({"KafkaOutbox"}),
}  # fmt: skip
"""What no round runs (docs/reliability.md names it), or what is the oracle: classes, or the whole file. A change there
is not tried; rounds of real processes and contracts hold it."""
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Delete)
_DELETED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Delete)
_HEADERS = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)
_WIDER = {ast.Lt: "{a} <= {b}", ast.LtE: "{a} <= {b} + 1", ast.Gt: "{a} >= {b}", ast.GtE: "{a} >= {b} - 1"}
Change = Literal["deleted", "swapped", "widened"]
Outcome = Literal["found", "survived", "broken", "hangs", "outside"]


@dataclass(frozen=True, slots=True, order=True)
class Mutant:
    """`path`: from the root. `within`: the class or function at the top of the file. `begin`, `end`: the bytes that
    `text` replaces."""

    path: str
    line: int
    change: Change
    within: str
    begin: int
    end: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line} {self.change}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.begin] + self.text.encode() + source[self.end :]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`seed`: of the first round that noticed it. `why`: what that said first, or the program's last line."""

    mutant: str
    outcome: Outcome
    seed: int | None = None
    why: str = ""


def mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """Every one of a file. What stands in no function is not run again and again, and is left."""
    lines = _Lines(source)
    for top in ast.parse(source).body:
        for function in (n for n in ast.walk(top) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
            for node in _within(function):
                for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
                    if isinstance(body, list):
                        yield from _of_body(path, getattr(top, "name", ""), lines, body)


def _within(function: ast.AST) -> Iterator[ast.AST]:
    """The function and all of it but functions that it holds: they come by themselves."""
    yield function
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _within(child)


def drawn(root: Path = ROOT, seed: int = SEED, count: int = COUNT) -> list[Mutant]:
    """So many of all, the same for a seed and a tree."""
    places = [root / place for place in PLACES]
    files = [f for place in places for f in (place.rglob("*.py") if place.is_dir() else [place])]
    names = [f.relative_to(root).as_posix() for f in files]
    found = sorted(m for name in names for m in mutants(name, (root / name).read_bytes()))
    return Random(seed).sample(found, min(count, len(found)))


def outside(mutant: Mutant) -> bool:
    classes = OUTSIDE.get(mutant.path)
    return classes is not None and (not classes or mutant.within in classes)


def copy(mutant: Mutant, root: Path, into: Path) -> None:
    """The tree with the change in it. What lies beside the way to the changed file is linked, not copied."""
    way = Path(mutant.path).parts
    source, target = root, into
    for part in way:
        target.mkdir(exist_ok=True)
        for entry in source.iterdir():
            if entry.name not in (part, "__pycache__", ".git"):
                (target / entry.name).symlink_to(entry)
        source, target = source / part, target / part
    target.write_bytes(mutant.applied(source.read_bytes()))


def verdict(mutant: Mutant, status: int, out: str, err: str) -> Verdict:
    """Of a program that has ended."""
    if found := re.search(r"^FAILED: seed (\d+),.*$", out, re.MULTILINE):
        lines = [line.strip() for line in out[found.end() :].splitlines()]
        why = next((line for line in lines if line and not line[0].isdigit()), "")  # acts begin with their time
        return Verdict(mutant.name, "found", int(found[1]), why)
    if status == 0:
        return Verdict(mutant.name, "survived")
    last = err.strip().splitlines()
    return Verdict(mutant.name, "broken", None, last[-1] if last else f"status {status}")


def tried(mutant: Mutant, rounds: int, seconds: float, root: Path = ROOT) -> Verdict:
    """Rounds from seed 1 on, until one notices it. Takes seconds to hours."""
    if outside(mutant):
        return Verdict(mutant.name, "outside")
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy(mutant, root, Path(folder))
        args = [sys.executable, "-m", "tests.simulation", "--rounds", str(rounds), "--as-found"]
        env = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Verdict(mutant.name, "hangs", None, f"no end within {seconds:.0f} s")
    return verdict(mutant, done.returncode, done.stdout, done.stderr)


class _Lines:
    """Bytes of a text, by the lines and columns of its nodes."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        begin, end = self.span(node)
        return self.source[begin:end].decode()


def _of_body(path: str, within: str, lines: _Lines, body: Sequence[ast.stmt]) -> Iterator[Mutant]:
    for n, statement in enumerate(body):
        parts = _parts(statement)
        if not any(_concerns(lines, part, path in WHOLE) for part in parts):
            continue
        begin, end = lines.span(statement)
        if isinstance(statement, _DELETED):
            yield Mutant(path, statement.lineno, "deleted", within, begin, end, "pass")
        after = body[n + 1] if n + 1 < len(body) else None
        if isinstance(statement, _SIMPLE) and isinstance(after, _SIMPLE):
            first, last = lines.span(after)
            between = lines.source[end:first].decode()
            swapped = lines.text(after) + between + lines.text(statement)
            yield Mutant(path, statement.lineno, "swapped", within, begin, last, swapped)
        for part in parts:
            yield from _widened(path, within, lines, part)


def _parts(statement: ast.stmt) -> list[ast.expr | ast.stmt]:
    """The statement, or what stands at the head of one that holds others."""
    if isinstance(statement, _SIMPLE):
        return [statement]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, ast.For | ast.AsyncFor):
        return [statement.iter]
    return [statement.test] if isinstance(statement, ast.If | ast.While) else []


def _concerns(lines: _Lines, part: ast.expr | ast.stmt, whole: bool) -> bool:
    """A docstring names many things."""
    if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
        return False
    return whole or any(isinstance(n, ast.Await) for n in ast.walk(part)) or bool(_WORDS.search(lines.text(part)))


def _widened(path: str, within: str, lines: _Lines, part: ast.expr | ast.stmt) -> Iterator[Mutant]:
    for node in ast.walk(part):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _WIDER:
            a, b = lines.text(node.left), lines.text(node.comparators[0])
            yield Mutant(
                path, node.lineno, "widened", within, *lines.span(node), _WIDER[type(node.ops[0])].format(a=a, b=b)
            )  # fmt: skip


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="python -m tests.simulation.mutants", description=__doc__)
    p.add_argument("--rounds", type=int, default=ROUNDS, help="of each")
    p.add_argument("--seed", type=int, default=SEED, help="of the draw")
    p.add_argument("--count", type=int, default=COUNT)
    p.add_argument("--seconds", type=float, default=3_600.0, help="after so long a mutant is given up")
    p.add_argument("--list", action="store_true", help="name them, and run none")
    p.add_argument("--out", type=Path, default=Path("mutants.jsonl"), help="a line each; what stands there is done")
    return p.parse_args()


def main() -> int:
    """Exit status 1 where one survived."""
    a = _arguments()
    chosen = drawn(ROOT, a.seed, a.count)
    if a.list:
        sys.stdout.writelines(f"{m.name}\n" for m in chosen)
        return 0
    known = [json.loads(line) for line in a.out.read_text("utf-8").splitlines()] if a.out.exists() else []
    done = {v["mutant"]: Verdict(**v) for v in known}
    for n, mutant in enumerate(chosen, 1):
        if mutant.name not in done:
            found = done[mutant.name] = tried(mutant, a.rounds, a.seconds)
            with a.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(found)) + "\n")
        v = done[mutant.name]
        sys.stdout.write(f"{n} of {len(chosen)}: {v.outcome} {v.mutant} {v.seed or ''} {v.why}\n")
        sys.stdout.flush()
    return int(any(done[m.name].outcome == "survived" for m in chosen))


if __name__ == "__main__":
    sys.exit(main())
