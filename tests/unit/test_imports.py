"""The folder rule, as import-linter reads it from pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_folder_rule_holds() -> None:
    """In a process of its own: the linter's logging configuration turns off every logger that exists."""
    lint = Path(sys.executable).with_name("lint-imports")
    config = ROOT / "pyproject.toml"
    run = subprocess.run(
        [lint, "--config", config, "--no-cache"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert run.returncode == 0, run.stdout


def test_every_folder_of_the_house_is_under_the_rule() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for folder in ("schemas", "processors", "inference", "streams", "sinks", "query", "memstream"):
        assert (ROOT / folder / "__init__.py").is_file()
        assert f'"{folder}"' in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("process", "without"),
    [
        ("memstream.workers.timer", "alembic faust httpx kafka numpy pymilvus redis sqlalchemy"),
        ("memstream.erasure.worker", "alembic faust httpx kafka numpy pymilvus redis sqlalchemy"),
        ("memstream.workers.auditor", "alembic faust httpx kafka numpy pymilvus redis sqlalchemy"),
        ("memstream.workers.sink", "alembic faust httpx kafka pymilvus redis sqlalchemy"),
        ("memstream.workers.worker", "alembic httpx kafka pymilvus redis sqlalchemy"),
        ("memstream.workers.jobs", "alembic faust kafka pymilvus redis sqlalchemy"),
        ("memstream.workers.serve", "alembic faust sqlalchemy"),
    ],
)
def test_a_process_imports_no_client_that_it_does_not_need(process: str, without: str) -> None:
    """Each costs up to a second of every start, of fourteen processes on the same cores."""
    request = f"import sys, memstream.cli.app, memstream.connect, memstream.logs, {process}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", request], check=True, capture_output=True, text=True, cwd=ROOT)
    assert not set(without.split()) & set(found.stdout.split())
