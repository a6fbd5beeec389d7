"""Checks of what others run: where traces go, and the keys of the identity provider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx

from memstream.checks.result import CheckFailedError, CheckResult, Status, failing
from memstream.settings import Settings


def traces(settings: Settings) -> Iterator[CheckResult]:
    """The collector answers, whatever it answers to a GET, and what sends to it is installed."""
    from memstream.tracing import TracingError, require_exporter

    if not settings.otlp_endpoint:
        yield CheckResult("traces", Status.SKIP, "no collector set: no traces")
        return
    try:
        require_exporter()
    except TracingError as exc:
        raise CheckFailedError(str(exc), "or leave MEMSTREAM_OTLP_ENDPOINT empty") from None
    with failing(
        httpx.HTTPError, httpx.InvalidURL,
        detail="the collector does not answer",
        remedy="check MEMSTREAM_OTLP_ENDPOINT (http://host:4318); everything else goes on without it",
    ):  # fmt: skip
        httpx.get(f"{settings.otlp_endpoint.rstrip('/')}/v1/traces", timeout=5)
    yield CheckResult("traces", Status.OK, "the collector answers")


def tokens(settings: Settings) -> Iterator[CheckResult]:
    """The key set by which bearer tokens are checked is there and is one."""
    import jwt

    from query.auth.tokens import FileKeys, signing_keys
    from query.config import ConfigError

    if not settings.jwt_jwks:
        yield CheckResult("tokens", Status.SKIP, "no identity provider set: API keys only")
        return
    remedy = "check MEMSTREAM_JWT_JWKS: a file, or an https address, of a JSON Web Key Set"
    try:
        if isinstance(signing_keys(settings.jwt_jwks), FileKeys):
            yield CheckResult("tokens", Status.OK, f"key set in {Path(settings.jwt_jwks).name}")
            return
    except ConfigError as exc:
        raise CheckFailedError(str(exc), remedy) from None
    with failing(httpx.HTTPError, httpx.InvalidURL, detail="the key set cannot be had", remedy=remedy):
        answer = httpx.get(settings.jwt_jwks, timeout=5).raise_for_status()
    with failing(ValueError, TypeError, jwt.PyJWTError, detail="what answers is no key set", remedy=remedy):
        count = len(jwt.PyJWKSet.from_json(answer.text).keys)
    yield CheckResult("tokens", Status.OK, f"key set with {count} keys")
