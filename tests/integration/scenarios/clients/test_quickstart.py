"""docs/quickstart.md and the README's first ten minutes: their commands, as they stand there, in their order. What
starts the system is in tests/integration/test_up.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.scenarios.clients.conftest import Live
from tests.pages import ROOT, Shell, blocks
from tests.patience import PATIENCE, until

pytestmark = pytest.mark.integration
MARK = "----block----"


def run(sh: Shell, script: list[str]) -> list[str]:
    """What each block printed."""
    return sh.run(f"\necho {MARK}\n".join(script)).split(MARK)


def ready(status: str) -> bool:
    return "service: ready" in status


def test_the_quickstart_does_what_it_says(sh: Shell) -> None:
    *asked, look = blocks("docs/quickstart.md", "sh")[1:]
    _, found, memories, changed, context = run(sh, asked)
    assert "Bristol" in json.dumps(json.loads(found)["results"])
    about = {m["field"]: m["value"] for m in json.loads(memories)["memories"] if m["field"]}
    assert about["age"] == 32
    assert [m["value"] for m in json.loads(changed)["memories"] if m["field"] == "age"] == [32]
    prompt = json.loads(context)["prompt"]
    assert "Bristol" in prompt
    assert "33" in prompt
    assert "screen" in until("a service that is ready", lambda: sh.run(look), ready, errors=(AssertionError,))


def test_the_quickstarts_program_runs(live: Live, tmp_path: Path) -> None:
    [program] = blocks("docs/quickstart.md", "python")
    hello = tmp_path / "hello.py"
    hello.write_text(program.replace("http://127.0.0.1:8900", live.url), encoding="utf-8")
    done = subprocess.run([sys.executable, str(hello)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "Oslo" in done.stdout


def test_the_readmes_first_ten_minutes_do_what_they_say(sh: Shell) -> None:
    """TOKEN stands for what the first command answered. `make demo` asks what runs on the data folder."""
    demo, _, statement, *rest = blocks("README.md", "sh")
    shown = sh.run(f"cd {ROOT}\n{demo}")
    assert "Bristol" in shown
    assert "年薪" in shown
    [answer] = run(sh, [statement])
    token = json.loads(answer)["freshness_token"]
    found, memories, context, status = run(sh, [b.replace("TOKEN", token) for b in rest])
    assert "Bristol" in json.dumps(json.loads(found)["results"])
    assert json.loads(memories)["memories"]
    assert "Bristol" in json.loads(context)["prompt"]
    assert "screen" in status
