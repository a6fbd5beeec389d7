"""What a process imports of packages: nothing where it needs none, and of a step or sink that it does not run only the
declaration."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.components.conftest import PLUGIN

ROOT = Path(__file__).resolve().parents[3]
_OF_RELEASE = {
    "GROUPS": {"query/pipeline/groups.py", "memstream/recovery.py"},
    "TOPOLOGY": {"streams/topology.py", "memstream/reprocess/regate_run.py", "memstream/reprocess/reread_run.py"},
    "CATALOGUE": {"schemas/log/topics.py", "memstream/workers/preflight.py", "schemas/compatibility/export.py"},
    "BY_NAME": {
        "schemas/log/topics.py", "schemas/components/installed.py", "memstream/erasure/log.py", "query/ops/flow.py",
        "memstream/reprocess/fold.py",
    },
}  # fmt: skip
"""Tables of the release alone, and who may read them: who starts those, and who tells what is a package's."""


def _imported(code: str) -> set[str]:
    path = os.pathsep.join((str(PLUGIN), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"], check=True, capture_output=True, text=True,
        cwd=ROOT, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    return {name for name in done.stdout.split() if name.startswith("memstream_days")}


@pytest.mark.slow
@pytest.mark.parametrize(("code", "imported"), [
    ("import memstream.workers.timer, memstream.workers.auditor, memstream.erasure.worker, memstream.cli.app", ""),
    ("import memstream.workers.sink, memstream.workers.worker", ""),
    ("from schemas.components.installed import sink_named, topic_named; sink_named('redis')", ""),
    ("from query.pipeline.groups import groups; assert groups()[6].name == 'turns-a-day'", "declared events"),
])  # fmt: skip
def test_a_process_imports_of_a_package_what_it_needs(code: str, imported: str) -> None:
    wanted = {f"memstream_days.{name}" for name in imported.split()} | ({"memstream_days"} if imported else set())
    assert _imported(code) == wanted


@pytest.mark.parametrize("name", _OF_RELEASE)
def test_what_counts_for_packages_too_does_not_go_by_the_tables_of_the_release(name: str) -> None:
    found = {
        file.relative_to(ROOT).as_posix()
        for folder in ("schemas", "sinks", "streams", "query", "memstream", "processors")
        for file in (ROOT / folder).rglob("*.py")
        if re.search(rf"\b{name}\b", file.read_text(encoding="utf-8"))
    }
    assert found - _OTHERS == _OF_RELEASE[name]


_OTHERS = {"schemas/events/hot_memory.py"}
"""A table of their own has the same name."""
