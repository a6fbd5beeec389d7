"""The command line's own client of the service."""

from __future__ import annotations

import gc
import io
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import httpx
import pytest
import tenacity
from alembic.util import CommandError
from click.testing import CliRunner
from rich.console import Console

from memstream import topics as topics_cli
from memstream.cli import app
from memstream.cli.app import application, failure
from memstream.cli.demo import _memories
from memstream.cli.http import BusyError, Service
from memstream.cli.ingest import CALL_BYTES, ingest
from memstream.settings import Settings
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = json.dumps({"path": self.path}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_who_lets_go_of_the_client_has_closed_its_connection(address: str) -> None:
    service = Service(address)
    assert service.get("/v1/x")["path"] == "/v1/x"
    http = service._http
    assert not http.is_closed
    del service
    gc.collect()
    assert http.is_closed


def _service(monkeypatch: pytest.MonkeyPatch, answer: Callable[[httpx.Request], httpx.Response]) -> Service:
    service = Service("http://memstream.test")
    http = httpx.Client(base_url="http://memstream.test", transport=httpx.MockTransport(answer))
    monkeypatch.setattr(service, "_http", http)
    return service


@pytest.mark.parametrize("status", [429, 503])
def test_a_service_that_stays_busy_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    refusal = {"title": "The log did not take everything", "detail": "repeating the same call is safe"}
    service = _service(monkeypatch, lambda _: httpx.Response(status, json=refusal))
    monkeypatch.setattr(Service._call.retry, "stop", tenacity.stop_after_attempt(1))
    with pytest.raises(BusyError) as raised:
        service.post("/v1/turns", {"turns": []})
    message = failure(raised.value)
    assert message is not None
    assert message[1] == 3
    assert "The log did not take everything: repeating the same call is safe" in message[0]


@pytest.mark.parametrize("user", ["u#1", "team/ana", "50%", "a?b", "[red]"])
def test_demo_asks_for_the_user_that_it_sent(monkeypatch: pytest.MonkeyPatch, user: str) -> None:
    requests: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request.url.raw_path)
        more = {"kind": "fact", "text": "x", "state": "active", "source_turn_ids": []}
        return httpx.Response(200, json={"memories": [more] * 20})

    out = io.StringIO()
    _memories(Console(file=out, width=300), _service(monkeypatch, answer), user, "token")
    path = f"/v1/users/{quote(user, safe='')}/memories"
    assert requests == [f"{path}?limit=200".encode()]
    assert f"what was remembered of {user}, and why" in out.getvalue()
    assert f"GET {path}\n" in out.getvalue()


def test_demo_refuses_a_file_without_a_turn_before_it_starts_anything(tmp_path: Path) -> None:
    file = tmp_path / "blank.jsonl"
    file.write_text("\n \n", encoding="utf-8")
    result = CliRunner().invoke(application(), ["demo", str(file), "--data", str(tmp_path / "data")])
    assert failure(cast(Exception, result.exception)) == (f"{file}: holds no turn", 2)
    assert not (tmp_path / "data").exists()


def test_ingest_sends_no_more_than_a_call_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[list[dict[str, Any]]] = []
    bodies: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        body = request.read()
        if request.url.path == "/v1/turns":
            bodies.append(len(body))
            sent.append(json.loads(body)["turns"])
        token = FreshnessToken.of([Written(topic=topics.TURNS.name, partition=0, offset=len(sent))])
        return httpx.Response(200, json={"freshness_token": str(token)})

    turns = [{"user_id": "u", "turn_id": f"t{n}", "content": "我" * 15_000} for n in range(200)]
    turns[7]["content"] = "x" * (5 * 1024 * 1024)
    turns += [{"user_id": "u", "turn_id": f"small{n}", "content": "hi"} for n in range(450)]
    ingest(_service(monkeypatch, answer), turns, Console(quiet=True))
    assert [t for call in sent for t in call] == turns
    assert all(size <= CALL_BYTES + 100 or len(call) == 1 for size, call in zip(bodies, sent, strict=True))
    assert max(map(len, sent)) == 200
    assert len(sent) < 10


@pytest.mark.parametrize(
    ("actions", "dry", "status"),
    [
        (["ok", "created", "changed"], False, 0), (["ok", "refused"], False, 1), (["ok", "refused"], True, 1),
        (["ok", "drift"], True, 1), (["ok"], True, 0),
    ],
)  # fmt: skip
def test_topics_apply_ends_with_1_where_a_topic_was_refused(
    monkeypatch: pytest.MonkeyPatch, actions: list[topics_cli.Action], dry: bool, status: int
) -> None:
    states = [topics_cli.TopicState(f"t{n}", action) for n, action in enumerate(actions)]
    monkeypatch.setattr(topics_cli, "apply", lambda *_, **__: states)
    monkeypatch.setattr(app, "running", lambda _: Settings())
    result = CliRunner().invoke(application(), ["topics", "apply", *(["--dry-run"] if dry else [])])
    assert (result.exit_code, result.output.count("\n")) == (status, len(states))


def test_who_asks_where_nothing_runs_hears_it_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that has answered is waited for as before: it may be restarting."""
    monkeypatch.setattr("memstream.cli.http.FIRST_PATIENCE", 0.0)
    refused = httpx.ConnectError("refused")
    answers: Iterator[httpx.Response | httpx.ConnectError] = iter(
        [httpx.Response(200, json={}), refused, httpx.Response(200, json={"back": 1})]
    )

    requests: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request.url.path)
        given = refused if request.url.path == "/nobody" else next(answers)
        if isinstance(given, httpx.ConnectError):
            raise given
        return given

    with pytest.raises(httpx.ConnectError):
        _service(monkeypatch, answer).get("/nobody")
    assert requests == ["/nobody"], "asked once"
    service = _service(monkeypatch, answer)
    service.get("/v1/x")
    assert service.get("/v1/x")["back"] == 1


def test_a_schema_of_another_version_is_told_in_one_line() -> None:
    message = failure(CommandError("Can't locate revision identified by '0999'"))
    assert message is not None
    assert message[1] == 2
    assert "run the version that made it" in message[0]
