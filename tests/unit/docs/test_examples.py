"""Every example of the pages is run by a test, or says that it is not; here are those that need no running system."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memstream.settings import Settings, unknown_names
from processors.memory.habits.mentions import habit_mentions
from query.prompt.intents import route
from schemas.profile.model import PROFILES_DIR, Profile, ReadingSpec, load_profile
from tests.pages import ROOT, Shell, blocks, every_block, printed, steps
from tests.tools import needs

NOT_RUN = {
    ("README.md", "it is what runs them"),
    ("docs/docker.md", "it needs a container engine"),
}
"""All that is shown and not run."""
CLAIM = re.compile(r"\bblocks\(\s*\"([^\"]+\.md)\",\s*\"(\w+)\"")


def test_every_example_is_run_by_a_test_or_says_why_not() -> None:
    shown = {(b.page, b.language) for b in every_block() if b.language != "text" and not b.not_run}
    assert ("README.md", "") not in shown
    sources = [p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("test_*.py")]
    request = {claim for source in sources for claim in CLAIM.findall(source)}
    assert request == shown


def test_what_is_not_run_is_this_and_no_more() -> None:
    assert {(b.page, b.not_run) for b in every_block() if b.not_run} == NOT_RUN


def test_a_block_that_prints_is_compared_by_shape() -> None:
    [(command, statement), _] = steps(
        "$ memstream x 'a\n    b'\n12 keys\n...\nsigned by 461de034354e2f1c\n$ memstream y"
    )
    assert command == "memstream x 'a\n    b'"
    assert printed(statement, "first\n7   keys\nmore\nsigned by 00aa11bb22cc")
    assert not printed(statement, "signed by 00aa11bb22cc\n7 keys")
    assert not printed(statement, "7 locks\nsigned by 00aa11bb22cc")


def profile(folder: Path, base: str, toml: str) -> Profile:
    """A shipped one with what a page shows in place of its own sections of those names, through the loader."""
    text = (PROFILES_DIR / f"{base}.toml").read_text(encoding="utf-8")
    for header in re.findall(r"^\[[^]]+\]+", toml, re.M):
        text = re.sub(rf"^{re.escape(header)}.*\n(?:(?!\[).*\n)*", "", text, flags=re.M)
    (folder / f"{base}.toml").write_text(f"{text}\n{toml}", encoding="utf-8")
    return load_profile(base, folder)


def test_the_profiles_of_the_pages_set_what_they_say(tmp_path: Path) -> None:
    [seal] = blocks("docs/encryption.md", "toml")
    words = re.findall(r'"(\w+)"', seal)
    assert words == ["all", "sensitive", "none"]
    assert [profile(tmp_path, "general", seal.replace('"all"', f'"{w}"')).storage.seal for w in words] == words
    keep, bound = blocks("docs/memories.md", "toml")
    for text, memories, items in ((bound, 20_000, 10_000), (bound.replace("0000", "0001"), 20_001, 10_001)):
        bounds = profile(tmp_path, "general", text).bounds
        assert (bounds.memories, bounds.items) == (memories, items)
    kept = profile(tmp_path, "health", keep).retention
    assert (kept.turns_days, kept.classes) == (30, {"diagnosis_history": 1826, "feedback": 730})
    assert kept.on_expiry == {"diagnosis_history": "archive"}
    [readings] = blocks("docs/extraction.md", "toml")
    for text, least in ((readings, 0.1), (readings.replace("0.1", "0.7"), 0.7)):
        assert profile(tmp_path, "general", text).reading == ReadingSpec(kept=least, taken_back=1.0)
    [statement] = blocks("docs/reports-and-habits.md", "toml")
    habits = profile(tmp_path, "health", statement).habits
    received = [
        habit_mentions(t, (), habits) for t in ("Can you book me in with my cardiologist?", "帮我挂心内科", "取消预约")
    ]
    assert [(h.action, h.values.get("department")) for h in received] == [
        ("FOLLOW_UP", "cardiology"), ("FOLLOW_UP", "心内科"), (None, None)
    ]  # fmt: skip
    [tight] = blocks("docs/operations-rebuild.md", "toml")
    assert profile(tmp_path, "general", tight).pii["PERSON"] == "mask"
    assert load_profile("general").pii.get("PERSON") != "mask", "it tightens something"


def environment(page_block: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in page_block.split())


def test_the_settings_of_the_pages_set_what_they_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tokens, tls = [environment(b) for b in blocks("docs/security.md", "env")]
    for name, value in tls.items():
        if value.startswith("/"):  # files that must be there
            file = tmp_path / value.strip("/").replace("/", "-")
            file.write_text("pass-phrase\n", encoding="utf-8")
            tls[name] = str(file)
    for name, value in {**tokens, **tls}.items():
        monkeypatch.setenv(name, value)
    assert unknown_names({**tokens, **tls}) == []
    given = Settings()
    assert (given.jwt_issuer, given.jwt_audience) == ("https://id.example.org", "memstream")
    assert (given.jwt_jwks, given.jwt_users_claim) == ("https://id.example.org/jwks.json", "sub")
    assert given.jwt_projects_claim == "projects"
    brokers = given.brokers
    assert (str(brokers.servers), brokers.tls, brokers.mechanism) == (tls["MEMSTREAM_KAFKA"], True, "SCRAM-SHA-512")
    assert (brokers.user, brokers.password) == ("memstream", "pass-phrase")
    dsn = given.postgres.get_secret_value()
    assert "verify-full" in dsn
    assert "pass-phrase" in dsn
    assert "pass-phrase" in given.redis.get_secret_value()
    assert given.milvus_access.token == "pass-phrase"
    assert str(given.http_cert) == tls["MEMSTREAM_HTTP_CERT"]


def test_a_question_is_limited_as_the_page_shows(tmp_path: Path) -> None:
    [shown] = map(json.loads, blocks("docs/retrieval.md", "json"))
    page = (ROOT / "docs" / "retrieval.md").read_text(encoding="utf-8")
    question = re.search(r'Of "(.+?)", where', page)
    assert question is not None
    here = profile(tmp_path, "general", '[[projects]]\nid = "cangqiong"\naliases = ["苍穹"]\n')
    routed = route(here, question[1], now=datetime(2026, 11, 22, tzinfo=UTC))
    assert {"intents": [i.name for i in routed.intents], "because": list(routed.because)} == shown


@needs("promtool")
def test_the_rules_are_checked_as_the_page_says() -> None:
    _, alerts = blocks("docs/metrics.md", "sh")[:2]
    assert "SUCCESS" in Shell(ROOT, {"PATH": "/usr/bin:/bin"}, "").run(alerts)


def test_extras_that_the_pages_name_are_there() -> None:
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    texts = [p.read_text(encoding="utf-8") for p in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    named = {name for text in texts for name in re.findall(r"memstream\[(\w+)\]", text)}
    assert named
    assert named <= set(offered)
