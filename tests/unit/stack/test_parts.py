"""Ports, logs, launcher, jars, and the folders that an unprivileged server needs."""

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memstream.settings import Settings
from memstream.stack import Addresses, EmbeddedStack, StackError, fetch, jars, logs, milvus, ports, unprivileged, up
from memstream.stack.process import listens, run_tool, spawn
from memstream.stack.spec import ChildSpec
from memstream.stack.state import State


@pytest.fixture
def listener() -> socket.socket:
    """A socket that listens on a free loopback port."""
    return socket.create_server((ports.HOST, 0))


def test_a_taken_port_is_not_picked(listener: socket.socket) -> None:
    with listener:
        taken = listener.getsockname()[1]
        assert not ports.is_free(taken)
        picked = ports.pick([taken])
        assert picked != taken
        assert ports.is_free(picked)
    assert ports.pick([None, taken]) == taken
    assert ports.pick([taken], taken=[taken]) != taken


def test_a_listener_is_told_from_a_stranger(listener: socket.socket, stranger: "subprocess.Popen[bytes]") -> None:
    with listener:
        port = listener.getsockname()[1]
        assert listens(os.getpid(), port)
        assert not listens(stranger.pid, port)


def test_remembered_ports_win_over_defaults(tmp_path: Path, listener: socket.socket) -> None:
    with listener:
        taken, free = listener.getsockname()[1], ports.pick([])
        (tmp_path / "stack.json").write_text(State(ports={"valkey": free, "milvus": taken}).dump())
        stack = EmbeddedStack(tmp_path, default_ports={"valkey": taken, "milvus": taken})
        assert stack._port("valkey") == free
        assert stack._port("milvus") not in (taken, free)


def test_a_log_is_bounded_while_it_is_written(tmp_path: Path) -> None:
    with logs.open_log(tmp_path, "a") as log:
        log.write(b"old\n" * 10)
        assert not logs.rotate(tmp_path, "a", max_bytes=100)
        log.write(b"old\n" * 20)
        assert logs.rotate(tmp_path, "a", max_bytes=100)
        log.write(b"new\n")
    assert (tmp_path / "a.log").read_bytes() == b"new\n"
    assert (tmp_path / "a.log.1").read_bytes() == b"old\n" * 30
    assert logs.tail(tmp_path, "a.log") == ""
    assert logs.tail(tmp_path, "a", lines=1) == "new"


async def test_a_tool_is_run_with_its_output_and_status() -> None:
    assert await run_tool(("sh", "-c", "echo out; echo err >&2; exit 4")) == (4, "out\nerr\n")


