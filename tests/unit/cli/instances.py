"""Instances that note what they are asked, folders on which one runs, and the command line as a shell calls it."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memstream.cli.app import main
from memstream.stack.process import identify
from memstream.stack.state import STATE_FILE, State

NOTED = "noted, and refused"
ADDRESSES = {
    "kafka": "127.0.0.1:1", "postgres": "postgresql://u@127.0.0.1:1/folder", "redis": "redis://127.0.0.1:1/0",
    "milvus": "http://127.0.0.1:1",
}  # fmt: skip
"""Of a stack whose servers nobody can reach."""


@dataclass(slots=True)
class Instance:
    """`asked`: method and path of each request, as they came."""

    url: str
    asked: list[str] = field(default_factory=list)


@contextmanager
def instance(status: int = 400, body: str = json.dumps({"title": NOTED})) -> Iterator[Instance]:
    """A service that answers every request so."""

    class Notes(BaseHTTPRequestHandler):
        def _note(self) -> None:
            here.asked.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = do_DELETE = _note  # noqa: N815 - the names that the class looks for

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Notes) as server:
        here = Instance(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield here
        server.shutdown()


def runs_on(folder: Path, url: str = "", addresses: Mapping[str, str] = ADDRESSES) -> Path:
    """A data folder on which this process runs a stack, and its service at the address."""
    folder.mkdir()
    fields = {**addresses, **({"query": url} if url else {})}
    (folder / STATE_FILE).write_text(State(supervisor=identify(os.getpid()), addresses=fields).dump())
    return folder


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    err: str


class Terminal(io.StringIO):
    """Standard input at which somebody sits; what is typed."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class CommandLine:
    """`memstream WORD...` in this process, from `main` on."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: str | Path, stdin: io.StringIO | None = None) -> Done:
        """`stdin`: None for one that is closed."""
        self.monkeypatch.setattr("sys.argv", ["memstream", *map(str, words)])
        self.monkeypatch.setattr("sys.stdin", stdin)
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = self.capsys.readouterr()
        assert "Traceback" not in printed.err
        return Done(int(ended.value.code or 0), printed.out, " ".join(printed.err.split()))
