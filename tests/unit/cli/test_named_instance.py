"""Every command acts on the instance that is named, and on no other."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memstream.checks import CHECKS, CheckResult
from memstream.checks.run import Check
from memstream.settings import Settings
from tests.pages import ROOT
from tests.unit.cli.instances import ADDRESSES, NOTED, CommandLine, Instance, Terminal, instance, runs_on

TURN = {"user_id": "ann", "session_id": "s", "role": "user", "content": "hello", "occurred_at": "2026-11-21T08:00:00Z"}
TALK = {
    "id": "talk", "qa": [],
    "sessions": [
        {
            "session": 1, "date_time": "1:56 pm on 8 May, 2023",
            "turns": [{"speaker": "Ann", "dia_id": "D1:1", "text": "hello"}],
        }
    ],
}  # fmt: skip
COMMANDS: dict[str, tuple[str, ...]] = {
    "GET /v1/pipeline": ("status",),
    "POST /v1/turns": ("ingest", "turns.jsonl"),
    "POST /v1/turns, of a measurement": ("eval", "retrieval", "talk.json"),
    "GET /v1/turns/t1/originals?user_id=ann": ("originals", "t1", "--user", "ann"),
    "DELETE /v1/users/ann": ("erase", "ann", "--yes"),
    "DELETE /v1/users/ann/sessions/s": ("erase", "ann", "--session", "s", "--yes"),
    "DELETE /v1/tenant": ("erase", "--tenant", "--yes"),
    "GET /v1/erasures/e1": ("erase", "--status", "e1"),
    "GET /v1/erasures?limit=200": ("erase", "--list"),
    "GET /v1/dead-letters?state=open&limit=50": ("dlq", "list"),
    "GET /v1/dead-letters/3:17": ("dlq", "show", "3:17"),
    "POST /v1/dead-letters/replay": ("dlq", "replay", "--all"),
    "POST /v1/dead-letters/drop": ("dlq", "drop", "3:17"),
}
"""What each asks for first."""
each = pytest.mark.parametrize(("asks", "words"), COMMANDS.items(), ids=[" ".join(w[:2]) for w in COMMANDS.values()])


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "turns.jsonl").write_text(json.dumps(TURN), encoding="utf-8")
    (tmp_path / "talk.json").write_text(json.dumps([TALK]), encoding="utf-8")


@each
@pytest.mark.parametrize("way", ["--url", "--data", "MEMSTREAM_URL", "folder"])
def test_the_instance_that_is_named_is_asked(
    memstream: CommandLine, asks: str, words: tuple[str, ...], way: str, named: Instance, other: Instance,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Another one is at MEMSTREAM_HOST and MEMSTREAM_PORT and, but for `folder`, on the data folder."""
    monkeypatch.setenv("MEMSTREAM_PORT", other.url.rpartition(":")[2])
    runs_on(tmp_path / ".memstream", named.url if way == "folder" else other.url)
    options: tuple[str | Path, ...] = ()
    if way == "--url":
        options = ("--url", named.url + "/")
    elif way == "--data":
        monkeypatch.setenv("MEMSTREAM_URL", other.url)
        options = ("--data", runs_on(tmp_path / "folder", named.url))
    elif way == "MEMSTREAM_URL":
        monkeypatch.setenv("MEMSTREAM_URL", named.url)
    done = memstream(*words, *options)
    assert (named.asked, other.asked) == ([asks.split(",")[0]], [])
    assert done.status == 2, "refused"
    assert done.err.startswith(f"service: {named.url} "), "the address comes before the answer"
    assert f"memstream: {NOTED}" in done.err
    assert named.url not in done.out


