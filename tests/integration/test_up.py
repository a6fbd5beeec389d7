"""`memstream up` as the pages show it, in a process of its own: up, used, traced, and ended by Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import psutil
import pytest

from memstream.stack import milvus_file
from schemas.storage.layouts import MilvusLayout
from tests.dates import fixed
from tests.integration.conftest import START, temporary_folder
from tests.integration.scenario import whole
from tests.pages import ROOT, blocks
from tests.patience import PATIENCE, ends_of_logs, until

pytestmark = pytest.mark.integration
UP = ".venv/bin/memstream up"
SPANS = (b"send conversation.turns.v1", b"process conversation.turns.v1", b"store postgres")


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """Takes what processes send by OTLP; its address, and the bodies."""
    got: list[bytes] = []

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", got
        server.shutdown()


def environment(data: Path) -> dict[str, str]:
    return {**os.environ, "MEMSTREAM_DATA_DIR": str(data), "MEMSTREAM_PORT": "0"}


def address_of(up: subprocess.Popen[str], data: Path) -> tuple[str, str]:
    """Where `memstream up`, the leader of a session, says that it is, and all that it said until then. Raises
    AssertionError with the ends of its logs after the time that a start may take."""
    assert up.stdout is not None
    late = threading.Timer(START, os.killpg, (up.pid, signal.SIGKILL))
    late.start()
    texts = []
    try:
        for line in up.stdout:
            texts.append(line)
            if found := re.match(r"memstream is up: (\S+)", line):
                return found[1], "".join(texts)
    finally:
        late.cancel()
    raise AssertionError(f"it never was up: {''.join(texts)}\n{ends_of_logs(data / 'logs')}")


def _finds_rows_by_their_key(file: Path) -> None:
    """The collections that the server made are the tables that were laid out for it."""
    with closing(sqlite3.connect(file)) as db:
        made = {name for (name,) in db.execute("SELECT collection_name FROM collection_meta")}
        for name in (MilvusLayout(1).turns, MilvusLayout(1).memories):
            plan = db.execute(f"EXPLAIN QUERY PLAN DELETE FROM '{name}' WHERE milvus_id IN ('k')").fetchall()  # noqa: S608
            assert name in made
            assert "USING INDEX" in str(plan), plan


def test_up_starts_what_the_pages_say_and_ctrl_c_ends_all_of_it() -> None:
    quick, readme = blocks("docs/quickstart.md", "sh")[0], blocks("README.md", "sh")[1]
    traced = blocks("docs/metrics.md", "sh")[2]
    assert quick == f"make install\n{UP}\n"
    assert readme == f"{UP}\n"
    setting, up = traced.strip().split(" ", 1)
    assert up in UP
    name = setting.partition("=")[0]
    with temporary_folder() as data, collector() as (address, got):
        logs = data / "logs"
        script = quick.replace(UP, f"{name}={address} {UP}; echo ended with $?")
        running = subprocess.Popen(
            ["bash", "-c", script], cwd=ROOT, env=environment(data), stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        try:
            assert running.stdout is not None
            url, _ = address_of(running, data)
            fields = {"user_id": "ana", "session_id": "s", "role": "user", "content": "I live in Leeds.",
                    "occurred_at": fixed(2026, 11, 21, 9).isoformat()}  # fmt: skip
            with httpx.Client(base_url=url, timeout=PATIENCE) as http:
                token = whole(http, "POST", "/v1/turns", {"turns": [fields]}, "", {}, logs)["freshness_token"]
                found = whole(http, "GET", "/v1/users/ana/memories", None, token, {}, logs)
            assert "Leeds" in str(found["memories"])
            # Every step has sent what it traced, also of a sink that is killed where it does not stop in time.
            until("the spans of every step", lambda: b"".join(got), lambda sent: all(part in sent for part in SPANS))
            children = psutil.Process(running.pid).children(recursive=True)
            assert len(children) > 10
            os.killpg(running.pid, signal.SIGINT)
            said_last = running.stdout.read()
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
            running.communicate()  # closes its pipe
        assert "ended with 0" in said_last, said_last
        assert not [c for c in children if _runs(c)]
        _finds_rows_by_their_key(data / "milvus" / milvus_file.FILE)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it ended between the two questions
        return False
