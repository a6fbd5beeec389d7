"""A suite that needs a program is run, or its absence is seen: `.ci/run`, MEMSTREAM_REQUIRE, reasons of skips."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.tools import PACKAGES, PROGRAMS, missing

ROOT = Path(__file__).resolve().parents[3]
_PLAIN = ("bash", "cat", "dirname", "grep", "mktemp", "tail")


class Machine:
    """A PATH that holds a shell, a `make` that says what is required, and what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in _PLAIN:
            found = shutil.which(name)
            assert found is not None
            (folder / name).symlink_to(found)
        self.program("make", 'echo "make $* requires ${MEMSTREAM_REQUIRE:-nothing}"')
        self.program("id", "echo 0")

    def program(self, name: str, script: str) -> None:
        path = self._folder / name
        path.write_text(f"#!{self._folder}/bash\n{script}\n")
        path.chmod(0o755)

    def debian(self, has: Mapping[str, str], install: str = "0", update: str = "0") -> None:
        """`has`: package -> version of its candidate; `install`, `update`: status of either; an installation makes
        both programs."""
        cases = "".join(f"{package}) echo '  Candidate: {version}';;" for package, version in has.items())
        self.program("apt-cache", f'case "$2" in {cases} *) ;; esac')
        made = "".join(f": >{self._folder}/{p}; /bin/chmod 755 {self._folder}/{p};" for p in PROGRAMS)
        status = f"[ {install} = 0 ] || {{ echo no space left; exit {install}; }}"
        self.program("apt-get", f'case "$*" in *install*) {status}; {made} ;; *update*) exit {update} ;; esac')

    def run(self) -> subprocess.CompletedProcess[str]:
        words = [self._folder / "bash", ROOT / ".ci" / "run"]
        return subprocess.run(words, env={"PATH": str(self._folder)}, capture_output=True, text=True)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_ci_installs_what_debian_has_and_demands_it(machine: Machine) -> None:
    machine.debian(dict.fromkeys(PACKAGES.values(), "1.2"))
    done = machine.run()
    assert done.stdout == "make test requires chromium,promtool\n", done.stderr
    assert done.returncode == 0


def test_ci_fails_where_what_debian_has_cannot_be_installed(machine: Machine) -> None:
    machine.debian(dict.fromkeys(PACKAGES.values(), "1.2"), install="100")
    done = machine.run()
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no space left" in done.stderr
    assert "apt-get cannot install chromium" in done.stderr


def test_ci_says_what_is_skipped_where_debian_has_it_not(machine: Machine) -> None:
    machine.debian({"chromium": "(none)"})
    machine.program("promtool", ":")
    done = machine.run()
    assert done.stdout == "make test requires promtool\n"
    assert "SKIPPED: the tests that need chromium" in done.stderr


def test_ci_believes_no_old_lists_of_packages(machine: Machine) -> None:
    machine.debian(dict.fromkeys(PACKAGES.values(), "1.2"), install="100", update="100")
    done = machine.run()
    assert done.stdout == "make test requires nothing\n"
    assert "apt-get update failed" in done.stderr
    assert done.stderr.count("SKIPPED") == len(PROGRAMS)


def test_ci_of_a_user_who_may_not_install_demands_what_is_there(machine: Machine) -> None:
    machine.program("id", "echo 1000")
    machine.debian(dict.fromkeys(PACKAGES.values(), "1.2"), install="100")
    done = machine.run()
    assert done.stdout == "make test requires nothing\n"
    assert done.stderr.count("SKIPPED") == len(PROGRAMS)


def test_what_is_required_and_absent_is_named() -> None:
    def nowhere(name: str) -> None:
        return None

    assert missing({}, nowhere) == []
    assert missing({"MEMSTREAM_REQUIRE": ""}, nowhere) == []
    absent = missing({"MEMSTREAM_REQUIRE": "promtool, chromium"}, nowhere)
    assert absent == [
        "no promtool on this machine (Debian: apt-get install prometheus)",
        "no chromium on this machine (Debian: apt-get install chromium)",
    ]
    assert missing({"MEMSTREAM_REQUIRE": "chromium"}, lambda name: f"/x/{name}") == []
    assert missing({"MEMSTREAM_REQUIRE": "promtol"}, nowhere) == ["promtol is none of chromium, promtool"]


@pytest.mark.slow
def test_a_run_without_what_it_must_have_ends_before_its_tests(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/unit/test_domain_words.py"]
    env = {**os.environ, "PATH": str(tmp_path), "MEMSTREAM_REQUIRE": "promtool"}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "MEMSTREAM_REQUIRE: no promtool on this machine" in done.stderr


def test_reasons_of_skips_are_shown() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        words = tomllib.load(file)["tool"]["pytest"]["ini_options"]["addopts"].split()
    [shown] = [w for w in words if w.startswith("-r")]
    assert set("fEs") <= set(shown)
