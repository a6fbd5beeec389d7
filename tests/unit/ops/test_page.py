"""The operators' page without a browser: what it shows in each state, and that it gives nothing away."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from query.auth.boundary import OpenDoor
from query.errors import ProblemError
from query.ops import panels, words
from query.ops.flow import NODES, Picture
from query.ops.history import History, Minutes
from query.ops.page import STATIC
from query.pipeline.groups import GROUPS
from schemas.profile.model import load_profile
from schemas.security.scope import Permission, TenantScope
from tests.unit.ops.states import NOW, picture, service

pytestmark = pytest.mark.slow
STATES = ("empty", "busy", "down", "letters")


def client(state: str, scope: TenantScope | None = None) -> httpx.AsyncClient:
    app = service(state)
    app.state.authenticator = _Authenticator(scope) if scope else OpenDoor("default")
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


class _Authenticator:
    def __init__(self, scope: TenantScope) -> None:
        self._scope = scope

    async def scope(self, authorization: str | None) -> TenantScope:
        if authorization != "Bearer k":
            raise ProblemError("unauthorised", "send a key")
        return self._scope


@pytest.mark.parametrize("state", STATES)
async def test_every_state_is_a_whole_page_of_our_own_files(state: str) -> None:
    async with client(state) as http:
        page = await http.get("/ops")
        assert page.status_code == 200
        text = page.text
        for needed in ('lang="en"', 'name="viewport"', "<main", "<header", "<nav aria-label", "Skip to the content"):
            assert needed in text
        assert not re.search(r"""(src|href)=["'](https?:)?//""", text)
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text)
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        for name in re.findall(r'"(ops/static/[^"]+)"', text):
            assert (await http.get("/" + name)).status_code == 200
        ids = re.findall(r'\sid="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        for labelled in re.findall(r'aria-labelledby="([^"]+)"', text):
            assert labelled in ids


@pytest.mark.parametrize("state", STATES)
async def test_headings_skip_no_level_and_no_two_regions_share_a_name(state: str) -> None:
    """What a screen reader's list of headings and of landmarks shows."""
    async with client(state) as http:
        text = (await http.get("/ops")).text
    levels = [int(n) for n in re.findall(r"<h([1-6])[ >]", text)]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels)), levels
    heading = {i: re.sub(r"<.*", "", h).strip() for i, h in re.findall(r'<h2 id="([^"]+)"[^>]*>(.*?)</h2>', text)}
    named = re.findall(r'<(?:section|div [^>]*role="region")[^>]*?aria-label(ledby)?="([^"]+)"', text)
    names = [heading[name] if by else name for by, name in named]
    assert len(names) > 9
    assert len(names) == len(set(names)), names


async def test_empty_says_so_and_what_to_do() -> None:
    async with client("empty") as http:
        text = (await http.get("/ops")).text
    assert "All well" in text
    assert "Nothing was decided within the hour" in text
    assert "None. Everything that came was taken." in text
    assert "No session was written to." in text


@pytest.mark.parametrize(("name", "sealed", "is_stated"), [
    ("health", False, True), ("health", True, False), ("test", False, False),
])  # fmt: skip
async def test_c7_sensitive_fields_that_nothing_encrypts_are_said(name: str, sealed: bool, is_stated: bool) -> None:
    app = service("busy")
    app.state.authenticator = OpenDoor("default")
    deps = app.state.deps
    deps.profile = load_profile(name) if name == "health" else deps.profile
    deps.codec = SimpleNamespace(seals=sealed)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        text = (await http.get("/ops")).text
    assert ("profile health marks fields sensitive" in text) == is_stated
    assert ("encryption is off" in text) == is_stated


async def test_busy_shows_rates_freshness_and_cost() -> None:
    async with client("busy") as http:
        text = (await http.get("/ops")).text
        series = (await http.get("/ops/series")).json()
    assert "41.6<small>records/s" in text
    assert "p99 of milvus" in text
    assert "2.31" in text
    assert "chat-2026-11-21-0000" in text
    assert set(series["fresh"]) == {"milvus", "postgres", "redis"}
    assert {len(v) for v in series["rate"].values()} == {len(series["t"])}
    assert sum(series["gates"]["outcomes"]["kept"]) > 0


async def test_the_tile_of_freshness_says_when_it_is_of_old() -> None:
    async with client("busy") as http:
        assert "p99 of milvus; p50" in (await http.get("/ops")).text
    p = picture("busy")
    idle = {name: (at, beat.model_copy(update={"recent": {}})) for name, (at, beat) in p.heartbeats.items()}
    tiles = panels.page(replace(p, heartbeats=idle), panels.Bounds(30, 30), {})["tiles"]
    assert (tiles["slowest"], tiles["slowest_recent"]) == ("milvus", False)
    app = service("busy")
    app.state.authenticator = OpenDoor("default")
    app.state.monitor.current = replace(p, heartbeats=idle)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as http:
        assert "p99 of milvus since start; p50" in (await http.get("/ops")).text


async def test_a_store_that_is_down_is_named_first() -> None:
    async with client("down") as http:
        text = (await http.get("/ops")).text
    assert "Needs attention" in text
    assert "milvus: unreachable" in text
    assert text.index("milvus: unreachable") < text.index('id="flow"')
    assert re.search(r'class="node store bad[^>]*>\s*<p class="name">.*?Milvus<span class="state">unreachable', text)


