"""docs/encryption.md, docs/erasure.md and docs/security.md: what they show to type, as it stands there."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest

from tests.integration.scenario import World
from tests.pages import Shell, blocks, printed, steps

pytestmark = [pytest.mark.integration, pytest.mark.rebuild]
SIGNER = re.compile(r"signed by ([0-9a-f]+)")


def say(here: World, who: str, *texts: str) -> None:
    for n, text in enumerate(texts, 1):
        fields = {"user_id": who, "session_id": f"s{n}", "role": "user", "content": text,
                "occurred_at": datetime.now(UTC).isoformat()}  # fmt: skip
        here.post("/v1/turns", {"turns": [fields]})
    assert here.get(f"/v1/users/{who}/memories")["memories"]


def test_c7_the_keyring_is_looked_at_turned_and_kept(here: World, sh: Shell) -> None:
    say(here, "eve", "I live in Leeds.")
    [typed] = blocks("docs/encryption.md", "console")
    for command, text in steps(typed):
        shown = sh.run(command)
        assert printed(text, shown), shown
    assert (sh.folder / "keyring.jsonl").stat().st_mode & 0o077 == 0
    say(here, "fay", "I live in York.")
    wrapping = here.sql("SELECT DISTINCT master_id FROM trust.data_keys WHERE wrapped IS NOT NULL")
    kept = json.loads((here.stack.stack.data_dir / "master.keys").read_text(encoding="utf-8"))
    assert wrapping == [(kept["current"],)], "a process that runs wraps new keys with the master key of now"
    assert list(kept["keys"]) == [kept["current"]]
    assert "Leeds" in str(here.get("/v1/users/eve/memories")), "under the new master key"


def test_c10_the_access_log_is_checked_and_read(here: World, sh: Shell) -> None:
    say(here, "ann", "I live in Leeds.", "我喜欢喝茶。")
    [_, audit] = blocks("docs/security.md", "sh")
    shown = sh.run(audit)
    assert "default/user/ann" in shown
    assert json.loads((sh.folder / "heads.json").read_text(encoding="utf-8"))["faults"] == []


def test_n6_a_user_a_session_and_a_tenant_are_erased(here: World, sh: Shell) -> None:
    """The tenant at the end: nothing is left after it."""
    say(here, "ann", "I live in Leeds.", "我喜欢喝茶。")
    say(here, "fay", "I live in York.")
    user, session, tenant, status, listed, verified, exported = steps(blocks("docs/erasure.md", "console")[0])
    shown = sh.run(user[0])
    assert printed(user[1], shown), shown
    signer = SIGNER.findall(shown)[0]
    say(here, "ann", "I live in York.", "我喜欢喝茶。")
    assert "1 sessions" in sh.run(session[0])
    say(here, "ann", "I live in Hull.")
    sh.run(verified[0], {SIGNER.findall("signed by 461de034354e2f1c")[0]: signer})
    [report] = [json.loads(p.read_text(encoding="utf-8")) for p in sh.folder.glob("report.json")]
    assert signer in sh.run(status[0], {"28b636a8-...": report["report"]["erasure_id"]})
    assert "0 under way" in sh.run(listed[0])
    sh.run(exported[0])
    assert report["report"]["erasure_id"] in (sh.folder / "erasures.jsonl").read_text(encoding="utf-8")
    sh.run(tenant[0], code=2)  # nobody is there to be asked
    assert "Erase everything of this tenant at http" in sh.run(f"{{ {tenant[0]}\n}} 2>&1", typed="n\n", code=1)
    assert here.get("/v1/users/fay/memories")["memories"]
    assert signer in sh.run(tenant[0], typed="y\n")
    assert here.get("/v1/users/fay/memories")["memories"] == []


def test_keys_close_the_door(here: World, sh: Shell) -> None:
    """The last test: from here on there is a key."""
    made = json.loads(sh.run("memstream keys create --scope operator --json"))
    [keys, _] = blocks("docs/security.md", "sh")
    shown = sh.run(keys, {"KEY_ID": made["key_id"]})
    assert shown.count("This key is not shown again.") == 3
    assert f"revoked {made['key_id']}" in shown
    assert "trial-7" in shown
    here.until("/livez", lambda _: here.http.get("/v1/users/fay/memories").status_code == 401)
