"""The query service: the door for writes, and reads of the materialised state (K4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from query import errors, openapi
from query.access import AccessLog
from query.agents.mount import Agents
from query.auth.book import KeyBook
from query.auth.boundary import authenticator
from query.circuit import Circuits
from query.config import QueryConfig
from query.deadletters.access import KafkaAccess
from query.deadletters.index import LetterIndex
from query.deps import Deps
from query.encoded_slashes import KeepSlashes
from query.freshness import milvus_watch, postgres_watch
from query.limits import TenantLimits
from query.log_epochs import log_epochs
from query.metrics import Measured, Metrics
from query.milvus import Milvus
from query.ops import page as ops_page
from query.pipeline.everything_read import EverythingRead
from query.pipeline.monitor import Monitor
from query.prompt import endpoint as read_context
from query.reading import dead_letters, erasures, operations, store_batch, updates
from query.reading import feedback as read_feedback
from query.reading import load_context as read_load_context
from query.reading import memories as read_memories
from query.reading import messages as read_messages
from query.reading import originals as read_originals
from query.reading import patterns as read_patterns
from query.reading import projects as read_projects
from query.reading import readings as read_readings
from query.reading import search as read_search
from query.reading import sessions as read_sessions
from query.reading import store as read_store
from query.reading import tables as read_tables
from query.reading import turns as read_turns
from query.reading import users as read_users
from query.search.executor import ComputeLane, Questions
from query.search.fair_lane import FairLane
from query.search.milvus import MilvusCandidates
from query.search.retriever import Retriever
from query.views.db import Database
from query.views.pending_deletions import Withheld
from query.writing import erasures as write_erasures
from query.writing import memories as write_memories
from query.writing import profiles as write_profiles
from query.writing import projects as write_projects
from query.writing import save_info as write_save_info
from query.writing import sessions as write_sessions
from query.writing import tables as write_tables
from query.writing import turns as write_turns

PARTS = (
    write_turns, write_memories, write_sessions, write_projects, write_profiles, write_tables, write_save_info,
    read_turns, read_originals, read_memories, read_sessions, read_messages, read_users, read_patterns, read_readings,
    read_search, read_load_context, read_projects, read_store, store_batch, read_context, read_tables, read_feedback,
    write_erasures, erasures, operations, dead_letters, updates, ops_page,
)  # fmt: skip


def create_app(config: QueryConfig, deps: Deps) -> FastAPI:
    """The service over open clients. Raises ConfigError for an address beyond loopback without keys."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        monitor.start()
        accesses.start()
        book.start()
        async with agents.running():
            yield
        streams.close()
        await accesses.stop()
        await book.stop()
        await monitor.stop()
        lane.close()
        questions.close()
        screening.close()
        everything_read.close()
        close_epochs()
        await asyncio.to_thread(milvus.close)

    app = FastAPI(
        title="memstream",
        summary="Agent memory as a log: turns in, screened, de-duplicated, cited memories out.",
        version="1",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    lane, questions, screening = ComputeLane(), ComputeLane("questions"), FairLane("door")
    circuits, withheld = Circuits(), Withheld()
    db = Database(
        deps.pool, config.generation_seconds, config.store_timeout, deps.codec, circuits.postgres, deps.key_threads
    )
    book = KeyBook(db, deps.clock, config.keys_seconds, config.keys_stale_seconds)
    milvus = Milvus(deps.milvus, config.store_timeout, circuits.milvus)
    topic_access = KafkaAccess(config.kafka, config.partitions)
    letters = LetterIndex(topic_access)
    epochs, close_epochs = log_epochs(config)
    monitor = Monitor(config, deps, db, milvus.ping, letters, circuits.redis, epochs)
    streams = updates.UpdateStreams(config)
    metrics = Metrics()
    accesses = AccessLog(
        deps.log, deps.codec, config.partitions, deps.clock, metrics, config.max_accesses_waiting, deps.new_id
    )
    app.state.config = config
    app.state.circuits = circuits
    app.state.withheld = withheld
    app.state.milvus = milvus
    app.state.monitor = monitor
    app.state.topics = topic_access
    app.state.letters = letters
    app.state.updates = streams
    app.state.metrics = metrics
    app.state.deps = deps
    app.state.accesses = accesses
    app.state.screening = screening
    app.state.limits = TenantLimits(config.limits, metrics)
    app.state.authenticator = authenticator(config, deps.keys, book)
    app.state.db = db
    large = MilvusCandidates(db, milvus, config.store_timeout)
    retriever = Retriever(config, deps, db, large, lane, Questions(questions), withheld, screening)
    app.state.retriever = retriever
    app.state.watches = {
        "postgres": postgres_watch(db),
        "milvus": milvus_watch(db, milvus),
    }
    app.state.epochs = epochs
    app.state.everything_read = everything_read = EverythingRead(config, app.state.watches["postgres"])
    metrics.watch_pipeline(lambda: monitor.current)
    metrics.watch_accesses(lambda: accesses.waiting)
    metrics.watch_circuits(circuits.open)
    metrics.watch_scopes(lambda: retriever.cache.size)
    app.add_middleware(Measured, metrics=metrics)
    app.add_middleware(KeepSlashes)
    errors.install(app)
    # Routes are tried in their order, and these two are asked most; their paths are nobody else's.
    for part in sorted(PARTS, key=lambda p: p not in (read_context, read_search)):
        # The routes as they are: of an included router each app makes its own, at its first request, and looks twice.
        app.router.routes.extend(part.router.routes)
    openapi.install(app, [part.router for part in PARTS])
    app.state.agents = agents = Agents(app, config)
    return app
