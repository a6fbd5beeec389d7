"""`memstream check` without servers: what it says, what it never says, and that one failure does not stop the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from pydantic import SecretStr, ValidationError
from typer.testing import CliRunner

from inference.reader.gate_card import CARD, FOLDER, WEIGHTS
from inference.reader.turn_gate import LearnedGate
from inference.weights import WeightsError
from memstream.checks import CHECKS, CheckResult, Status, run_checks, stores
from memstream.checks.addresses import AddressError, check_given
from memstream.checks.result import CheckFailedError, failing
from memstream.checks.sealed_texts import judged, sealed_texts
from memstream.checks.stores import KAFKA_TRIED, room_for_locks, tried
from memstream.cli import check
from memstream.cli.app import app
from memstream.profiles import warn_of_clear_text
from memstream.settings import Settings
from schemas import migrations
from schemas.profile.model import PROFILES_DIR, ProfileError, load_profile
from schemas.security.sealing import Bound
from tests.patience import PATIENCE

PASSWORD = "hunter2-is-secret"
CLOSED = "127.0.0.1:1"


def settings(**changes: object) -> Settings:
    return Settings().model_copy(update=changes)


def test_every_profile_that_ships_loads() -> None:
    results = list(run_checks(settings(), ["profiles"]))
    assert {r.name for r in results} == {f"profile {p.stem}" for p in PROFILES_DIR.glob("*.toml")}
    assert all(r.status is Status.OK for r in results)


def test_a_broken_profile_is_named_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "general.toml").write_text('name = "general"\nversion = 1\nno_such_key = 1\n', encoding="utf-8")
    (result,) = run_checks(settings(profiles_dir=tmp_path), ["profiles"])
    assert result.status is Status.FAIL
    assert "no_such_key" in result.detail


def test_a_missing_profile_names_those_that_exist(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("", encoding="utf-8")
    (result,) = run_checks(settings(profiles_dir=tmp_path, profile="theirs"), ["profiles"])
    assert result.status is Status.FAIL
    assert "MEMSTREAM_PROFILE" in result.remedy
    assert "ours" in result.remedy


@pytest.mark.parametrize(("seal", "encryption", "status", "statement"), [
    ("all", "off", Status.WARN, "encryption is off"), ("all", "sealed", Status.OK, "encrypted"),
    ("sensitive", "sealed", Status.OK, "encrypted"), ("none", "sealed", Status.WARN, 'seal = "none"'),
])  # fmt: skip
def test_c7_sensitive_fields_that_nothing_encrypts_are_named(
    tmp_path: Path, seal: str, encryption: str, status: Status, statement: str
) -> None:
    fields = "".join(f'[[fields]]\nname = "f{n}"\nsensitive = true\n' for n in range(5))
    text = f'name = "ours"\nversion = 1\n[storage]\nseal = "{seal}"\n{fields}[[fields]]\nname = "open"\n'
    (tmp_path / "ours.toml").write_text(text, encoding="utf-8")
    ours = settings(profiles_dir=tmp_path, profile="ours", encryption=encryption)
    (result,) = run_checks(ours, ["encryption"])
    assert result.status is status
    assert statement in result.detail
    assert ("(f0, f1, f2 and 2 more)" in result.detail) == (status is Status.WARN)
    assert ("MEMSTREAM_ENCRYPTION" in result.remedy) == (encryption == "off")
    assert "open" not in result.detail


@pytest.mark.parametrize(("to", "older", "status", "text", "remedy"), [
    ("place", 0, Status.OK, "each in Postgres is bound to its place", ""),
    ("place", 3, Status.OK, "3 in Postgres are bound to their owner alone", ""),
    ("place_only", 0, Status.OK, "each in Postgres is bound to its place", ""),
    ("place_only", 3, Status.FAIL, "3 in Postgres are bound to their owner alone", "set MEMSTREAM_SEALED_TO=place"),
    ("owner", 0, Status.WARN, "new ones are bound to their owner alone", "once every process runs this release"),
])  # fmt: skip
def test_c7_texts_that_are_bound_to_their_owner_alone_are_counted(
    to: Bound, older: int, status: Status, text: str, remedy: str
) -> None:
    result = judged(settings(encryption="sealed", sealed_to=to), older)
    assert (result.status, text in result.detail, remedy in result.remedy) == (status, True, True)
    assert bool(result.remedy) == bool(remedy)


def test_c7_without_postgres_sealed_texts_are_not_counted_and_say_so() -> None:
    away = settings(encryption="sealed", postgres=SecretStr(f"postgresql://x:{PASSWORD}@{CLOSED}/x"))
    [result] = sealed_texts(away)
    assert (result.status, result.remedy) == (Status.WARN, "mend `postgres` first")
    assert PASSWORD not in result.detail
    assert not [*sealed_texts(settings(encryption="sealed", postgres=SecretStr("")))]


def test_c7_nothing_sensitive_needs_no_encryption(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text('name = "ours"\nversion = 1\n', encoding="utf-8")
    (result,) = run_checks(settings(profiles_dir=tmp_path, profile="ours", encryption="off"), ["encryption"])
    assert result.status is Status.OK


def test_c7_a_start_says_in_its_log_what_is_kept_in_the_clear(caplog: pytest.LogCaptureFixture) -> None:
    profile = load_profile("health")
    warn_of_clear_text(profile, sealed=True)
    assert caplog.records == []
    warn_of_clear_text(profile, sealed=False)
    [records] = caplog.records
    assert records.levelname == "WARNING"
    assert "profile health" in records.getMessage()
    assert "allergies" in records.getMessage()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("postgres", {"postgres": SecretStr(f"postgresql://u:{PASSWORD}@{CLOSED}/x")}),
        ("redis", {"redis": SecretStr(f"redis://:{PASSWORD}@{CLOSED}/0")}),
    ],
)
def test_a_store_that_is_away_is_said_without_its_password(name: str, changes: dict[str, object]) -> None:
    (result,) = run_checks(settings(**changes), [name])
    assert result.status is Status.FAIL
    assert f"MEMSTREAM_{name.upper()}" in result.remedy
    assert PASSWORD not in result.detail + result.remedy


def test_stores_without_an_address_are_skipped_and_the_rest_goes_on() -> None:
    results = list(run_checks(settings(), ["kafka", "topics", "postgres", "redis", "milvus", "endpoint"]))
    assert [r.status for r in results] == [Status.SKIP] * 6


def test_the_library_error_is_told_by_its_type_only() -> None:
    with pytest.raises(CheckFailedError, match=r"^away \(ValueError\)$"), failing(ValueError, detail="away", remedy=""):
        raise ValueError(PASSWORD)


def test_command_prints_json_and_exits_1_on_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_PROFILES_DIR", str(tmp_path))
    check.register(app)
    done = CliRunner().invoke(app, ["check", "profiles", "--json", "--data", str(tmp_path)])
    assert done.exit_code == 1
    (line,) = json.loads(done.stdout)
    assert line["name"] == "profiles"
    assert line["status"] == "fail"


def test_every_check_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [n for n in CHECKS if f"`{n}`" not in text] == []


@pytest.mark.parametrize(("version", "warned"), [((4, 0), False), ((4, 3), False), ((3, 9), True), ((2, 13), True)])
def test_an_older_server_than_was_tried_is_a_warning_with_what_to_use(version: tuple[int, int], warned: bool) -> None:
    found = list(tried("kafka version", "Kafka", version, KAFKA_TRIED))
    assert [(r.status, r.remedy) for r in found] == ([(Status.WARN, "use Kafka 4.0 or newer")] if warned else [])


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (4_800, None),  # of 6,400: a quarter is to spare
        (4_801, "set max_locks_per_transaction = 128"),
        (9_601, "set max_locks_per_transaction = 256"),
    ],
)
def test_h12_a_dump_that_takes_more_locks_than_there_are_is_said_before_it_is_tried(
    tables: int, expected: str | None
) -> None:
    found = room_for_locks(64, 100, tables)
    assert found.status is (Status.OK if expected is None else Status.WARN)
    assert found.remedy.startswith(expected or "")


def test_a_misspelt_setting_is_named_with_what_it_may_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.upper().startswith("MEMSTREAM_")]:
        monkeypatch.delenv(name)
    assert [r.status for r in run_checks(settings(), ["settings"])] == [Status.OK]
    monkeypatch.setenv("MEMSTREAM_PROT", "9000")
    monkeypatch.setenv("MEMSTREAM_PORT", "9001")
    [result] = run_checks(settings(), ["settings"])
    assert (result.status, result.detail) == (Status.WARN, "MEMSTREAM_PROT is no setting, meant MEMSTREAM_PORT?")


def test_up_refuses_an_unknown_profile_before_it_starts_anything(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["up", "--data", str(tmp_path / "data")], env={"MEMSTREAM_PROFILE": "nope"})
    assert isinstance(done.exception, ProfileError)
    assert "immigration" in str(done.exception)
    assert not (tmp_path / "data").exists()


def test_the_disk_is_looked_at_where_the_data_folder_will_be(tmp_path: Path) -> None:
    results = list(run_checks(settings(data_dir=tmp_path / "not" / "yet"), ["embedded"]))
    assert {r.name for r in results} >= {"embedded postgres", "embedded kafka"}


@pytest.mark.slow
def test_every_given_address_that_is_wrong_is_named_before_anything_starts(tmp_path: Path) -> None:
    """Also: those that are not given are nothing wrong, and no password is told."""
    given = {
        "MEMSTREAM_KAFKA": CLOSED, "MEMSTREAM_POSTGRES": f"postgresql://u:{PASSWORD}@{CLOSED}/x",
        "MEMSTREAM_REDIS": f"redis://:{PASSWORD}@{CLOSED}/0",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "memstream", "up", "--data", str(tmp_path / "data")],
        env={**os.environ, **given}, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert all(name in done.stderr for name in given)
    assert "MILVUS" not in done.stderr
    assert PASSWORD not in done.stderr + done.stdout
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("name", "address", "form"),
    [
        ("kafka", "localhost", "host:port"),
        ("kafka", "http://localhost:9092", "host:port"),
        ("kafka", "localhost:99999", "host:port"),
        ("kafka", "a:9092,", "host:port"),
        ("redis", f"redis://:{PASSWORD}@h:6379/notadb", "redis://host:port/0"),
        ("redis", "redis://", "redis://host:port/0"),
        ("redis", f"redis://u:{PASSWORD}@h:port/0", "redis://host:port/0"),
        ("redis", f"redis://u:{PASSWORD}\u2100@h/0", "redis://host:port/0"),
        ("milvus", "http://", "http://host:port"),
        ("milvus", "h:19530", "http://host:port"),
    ],
)
def test_an_address_that_a_library_would_read_as_another_is_refused(
    name: str, address: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library fills in what is missing: localhost, its own port, database 0."""
    monkeypatch.setenv(f"MEMSTREAM_{name.upper()}", address)
    with pytest.raises(ValidationError) as refused:
        Settings()
    [error] = refused.value.errors()
    assert error["loc"] == (name,)
    assert form in error["msg"]
    assert PASSWORD not in error["msg"]


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("kafka", "kafka-0.kafka:9092, [::1]:9092"),
        ("redis", "redis://h"),
        ("redis", "rediss://u:p@h:6379/3?ssl_cert_reqs=none"),
        ("redis", "unix:///run/valkey.sock"),
        ("milvus", "https://in03-x.cloud.zilliz.com"),
    ],
)
def test_an_address_in_its_form_is_taken(name: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"MEMSTREAM_{name.upper()}", address)
    taken = getattr(Settings(), name)
    assert getattr(taken, "get_secret_value", lambda: taken)() == address


