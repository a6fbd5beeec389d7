"""docs/quickstart.md and the README's first ten minutes: their commands, as they stand there, in their order."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.integration.scenarios.clients.conftest import Live

pytestmark = pytest.mark.integration
ROOT = Path(__file__).resolve().parents[4]
MARK = "----block----"


def blocks(page: str, kind: str) -> list[str]:
    """The fenced blocks of a kind, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(script: str, live: Live, folder: Path) -> list[str]:
    """What each block printed. Only the address and the place of the command differ from the page."""
    port = str(urlsplit(live.url).port)
    script = script.replace("localhost:8900", f"127.0.0.1:{port}").replace("curl -s ", "curl -sS --fail-with-body ")
    script = script.replace(".venv/bin/memstream", f"{sys.executable} -m memstream")
    env = {**os.environ, "MEMSTREAM_PORT": port, "MEMSTREAM_DATA_DIR": str(folder)}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=180
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.split(MARK)


def test_the_quickstart_does_what_it_says(live: Live, tmp_path: Path) -> None:
    script = f"\necho {MARK}\n".join(blocks("docs/quickstart.md", "sh"))
    _, found, memories, changed, context, status = run(script, live, tmp_path)
    assert "Bristol" in json.dumps(json.loads(found)["results"])
    about = {m["field"]: m["value"] for m in json.loads(memories)["memories"] if m["field"]}
    assert about["age"] == 32
    assert [m["value"] for m in json.loads(changed)["memories"] if m["field"] == "age"] == [32]
    prompt = json.loads(context)["prompt"]
    assert "Bristol" in prompt
    assert "33" in prompt
    assert "screen" in status
    assert "service: ready" in status


def test_the_quickstarts_program_runs(live: Live, tmp_path: Path) -> None:
    [program] = blocks("docs/quickstart.md", "python")
    hello = tmp_path / "hello.py"
    hello.write_text(program.replace("http://127.0.0.1:8900", live.url), encoding="utf-8")
    done = subprocess.run([sys.executable, str(hello)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Oslo" in done.stdout


def test_the_readmes_first_ten_minutes_do_what_they_say(live: Live, tmp_path: Path) -> None:
    """TOKEN stands for what the first command answered; the two that start things are left out."""
    page = blocks("README.md", "")
    said, *rest = [b for b in page if b.startswith("curl ") or "memstream status" in b]
    [answer] = run(said, live, tmp_path)
    token = json.loads(answer)["freshness_token"]
    script = f"\necho {MARK}\n".join(b.replace("TOKEN", token) for b in rest)
    found, memories, context, status = run(script, live, tmp_path)
    assert "Bristol" in json.dumps(json.loads(found)["results"])
    assert json.loads(memories)["memories"]
    assert "Bristol" in json.loads(context)["prompt"]
    assert "screen" in status


CLIENTS, AGENTS = blocks("docs/clients.md", "python"), blocks("docs/agents.md", "python")


@pytest.mark.parametrize("program", [*CLIENTS, *AGENTS], ids=lambda p: p.split("\n")[0])
def test_programs_of_the_pages_run(live: Live, tmp_path: Path, program: str) -> None:
    """As they stand there, but for addresses; a subscriber, which runs until it is stopped, is stopped."""
    program = program.replace("http://127.0.0.1:8900", live.url).replace("broker:9092", live.addresses.kafka)
    program = program.replace("changes.run(", "__import__('threading').Timer(4, changes.stop).start(); changes.run(")
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    env = {**os.environ, "MEMSTREAM_POSTGRES": live.addresses.postgres, "MEMSTREAM_DATA_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_pages_have_programs() -> None:
    assert len(CLIENTS) >= 3
    assert AGENTS
