"""What the other pages show to type, to write and to put into a browser, as it stands there. What seals, erases and
audits is in tests/integration/sealed, doing it again in tests/integration/test_rebuild.py."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from confluent_kafka import Producer
from mcp import Client, StdioServerParameters

from memstream.client import Memstream, Turn
from schemas.log import topics
from tests.integration.scenarios.clients.conftest import Live
from tests.pages import Shell, blocks, printed, steps
from tests.patience import PATIENCE, until
from tests.tools import needs
from tests.unit.ops.browser import browser, tab

pytestmark = pytest.mark.integration
PROGRAMS = [*blocks("docs/clients.md", "python"), *blocks("docs/agents.md", "python")]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.split("\n")[0])
def test_programs_of_the_pages_run(live: Live, tmp_path: Path, program: str) -> None:
    """As they stand there, but for addresses; a subscriber, which runs until it is stopped, is stopped."""
    program = program.replace("http://127.0.0.1:8900", live.url).replace("broker:9092", live.addresses.kafka)
    program = program.replace("changes.run(", "__import__('threading').Timer(4, changes.stop).start(); changes.run(")
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    env = {**os.environ, "MEMSTREAM_POSTGRES": live.addresses.postgres, "MEMSTREAM_DATA_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", [*blocks("docs/http.md", "console"), *blocks("docs/security.md", "console")])
def test_a_call_prints_what_the_page_says(sh: Shell, block: str) -> None:
    for command, text in steps(block):
        quiet = "export CURL_HOME=\n" if text and text[0] in {"403", "415"} else ""
        shown = sh.run(quiet + command)
        assert printed(text, shown), shown


def test_rows_of_a_table_are_written_and_read(sh: Shell) -> None:
    [script] = blocks("docs/memories.md", "sh")
    user = {"ana": f"ana-{uuid4().hex[:8]}"}
    shown = sh.run(script, user)
    *_, rows, row = script.splitlines()
    if "angina" not in shown:  # the script's reads wait for no write
        until("the row", lambda: sh.run(f"{rows}\n{row}", user), lambda shown: "angina" in shown)


def test_a_metric_is_there(sh: Shell) -> None:
    request = blocks("docs/metrics.md", "sh")[0]
    # Its first values come with the next heartbeat of the sink.
    until("the metric", lambda: sh.run(request), lambda shown: 'store="postgres"' in shown, errors=(AssertionError,))


def test_feedback_names_the_answer_that_it_is_about(live: Live, sh: Shell) -> None:
    request = {"user_id": "ana", "query": "Where do I live?"}
    answer = httpx.post(f"{live.url}/v1/context", json=request, timeout=PATIENCE)
    [script] = blocks("docs/quality.md", "sh")
    assert "feedback_id" in sh.run(script, {"CONTEXT_ID": answer.json()["context_id"]})


def letters(sh: Shell, step: str) -> list[dict[str, Any]]:
    """Open letters of a step."""
    return list(json.loads(sh.run(f"memstream dlq list --step {step} --json"))["dead_letters"])


def _tried(found: list[dict[str, Any]]) -> list[tuple[bool, int]]:
    """Whether each is of a turn that was read, and how often it was tried."""
    return [(letter["reason"] != "malformed_json", letter["attempts"]) for letter in found]


def _ready(shown: str) -> bool:
    return "service: ready" in shown


def test_operations_are_looked_at_and_dead_letters_decided(live: Live, sh: Shell) -> None:
    check, decide = blocks("docs/operations.md", "sh")
    shown = until("a service that is ready", lambda: sh.run(check), _ready, errors=(AssertionError,))
    # A machine with little room on its disk is told so, and one without encryption, which is nothing wrong here.
    looked = shown.split("[\n")[0].splitlines()
    wrong = [line for line in looked if not line.startswith(("ok", "skip"))]
    no_fault = "GiB free below|free some space|encryption is off|encrypt the disks"
    assert [line for line in wrong if not re.search(no_fault, line)] == []

    sh.run("memstream dlq drop --all")  # those of other tests
    user = f"letters-{uuid4().hex[:8]}"
    with Memstream(live.url) as client:
        for text in ("I live in Leeds.", "I live in York."):
            fields = {"user_id": user, "session_id": "s", "turn_id": "t", "role": "user", "content": text}
            client.send(Turn.model_validate({**fields, "occurred_at": datetime.now(UTC)}))
            client.flush(PATIENCE)
    producer = Producer({"bootstrap.servers": live.addresses.kafka})
    producer.produce(topics.TURNS.name, b"{nothing", b"k", 0, headers=[("owner", b"default/user/x")])
    assert producer.flush(PATIENCE) == 0
    found = until("two letters", lambda: letters(sh, "screen"), lambda found: len(found) >= 2)
    clash = next(f["id"] for f in found if f["reason"] != "malformed_json")
    shown = sh.run(decide, {"1:0": clash, "1:1": clash})
    assert "York" not in shown
    # It fails as before.
    until("one letter, tried twice", lambda: _tried(letters(sh, "screen")), lambda tried: tried == [(True, 2)])
    sh.run("memstream dlq drop --all")


@pytest.mark.parametrize("config", blocks("docs/agents.md", "json"))
async def test_an_agents_configuration_starts_its_server(live: Live, tmp_path: Path, config: str) -> None:
    """As it stands there, but for the address, in a folder on which nothing runs."""
    [server] = json.loads(config.replace("http://127.0.0.1:8900", live.url))["mcpServers"].values()
    assert server["command"] == "memstream"
    env = {**os.environ, **server["env"], "MEMSTREAM_DATA_DIR": str(tmp_path), "MEMSTREAM_KEY": ""}
    started = StdioServerParameters(command=sys.executable, args=["-m", "memstream", *server["args"]], env=env)
    async with Client(started, read_timeout_seconds=PATIENCE) as agent:
        done = await agent.call_tool("memory_prompt", {"query": "Where do I live?"})
    assert not done.is_error, done.content


@needs("chromium")
async def test_a_browser_is_told_of_changes(live: Live) -> None:
    [script] = blocks("docs/clients.md", "js")
    user = f"browser-{uuid4().hex[:8]}"
    script = re.sub(r"\bana\b", user, script)
    async with browser() as endpoint, tab(endpoint) as page:
        await page.open(f"{live.url}/ops", 1200, 900)
        await page.value("window.told = []; console.log = (...said) => told.push(said.join(' '))")
        await page.call("Runtime.evaluate", expression=script)
        await page.until("updates.readyState === EventSource.OPEN")
        fields = {"user_id": user, "session_id": "s", "role": "user", "content": "I live in Oslo.",
                "occurred_at": datetime.now(UTC).isoformat()}  # fmt: skip
        async with httpx.AsyncClient(base_url=live.url, timeout=PATIENCE) as http:
            assert (await http.post("/v1/turns", json={"turns": [fields]})).status_code == 202
        await page.until("told.length")
        assert "Oslo" in str(await page.value("told"))
