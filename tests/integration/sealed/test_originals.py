"""D5, `encrypt`: what was taken out of a turn is read again over HTTP, until policy or an erasure takes it away."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime

import pytest

from memstream.erasure.probe import OPENED, Probe
from schemas.log import topics
from schemas.profile.model import load_profile
from tests.integration.scenario import World
from tests.integration.sealed.test_erasure import settings
from tests.patience import PATIENCE

pytestmark = [pytest.mark.integration, pytest.mark.rebuild]
PHONE, MAIL = "202-555-0143", "zoe.kurrajong@example.org"
STATEMENTS = (
    ("en", f"We decided to call {PHONE} on Friday, or to write to {MAIL}."),
    ("zh", "我们决定周五打13987654321。"),
)


def run_on(here: World, version: int, **actions: str) -> None:
    general = load_profile("general").model_dump(mode="json", exclude_defaults=True)
    pii = {**general.get("pii", {}), **actions}
    here.run_on_this({**general, "name": f"originals-{version}", "version": version, "pii": pii})


def command(here: World, *words: str) -> str:
    results = [sys.executable, "-m", "memstream", *words, "--data", str(here.stack.stack.data_dir)]
    done = subprocess.run(results, capture_output=True, text=True, timeout=3 * PATIENCE, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def values(here: World, turn_id: str) -> list[str]:
    found = here.get(f"/v1/turns/{turn_id}/originals", user_id="zoe")["originals"]
    text = here.get(f"/v1/turns/{turn_id}", user_id="zoe")["content"]
    assert all(o["placeholder"] in text and o["value"] not in text for o in found)
    return sorted(o["value"] for o in found)


def test_d5_originals_are_read_again_until_policy_or_an_erasure_takes_them(here: World) -> None:
    run_on(here, 1, PHONE_NUMBER="encrypt", EMAIL_ADDRESS="encrypt")
    for name, text in STATEMENTS:
        fields = {"user_id": "zoe", "session_id": "zoe-s", "turn_id": f"zoe-{name}", "role": "user", "content": text,
                "occurred_at": datetime.now(UTC).isoformat()}  # fmt: skip
        here.post("/v1/turns", {"turns": [fields]})
    assert values(here, "zoe-en") == [PHONE, MAIL]
    assert values(here, "zoe-zh") == ["13987654321"]
    quoting = here.until("/v1/users/zoe/memories", lambda b: "<PHONE_NUMBER:" in str(b))["memories"]
    sources = {t for m in quoting if "<PHONE_NUMBER:" in m["text"] for t in m["source_turn_ids"]}
    assert sources, "from the memory to the turn that has the original"
    assert all(values(here, turn_id) for turn_id in sources)

    with closing(Probe(settings(here), (PHONE, "13987654321", MAIL))) as probe:
        places = {p.removesuffix(OPENED) for p in probe.everything()}
    assert all(topics.TURNS.name in p for p in places), "opened as well, nothing behind the screen holds them"
    looked = "SELECT count(*) FROM audit.accesses WHERE operation = 'GET /v1/turns/{turn_id}/originals' AND owner = %s"
    here.until("/v1/pipeline", lambda _: here.sql(looked, "default/user/zoe")[0][0] >= 2)

    run_on(here, 2, PHONE_NUMBER="encrypt", EMAIL_ADDRESS="mask")
    assert "EMAIL_ADDRESS:mask" in command(here, "reprocess", "screen")
    assert values(here, "zoe-en") == [PHONE]
    assert command(here, "originals", "zoe-zh", "--user", "zoe").split()[-1] == "13987654321"

    erasure = here.call("DELETE", "/v1/users/zoe")["erasure_id"]
    report = here.until(f"/v1/erasures/{erasure}", lambda e: e["state"] == "done", calm=120)["report"]
    assert report["keys_destroyed"] == 1
    for name, _ in STATEMENTS:
        removed = here.http.get(f"/v1/turns/zoe-{name}/originals", params={"user_id": "zoe"})
        assert removed.status_code == 404
    with closing(Probe(settings(here), (PHONE, "13987654321", MAIL))) as probe:
        assert probe.everything() == {}