@each
def test_a_folder_on_which_nothing_runs_is_an_error(
    memstream: CommandLine, asks: str, words: tuple[str, ...], other: Instance, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """D1: `erase USER --data WRONG` had erased on the instance at MEMSTREAM_HOST and MEMSTREAM_PORT."""
    monkeypatch.setenv("MEMSTREAM_PORT", other.url.rpartition(":")[2])
    runs_on(tmp_path / ".memstream", other.url)
    done = memstream(*words, "--data", tmp_path / "wrong")
    assert other.asked == []
    assert (done.status, done.out) == (2, "")
    assert f"no service runs on {tmp_path / 'wrong'}: start it with `memstream up --data" in done.err


@each
@pytest.mark.parametrize("url", ["", "localhost:8900", "http://ann:hunter2@127.0.0.1:8900"])
def test_an_address_that_is_none_is_an_error_and_not_printed(
    memstream: CommandLine, asks: str, words: tuple[str, ...], url: str, other: Instance, tmp_path: Path
) -> None:
    """Also an empty one, as of a script's variable that is not set."""
    runs_on(tmp_path / ".memstream", other.url)
    done = memstream(*words, "--url", url)
    assert (done.status, other.asked) == (2, [])
    assert "--url" in done.err
    assert "hunter2" not in done.err + done.out


def test_an_instance_that_does_not_answer_is_named_with_what_to_do(
    memstream: CommandLine, tmp_path: Path, other: Instance
) -> None:
    runs_on(tmp_path / ".memstream", other.url)
    done = memstream("status", "--url", "http://127.0.0.1:1")
    assert (done.status, other.asked) == (3, [])
    assert "the service at http://127.0.0.1:1 does not answer (ConnectError)" in done.err
    assert all(word in done.err for word in ("memstream up", "--url", "--data", "MEMSTREAM_URL"))


@pytest.mark.parametrize(("status", "body"), [(200, "<html>welcome</html>"), (200, "[]"), (301, "")])
def test_what_is_no_memstream_is_said_to_be_none(memstream: CommandLine, status: int, body: str) -> None:
    with instance(status, body) as page:
        done = memstream("status", "--url", page.url)
    assert (done.status, f"what answers at {page.url} ({status}) is no memstream service" in done.err) == (2, True)


@each
def test_what_answers_in_another_shape_is_said_to_be_none(
    memstream: CommandLine, asks: str, words: tuple[str, ...]
) -> None:
    with instance(200, '{"status": "ok"}') as page:
        done = memstream(*words, "--url", page.url)
    assert (done.status, f"what answers at {page.url} is no memstream service" in done.err) == (2, True)


@pytest.mark.parametrize("what", ["pii", "dedup", "extraction"])
def test_a_measurement_that_asks_no_service_takes_no_address(
    memstream: CommandLine, what: str, named: Instance
) -> None:
    done = memstream("eval", what, "talk.json", "--url", named.url)
    assert (done.status, named.asked) == (2, [])
    assert f"{what} measures by itself and asks no service" in done.err


@pytest.mark.parametrize("words", [("ann",), ("ann", "--session", "s"), ("--tenant",)])
@pytest.mark.parametrize("stdin", [None, "", "y\n"])
def test_nothing_is_erased_where_nobody_can_be_asked(
    memstream: CommandLine, words: tuple[str, ...], stdin: str | None, named: Instance
) -> None:
    done = memstream("erase", *words, "--url", named.url, stdin=None if stdin is None else io.StringIO(stdin))
    assert (done.status, named.asked) == (2, [])
    assert "--yes" in done.err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("ann",), "everything of user ann"), (("ann", "--session", "s"), "session s of user ann"),
        (("--tenant",), "everything of this tenant"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("answer", "status"), [("n\n", 1), ("\n", 1), ("", 1), ("y\n", 2)])
def test_who_sits_at_a_terminal_is_asked_what_is_erased_and_where(
    memstream: CommandLine, words: tuple[str, ...], what: str, answer: str, status: int, named: Instance
) -> None:
    done = memstream("erase", *words, "--url", named.url, stdin=Terminal(answer))
    assert done.status == status, "2: the instance refuses"
    assert len(named.asked) == (answer == "y\n")
    assert f"Erase {what} at {named.url}? [y/N]" in done.err
    assert done.out == "", "that is the report's"


