"""N1: vectors made anew with another model, in the writer of a generation and in the query that reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from inference.e5 import MultilingualE5Small
from inference.protocols import Embedder, EmbedderMissingError
from inference.terms import terms
from memstream.reprocess.errors import RebuildError
from memstream.reprocess.reembed import name_of
from memstream.reprocess.vectors import embedded, texts_of_vector
from processors.memory.items import whole_text
from processors.ports import Models, vectors
from query.errors import store_down
from query.search.embedders import Servings
from query.views.db import LiveViews
from schemas.events.memory import MemoryBody, MemoryUpdate
from schemas.events.turns import ScreenedTurn
from sinks.memory import MemorySink
from sinks.protocol import Item, Message, SinkBatch
from sinks.reembed import Reembedded
from tests.unit.sinks.events import memory, session, turn


@pytest.fixture(scope="module")
def e5() -> MultilingualE5Small:
    return MultilingualE5Small()


def unit(raw: bytes) -> np.ndarray[Any, Any]:
    return np.frombuffer(raw, np.float16).astype(np.float32)


def with_body(event: Any, **body: Any) -> Any:
    return event.model_copy(update={"sealed": event.sealed.model_copy(update=body)})


@pytest.mark.parametrize("text", ["I live in Leeds.", "我住在杭州。", "one line\nand another"])
def test_a_text_becomes_the_vector_that_its_step_would_make(e5: MultilingualE5Small, models: Models, text: str) -> None:
    events = [with_body(turn(1), content=text), with_body(memory(2), text=text)]
    for embedder in (e5, models.embedder):
        [wanted] = vectors(embedder, [text])
        for made in embedded(embedder, terms, events):
            assert float(unit(made) @ unit(wanted)) > 0.999


def test_chunks_reports_and_items_are_embedded_as_they_were_written() -> None:
    headings = {"hierarchy_info": {"h1": "Shelves", "h2": "Walls"}}
    chunk = with_body(memory(1, kind="chunk", key="1"), text="Bolt it down.", attributes=headings)
    assert texts_of_vector(chunk, terms) == ["Shelves > Walls > Bolt it down."]
    of_week = memory(1, kind="report", key="2026-01-12", project_id="p1")
    report = with_body(of_week, text="# Week 3\n\n- moved to York\n")
    assert texts_of_vector(report, terms) == ["moved to York"], "a heading is nothing that was said"
    value = {"city": "Leeds", "tags": ["green", "blue"]}
    body = MemoryBody(value=value, terms=tuple(terms(whole_text(value))))
    item = memory(1, kind="item").model_copy(update={"sealed": body})
    assert texts_of_vector(item, terms) == [whole_text(value)]
    some = item.model_copy(update={"sealed": MemoryBody(value=value, terms=("leed",))})
    assert texts_of_vector(some, terms) == ["leed"], "nothing that was not to be searched becomes part of the vector"


def test_the_writer_of_a_generation_puts_its_own_vectors() -> None:
    requests: list[int] = []

    def embed(events: Any) -> list[bytes]:
        requests.append(len(events))
        return [b"new" for _ in events]

    sink = MemorySink()
    wrapped = Reembedded(sink, "other@1", embed, lambda event: {"ct": event.model_id})
    message = Message("t", 0, 0, b"k", b"v", [], 0)
    bare = with_body(memory(3), embedding=b"")
    known = turn(4).model_copy(update={"model_id": "other@1"})
    events: list[Any] = [turn(1), memory(2), bare, session(1, 1), known]
    wrapped.write(SinkBatch([Item(e, message) for e in events]))
    assert requests == [2], "what has no vector gets none, and what has the right one keeps it"
    held = [e for e in sink.rows.values() if isinstance(e, ScreenedTurn | MemoryUpdate)]
    stored = [(e.sealed.embedding, e.model_id) for e in held]
    new = b"new", "other@1"
    assert stored == [new, new, (b"", bare.model_id), (known.sealed.embedding, "other@1")]
    assert wrapped.name == sink.name


def test_many_records_go_through_the_model_in_parts() -> None:
    requests: list[int] = []

    def embed(events: Any) -> list[bytes]:
        requests.append(len(events))
        return [b"new" for _ in events]

    message = Message("t", 0, 0, b"k", b"v", [], 0)
    sink = Reembedded(MemorySink(), "other@1", embed, lambda event: None)
    sink.write(SinkBatch([Item(turn(n), message) for n in range(150)]))
    assert requests == [64, 64, 22]


def test_a_model_that_is_unknown_is_named_with_those_there_are() -> None:
    with pytest.raises(RebuildError, match="expected use, e5, not 'glove'"):
        name_of("glove")
    assert name_of("use") == "", "the vectors of the log"
    assert name_of("e5") == "e5"


class Rows:
    """`Database.live`, without one."""

    def __init__(self) -> None:
        self.now: Mapping[str, int] = {"postgres": 1, "milvus": 1}
        self.embedder, self.away = "", False

    async def live(self) -> LiveViews:
        if self.away:
            raise store_down("postgres")
        return self.last_live()

    def last_live(self) -> LiveViews:
        return LiveViews(self.now, self.embedder)


async def test_a_question_is_embedded_with_the_model_of_what_is_read(
    e5: MultilingualE5Small, models: Models
) -> None:
    loaded: list[str] = []

    def named(name: str) -> Embedder:
        loaded.append(name)
        return e5

    rows = Rows()
    servings = Servings(rows, models.embedder, named)  # type: ignore[arg-type]
    assert (await servings.now()).embedder is models.embedder
    rows.now, rows.embedder = {"postgres": 2, "milvus": 3}, "e5"
    for serving in await asyncio.gather(servings.now(), servings.now()):
        assert (serving.embedder, serving.generations["milvus"], serving.blind) == (e5, 3, False)
    assert loaded == ["e5"], "loaded once"
    rows.away = True
    assert (await servings.now()).embedder is e5, "as it was last read"


async def test_where_the_model_is_not_installed_words_alone_are_searched(models: Models) -> None:
    def named(name: str) -> Embedder:
        raise EmbedderMissingError("install memstream[e5]")

    rows = Rows()
    rows.embedder = "e5"
    serving = await Servings(rows, models.embedder, named).now()  # type: ignore[arg-type]
    assert serving.blind
