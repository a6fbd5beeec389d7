"""Which service is called: what names it, in which order, and that nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from pydantic import SecretStr, ValidationError

from memstream.cli.target import address
from memstream.connect import service_url, with_addresses
from memstream.connections import service_address
from memstream.settings import Settings
from memstream.stack import StackError
from tests.unit.cli.instances import ADDRESSES, runs_on

FOLDER, HERE, URL = "http://127.0.0.1:8001", "http://127.0.0.1:8002", "http://127.0.0.1:8003"


def test_the_first_that_names_a_service_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StackError, match=r"no service is named, and none runs on \.memstream"):
        address(None, None)
    monkeypatch.setenv("MEMSTREAM_PORT", "8009")
    assert address(None, None) == "http://127.0.0.1:8009"
    runs_on(tmp_path / ".memstream", HERE)
    assert address(None, None) == HERE
    monkeypatch.setenv("MEMSTREAM_URL", URL + "/")
    assert address(None, None) == URL
    assert address(runs_on(tmp_path / "folder", FOLDER), None) == FOLDER
    assert address(None, "https://memory.example/") == "https://memory.example"


@pytest.mark.parametrize("also", ["MEMSTREAM_URL", "MEMSTREAM_PORT", "MEMSTREAM_HOST"])
@pytest.mark.parametrize("starting", [False, True])
def test_a_folder_on_which_no_service_runs_is_an_error_whatever_is_set(
    also: str, starting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`starting`: its servers run, its service not yet."""
    runs_on(tmp_path / ".memstream", HERE)
    monkeypatch.setenv(also, {"MEMSTREAM_URL": URL, "MEMSTREAM_PORT": "8009", "MEMSTREAM_HOST": "127.0.0.1"}[also])
    wrong = runs_on(tmp_path / "wrong") if starting else tmp_path / "wrong"
    with pytest.raises(StackError, match=rf"no service runs on {wrong}: .*memstream up --data {wrong}.*--url"):
        address(wrong, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("MEMSTREAM_KAFKA", "broker:9092"), ("MEMSTREAM_POSTGRES", "postgresql://db/x"), ("MEMSTREAM_PORT", "0")],
)
def test_settings_that_say_of_no_service_where_it_listens_name_none(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(StackError, match="no service is named"):
        service_url(Settings())


@pytest.mark.parametrize(
    ("host", "called"),
    [("::1", "[::1]"), ("::", "[::1]"), ("0.0.0.0", "127.0.0.1"), ("memory.example", "memory.example")],  # noqa: S104
)
def test_a_service_that_listens_everywhere_or_by_ipv6_is_called_where_it_can_be(host: str, called: str) -> None:
    assert service_url(Settings(host=host, port=8901)) == f"http://{called}:8901"


def test_two_names_could_mean_two_instances(tmp_path: Path) -> None:
    folder = runs_on(tmp_path / "folder", FOLDER)
    with pytest.raises(typer.BadParameter, match="not both"):
        address(folder, FOLDER)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("http://h:1", "http://h:1"), ("https://h/", "https://h"), ("http://[::1]:8900", "http://[::1]:8900"),
        ("https://h/memory/", "https://h/memory"), ("HTTPS://h", "HTTPS://h"),
    ],
)  # fmt: skip
def test_addresses_of_a_service(given: str, taken: str) -> None:
    assert service_address(given) == taken


@pytest.mark.parametrize(
    "wrong",
    [
        "", " ", "h:8900", "localhost", "ftp://h", "http://", "http://:8900", "http://::1:8900", "http://[::1", "http://h:0",
        "http://h:99999", "http://h:x", "http://h/?a=hunter2", "http://h/#a", "http://h\n:1", "http://h :1", "file:///h",
        "http://ann:hunter2@h", "https://hunter2@h:1",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_not_quoted(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(typer.BadParameter, match="must ") as refused:
        address(None, wrong)
    assert "hunter2" not in str(refused.value)
    if wrong:  # an empty variable is one that is not set
        monkeypatch.setenv("MEMSTREAM_URL", wrong)
        with pytest.raises(ValidationError, match="must "):
            Settings()


def test_addresses_of_the_folder_that_is_named_come_before_the_settings(tmp_path: Path) -> None:
    given = Settings(kafka="theirs:9092", postgres=SecretStr("postgresql://theirs/x"), data_dir=tmp_path / "folder")
    assert with_addresses(given) is given
    with pytest.raises(StackError, match=rf"nothing runs on {tmp_path / 'folder'}"):
        with_addresses(given, by_folder=True)
    runs_on(tmp_path / "folder")
    found = with_addresses(given, by_folder=True)
    assert {
        "kafka": found.kafka, "postgres": found.postgres.get_secret_value(), "redis": found.redis.get_secret_value(),
        "milvus": found.milvus,
    } == ADDRESSES  # fmt: skip


@pytest.mark.parametrize("by_folder", [False, True])
@pytest.mark.parametrize("given", [{}, {"kafka": "theirs:9092"}], ids=["nothing", "brokers"])
@pytest.mark.parametrize("fields", [{}, {"kafka": "127.0.0.1:1"}], ids=["none yet", "some"])
def test_a_stack_whose_servers_do_not_serve_yet_is_still_starting(
    fields: dict[str, str], given: dict[str, str], by_folder: bool, tmp_path: Path
) -> None:
    folder = runs_on(tmp_path / "folder", addresses=fields)
    with pytest.raises(StackError, match=rf"the stack on {folder} is still starting: try again when `memstream up`"):
        with_addresses(Settings(data_dir=folder).model_copy(update=given), by_folder=by_folder)


def test_a_stack_that_is_still_starting_lends_no_address_of_the_settings(tmp_path: Path) -> None:
    """They may be another instance's."""
    folder = runs_on(tmp_path / "folder", addresses={})
    given = Settings(
        kafka="theirs:9092", postgres=SecretStr("postgresql://theirs/x"), redis=SecretStr("redis://theirs/0"),
        milvus="http://theirs", data_dir=folder,
    )  # fmt: skip
    with pytest.raises(StackError, match="is still starting"):
        with_addresses(given, by_folder=True)