def test_an_erasure_that_is_still_under_way_is_asked_for_where_it_is(memstream: CommandLine) -> None:
    answer = {"erasure_id": "e1", "freshness_token": "t", "state": "under_way", "step": "gate", "places": 1}
    with instance(200, json.dumps(answer)) as here:
        done = memstream("erase", "ann", "--yes", "--wait", "0", "--url", here.url)
    assert done.status == 1
    assert f"memstream erase --status e1 --url {here.url}" in done.out


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses of the services that agents' servers were started for."""
    called: list[str] = []

    class Server:
        def __init__(self, service: Any, caller: Any) -> None:
            called.append(str(service.http.base_url))

        async def run_stdio_async(self) -> None: ...

    class Of:
        def __init__(self, http: httpx.AsyncClient) -> None:
            self.http = http

    monkeypatch.setattr("query.agents.tools.server", Server)
    monkeypatch.setattr("query.agents.service.Service", Of)
    monkeypatch.setattr("memstream.logs.configure", lambda level, process: None)
    return called


@pytest.mark.parametrize("way", ["--url", "MEMSTREAM_URL", "--data"])
def test_agents_get_the_memory_that_is_named(
    memstream: CommandLine, way: str, named: Instance, other: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture, served: list[str],
) -> None:  # fmt: skip
    runs_on(tmp_path / ".memstream", other.url)
    options: tuple[str | Path, ...] = ()
    if way == "MEMSTREAM_URL":
        monkeypatch.setenv(way, named.url)
    else:
        options = (way, named.url if way == "--url" else runs_on(tmp_path / "folder", named.url))
    with caplog.at_level(logging.INFO, "memstream.cli.mcp"):
        done = memstream("mcp", "--user", "ann", *options)
    assert (done.status, served) == (0, [named.url])
    assert (done.out, [r.getMessage() for r in caplog.records]) == ("", [f"service: {named.url}"])
    assert "no service runs on" in memstream("mcp", "--data", tmp_path / "wrong").err
    assert len(served) == 1


SHOWN = (
    ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.py")),
    *sorted((ROOT / "memstream" / "cli").glob("*.py")),
)  # fmt: skip
SAMPLES = [
    pytest.param(json.loads(words), id=path.name)
    for path in SHOWN
    for words in re.findall(r'"command": "memstream", "args": (\[.*?\])', path.read_text(encoding="utf-8"))
]
"""Words with which programs are shown to start us."""


@pytest.mark.parametrize("words", SAMPLES)
def test_a_program_that_starts_us_as_shown_in_any_folder_gets_its_server(
    memstream: CommandLine, words: list[str], served: list[str]
) -> None:
    assert memstream(*words).status == 0
    assert served == ["http://127.0.0.1:8900"]


def test_programs_are_shown_how_to_start_us() -> None:
    assert {p.id for p in SAMPLES} == {"agents.md", "mcp.py"}


