"""The fenced blocks of README.md and docs/, and a shell in which those to type are run as they stand there.

A block's language says what becomes of it: `text` is a picture, or what something prints; every other one is run by a
test that asks for `blocks(page, language)`, or the line above it says that it is not and why
(tests/unit/docs/test_examples.py holds pages and tests to that).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
NOT_RUN = re.compile(r"^\*Not run by the tests: (.+)\.\*$")
_FENCE = re.compile(r"^ *```(.*)$")


@dataclass(frozen=True, slots=True)
class Block:
    page: str
    line: int
    language: str
    text: str
    not_run: str
    """Why no test runs it; "" where one does."""


PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


def every_block(pages: Iterable[Path] = PAGES) -> Iterator[Block]:
    """Those of README.md and of each page below docs/."""
    for path in pages:
        page, statement, start, above = str(path.relative_to(ROOT)), list[str](), 0, ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fence = _FENCE.match(line)
            if fence and not start:
                start, language, statement = number, fence[1], []
            elif fence:
                reason = NOT_RUN.match(above)
                yield Block(page, start, language, "\n".join(statement) + "\n", reason[1] if reason else "")
                start, above = 0, ""
            elif start:
                statement.append(line)
            elif line:
                above = line
        assert not start, f"{page}: the block of line {start} has no end"


def blocks(page: str, language: str) -> list[str]:
    """What a page shows in a language, in order, but for what it says is not run. Whoever asks runs all of it."""
    found = [b.text for b in every_block() if (b.page, b.language) == (page, language) and not b.not_run]
    assert found, f"{page} shows no {language}"
    return found


def steps(console: str) -> list[tuple[str, list[str]]]:
    """Of a block of `$ command` lines: each command and the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("    ") and not found[-1][1]:  # the command goes on
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        else:
            found[-1][1].append(line)
    return found


def shape(text: str) -> str:
    """What is left of a line when ids, numbers and widths are taken from it."""
    text = re.sub(r"\b[0-9a-f]{6,}(-[0-9a-f]{4,})*\b", "ID", text)
    return re.sub(r"[━╸╺─]+", "━", re.sub(r"\s+", " ", re.sub(r"\d+", "N", text))).strip()


def printed(texts: list[str], output: str) -> bool:
    """Whether the lines of a page, by their shape, stand in what was printed, in order; `...` stands for any others
    and, within a line, for anything."""
    lines = iter(shape(line) for line in output.splitlines())
    wanted = (re.escape(shape(line)).replace(r"\.\.\.", ".*") for line in texts if line != "...")
    return all(any(re.fullmatch(pattern, line) for line in lines) for pattern in wanted)


_CURL = """#!/bin/bash
# A read that waits for a write is asked again while it is not fresh, or the service is away.
case "$*" in *Memstream-Wait-For*) ;; *) exec {curl} "$@" ;; esac
heads="$0.$$.heads" body="$0.$$.body" end=$((SECONDS + {seconds}))
while :; do
  {curl} -D "$heads" "$@" >"$body"
  code=$?
  grep -qiE '^memstream-fresh: *false|^HTTP/[0-9.]+ 503' "$heads" || break
  [ $SECONDS -lt $end ] || break
done
cat "$body"
rm -f "$heads" "$body"
exit $code
"""


@contextmanager
def _standard_input(typed: str) -> Iterator[int]:
    """A terminal at which that was typed; nothing, where nothing was."""
    if not typed:
        yield subprocess.DEVNULL
        return
    keyboard, terminal = os.openpty()
    try:
        os.write(keyboard, typed.encode())
        yield terminal
    finally:
        os.close(terminal)
        os.close(keyboard)


@dataclass(frozen=True, slots=True)
class Shell:
    """bash in a folder, where `memstream`, `.venv/bin/memstream` and localhost:8900 are those of a running system."""

    folder: Path
    environment: Mapping[str, str]
    url: str

    def run(self, script: str, places: Mapping[str, str] | None = None, *, code: int = 0, typed: str = "") -> str:
        """What it printed; an answer of curl's that is an error is a failure. `places`: what stands for ids and names
        of the page; `typed`: what somebody answers at a terminal, where else standard input is empty."""
        for word, value in (places or {}).items():
            script = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", value, script)
        script = script.replace("localhost:8900", self.url.removeprefix("http://")).replace(
            ".venv/bin/memstream", "memstream"
        )
        with _standard_input(typed) as stdin:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, env=self.environment, stdin=stdin,
                capture_output=True, text=True, timeout=3 * PATIENCE,
            )  # fmt: skip
        assert done.returncode == code, f"{script}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout


@contextmanager
def shell(folder: Path, data: Path, url: str, **environment: str) -> Iterator[Shell]:
    """Its `memstream` is this checkout's, begun once (tests/commands.py): a process each would take a second."""
    boundary, front = folder / "commands.sock", folder / "bin" / "memstream"
    front.parent.mkdir()
    caller = Path(__file__).with_name("commands.py")
    front.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {caller} "{boundary}" "$@"\n', encoding="utf-8")
    front.chmod(0o755)
    curl = front.with_name("curl")
    curl.write_text(_CURL.format(curl=shutil.which("curl"), seconds=int(PATIENCE)), encoding="utf-8")
    curl.chmod(0o755)
    (folder / ".curlrc").write_text("silent\nshow-error\nfail-with-body\n", encoding="utf-8")
    settings = {"MEMSTREAM_DATA_DIR": str(data), "CURL_HOME": str(folder), **environment}
    path = f"{front.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    words = [sys.executable, str(caller), str(boundary)]
    # pytest-xdist says how wide a terminal its workers have, which have none.
    environ = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, env=environ) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield Shell(folder, {**environ, **settings, "PATH": path}, url)
        finally:
            server.terminate()