async def test_dead_letters_have_reason_and_no_content() -> None:
    async with client("letters") as http:
        text = (await http.get("/ops")).text
        shown = (await http.get("/v1/dead-letters/0:0")).json()
    assert text.count("data-letter=") == 10
    assert "The newest 10 of 12" in text
    assert "occurred_at: expected a time" in text
    assert shown["preview"]["value"]["sealed"] == {"content": "text, 14 characters"}
    assert "text of a user" not in text


async def test_a_users_timeline_is_asked_for_in_the_body_and_escaped() -> None:
    async with client("busy") as http:
        result = await http.post("/ops/timeline", json={"user_id": "ana"})
        nobody = await http.post("/ops/timeline", json={"user_id": "nobody"})
        by_address = await http.get("/ops/timeline?user_id=ana")
    assert "by the dedupe gate: newer_value" in result.text
    assert "喜欢喝茶" in result.text
    assert "<b>Anna" not in result.text
    assert "&lt;b&gt;Anna" in result.text
    assert "no such user" in nobody.text
    assert by_address.status_code in (404, 405)


async def test_without_a_key_there_is_a_form_and_no_data() -> None:
    scope = TenantScope("default", "k", frozenset({Permission.OPERATOR}))
    async with client("letters", scope) as http:
        bare = (await http.get("/ops")).text
        assert "data-panel" not in bare
        assert "data-letter" not in bare
        assert re.search(r'<form id="sign-in" class="card sign-in" >', bare)
        for path in ("/ops/panels", "/ops/series"):
            assert (await http.get(path)).status_code == 401
        assert (await http.post("/ops/timeline", json={"user_id": "ana"})).status_code == 401
        full = await http.get("/ops/panels", headers={"Authorization": "Bearer k"})
        assert "data-letter" in full.text


@pytest.mark.parametrize("permission", [Permission.READ, Permission.WRITE])
async def test_a_key_of_a_chat_service_sees_no_operations(permission: Permission) -> None:
    async with client("letters", TenantScope("default", "k", frozenset({permission}))) as http:
        for answer in (
            await http.get("/ops/panels", headers={"Authorization": "Bearer k"}),
            await http.get("/ops/series", headers={"Authorization": "Bearer k"}),
            await http.post("/ops/timeline", json={"user_id": "ana"}, headers={"Authorization": "Bearer k"}),
        ):
            assert answer.status_code == 403


async def test_letters_of_other_tenants_are_not_shown() -> None:
    async with client("letters", TenantScope("other", "k", frozenset({Permission.OPERATOR}))) as http:
        text = (await http.get("/ops/panels", headers={"Authorization": "Bearer k"})).text
        listed = (await http.get("/v1/dead-letters", headers={"Authorization": "Bearer k"})).json()
    assert "data-letter" not in text
    assert listed["dead_letters"] == []


def test_files_are_those_of_the_package_and_the_library_has_its_licence() -> None:
    folder = Path(__file__).resolve().parents[3] / "query" / "ops" / "static"
    assert {p.name for p in folder.iterdir()} == set(STATIC)
    assert "MIT" in (folder / "uplot.LICENSE").read_text(encoding="utf-8")


def test_every_watched_group_has_its_place_in_the_flow() -> None:
    drawn_groups = {n.name for n in NODES if n.kind in ("step", "store")}
    assert {g.name for g in GROUPS if g.kind != "worker"} | {"jobs"} == drawn_groups
    assert len({(n.column, n.row) for n in NODES}) == len(NODES)
    drawn = Picture().edges({"gate": 12.0}, frozenset({"sink-milvus"}))
    assert any(e["bad"] for e in drawn)
    assert {e["weight"] for e in drawn} == {0, 2}


def test_history_samples_and_forgets() -> None:
    history = History(every=10, samples=3)
    start = picture("busy")
    for n in range(60):
        history.add(_later(start, n))
    series = history.series()
    assert len(series["t"]) == 3
    assert [b - a for a, b in zip(series["t"], series["t"][1:], strict=False)] == [10.0, 10.0]


def _later(p: Any, seconds: int) -> Any:
    from dataclasses import replace
    from datetime import timedelta

    return replace(p, at=p.at + timedelta(seconds=seconds))


def test_minutes_are_counted_again_and_leave_after_an_hour() -> None:
    from datetime import timedelta

    minutes = Minutes()
    old, new = NOW - timedelta(minutes=59), NOW - timedelta(minutes=1)
    minutes.put(old, {old: {("pii", "masked"): 2}, new: {("pii", "masked"): 1}}, NOW)
    minutes.put(new, {new: {("pii", "masked"): 5}}, NOW)
    assert minutes.outcomes() == {"pii": {"masked": 7}}
    assert sum(minutes.series(NOW)["outcomes"]["masked"]) == 7
    minutes.put(NOW, {}, NOW + timedelta(minutes=5))
    assert minutes.outcomes() == {"pii": {"masked": 5}}


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (words.count(1_234_567), "1.23 M"), (words.count(0), "0"), (words.count(None), "–"), (words.count(12), "12"),
        (words.duration(0.0123), "12 ms"), (words.duration(4.25), "4.2 s"), (words.duration(75.0), "75 s"),
        (words.duration(7_200), "2.0 h"), (words.duration(None), "–"), (words.rate(0.01), "0"),
        (words.rate(41.62), "41.6"),
        (words.size(312_000_000), "298 MiB"), (words.percent(1, 3), "33 %"), (words.percent(0, 0), "–"),
        (words.percent(1, 999), "< 1 %"),
        (words.money(0.0), "0.00"), (words.money(0.0231), "0.0231"),
    ],
)  # fmt: skip
def test_numbers_are_written_for_people(shown: str, expected: str) -> None:
    assert shown == expected
