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
from tests.integration.conftest import temporary_folder
from tests.pages import ROOT, blocks

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]
UP = ".venv/bin/memstream up"


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """Takes what processes send by OTLP; its address, and the bodies."""
    got: list[bytes] = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", got
        server.shutdown()


def environment(data: Path) -> dict[str, str]:
    return {**os.environ, "MEMSTREAM_DATA_DIR": str(data), "MEMSTREAM_PORT": "0"}


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
        script = quick.replace(UP, f"{name}={address} {UP}; echo ended with $?")
        running = subprocess.Popen(
            ["bash", "-c", script], cwd=ROOT, env=environment(data), stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        try:
            assert running.stdout is not None
            url = next(m[1] for line in running.stdout if (m := re.match(r"memstream is up: (\S+)", line)))
            said = {"user_id": "ana", "session_id": "s", "role": "user", "content": "I live in Leeds.",
                    "occurred_at": fixed(2026, 11, 21, 9).isoformat()}  # fmt: skip
            token = httpx.post(f"{url}/v1/turns", json={"turns": [said]}, timeout=60).json()["freshness_token"]
            waiting = {"Memstream-Wait-For": token, "Memstream-Wait-Ms": "30000"}
            found = httpx.get(f"{url}/v1/users/ana/memories", headers=waiting, timeout=90)
            assert "Leeds" in str(found.json().get("memories")), found.text
            children = psutil.Process(running.pid).children(recursive=True)
            assert len(children) > 10
            os.killpg(running.pid, signal.SIGINT)
            said_last = running.stdout.read()
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
            running.communicate()  # closes its pipe
        assert "ended with 0" in said_last, said_last
        assert not [c for c in children if c.is_running() and c.status() != psutil.STATUS_ZOMBIE]
        _finds_rows_by_their_key(data / "milvus" / milvus_file.FILE)
    spans = b"".join(got)
    for part in (b"send conversation.turns.v1", b"process conversation.turns.v1", b"store postgres"):
        assert part in spans, part