async def test_a_child_that_gives_way_has_a_lower_priority(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+b") as log:
        process = await spawn(ChildSpec("child", ("/bin/sh", "-c", "nice"), nice=3), log)
        assert await process.wait() == 0
        log.seek(0)
        assert int(log.read()) == min(19, os.nice(0) + 3)


def test_all_processes_are_alike_where_that_is_asked_for() -> None:
    """The service is never behind the others."""
    for nice in (True, False):
        priorities = {c.name: c.nice for c in up.children(Settings(nice=nice), Addresses(), 1)}
        assert priorities["query"] == 0
        assert any(priorities.values()) == nice


async def test_milvus_gives_way_unless_all_are_to_be_alike(tmp_path: Path) -> None:
    for nice in (True, False):
        spec, _ = await EmbeddedStack(tmp_path / str(nice), default_ports={}, nice=nice)._milvus()
        assert spec.nice == (milvus.NICE if nice else 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can drop privileges")
async def test_privileges_are_dropped_with_all_groups() -> None:
    status, output = await run_tool(("sh", "-c", "id -u; id -G"), 65534, 65534)
    assert (status, output.split()) == (0, ["65534", "65534"])


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
async def test_the_death_signal_survives_the_drop_of_privileges() -> None:
    ids = (65534, 65534) if os.geteuid() == 0 else (None, None)
    code = "import ctypes; n = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(n), 0, 0, 0); print(n.value)"
    status, output = await run_tool(("/usr/bin/env", "python3", "-c", code), *ids)
    if status != 0:
        pytest.skip("no python3 that this user may run")
    assert output.strip() == str(int(signal.SIGKILL))


ROOT = Path(__file__).parents[3]


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """The broker's jars are these, each empty."""
    monkeypatch.setattr(jars, "expected", lambda: dict.fromkeys(names, hashlib.sha256(b"").hexdigest()))


class TestJars:
    """Java and the broker's jars: what is found, and what is said when nothing is."""

    async def test_kafka_home_is_used(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "libs").mkdir()
        (tmp_path / "libs" / "kafka_2.13-4.1.0.jar").touch()
        monkeypatch.setenv("KAFKA_HOME", str(tmp_path))
        assert await jars.find_jars() == tmp_path / "libs"

    async def test_a_kafka_home_without_kafka_4_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "libs").mkdir()
        (tmp_path / "libs" / "kafka_2.13-3.9.0.jar").touch()
        monkeypatch.setenv("KAFKA_HOME", str(tmp_path))
        with pytest.raises(StackError, match=r"holds no Apache Kafka 4\.x"):
            await jars.find_jars()

    async def test_without_maven_the_remedies_are_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("KAFKA_HOME", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(StackError, match=r"(?s)Maven.*apt install maven.*KAFKA_HOME.*address of a running broker"):
            await jars.find_jars()

    async def test_maven_fills_the_cache_once_and_a_failure_leaves_none(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A script in Maven's place shows what is asked of it; the integration tests run the real one's jars."""
        monkeypatch.setattr(jars, "PAUSES", (0.0, 0.0))
        maven = tmp_path / "bin" / "mvn"
        maven.parent.mkdir()
        monkeypatch.delenv("KAFKA_HOME", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setenv("PATH", f"{maven.parent}:{os.environ['PATH']}")
        maven.write_text("#!/bin/sh\nprintf '[ERROR] \\033[0m\\033[1;31mno route to the repository\\n'\nexit 1\n")
        maven.chmod(0o755)
        with pytest.raises(StackError, match=f"fetch Kafka {jars.KAFKA_VERSION}: no route to the repository"):
            await jars.find_jars()
        maven.write_text(
            "#!/bin/sh\nfor a; do case $a in -DoutputDirectory=*) d=${a#*=};; esac; done\n"
            f"mkdir -p $d; touch $d/kafka_2.13-{jars.KAFKA_VERSION}.jar\n"
        )
        only(monkeypatch, f"kafka_2.13-{jars.KAFKA_VERSION}.jar")
        found = await jars.find_jars()
        assert [item.name for item in found.iterdir()] == [f"kafka_2.13-{jars.KAFKA_VERSION}.jar"]
        maven.unlink()
        assert await jars.find_jars() == found
        assert [item.name for item in found.parent.iterdir()] == [found.name]

    async def test_jars_are_tried_three_times_and_each_is_said(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jars, "PAUSES", (0.0, 0.0))
        maven = tmp_path / "bin" / "mvn"
        maven.parent.mkdir()
        monkeypatch.delenv("KAFKA_HOME", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setenv("PATH", f"{maven.parent}:{os.environ['PATH']}")
        name = f"kafka_2.13-{jars.KAFKA_VERSION}.jar"
        maven.write_text(
            "#!/bin/sh\nfor a; do case $a in -DoutputDirectory=*) d=${a#*=};; esac; done\n"
            f"echo x >>{tmp_path}/tries; [ $(wc -l <{tmp_path}/tries) = 3 ] || {{ echo '[ERROR] cut off'; exit 1; }}\n"
            f"echo '[INFO] Downloaded from central: https://repo/a/kafka.pom (1 kB at 2 kB/s)'\n"
            f"echo '[INFO] Downloaded from central: https://repo/a/{name} (2 MB at 3 MB/s)'\n"
            f"mkdir -p $d; touch $d/{name}\n"
        )
        maven.chmod(0o755)
        only(monkeypatch, name)
        received: list[str] = []
        assert [item.name for item in (await jars.find_jars(received.append)).iterdir()] == [name]
        failed = f"Maven could not fetch Kafka {jars.KAFKA_VERSION}: cut off; tried again in 0 s"
        assert received == [failed, failed, f"Kafka {jars.KAFKA_VERSION}, jar 1: {name}"]

    @pytest.mark.parametrize(
        ("good_at", "past_own"), [(1, [False, False]), (2, [False, True, False]), (9, [False, True])]
    )
    async def test_l11_a_jar_of_another_hash_is_fetched_once_more_and_then_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good_at: int, past_own: list[bool]
    ) -> None:
        maven = tmp_path / "bin" / "mvn"
        maven.parent.mkdir()
        monkeypatch.delenv("KAFKA_HOME", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setenv("PATH", f"{maven.parent}:{os.environ['PATH']}")
        name, tries = f"kafka_2.13-{jars.KAFKA_VERSION}.jar", tmp_path / "tries"
        maven.write_text(
            "#!/bin/sh\nfor a; do case $a in -DoutputDirectory=*) d=${a#*=};; esac; done\n"
            f"echo $* >>{tries}; mkdir -p $d; echo >$d/{name} other\n"
            f"[ $(wc -l <{tries}) -lt {good_at} ] || {{ : >$d/{name}; }}\n"
        )
        maven.chmod(0o755)
        only(monkeypatch, name)
        received: list[str] = []
        if good_at > 2:
            with pytest.raises(StackError, match=rf"not the files .*SHA-256\): {name}\. They are not used"):
                await jars.find_jars(received.append)
            assert list((tmp_path / "cache" / "memstream").iterdir()) == []
        else:
            found = await jars.find_jars(received.append)
            assert jars.differing(found) == []
            (found / name).write_text("changed since")
            assert await jars.find_jars(received.append) == found, "a start does not read them all"
            assert jars.differing(await jars.find_jars(received.append, verify=True)) == [], "an install does"
        request = tries.read_text(encoding="utf-8").splitlines()
        assert ["-Dmaven.repo.local=" in line for line in request] == past_own

    def test_l11_the_hashes_are_of_the_brokers_version_and_whole(self) -> None:
        known = jars.expected()
        assert f"kafka_2.13-{jars.KAFKA_VERSION}.jar" in known
        assert f"log4j-core-{jars.LOG4J_VERSION}.jar" in known
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in known.values())
        assert len(known) == 46

    def test_l11_what_installs_is_pinned_by_hash(self) -> None:
        """What fetches the packages was itself the newest of the day."""
        lock = (ROOT / "installer.lock").read_text(encoding="utf-8")
        assert re.fullmatch(r"uv==[\d.]+( \\\n    --hash=sha256:[0-9a-f]{64})+\n", lock)
        install = (ROOT / "Makefile").read_text(encoding="utf-8").partition("$(STAMP):")[2].partition("\n\n")[0]
        image = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
        for text in (install, image):
            fetched = [line for line in re.split(r"\n|&&", text) if "pip install" in line]
            assert len(fetched) == 3
            assert all("--require-hashes -r" in line or "--no-deps" in line for line in fetched)

    async def test_l11_one_jar_too_many_or_too_few_is_seen(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        only(monkeypatch, "a.jar", "b.jar")
        for name in ("a.jar", "c.jar"):
            (tmp_path / name).touch()
        assert jars.differing(tmp_path) == ["b.jar", "c.jar"]

    def test_an_install_without_maven_says_so_and_goes_on(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv("KAFKA_HOME", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(fetch, "PROCESSES", ("colorsys",))
        monkeypatch.delitem(sys.modules, "colorsys", raising=False)
        fetch.main()
        assert "colorsys" in sys.modules, "what processes import is compiled all the same"
        assert "the first start of the broker tries again: Kafka's jars are not on" in capsys.readouterr().err

    def test_an_install_compiles_what_processes_import(self) -> None:
        """Those that a stack starts, by the command that starts each."""
        commands = [child.argv[3:] for child in up.children(Settings(), Addresses(), 1)]
        started = {words[:2] if words[0] == "worker" else words[:1] for words in commands}
        modules = {
            ("worker", "screen"): "workers.worker", ("worker", "extract"): "workers.worker",
            ("worker", "jobs"): "workers.jobs", ("worker", "audit"): "workers.auditor",
            ("worker", "timer"): "workers.timer", ("worker", "eraser"): "erasure.worker",
            ("sink",): "workers.sink", ("serve",): "workers.serve",
        }  # fmt: skip
        assert started == set(modules)
        assert {f"memstream.{name}" for name in modules.values()} | {"memstream.stack.up"} == set(fetch.PROCESSES)

    async def test_an_old_java_is_passed_over(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        old = tmp_path / "bin" / "java"
        old.parent.mkdir()
        old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
        old.chmod(0o755)
        monkeypatch.setattr(jars, "_java_candidates", lambda: [old])
        with pytest.raises(StackError, match=r"needs Java 17 or newer; found only .*version 11"):
            await jars.find_java()


class TestUnprivileged:
    """Folders for a server that may not run as root."""

    @pytest.mark.skipif(os.geteuid() != 0, reason="gives a folder to another user")
    def test_below_a_closed_folder_the_data_moves_where_nobody_can_reach_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed, opened = tmp_path / "closed", tmp_path / "opened"
        closed.mkdir(mode=0o700)
        opened.mkdir(mode=0o755)
        monkeypatch.setattr(unprivileged, "_ROOT_DATA", opened)
        real = unprivileged.own_folder(closed / "postgres", "label", unprivileged.NOBODY)
        assert real == opened / "label"
        assert (closed / "postgres").resolve() == real
        assert (real.stat().st_uid, real.stat().st_mode & 0o777) == (unprivileged.NOBODY, 0o700)
        assert unprivileged.own_folder(closed / "postgres", "label", unprivileged.NOBODY) == real

    def test_reachable_asks_every_folder_on_the_way(self, tmp_path: Path) -> None:
        assert unprivileged.reachable(Path("/tmp"))  # noqa: S108 - any folder that all may enter
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        assert not unprivileged.reachable(closed / "below")

    def test_binaries_below_a_closed_folder_are_copied_with_their_layout(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site = tmp_path / "site"
        (site / "package" / "bin").mkdir(parents=True)
        (site / "package" / "bin" / "tool").touch(mode=0o700)
        site.chmod(0o700)
        monkeypatch.setattr(unprivileged, "_ROOT_CACHE", tmp_path / "cache")
        root = unprivileged.reachable_binaries(site, ("package",), "tool-1")
        assert root == tmp_path / "cache" / "tool-1"
        assert (root / "package" / "bin" / "tool").stat().st_mode & 0o777 == 0o755
        assert unprivileged.reachable_binaries(site, ("package",), "tool-1") == root