def test_a_given_server_that_answers_is_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its schema is missing, too: that is made by whoever starts on it."""
    answers = [CheckResult("postgres", Status.OK, "Postgres 16"), CheckResult("schema", Status.FAIL, "missing", "x")]
    monkeypatch.setitem(CHECKS, "postgres", lambda s: iter(answers))
    here = settings(postgres=SecretStr("postgresql://u@h/x"))
    check_given(here)
    with pytest.raises(AddressError, match=r"^redis: Redis does not answer \(ConnectionError\): check MEMSTREAM_REDIS"):
        check_given(here.model_copy(update={"redis": SecretStr(f"redis://{CLOSED}/0")}))


def answering(monkeypatch: pytest.MonkeyPatch, text: str, status: int = 200) -> None:
    answer = httpx.Response(status, text=text, request=httpx.Request("GET", "http://x"))
    monkeypatch.setattr(httpx, "get", lambda *_, **__: answer)


@pytest.mark.parametrize("text", ["<html>welcome</html>", '["m"]', '{"data": null}', '{"data": ["m"]}'])
def test_what_answers_in_place_of_a_model_endpoint_is_said(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    answering(monkeypatch, text)
    (result,) = run_checks(settings(model_url="http://x/v1", model_name="m"), ["endpoint"])
    assert result.status is Status.FAIL
    assert "MEMSTREAM_MODEL_URL" in result.remedy


def test_an_endpoint_that_lists_no_models_comes_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "", 404)
    (result,) = run_checks(settings(model_url="http://x/v1", model_name="m"), ["endpoint"])
    assert result.status is Status.WARN
    assert "MEMSTREAM_MODEL_URL" in result.remedy


def test_a_missing_model_is_named_and_the_others_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise WeightsError("a_package is not installed: run `make install`")

    monkeypatch.setattr("memstream.checks.local._recognisers", missing)
    results = {r.name: r for r in run_checks(settings(reranker="/no/such/cross-encoder"), ["models"])}
    assert [n for n, r in results.items() if r.status is Status.FAIL] == ["recognisers", "reranker"]
    assert "a_package is not installed" in results["recognisers"].detail
    assert "MEMSTREAM_RERANKER" in results["reranker"].detail


@pytest.mark.parametrize("on", [False, True])
def test_the_learned_gate_is_looked_at_where_it_is_on(monkeypatch: pytest.MonkeyPatch, on: bool) -> None:
    only_the_gate(monkeypatch)
    results = {r.name: r for r in run_checks(settings(learned_gate=on), ["models"])}
    assert ("learned gate" in results) == on
    if on:
        assert results["learned gate"].status is Status.OK
        assert results["learned gate"].detail == LearnedGate.of().gate_id


@pytest.mark.parametrize("on", [False, True])
def test_the_tagger_of_fields_is_looked_at_where_it_is_on(monkeypatch: pytest.MonkeyPatch, on: bool) -> None:
    only_the_gate(monkeypatch)
    results = {r.name: r for r in run_checks(settings(learned_fields=on), ["models"])}
    assert ("tagger of fields" in results) == on
    if on:
        assert results["tagger of fields"].status is Status.OK
        assert results["tagger of fields"].detail.startswith("field-tagger-")


def test_altered_weights_of_the_learned_gate_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    only_the_gate(monkeypatch)
    for name in (CARD, WEIGHTS):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes() + b" ")
    monkeypatch.setattr(LearnedGate, "of", partial(LearnedGate.of, tmp_path))
    results = {r.name: r for r in run_checks(settings(learned_gate=True), ["models"])}
    assert results["learned gate"].status is Status.FAIL
    assert WEIGHTS in results["learned gate"].detail
    assert results["learned gate"].remedy


def only_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else is loaded by the check is looked at by others."""
    for name in ("_embedder", "_recognisers", "_counters"):
        monkeypatch.setattr(f"memstream.checks.local.{name}", lambda: "loads")


