"""`memstream serve`: the query service over open clients."""

from __future__ import annotations

import asyncio
import signal
import ssl
from typing import Any

import uvicorn

from inference.memory import calm_collector, return_freed_memory
from inference.reranker import CrossEncoderReranker
from inference.terms import terms
from memstream import keys
from memstream.connections import secret
from memstream.endpoint import endpoint_of
from memstream.keyring.wiring import sealing_of
from memstream.profiles import LiveBook, ProfileFollower, TenantProfiles, warn_of_clear_text
from memstream.recovery import refuse_short_logs
from memstream.secretfile import key_from
from memstream.settings import Settings
from memstream.tracing import spans_of
from memstream.workers.http_protocol import CONNECTIONS, BoundedProtocol
from memstream.workers.models import counter, default_models, embedder_named, recognise_beside
from memstream.workers.traced import TracedLog, TracedRequests
from processors.screen.callers import CallersScreen
from query.app import create_app
from query.config import Limits, QueryConfig, TokenConfig
from query.connect import open_deps
from schemas import migrations
from schemas.profile.model import load_profile


def limits_of(settings: Settings) -> Limits:
    return Limits(
        reads_per_second=settings.reads_per_second,
        writes_per_second=settings.writes_per_second,
        turns_per_second=settings.turns_per_second,
        bytes_per_second=settings.bytes_per_second,
        failures_per_second=settings.failures_per_second,
        streams=settings.streams_per_tenant,
    )


def tokens_of(settings: Settings) -> TokenConfig | None:
    """The identity provider, where one is configured."""
    if not settings.jwt_issuer:
        return None
    return TokenConfig(
        issuer=settings.jwt_issuer,
        audience=settings.jwt_audience,
        jwks=settings.jwt_jwks,
        tenant_claim=settings.jwt_tenant_claim,
        scope_claim=settings.jwt_scope_claim,
        users_claim=settings.jwt_users_claim,
        projects_claim=settings.jwt_projects_claim,
    )


def tls_of(settings: Settings) -> dict[str, Any]:
    """What uvicorn is told of TLS; nothing where the door has no certificate."""
    if settings.http_cert is None:
        return {}
    callers: dict[str, Any] = {}
    if settings.http_client_ca is not None:
        callers = {"ssl_ca_certs": str(settings.http_client_ca), "ssl_cert_reqs": ssl.CERT_REQUIRED}
    return {
        "ssl_certfile": str(settings.http_cert), "ssl_keyfile": str(settings.http_key),
        "ssl_keyfile_password": secret(settings.http_key_password_file) or None, **callers,
    }  # fmt: skip


async def serve(settings: Settings) -> None:
    """Runs until SIGTERM. Raises ConfigError for an address beyond loopback without keys, and ShortLogError:
    what is written to a log that is shorter than its readers' positions would be skipped."""
    dsn = settings.postgres.get_secret_value()
    migrations.upgrade(dsn)
    await asyncio.to_thread(refuse_short_logs, settings.brokers, dsn, settings.partitions)
    config = QueryConfig(
        host=settings.host, port=settings.port, kafka=settings.brokers, partitions=settings.partitions,
        profile=settings.profile, keys_exist=keys.exist(dsn), tokens=tokens_of(settings),
        limits=limits_of(settings), max_body_bytes=settings.max_body_bytes, ranking=settings.ranking,
        milvus_reserve=settings.milvus_reserve, reranker_seconds=settings.reranker_seconds,
        store_timeout=settings.store_seconds,
    )  # fmt: skip
    profile = load_profile(settings.profile, settings.profiles_dir)
    warn_of_clear_text(profile, sealed=settings.encryption == "sealed")
    models = default_models(key_from(settings.hash_key.get_secret_value(), settings.data_dir))
    embedder = models.embedder
    terms("加载词典 load the dictionaries")
    embedder.embed(["the first query does not wait for the tables"])
    counter(profile.encoding)
    return_freed_memory()
    calm_collector()
    sealing = sealing_of(settings)
    profiles = await asyncio.to_thread(ProfileFollower(profile).start, settings.brokers)
    recognise_beside(models.analyzer)
    screen = CallersScreen(models, LiveBook(profiles))
    async with open_deps(
        config,
        postgres=dsn,
        redis=settings.redis.get_secret_value(),
        milvus=settings.milvus_access,
        profile=profile,
        embedder=embedder,
        counter=counter,
        screen=screen,
        codec=sealing.codec,
    ) as deps:
        deps.embedder_named = embedder_named
        deps.new_keys = sealing.new_keys(deps.profile_of)
        deps.originals = sealing.vault.open
        deps.tenant_profiles = TenantProfiles(profiles)
        deps.hyde = endpoint = endpoint_of(settings) if settings.hyde else None
        if settings.reranker:
            deps.reranker = await asyncio.to_thread(CrossEncoderReranker, settings.reranker)
        spans = spans_of(settings, "query")
        if spans:
            deps.log = TracedLog(deps.log, spans)
        app = create_app(config, deps)
        if spans:
            app.add_middleware(TracedRequests, spans=spans, share=settings.otlp_share)
        server = uvicorn.Server(
            uvicorn.Config(
                app, host=settings.host, port=settings.port, log_config=None, access_log=False,
                http=BoundedProtocol, limit_concurrency=CONNECTIONS, **tls_of(settings),
            )
        )
        # uvicorn hands the signal on once it has stopped: it ends nothing here, what waits is still to be sent.
        signal.signal(signal.SIGTERM, lambda *_: None)
        await server.serve()
        if endpoint is not None:
            await endpoint.close()
