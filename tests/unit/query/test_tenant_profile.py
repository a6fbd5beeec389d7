"""A tenant's own profile, put in force while the system runs."""

from __future__ import annotations

import threading
import tomllib

import httpx
import pytest

from memstream.profiles import FollowedBook, ProfileFollower
from schemas.events.documents import ProfileVersion
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import PROFILES_DIR, Profile, load_profile
from tests.patience import joined, until
from tests.unit.query.memory_log import MemoryLog

PATH = "/v1/tenant/profile"


async def test_a_profile_is_checked_as_on_load_and_goes_on_its_topic(client: httpx.AsyncClient, log: MemoryLog) -> None:
    text = (PROFILES_DIR / "health.toml").read_text(encoding="utf-8")
    answer = await client.put(PATH, json={"toml": text})
    assert (answer.status_code, answer.json()["profile"]) == (202, "health")
    [record] = [r for r in log.records if r.topic == topics.PROFILES.name]
    follower = ProfileFollower(Profile(name="test", version=1))
    follower.take(record.value)
    assert follower.tenants["default"] == load_profile("health"), "what was sent is what is in force"
    assert "health_profiles" in {t.name for t in follower.of("default").tables}


async def test_a_profile_in_force_stays_so_though_the_name_of_a_table_is_ours_now(client: httpx.AsyncClient) -> None:
    """As after an upgrade. Left out whole, the default's policy and fields would hold for the tenant."""
    table = {"name": "memories_tables", "namespace": "memories", "key": "plan_{id}", "unique": False,
             "columns": [{"name": "goal", "type": "string"}], "indexes": {"memories_led": ["goal"]}}  # fmt: skip
    raw = {"name": "own", "version": 1, "tables": [table], "pii": {"EMAIL_ADDRESS": "refuse"}}
    event = ProfileVersion(tenant="acme", profile=raw)
    follower = ProfileFollower(Profile(name="test", version=1))
    follower.take(Codec().value(event))
    assert follower.of("acme").name == "own"
    assert follower.of("acme").pii == {"EMAIL_ADDRESS": "refuse"}
    answer = await client.put(PATH, json={"profile": raw})
    assert (answer.status_code, "is taken by a view of the engine" in answer.text) == (422, True)


async def test_a_file_sent_as_json_is_what_the_file_is(client: httpx.AsyncClient, log: MemoryLog) -> None:
    """`wordings_from` is a key of the file, not of a profile: it is followed here, too."""
    raw = tomllib.loads((PROFILES_DIR / "engineering.toml").read_text(encoding="utf-8"))
    answer = await client.put(PATH, json={"profile": raw})
    assert answer.status_code == 202, answer.text
    [record] = [r for r in log.records if r.topic == topics.PROFILES.name]
    follower = ProfileFollower(Profile(name="test", version=1))
    follower.take(record.value)
    assert follower.tenants["default"] == load_profile("engineering")


@pytest.mark.parametrize(("body", "field"), [
    ({"profile": {"name": "x", "version": 1, "wordings_from": ["heath"]}}, "profile.wordings_from"),
    ({"toml": 'name = "x"\nversion = "one"'}, "toml"),
    ({"profile": {"name": "x", "version": 1, "zone": 1}}, "profile.zone"),
    ({"toml": 'name = "test"\nversion = 1\ndescription = "changed"'}, "profile.version"), ({}, "body"),
])  # fmt: skip
async def test_a_bad_profile_is_refused_with_its_key(client: httpx.AsyncClient, body: object, field: str) -> None:
    answer = await client.put(PATH, json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith(field), answer.text


def test_a_step_sees_a_change_between_two_batches_and_knows_the_version_that_made_a_record() -> None:
    follower = ProfileFollower(Profile(name="test", version=1))
    book = FollowedBook(follower)
    for version in (1, 2):
        result = ProfileVersion(tenant="acme", profile={"name": "own", "version": version})
        follower.take(Codec().value(result))
    follower.take(b"not json")
    assert book.of("acme").name == "test", "not within a batch"
    book.refresh()
    assert (book.of("acme").name, book.of("acme").version, book.of("other").name) == ("own", 2, "test")
    assert book.named("acme", "own", 1).version == 1
    assert book.named("acme", "own", 7).version == 2


@pytest.mark.parametrize(("value", "why"), [
    (b"not json", "value: "), (None, "value: must not be null here"),
    (Codec().value(ProfileVersion(tenant="acme", profile={"name": "own", "version": "one"})), "version: "),
])  # fmt: skip
def test_a_record_that_is_no_profile_is_said_with_its_place_and_what_was_expected(
    value: bytes | None, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    follower = ProfileFollower(Profile(name="test", version=1))
    follower.take(value, 3, 17)
    assert follower.tenants == {}
    [statement] = caplog.records
    result = statement.__dict__
    assert (result["topic"], result["partition"], result["offset"]) == (topics.PROFILES.name, 3, 17)
    assert result["reason"].startswith(why)
    assert "acme" not in result["reason"]


@pytest.mark.slow
def test_what_the_client_library_says_goes_to_the_log(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Beside it, an outage of the broker would fill a log of JSON lines with lines of another form."""
    follower = ProfileFollower(Profile(name="test", version=1))
    reading = threading.Thread(target=follower._follow, args=("127.0.0.1:1",))
    reading.start()
    until("the library's line in the log", lambda: caplog.text, lambda text: "127.0.0.1:1" in text)
    follower.stop()
    joined(reading, "the follower to stop")
    assert "127.0.0.1:1" not in capfd.readouterr().err