def test_a_collector_that_is_away_is_said() -> None:
    results = [*run_checks(settings(otlp_endpoint=f"http://{CLOSED}"), ["traces"]), *run_checks(settings(), ["traces"])]
    assert [r.status for r in results] == [Status.FAIL, Status.SKIP]
    assert "MEMSTREAM_OTLP_ENDPOINT" in results[0].remedy


def test_a_key_set_that_is_none_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keys").write_text("{}", encoding="utf-8")
    places = (str(tmp_path / "keys"), "http://example.org/keys", f"http://{CLOSED}/keys")
    results = [*run_checks(settings(), ["tokens"])]
    for place in places:
        results += run_checks(settings(jwt_jwks=place), ["tokens"])
    answering(monkeypatch, "<html>welcome</html>")
    results += run_checks(settings(jwt_jwks="https://issuer.example/keys"), ["tokens"])
    assert [r.status for r in results] == [Status.SKIP, *[Status.FAIL] * 4]
    assert all("MEMSTREAM_JWT_JWKS" in r.remedy for r in results[1:])


@pytest.mark.parametrize(
    ("version", "schema", "name", "text"),
    [(140_018, None, "postgres", "15 or newer"), (150_000, "9999", "schema", "version of memstream"),
     (150_000, "0001", "schema", "memstream migrate"), (150_000, None, "schema", "memstream migrate")],
)  # fmt: skip
def test_a_database_that_does_not_fit_is_told_what_would(
    monkeypatch: pytest.MonkeyPatch, version: int, schema: str | None, name: str, text: str
) -> None:
    """Postgres before 15 has no views with the caller's own permissions, which the migrations make."""
    info = SimpleNamespace(server_version=version, parameter_status=lambda _: "UTF8")
    conn = SimpleNamespace(info=info)
    monkeypatch.setattr("memstream.checks.stores._connected", lambda _: nullcontext(conn))
    monkeypatch.setattr("schemas.migrations.version", lambda _: schema)
    result = list(run_checks(settings(postgres=SecretStr("postgresql://x")), ["postgres"]))[-1]
    assert (result.name, result.status) == (name, Status.FAIL)
    assert text in result.remedy


class _Postgres:
    def __init__(self, *settings: tuple[str, str]) -> None:
        self._settings = settings

    def execute(self, statement: str) -> list[tuple[str, str]]:
        return list(self._settings)


@pytest.mark.parametrize(("off", "status"), [
    ((), "ok"), (("fsync",), "fail"), (("full_page_writes",), "fail"), (("synchronous_commit",), "fail"),
])  # fmt: skip
def test_m1_a_postgres_that_does_not_sync_is_a_fault(
    off: tuple[str, ...], status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("fsync", "synchronous_commit", "full_page_writes")
    for name in names:
        assert name in stores._DURABILITY
    server = _Postgres(*((name, "off" if name in off else "on") for name in names))
    monkeypatch.setattr(stores, "_connected", lambda dsn: nullcontext(server))
    monkeypatch.setattr(migrations, "version", lambda conn: "")
    found = list(stores.durability(settings(postgres=SecretStr("postgresql://h/x"))))
    assert [f.status for f in found] == [status]
    assert all(name in found[0].detail for name in off)