def test_check_looks_at_the_service_that_is_named(
    memstream: CommandLine, other: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_PORT", other.url.rpartition(":")[2])
    runs_on(tmp_path / ".memstream", other.url)
    wrong = memstream("check", "service", "--json", "--data", tmp_path / "wrong")
    [result] = json.loads(wrong.out)
    assert (wrong.status, result["status"], other.asked) == (1, "fail", [])
    assert result["detail"] == f"none runs on {tmp_path / 'wrong'}"
    assert "--url" in result["remedy"]
    with instance(200, "{}") as ready:
        found = memstream("check", "service", "--url", ready.url)
        assert (found.status, ready.asked, other.asked) == (0, ["GET /readyz"], [])
        assert f"ready at {ready.url}" in found.out
        monkeypatch.setenv("MEMSTREAM_URL", ready.url)
        assert memstream("check", "service").status == 0
        assert memstream("check", "service", "--url", ready.url, "--data", tmp_path).status == 2
    assert other.asked == []


STORES = ("kafka", "topics", "postgres", "durability", "redis", "milvus")


@pytest.mark.parametrize("starting", [False, True])
def test_check_looks_at_no_store_of_another_instance(
    memstream: CommandLine, starting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the folder that is named runs nothing, or its servers do not serve yet."""
    looked: list[str] = []

    def looks_at(name: str) -> Check:
        def look(_: Settings) -> Iterator[CheckResult]:
            looked.append(name)
            yield from ()

        return look

    for name in STORES:
        monkeypatch.setitem(CHECKS, name, looks_at(name))
    for name, address in ADDRESSES.items():
        monkeypatch.setenv(f"MEMSTREAM_{name.upper()}", address)
    wrong = runs_on(tmp_path / "wrong", addresses={}) if starting else tmp_path / "wrong"
    done = memstream("check", *STORES, "--json", "--data", wrong)
    data = json.loads(done.out)
    text = f"the stack on {wrong} is still starting" if starting else f"nothing runs on {wrong}"
    assert (done.status, looked) == (1, [])
    assert [(r["name"], r["status"], r["detail"]) for r in data] == [(name, "fail", text) for name in STORES]
    assert all("memstream up" in r["remedy"] for r in data)
    memstream("check", *STORES)
    assert looked == [*STORES], "without --data the addresses that are set are meant"


def test_check_skips_stores_where_nothing_is_named_and_nothing_runs(memstream: CommandLine) -> None:
    done = memstream("check", *STORES, "--json")
    assert (done.status, {r["status"] for r in json.loads(done.out)}) == (0, {"skip"})


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "list"), ("audit", "verify"), ("keyring", "status"), ("keys", "list"), ("keys", "revoke", "k"),
        ("migrate",), ("rebuild", "status"), ("rebuild", "drop", "redis"), ("recover",), ("reprocess", "gate"),
        ("reprocess", "read"),
        ("topics", "apply"),
        ("erase", "--probe", "word"), ("erase", "--compact"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_stores_of_other_addresses_are_left_alone(
    memstream: CommandLine, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the folder that is named runs nothing; the addresses in the environment are another instance's."""
    monkeypatch.setenv("MEMSTREAM_KAFKA", "127.0.0.1:1")
    monkeypatch.setenv("MEMSTREAM_POSTGRES", "postgresql://u@127.0.0.1:1/other")
    done = memstream(*words, "--data", tmp_path / "wrong")
    assert (done.status, done.out) == (2, "")
    assert f"nothing runs on {tmp_path / 'wrong'}" in done.err


def test_a_stack_that_is_still_starting_is_one_line_and_no_traceback(memstream: CommandLine, tmp_path: Path) -> None:
    runs_on(tmp_path / ".memstream", addresses={})
    done = memstream("topics", "apply")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("memstream: the stack on .memstream is still starting: try again when")


def test_an_address_of_the_service_is_none_of_the_stores(memstream: CommandLine, named: Instance) -> None:
    done = memstream("erase", "--compact", "--url", named.url)
    assert (done.status, named.asked) == (2, [])
    assert "--data" in done.err


@pytest.mark.parametrize("as_json", [False, True])
def test_n6_erasures_are_listed_page_by_page(memstream: CommandLine, as_json: bool) -> None:
    one = {"erasure_id": "e1", "scope": "session", "user_id": "[b]ann[/i]", "session_id": "s",
           "started_at": "2026-11-21", "step": "stores", "places": 3}  # fmt: skip
    body = {"under_way": 1, "oldest": "2026-11-21", "erasures": [one], "cursor": None}
    with instance(200, json.dumps(body)) as here:
        done = memstream("erase", "--list", "--url", here.url, *(["--json"] if as_json else []))
    assert here.asked == ["GET /v1/erasures?limit=200"]
    assert done.status == 0
    if as_json:
        assert json.loads(done.out) == body
    else:
        assert "e1" in done.out
        assert "session [b]ann[/i] s" in done.out
        assert done.out.endswith("1 under way\n")
