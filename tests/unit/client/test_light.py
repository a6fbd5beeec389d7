"""Importing the client costs a chat service neither models nor stores."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.patience import PATIENCE

HEAVY = (
    "torch", "spacy", "faust", "presidio_analyzer", "numpy", "jieba", "psycopg", "pymilvus", "redis", "fastapi",
    "confluent_kafka", "kafka", "langgraph", "mcp", "typer",
)  # fmt: skip


@pytest.mark.slow
def test_the_client_is_light_to_import() -> None:
    code = f"import sys, memstream.client; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == "[]"
