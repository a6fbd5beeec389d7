"""Documents by version: put, replaced, put again, deleted (D8, C9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import orjson
import pytest

from inference.protocols import Embedder
from processors.knowledge import step as chunk
from processors.knowledge.step import ChunkStep
from processors.ports import Models, ProfileBook
from schemas.events.documents import EVERY_VERSION, Document, DocumentBody
from schemas.events.memory import MemoryBody, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
ONE = "# A\none\n\n# B\ntwo\n\n# C\nthree"
TWO = "# 甲\n一\n\n# 乙\n二"


class Bench:
    def __init__(self, models: Models, batch: int = 1) -> None:
        self.driver = TopologyDriver([ChunkStep(models, ProfileBook(load_profile("general")))], START, batch=batch)

    def put(self, version: str, markdown: str, **kw: Any) -> None:
        body = DocumentBody(title=kw.pop("title", "Title"), markdown=markdown, metadata=kw.pop("metadata", {}))
        at = kw.pop("at", START)
        self.driver.pipe(
            topics.DOCUMENTS,
            Document(tenant="acme", document_id="doc", version=version, accepted_at=at, sealed=body, **kw),
        )

    async def view(self) -> dict[str, MemoryUpdate]:
        await self.driver.run()
        assert not self.driver.dead_letters()
        out: dict[str, MemoryUpdate] = {}
        for u in self.driver.read(topics.UPDATES):
            assert isinstance(u, MemoryUpdate)
            assert u.row_key not in out or u.revision > out[u.row_key].revision
            out[u.row_key] = u
        return out

    def rows(self) -> dict[str, dict[str, bytes]]:
        store = self.driver.store
        assert isinstance(store, MemoryStateStore)
        return {o: dict(r) for table in store.rows.values() for o, r in table.items()}

    async def texts(self, state: str = "active") -> list[tuple[str | None, str]]:
        found = [u for u in (await self.view()).values() if u.state == state]
        return [(u.key, u.sealed.text) for u in found]


@pytest.fixture(params=[1, 64])
def bench(models: Models, request: pytest.FixtureRequest) -> Bench:
    return Bench(models, request.param)


async def test_d8_a_new_version_archives_the_old_in_one_step(bench: Bench) -> None:
    bench.put("1", ONE)
    bench.put("2", TWO)
    assert await bench.texts() == [("2", "一"), ("2", "二")]
    assert await bench.texts("archived") == [("1", "one"), ("1", "two"), ("1", "three")]
    first = next(u for u in (await bench.view()).values() if u.key == "2")
    assert first.sealed.attributes["hierarchy_info"] == {"h1": "甲"}
    assert first.sealed.attributes["document_version"] == "2"
    assert first.language == "zh"


async def test_n8_an_archived_version_says_until_when_it_stood_and_can_be_found(bench: Bench) -> None:
    """A search as of a time before needs its words and vector beside the time."""
    bench.put("1", ONE, at=START - timedelta(days=7))
    stood = {u.sealed.text: u for u in (await bench.view()).values()}
    assert {u.valid_to for u in stood.values()} == {None}
    bench.put("2", TWO)
    archived = [u for u in (await bench.view()).values() if u.state == "archived"]
    assert len(archived) == 3
    for u in archived:
        assert (u.occurred_at, u.valid_to) == (START - timedelta(days=7), START)
        assert u.sealed == stood[u.sealed.text].sealed
    bench.put("1", "", op="delete")
    assert {str(u.sealed) for u in (await bench.view()).values() if u.key == "1"} == {str(MemoryBody())}


async def test_d8_the_same_version_again_changes_nothing_unless_it_says_something_else(bench: Bench) -> None:
    bench.put("1", ONE)
    bench.put("1", ONE)
    assert {u.revision for u in (await bench.view()).values()} == {1}
    bench.put("1", ONE, title="Another title")
    view = await bench.view()
    assert {u.sealed.attributes["title"] for u in view.values()} == {"Another title"}
    bench.put("1", "# A\nshorter", title="Another title")
    assert await bench.texts() == [("1", "shorter")]


async def test_d8_an_old_version_may_come_back(bench: Bench) -> None:
    for version, text in (("1", ONE), ("2", TWO), ("1", ONE), ("2", TWO)):
        bench.put(version, text)
    assert sorted(t for _, t in await bench.texts()) == ["一", "二"]
    assert len(await bench.texts("archived")) == 3


async def test_c9_deletion_reaches_every_version(bench: Bench) -> None:
    bench.put("1", ONE)
    bench.put("2", TWO)
    bench.put(EVERY_VERSION, "", op="delete")
    view = await bench.view()
    assert len(view) == 5
    assert {(u.op, u.state, u.sealed.text, str(u.sealed.attributes)) for u in view.values()} == {
        ("delete", "deleted", "", "{}")
    }
    before = sum(1 for _ in bench.driver.read(topics.UPDATES))
    bench.put(EVERY_VERSION, "", op="delete")
    await bench.view()
    assert sum(1 for _ in bench.driver.read(topics.UPDATES)) == before, "nothing is left to delete"
    bench.put("1", ONE)
    assert [t for _, t in await bench.texts()] == ["one", "two", "three"]


async def test_d8_the_deletion_of_one_version_leaves_the_others(bench: Bench) -> None:
    bench.put("1", ONE)
    bench.put("2", TWO)
    bench.put("9", "", op="delete")
    kept = [(v, t) for state in ("active", "archived") for v, t in await bench.texts(state)]
    assert [v for v, _ in kept] == ["2", "2", "1", "1", "1"], "there never was a version 9"
    bench.put("1", "", op="delete")
    assert await bench.texts() == [("2", "一"), ("2", "二")]
    assert await bench.texts("archived") == []
    assert len(await bench.texts("deleted")) == 3
    result = sum(1 for _ in bench.driver.read(topics.UPDATES))
    bench.put("1", "", op="delete")
    bench.put("2", TWO)
    await bench.view()
    assert sum(1 for _ in bench.driver.read(topics.UPDATES)) == result, "deleted before, and put as it stands"
    bench.put("1", ONE)
    assert [v for v, _ in await bench.texts()] == ["1", "1", "1"]
    assert [v for v, _ in await bench.texts("archived")] == ["2", "2"]


async def test_d8_behind_the_active_version_none_stands(bench: Bench) -> None:
    bench.put("1", ONE)
    bench.put("2", TWO)
    bench.put("2", "", op="delete")
    assert await bench.texts() == []
    assert len(await bench.texts("archived")) == 3, "an archived version comes back only when it is put"
    bench.put("2", TWO)
    assert await bench.texts() == [("2", "一"), ("2", "二")]


async def test_d5_text_title_and_metadata_are_behind_policy(bench: Bench) -> None:
    mail = "ann@example.com"
    bench.put("1", f"# About {mail}\nwrite to {mail}", title=f"By {mail}", metadata={"owner": {"mail": [mail]}})
    [chunk] = (await bench.view()).values()
    assert mail.encode() not in Codec().value(chunk)
    assert chunk.sealed.attributes["source_metadata"]["owner"] == {"mail": ["<EMAIL_ADDRESS>"]}


class Counting:
    """An embedder that says what it was given."""

    def __init__(self, inner: Embedder) -> None:
        self._inner, self.given = inner, list[str]()

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> Any:
        self.given += texts
        return self._inner.embed(texts)


@pytest.mark.parametrize("batch", [1, 64])
async def test_d8_of_a_new_version_only_what_changed_is_embedded(models: Models, batch: int) -> None:
    counting = Counting(models.embedder)
    bench = Bench(replace(models, embedder=counting), batch)
    bench.put("1", ONE)
    bench.put("2", ONE.replace("two", "zwei 二"))
    view = await bench.view()
    assert counting.given == ["A > one", "B > two", "C > three", "B > zwei 二"]
    by_text = {(u.key, u.sealed.text): u.sealed.embedding for u in view.values() if u.state == "active"}
    plain = Bench(models)
    plain.put("2", ONE.replace("two", "zwei 二"))
    fresh = {(u.key, u.sealed.text): u.sealed.embedding for u in (await plain.view()).values()}
    assert by_text.keys() == fresh.keys()
    for name, vector in by_text.items():
        a, b = (np.frombuffer(v, dtype=np.float16).astype(float) for v in (vector, fresh[name]))
        assert float(a @ b) > 0.999
    counting.given.clear()
    bench.put("3", "# Z\none")
    await bench.view()
    assert counting.given == ["Z > one"], "headings are part of what is embedded"


async def test_d8_also_after_a_restart_only_what_changed_is_embedded(models: Models) -> None:
    counting = Counting(models.embedder)
    bench = Bench(replace(models, embedder=counting))
    bench.put("1", ONE)
    before = {u.sealed.text: u.sealed.embedding for u in (await bench.view()).values()}
    await bench.driver.runners["chunk"].leave(range(8))
    counting.given.clear()
    bench.put("2", ONE + "\n\n# D\nfour")
    view = await bench.view()
    assert counting.given == ["D > four"]
    active = {u.sealed.text: u.sealed.embedding for u in view.values() if u.state == "active"}
    assert {t: active[t] for t in before} == before
    assert {u.sealed.text: u.sealed.embedding for u in view.values() if u.state == "archived"} == before


async def test_d8_what_another_model_embedded_and_rows_without_a_vector_are_embedded_again(models: Models) -> None:
    counting = Counting(models.embedder)
    bench = Bench(replace(models, embedder=counting))
    bench.put("1", ONE)
    await bench.view()
    counting.given.clear()
    store = bench.driver.store
    assert isinstance(store, MemoryStateStore)
    for owner in (o for table in store.rows.values() for o in table.values()):
        for name, row in [(n, orjson.loads(raw)) for n, raw in owner.items() if n.startswith("chunk/")]:
            if row["sealed"]["text"] == "one":
                del row["sealed"]["embedding"]
            if row["sealed"]["text"] == "two":
                row["model_id"] = "another"
            owner[name] = orjson.dumps(row)
    await bench.driver.runners["chunk"].leave(range(8))
    bench.put("2", ONE)
    await bench.view()
    assert counting.given == ["A > one", "B > two"]


@pytest.mark.parametrize("empty", ["---\ntitle: x\n---\n", "#\n", "\n"])
async def test_d8_an_empty_version_archives_what_stood(bench: Bench, empty: str) -> None:
    bench.put("1", ONE)
    bench.put("2", empty)
    assert await bench.texts() == []
    assert len(await bench.texts("archived")) == 3


async def test_d8_earlier_versions_of_a_document_are_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest archived leaves; a version that comes back goes on above its old revisions, also where only the
    floor is left of them."""
    monkeypatch.setattr(chunk, "KEPT_VERSIONS", 2)
    monkeypatch.setattr(chunk, "KEPT_NUMBERS", 1)
    for n in range(1, 7):
        bench.put(str(n), f"# A\nwords {n}")
    assert sorted(await bench.texts("archived")) == [("4", "words 4"), ("5", "words 5")]
    assert await bench.texts() == [("6", "words 6")]
    assert sorted(str(k) for k, _ in await bench.texts("deleted")) == ["1", "2", "3"]
    assert {u.reason.rule for u in (await bench.view()).values() if u.state == "deleted"} == {"made_room"}
    bench.put("1", "# A\nback")
    assert await bench.texts() == [("1", "back")]
    assert sorted(await bench.texts("archived")) == [("5", "words 5"), ("6", "words 6")]
    rows = [k for owners in bench.rows().values() for k in owners if k.startswith("put/")]
    assert len(rows) == 4, "the active one, two archived, one deleted"
    bench.put(EVERY_VERSION, "", op="delete")
    assert {u.state for u in (await bench.view()).values()} == {"deleted"}
